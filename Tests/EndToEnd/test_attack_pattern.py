# SPDX-License-Identifier: Apache-2.0
"""Patterns against an ordinary user who floods the daemon, and against whoever reads its memory.

Not shown here: what single answers tell and count (test_pattern_daemon.py).
"""

import contextlib
import fcntl
import json
import multiprocessing
import os
import pwd
import signal
import struct
import termios
import time
from pathlib import Path

import pytest

from conftest import OTHER
from patterns import OTHER_RIGHT, RIGHT, allow_password_checks, answer, client, failures, outcome, set_pattern
from protocol_client import Client, Ended
from service import Service, wait_until
from test_attack_memory import memory_of

# What each may hold at a time, less one.
AT_ONCE = 7
# Of a length that nothing else in memory has.
LONG, LONG_WRONG = "276183495", "381674925"


@pytest.fixture
def service(person):
    """A daemon without a reader; the person and somebody else have patterns."""
    allow_password_checks()
    with Service("none") as running:
        for user, pattern in ((person, RIGHT), (OTHER, OTHER_RIGHT)):
            assert set_pattern(running, user, pattern).kind == "done"
        yield running


def unread(connection) -> int:
    """How many of the bytes sent the daemon has not taken yet."""
    return struct.unpack("i", fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, b"0000"))[0]


def ask_and_hang_up(path, patterns):
    """Has a few of one's own patterns tried, and leaves as soon as they are taken."""
    connections = []
    try:
        for pattern in patterns:
            connections.append(Client(path, 5))
            connections[-1].check_pattern(OTHER)
        for connection, pattern in zip(connections, patterns):
            connection.expect("pattern-wanted")
            connection.answer(pattern.encode())
        for connection in connections:
            while unread(connection):
                pass
    except (OSError, Ended, AssertionError):
        # One too many at a time: the daemon has not let go of the last ones yet.
        pass
    finally:
        for connection in connections:
            connection.close()


def flood(path, stop, started):
    """Right patterns, which take their time, and what is none, which takes none."""
    os.setresuid(*[pwd.getpwnam(OTHER).pw_uid] * 3)
    while not stop.is_set():
        ask_and_hang_up(path, [OTHER_RIGHT, *["1111"] * (AT_ONCE - 1)])
        started.set()


def test_whoever_asks_and_hangs_up_keeps_nobody_waiting(service, person):
    """Without turns, a second of this kept everybody waiting for minutes and then broke the stack."""
    context = multiprocessing.get_context("fork")
    stop, started = context.Event(), context.Event()
    flooder = context.Process(target=flood, args=(str(service.socket), stop, started))
    flooder.start()
    try:
        assert started.wait(10)
        end, took = time.monotonic() + 6, []
        while time.monotonic() < end:
            start = time.monotonic()
            assert outcome(answer(service, person, RIGHT)) == "granted"
            took.append(time.monotonic() - start)
    finally:
        stop.set()
        flooder.join(20)
        flooder.kill()
    # The module waits for three seconds.
    assert max(took) < 3, took
    assert outcome(answer(service, OTHER, OTHER_RIGHT)) == "granted"
    assert service.process.poll() is None


def test_who_hangs_up_before_the_turn_has_guessed_nothing(service, person):
    """Somebody else's is counted and being tested meanwhile: the daemon is stopped in the middle of it."""
    throttle = service.data / "users" / person / "pattern.throttle"
    before = throttle.read_bytes()
    with client(service) as first, client(service) as second:
        for connection, user in ((first, OTHER), (second, person)):
            connection.begin(user)
            connection.expect("pattern-offered")
            connection.expect("finger-ended")
        first.answer(OTHER_RIGHT.encode())
        wait_until(lambda: failures(service, OTHER) == 1, "the guess to be counted")
        service.process.send_signal(signal.SIGSTOP)
        wait_until(lambda: is_stopped(service.process.pid), "the daemon to stop")
        second.answer(LONG_WRONG.encode())
        second.cancel()
        service.process.send_signal(signal.SIGCONT)
        assert second.refusal() == "cancelled"
        first.expect("granted")
    assert outcome(answer(service, OTHER, OTHER_RIGHT)) == "granted"
    assert throttle.read_bytes() == before


def is_stopped(pid) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"


def connections(service) -> int:
    """How many stand, the one that asks included."""
    return json.loads(service.command("status", "--json").stdout)["connections"]


@contextlib.contextmanager
def called_by(uid):
    """Makes this process one that somebody called through a setuid program."""
    os.setresuid(uid, 0, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


def test_whoever_calls_su_often_keeps_nobody_out(service, person):
    """Requests of root's programs for one caller; each may stand for minutes where a pattern is awaited."""
    uid = pwd.getpwnam(OTHER).pw_uid
    caller = {"service": "su", "real_user": uid}
    with contextlib.ExitStack() as stack, called_by(uid):
        for number in range(40):
            connection = stack.enter_context(client(service))
            # One too many is refused before it has said anything.
            with contextlib.suppress(BrokenPipeError):
                connection.begin(OTHER, **caller)
            if number < 8:
                connection.expect("pattern-offered")
            else:
                assert connection.refusal() == "overloaded"
        os.setresuid(0, 0, 0)
        assert outcome(answer(service, person, RIGHT)) == "granted"
        assert outcome(answer(service, person, RIGHT, real_user=pwd.getpwnam(person).pw_uid)) == "granted"
    # All are let go with their connections.
    for _ in range(20):
        wait_until(lambda: connections(service) == 1, "all others to be let go")
        assert outcome(answer(service, OTHER, OTHER_RIGHT, **caller)) == "granted"


def code(digits) -> bytes:
    """A pattern as the daemon holds it: four bits a cell, the first one lowest."""
    return sum(int(digit) << 4 * place for place, digit in enumerate(digits)).to_bytes(8, "little")


def test_the_daemon_forgets_patterns(service, person):
    assert set_pattern(service, person, LONG).kind == "done"
    assert outcome(answer(service, person, LONG_WRONG)) == "wrong-pattern"
    assert outcome(answer(service, person, LONG)) == "granted"
    assert outcome(answer(service, person, LONG_WRONG)) == "wrong-pattern"
    assert outcome(answer(service, person, LONG_WRONG)) == "wrong-pattern"
    # An answer is sent before what it was about is wiped; the next request comes behind that.
    assert service.command("status").returncode == 0
    held = list(memory_of(service.process.pid))
    for digits in (LONG, LONG_WRONG):
        for form in (digits.encode(), code(digits), bytes(map(int, digits))):
            assert [line for line, memory in held if form in memory] == []


def locked(service) -> int:
    """KiB of the daemon's memory that cannot be swapped."""
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return int(status.split("VmLck:")[1].split()[0])


def test_the_end_of_one_secret_unlocks_no_other(service, person):
    """Each connection has a place for secrets, and guesses are remembered under a key; the kernel locks pages."""
    page = os.sysconf("SC_PAGESIZE") // 1024
    wait_until(lambda: locked(service) == page, "the setting up to be over")
    with client(service), client(service), client(service):
        assert outcome(answer(service, person, RIGHT)) == "granted"
        wait_until(lambda: locked(service) == 4 * page, "three more pages to be locked")
    wait_until(lambda: locked(service) == page, "them to be let go")
