# SPDX-License-Identifier: Apache-2.0
"""Typed patterns in real sudo, su and login: the module, the daemon, and pam_unix and pam_faillock behind our line."""

import subprocess
from pathlib import Path

import pytest

from conftest import OTHER, PASSWORD
from module_bench import MODULE
from patterns import RIGHT, WRONG, allow_password_checks, answer, failures, outcome, set_pattern, wrong_patterns
from service import Service
from system_log import SystemLog
from terminal import Shell

STACK = """\
auth [success=done conv_err=die abort=die auth_err=die default=ignore] {module} socket={socket}
auth [success=done default=ignore] pam_unix.so nodelay
auth [default=die] pam_faillock.so authfail deny=99 dir={tally}
account required pam_permit.so
session required pam_permit.so
"""
SERVICES = {"sudo": "thumbturn-sudo", "su": "su", "login": "login"}
COMMANDS = {"sudo": "sudo -k; sudo id -un", "su": "su {person} -c 'id -un'"}
REFUSED = "try again|Authentication failure|Permission denied"
TYPE = "ype your pattern or password: "


class Desk:
    """A person with a pattern, and what else hears of what they type."""

    def __init__(self, service, person, folder, log):
        self.service, self.person, self.tally, self.log = service, person, folder / "tally", log
        for name in SERVICES.values():
            Path("/etc/pam.d", name).write_text(
                STACK.format(module=MODULE, socket=service.socket, tally=self.tally))
        assert set_pattern(service, person).kind == "done"

    def guesses(self):
        """Wrong patterns that the daemon has counted."""
        return failures(self.service, self.person)

    def tallied(self):
        """Failures that pam_faillock has counted."""
        told = subprocess.run(["faillock", "--dir", self.tally, "--user", self.person], capture_output=True, text=True,
                              check=True).stdout
        return sum(line.rstrip().endswith("V") for line in told.splitlines())

    def reached_pam_unix(self):
        """Whether pam_unix was asked in vain."""
        return bool(self.log.lines("authentication failure"))

    def lock(self):
        """Wrong patterns, until the next is not tested."""
        for pattern in wrong_patterns(5):
            assert outcome(answer(self.service, self.person, pattern)) == "wrong-pattern"


@pytest.fixture(scope="module")
def service(person):
    allow_password_checks()
    with Service("none") as running:
        yield running


@pytest.fixture
def desk(service, person, tmp_path):
    with SystemLog() as log:
        yield Desk(service, person, tmp_path, log)
    subprocess.run(["chpasswd"], input=f"{person}:{PASSWORD}\n", text=True, check=True)


@pytest.fixture(params=COMMANDS)
def shell(request, desk):
    with Shell(desk.person) as running:
        running.command = COMMANDS[request.param].format(person=desk.person)
        running.inside = r"root\r\n" if request.param == "sudo" else rf"{desk.person}\r\n"
        yield running


def ask(shell, typed, prompt=TYPE):
    shell.line(shell.command)
    shell.expect(prompt)
    shell.line(typed)


def password_is(person, digits):
    """Makes digits the person's password, and nobody told the daemon."""
    subprocess.run(["chpasswd", "-c", "SHA512"], input=f"{person}:{digits}\n", text=True, check=True)


def test_the_right_pattern_is_enough(shell, desk):
    ask(shell, RIGHT)
    shell.expect(shell.inside, limit=3)
    assert desk.guesses() == desk.tallied() == 0 and not desk.reached_pam_unix()
    assert RIGHT not in desk.service.log.text()


def test_a_wrong_pattern_reaches_neither_pam_unix_nor_the_tally(shell, desk):
    """Not even where it is the password."""
    password_is(desk.person, WRONG)
    ask(shell, WRONG)
    shell.expect(REFUSED, limit=3)
    assert desk.guesses() == 1 and desk.tallied() == 0 and not desk.reached_pam_unix()


def test_a_wrong_password_is_tallied_and_is_no_guess(shell, desk):
    ask(shell, "wrong")
    shell.expect(REFUSED)
    desk.log.wait("authentication failure")
    assert desk.guesses() == 0 and desk.tallied() == 1


def test_the_password_works_beside_a_pattern(shell, desk):
    ask(shell, PASSWORD)
    shell.expect(shell.inside)
    assert desk.guesses() == desk.tallied() == 0


def test_while_it_is_locked_the_right_pattern_is_a_wrong_password(shell, desk):
    desk.lock()
    ask(shell, RIGHT)
    shell.expect(REFUSED)
    assert desk.guesses() == 5 and desk.tallied() == 1


def test_while_it_is_locked_the_same_digits_open_as_the_password(shell, desk):
    desk.lock()
    password_is(desk.person, RIGHT)
    ask(shell, RIGHT)
    shell.expect(shell.inside)
    assert desk.guesses() == 5 and desk.tallied() == 0


def test_somebody_else_is_not_offered_it(desk):
    """What they type is a password, and no guess at the pattern."""
    with Shell(OTHER) as shell:
        shell.line(f"su {desk.person} -c 'id -un'")
        shell.expect("Password: ")
        shell.line(RIGHT)
        shell.expect(REFUSED)
    assert desk.guesses() == 0 and desk.tallied() == 1


def test_login_takes_it_too(desk):
    with Shell("root") as shell:
        shell.line(f"exec login {desk.person}")
        shell.expect(TYPE)
        shell.line(WRONG)
        shell.expect("Login incorrect")
        shell.expect("login: ")
        shell.line(desk.person)
        shell.expect(TYPE)
        shell.line(RIGHT)
        shell.expect(r"[$#] ")
        shell.line("id -un")
        shell.expect(rf"{desk.person}\r\n")
    assert desk.guesses() == desk.tallied() == 0 and not desk.reached_pam_unix()


def test_login_takes_the_same_digits_as_the_password_while_it_is_locked(desk):
    desk.lock()
    password_is(desk.person, RIGHT)
    with Shell("root") as shell:
        shell.line(f"exec login {desk.person}")
        shell.expect("[Pp]assword: ")
        shell.line(WRONG)
        shell.expect("Login incorrect")
        shell.expect("login: ")
        shell.line(desk.person)
        shell.expect("[Pp]assword: ")
        shell.line(RIGHT)
        shell.expect(r"[$#] ")
    assert desk.guesses() == 5 and desk.tallied() == 1
