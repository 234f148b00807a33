# SPDX-License-Identifier: Apache-2.0
"""The rules of policy in login, i3lock and swaylock: no finger counts, the password does, and then the finger again."""

import pwd
from pathlib import Path

import pytest

from conftest import PASSWORD, PROMPT
from lockers import Screen, Seat
from module_bench import tools  # noqa: F401
from policies import SHIPPED, STACK, machine, seen
from service import MODULE, POLICY, reachable, wait_until
from terminal import Shell
from test_lockout import mismatches

LOCKERS = {"i3lock": Screen, "swaylock": Seat}
# What reaches pam_tell was wrong; it writes that down and fails.
SCREEN_STACK = """\
auth [success=done conv_err=die abort=die auth_err=die default=ignore] {module} socket={socket}
auth [success=1 default=ignore] pam_unix.so nodelay
auth [default=die] {tell} {told}
auth required pam_permit.so
auth optional {module} learn socket={socket}
account required pam_permit.so
"""


@pytest.fixture(params=["after a start", "after five wrong fingers"])
def running(request, person, prints):
    """A daemon with the person's finger, which does not count."""
    with machine(SHIPPED if request.param == "after a start" else POLICY) as service:
        service.enroll(person, prints[1][:5])
        if request.param != "after a start":
            refusal = mismatches(service, person, 5, prints[2][6], real_user=pwd.getpwnam(person).pw_uid)
            assert refusal == "locked-out"
        yield service


@pytest.fixture(params=LOCKERS)
def screen(request, person, running, tools):  # noqa: F811
    """screen() answers a locked screen of the person."""
    with LOCKERS[request.param](person) as session:
        session.wrong = session.folder / "wrong"
        Path("/etc/pam.d", request.param).write_text(SCREEN_STACK.format(
            module=reachable(MODULE), socket=running.socket, tell=reachable(tools / "pam_tell.so"), told=session.wrong))
        yield session.lock


def test_a_screen_opens_by_the_password_and_then_by_the_finger_again(screen, running, person, prints):
    mark = running.log.mark()
    locked = screen()
    locked.type("")
    wait_until(locked.takes_keys, "PAM to end")
    assert locked.locker.poll() is None and not running.log.has(r"\b(accepted|armed)\b", mark)
    locked.type(PASSWORD)
    assert locked.locker.wait(8) == 0
    wait_until(lambda: seen(running, person), "the password to be learnt")
    locked = screen()
    locked.type("")
    running.log.wait(r"\barmed\b", mark)
    running.touch(prints[1][6])
    assert locked.locker.wait(3) == 0


def test_login_takes_the_password_and_then_the_finger_again(running, person, prints):
    Path("/etc/pam.d/login").write_text(STACK.format(module=MODULE, socket=running.socket))
    mark = running.log.mark()
    with Shell("root") as shell:
        shell.line(f"exec login {person}")
        shell.expect("assword: ")
        assert not running.log.has(r"\b(accepted|armed)\b", mark)
        shell.line(PASSWORD)
        shell.expect(r"[$#] ")
    wait_until(lambda: seen(running, person), "the password to be learnt")
    with Shell("root") as shell:
        shell.line(f"exec login {person}")
        shell.expect(PROMPT)
        running.log.wait(r"\barmed\b", mark)
        running.touch(prints[1][6])
        shell.expect(r"[$#] ", limit=3)
