# SPDX-License-Identifier: Apache-2.0
"""Typed patterns in real sudo, su and login, with pam_faillock and pam_unix behind our line.

The daemon is a stand-in that knows one pattern; what the module, libpam and the hosts make of its answers is real.
"""

import subprocess
from pathlib import Path

import pytest

from conftest import OTHER, PASSWORD
from fake_daemon import FakeDaemon, accepted, armed, finger_ended, granted, offered, passed_on, refused
from module_bench import MODULE
from terminal import Shell

RIGHT, WRONG, NOTHING_ENROLLED, WRONG_PATTERN = "2589", "1598", 5, 25
STACK = """\
auth [success=done conv_err=die abort=die auth_err=die default=ignore] {module} socket={folder}/socket
auth [success=done default=ignore] pam_unix.so nodelay
auth [default=die] pam_faillock.so authfail deny=99 dir={folder}/tally
account required pam_permit.so
session required pam_permit.so
"""
COMMANDS = {"sudo": "sudo -k; sudo id -un", "su": "su {person} -c 'id -un'"}


class Desk:
    """A person with a pattern, and what the services hear of them."""

    def __init__(self, folder, person):
        self.folder, self.person, self.mode = folder, person, "open"
        self.answers = []
        (folder / "enrolled").mkdir()
        (folder / "enrolled" / person).touch()
        for service in ("thumbturn-sudo", "su", "login"):
            Path("/etc/pam.d", service).write_text(STACK.format(module=MODULE, folder=folder))

    def serve(self, client):
        """A pattern alone; `locked` passes on untested, `none` offers nothing."""
        if self.mode == "none":
            client.send(accepted(), armed())
        else:
            client.send(offered(), finger_ended(NOTHING_ENROLLED))
        kind, body = client.receive()
        if kind is None:
            return
        typed = body[2:].decode()
        self.answers.append(typed)
        right = granted() if typed == RIGHT else refused(WRONG_PATTERN)
        client.send(passed_on() if self.mode != "open" else right)
        client.wait_for_end()

    def failures(self):
        """How many failures pam_faillock has counted."""
        told = subprocess.run(["faillock", "--dir", self.folder / "tally", "--user", self.person], capture_output=True,
                              text=True, check=True).stdout
        return sum(line.rstrip().endswith("V") for line in told.splitlines())


@pytest.fixture
def desk(person, tmp_path):
    running = Desk(tmp_path, person)
    with FakeDaemon(str(tmp_path / "socket"), running.serve):
        yield running
    subprocess.run(["chpasswd"], input=f"{person}:{PASSWORD}\n", text=True, check=True)


@pytest.fixture(params=COMMANDS)
def shell(request, desk):
    with Shell(desk.person if request.param == "sudo" else OTHER) as running:
        running.command = COMMANDS[request.param].format(person=desk.person)
        running.inside = r"root\r\n" if request.param == "sudo" else rf"{desk.person}\r\n"
        yield running


REFUSED = "try again|Authentication failure|Permission denied"


def ask(shell, typed, prompt=r"Type your pattern or password: "):
    shell.line(shell.command)
    shell.expect(prompt)
    shell.line(typed)


def test_the_right_pattern_is_enough(shell, desk):
    ask(shell, RIGHT)
    shell.expect(shell.inside, limit=2)
    assert desk.answers == [RIGHT] and desk.failures() == 0


def test_a_wrong_pattern_reaches_neither_pam_unix_nor_the_tally(shell, desk):
    """Not even where it is the password."""
    subprocess.run(["chpasswd", "-c", "SHA512"], input=f"{desk.person}:{WRONG}\n", text=True, check=True)
    ask(shell, WRONG)
    shell.expect(REFUSED, limit=2)
    assert desk.answers == [WRONG] and desk.failures() == 0


def test_a_wrong_password_is_tallied_and_no_pattern(shell, desk):
    ask(shell, "wrong")
    shell.expect(REFUSED)
    assert desk.answers == [] and desk.failures() == 1


def test_the_password_works_beside_a_pattern(shell, desk):
    ask(shell, PASSWORD)
    shell.expect(shell.inside)
    assert desk.answers == []


@pytest.mark.parametrize("mode", ["locked", "none"])
def test_digits_are_the_password_where_no_pattern_is_tested(shell, desk, mode):
    """The same digits as the pattern and another password: they are tried as a password, and are none."""
    desk.mode = mode
    ask(shell, RIGHT, r"password: ")
    shell.expect(REFUSED)
    assert desk.failures() == 1 and desk.answers == ([RIGHT] if mode == "locked" else [])


@pytest.mark.parametrize("mode", ["locked", "none"])
def test_digits_that_are_the_password_open(shell, desk, mode):
    desk.mode = mode
    subprocess.run(["chpasswd", "-c", "SHA512"], input=f"{desk.person}:{WRONG}\n", text=True, check=True)
    ask(shell, WRONG, r"password: ")
    shell.expect(shell.inside)
    assert desk.failures() == 0


def test_login_takes_it_too(desk):
    with Shell("root") as shell:
        shell.line(f"exec login {desk.person}")
        shell.expect("Type your pattern or password: ")
        shell.line(WRONG)
        shell.expect("Login incorrect")
        shell.expect("login: ")
        shell.line(desk.person)
        shell.expect("Type your pattern or password: ")
        shell.line(RIGHT)
        shell.expect(r"[$#] ")
        shell.line("id -un")
        shell.expect(rf"{desk.person}\r\n")
    assert desk.answers == [WRONG, RIGHT] and desk.failures() == 0
