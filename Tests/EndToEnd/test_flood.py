# SPDX-License-Identifier: Apache-2.0
"""Floods by an ordinary user: another person's touch still works, and memory and time stay bounded.

Figures are printed (pytest -s).
"""

import os
import pwd
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from conftest import OTHER
from protocol_client import Client
from service import Service, alive, wait_until

TICKS = os.sysconf("SC_CLK_TCK")
CONNECTIONS = 200
SILENT = 64
LOOPS = 10_000


@pytest.fixture
def service(person):
    """A daemon with a virtual reader; both the person and the other one have a finger."""
    with Service("device") as running:
        running.enroll(person, ["SCAN mine"] * 5)
        running.enroll(OTHER, ["SCAN theirs"] * 5)
        yield running


class Figures:
    """What the daemon and its reader processes cost between two moments."""

    def __init__(self, service):
        self.service = service
        self.start, self.cpu, self.memory = time.monotonic(), self._cpu(), self._memory()

    def _cpu(self) -> float:
        """Seconds of the daemon and of all reader processes that have ended."""
        fields = Path(f"/proc/{self.service.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return sum(int(field) for field in fields[11:15]) / TICKS

    def _memory(self) -> int:
        return int(Path(f"/proc/{self.service.process.pid}/status").read_text().split("VmRSS:")[1].split()[0])

    def tell(self, what: str, touches):
        taken = time.monotonic() - self.start
        grown = self._memory() - self.memory
        print(f"\n{what}: {taken:.1f} s, {self._cpu() - self.cpu:.2f} s of CPU, {grown:+d} KiB of {self.memory}; "
              f"touches {', '.join(f'{touch * 1000:.0f}' for touch in touches)} ms")
        assert grown < 4096 and alive(self.service.process.pid)


@contextmanager
def somebody_else(work: str):
    """Runs these lines as the other user until the block ends; `say(text)` reaches the block's `hear()`."""
    here = Path(__file__).parent
    child = subprocess.Popen(
        ["/usr/bin/python3", "-c", "import sys, time, socket\n"
         f"sys.path.insert(0, {str(here)!r})\n"
         "def say(text): print(text, flush=True)\n" + (here / "protocol_client.py").read_text() + "\n" + work],
        user=OTHER, group=OTHER, extra_groups=[], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    try:
        yield lambda: child.stdout.readline().strip()
    finally:
        child.stdin.close()
        child.kill()
        child.wait()


def uid(name: str) -> int:
    return pwd.getpwnam(name).pw_uid


def connected(service, limit: float) -> Client:
    """A connection; waits for room in a full backlog, as the module's blocking call does."""
    def connect():
        with suppress(BlockingIOError):
            return Client(str(service.socket), limit)
    return wait_until(connect, "room in the backlog", limit)


def touch(service, person, limit: float = 10) -> float:
    """One touch of the person's; answers the seconds from asking to being armed and recognised."""
    start = time.monotonic()
    with connected(service, limit) as client:
        client.begin(person, real_user=uid(person))
        client.until("armed")
        service.tell("SCAN mine")
        client.confirm(client.until("matched").nonce)
        client.expect("granted")
    return time.monotonic() - start


def test_two_hundred_connections_in_two_seconds(service, person):
    figures = Figures(service)
    work = f"""
clients = []
for number in range({CONNECTIONS}):
    try:
        client = Client({str(service.socket)!r}, 2)
        client.begin({OTHER!r}, service="login", terminal="tty1", real_user=0)
        clients.append(client)
    except OSError: pass
    time.sleep(2 / {CONNECTIONS})
say(len(clients))
sys.stdin.read()
"""
    with somebody_else(work) as hear:
        touches = [touch(service, person, 20)]
        assert int(hear()) > 100
        touches += [touch(service, person, 20) for _ in range(3)]
    figures.tell(f"{CONNECTIONS} connections", touches)
    # Whoever holds the reader armed loses it after its slice.
    assert max(touches) < 12


def test_silent_connections(service, person):
    figures = Figures(service)
    work = f"""
def connect():
    try: return Client({str(service.socket)!r}, 2)
    except OSError: return None
clients = [connect() for _ in range({SILENT})]
say("ready")
while True:
    clients = [connect() for _ in range({SILENT})]
    time.sleep(0.2)
"""
    with somebody_else(work) as hear:
        assert hear() == "ready"
        touches = [touch(service, person) for _ in range(10)]
    figures.tell(f"{SILENT} silent connections, again and again", touches)
    assert max(touches) < 2


def test_ten_thousand_looped_conversations(service, person):
    """Each is begun, under another service's name, and given up as soon as it hears something."""
    figures = Figures(service)
    work = f"""
def patient():
    while True:
        try: return Client({str(service.socket)!r}, 1)
        except BlockingIOError: time.sleep(0.0005)
events = 0
for number in range({LOOPS}):
    try:
        with patient() as client:
            client.begin({OTHER!r}, service=["sudo", "login", "gdm-password", "polkit-1"][number % 4], real_user=0)
            if number % 100 == 0: client.until("armed", "waiting", limit=0.5)
            events += 1
    except Exception: pass
say(events)
sys.stdin.read()
"""
    starts = service.log.mark()
    with somebody_else(work) as hear:
        touches = [touch(service, person) for _ in range(20)]
        done = int(hear())
        touches += [touch(service, person) for _ in range(5)]
    figures.tell(f"{done} of {LOOPS} looped conversations", touches)
    assert max(touches) < 3 and done > LOOPS / 2
    # What they call themselves reaches nobody.
    assert not service.log.has("in use by (login|gdm)", starts)


def test_a_loop_does_not_heat_the_reader(service, person):
    """Claims given up as soon as they are armed: after a few, they have to wait for longer and longer."""
    work = f"""
end, count = time.monotonic() + 10, 0
while time.monotonic() < end:
    try:
        with Client({str(service.socket)!r}, 10) as client:
            client.begin({OTHER!r})
            client.until("armed", limit=max(end - time.monotonic(), 0.01))
            count += 1
    except Exception: pass
say(count)
sys.stdin.read()
"""
    figures = Figures(service)
    with somebody_else(work) as hear:
        touches = [touch(service, person) for _ in range(5)]
        armed = int(hear())
    figures.tell(f"a loop of 10 s that was armed {armed} times", touches)
    assert 5 <= armed <= 12 and max(touches) < 2


def test_a_loop_over_the_readers_is_slowed_down(service, person):
    work = f"""
end, count = time.monotonic() + 5, 0
while time.monotonic() < end:
    try:
        with Client({str(service.socket)!r}, 10) as client:
            client.readers()
            client.until("done", limit=max(end - time.monotonic(), 0.01))
            count += 1
    except Exception: pass
say(count)
sys.stdin.read()
"""
    figures = Figures(service)
    with somebody_else(work) as hear:
        touches = [touch(service, person) for _ in range(5)]
        listed = int(hear())
    figures.tell(f"a loop of 5 s that listed the readers {listed} times", touches)
    assert 5 <= listed <= 12 and max(touches) < 2
