# SPDX-License-Identifier: Apache-2.0
"""Real i3lock and swaylock of an ordinary user: neither is setuid, and each asks PAM as the user itself.

xsecurelock, which takes a touch at once, has test_xsecurelock.py. Not here: a desktop's own locker
(test_second_stack.py has the two stacks they run), and a compositor that a person sees.
"""

import os
import signal
import time
from pathlib import Path

import pytest

from conftest import PASSWORD, PROMPT, stack
from lockers import Screen, Seat
from module_bench import tools  # noqa: F401
from patterns import RIGHT, WRONG, failures, set_pattern
from service import MODULE, Service, reachable, wait_until
from terminal import Shell

LOCKERS = {"i3lock": Screen, "swaylock": Seat}
# What reaches the last line was wrong; pam_tell writes it down and fails.
STACK = """\
auth [success=done conv_err=die abort=die auth_err=die default=ignore] {module} socket={socket}
auth [success=done default=ignore] pam_unix.so nodelay
auth required {tell} {told}
account required pam_permit.so
"""


@pytest.fixture(scope="module")
def reader(person, prints):
    """A reader with the person's finger; the person has a pattern, too."""
    with Service("image") as running:
        running.enroll(person, prints[1][:5])
        assert set_pattern(running, person).kind == "done"
        yield running


@pytest.fixture(params=LOCKERS)
def locked(request, person, reader, tools):  # noqa: F811
    """A locked screen of the person, whose finger no earlier test has locked."""
    assert reader.command("unlock", person).returncode == 0
    with LOCKERS[request.param](person) as session:
        prepare(session, request.param, reader.socket, tools)
        yield session.lock()


def prepare(session, service, socket, tools):  # noqa: F811
    """Writes the locker's stack; what was wrong stands in `session.wrong` then."""
    session.wrong = session.folder / "wrong"
    Path("/etc/pam.d", service).write_text(
        STACK.format(module=reachable(MODULE), socket=socket, tell=reachable(tools / "pam_tell.so"), told=session.wrong))


def opens(session, limit=3):
    """Whether the screen opens; a locker that dies has another status."""
    return session.locker.wait(limit) == 0


def test_the_password_opens(locked, reader):
    mark = reader.log.mark()
    locked.type(PASSWORD)
    assert opens(locked)
    assert not reader.log.has("armed", mark), "the reader was not asked"


def test_a_wrong_password_does_not(locked):
    locked.type("wrong horse")
    wait_until(lambda: locked.wrong.exists() and locked.wrong.read_text() == "token:wrong horse", "PAM to end")
    assert locked.locker.poll() is None
    locked.type(PASSWORD)
    assert opens(locked, 8)


def test_the_pattern_opens(locked, reader, person):
    locked.type(RIGHT)
    assert opens(locked) and failures(reader, person) == 0


def test_a_wrong_pattern_does_not_and_reaches_nothing_else(locked, reader, person):
    mark = reader.log.mark()
    locked.type(WRONG)
    reader.log.wait("the pattern is not right", mark)
    assert locked.locker.poll() is None and failures(reader, person) == 1 and not locked.wrong.exists()
    locked.type(RIGHT)
    assert opens(locked, 8) and failures(reader, person) == 0


def test_a_touch_opens_after_an_empty_enter(locked, reader, prints):
    mark = reader.log.mark()
    locked.type("")
    reader.log.wait("armed", mark)
    reader.touch(prints[1][6])
    assert opens(locked)


def test_a_screen_comes_before_the_sudo_that_it_covers(locked, reader, person, prints):
    """Each has a touch of its own."""
    stack("thumbturn-sudo", reader.socket)
    with Shell(person) as shell:
        mark = reader.log.mark()
        shell.line("sudo -k; sudo id -un")
        shell.expect(PROMPT)
        reader.log.wait("armed", mark)
        mark = reader.log.mark()
        locked.type("")
        reader.log.wait("armed", mark)
        mark = reader.log.mark()
        reader.touch(prints[1][6])
        assert opens(locked)
        reader.log.wait("armed", mark)
        assert not reader.log.has("granted, service thumbturn-sudo", mark)
        reader.touch(prints[1][7])
        shell.expect(r"root\r\n")


def test_two_wrong_fingers_do_not_open_and_leave_the_password(locked, reader, prints):
    mark = reader.log.mark()
    locked.type("")
    for scan in (prints[2][6], prints[2][7]):
        reader.log.wait("armed", mark)
        mark = reader.log.mark()
        reader.touch(scan)
    wait_until(locked.takes_keys, "the wait for the reader to end")
    assert locked.locker.poll() is None
    locked.type(PASSWORD)
    assert opens(locked, 8)


def test_keys_count_again_within_eight_seconds(locked, reader):
    """Nobody touches."""
    mark = reader.log.mark()
    locked.type("")
    reader.log.wait("armed", mark)
    start = time.monotonic()
    wait_until(locked.takes_keys, "the wait for the reader to end", 9)
    assert 5 < time.monotonic() - start < 8.1 and locked.locker.poll() is None
    locked.type(PASSWORD)
    assert opens(locked, 8)


@pytest.mark.parametrize("stuck", ["the reader", "the service"])
def test_keys_count_again_whatever_hangs(locked, reader, stuck):
    mark = reader.log.mark()
    locked.type("")
    reader.log.wait("armed", mark)
    start = time.monotonic()
    [process] = reader.reader_processes() if stuck == "the reader" else [reader.process.pid]
    os.kill(process, signal.SIGSTOP)
    try:
        wait_until(locked.takes_keys, "the wait for the reader to end", 9)
        assert time.monotonic() - start < 8.3 and locked.locker.poll() is None
        locked.type(PASSWORD)
        assert opens(locked, 8)
    finally:
        os.kill(process, signal.SIGCONT)
