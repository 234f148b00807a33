# SPDX-License-Identifier: Apache-2.0
"""The line that learns, at every place of real stacks of sudo: only a right password teaches, wherever it stands."""

from pathlib import Path

import pytest

from conftest import PASSWORD
from module_bench import MODULE
from patterns import allow_password_checks, set_pattern
from service import Service, children, wait_until
from terminal import Shell

LEARN = "auth [default=ignore] {module} learn socket={socket}"
UNIX = "auth [success=done default=ignore] pam_unix.so nodelay"
# The places that pam-auth-update can give a line among others: alone in front, between modules that jump, behind all.
STACKS = {
    "in front": [LEARN, UNIX, "auth required pam_deny.so"],
    "behind, reached when wrong": [UNIX, LEARN, "auth required pam_deny.so"],
    "behind, reached either way": ["auth required pam_unix.so nodelay", LEARN],
    "behind, reached when right": ["auth [success=ok default=die] pam_unix.so nodelay", LEARN],
    "behind the jump over the end": [
        "auth [success=1 default=ignore] pam_unix.so nodelay", "auth requisite pam_deny.so", "auth required pam_permit.so",
        LEARN],
    "before the jump lands": [
        "auth [success=2 default=ignore] pam_unix.so nodelay", LEARN, "auth requisite pam_deny.so",
        "auth required pam_permit.so"],
    "behind our own line": [
        "auth [success=done auth_err=die default=ignore] {module} socket={socket}", UNIX, LEARN,
        "auth required pam_deny.so"],
}
# Where the line is reached at all, with a wrong and with a right password.
HEARS_WRONG = ["behind, reached when wrong", "behind, reached either way", "before the jump lands", "behind our own line"]
HEARS_RIGHT = ["behind, reached either way", "behind, reached when right", "behind the jump over the end"]
REST = "account required pam_permit.so\nsession required pam_permit.so\n"


@pytest.fixture
def service(person):
    allow_password_checks()
    with Service("none") as running:
        set_pattern(running, person)
        yield running


@pytest.fixture
def sudo(service, person):
    """sudo(lines, password) answers whether sudo let in."""
    def run(lines, password):
        text = "\n".join(line.format(module=MODULE, socket=service.socket) for line in lines)
        Path("/etc/pam.d/thumbturn-sudo").write_text(text + "\n" + REST)
        with Shell(person) as shell:
            shell.line("sudo -k; sudo id -un")
            if shell.expect(["assword[^:]*: ", "root\r\n"]) == 1:
                return True
            shell.line(password)
            return shell.expect(["try again", "root\r\n"]) == 1
    return run


def learnt(service, person):
    """Whether the daemon knows that the password was given, once no check runs any more."""
    wait_until(lambda: not [pid for pid in children(service.process.pid) if is_check(pid)], "the check to end")
    return (service.data / "users" / person / "password.seen").exists()


def is_check(pid):
    return Path(f"/proc/{pid}/comm").read_text().startswith("thumbturn-pw")


@pytest.mark.parametrize("place", STACKS)
def test_a_wrong_password_teaches_nothing_and_lets_nobody_in(sudo, service, person, place):
    assert not sudo(STACKS[place], "wrong")
    if place in HEARS_WRONG:
        service.log.wait("learn .*done")
    assert not learnt(service, person)


@pytest.mark.parametrize("place", STACKS)
def test_a_right_password_teaches_where_the_line_is_reached(sudo, service, person, place):
    """The check goes on though sudo is gone."""
    assert sudo(STACKS[place], PASSWORD)
    if place in HEARS_RIGHT:
        service.log.wait("learn .*done")
    assert learnt(service, person) == (place in HEARS_RIGHT)


@pytest.mark.parametrize("other", ["auth sufficient pam_permit.so", "auth required pam_permit.so"])
def test_the_success_of_another_module_teaches_nothing(sudo, service, person, other):
    assert sudo([other, LEARN], "") and not learnt(service, person)
