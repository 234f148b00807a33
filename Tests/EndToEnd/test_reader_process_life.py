# SPDX-License-Identifier: Apache-2.0
"""Reader processes that lose their reader, crash again and again, or hang; the test plays the process."""

import itertools
import os
import re
import select
import shutil
import signal
import time
from pathlib import Path

import pytest

from protocol_client import Client
from service import children, name, wait_until
from standin_reader import StandIn

HERE = Path(__file__).resolve()
RECORDINGS = Path(os.environ.get("THUMBTURN_RECORDINGS", HERE.parents[3] / "shared/recordings"))
STRANGERS = itertools.count(9000)


def begun(service, person, real_user: int = 0) -> Client:
    client = Client(str(service.socket))
    client.begin(person, real_user=real_user)
    return client


@pytest.fixture(scope="module")
def reader():
    with StandIn() as running:
        yield running


@pytest.fixture
def service(reader, person):
    with reader.service() as running:
        with Client(str(running.socket)) as client:
            reader.enroll(client, person)
        yield running


def opens(service, reader, person, **about):
    with begun(service, person) as client:
        claim = reader.claim()
        claim.arm(**about)
        claim.report("matched", b"\0")
        client.confirm(client.until("matched").nonce)
        client.expect("granted")
        claim.finish()


def test_gone_for_good(service, reader, person):
    with begun(service, person) as client:
        claim = reader.claim()
        claim.arm()
        client.until("armed")
        start = time.monotonic()
        claim.report("failed", b"\1")
        claim.finish()
        looks = 0
        while time.monotonic() - start < 10:
            if not reader.waits():
                if has_news(client):
                    break
                continue
            claim = reader.claim()
            claim.expect("list")
            claim.report("listed")
            claim.finish()
            looks += 1
        assert client.refusal() == "no-reader"
        taken = time.monotonic() - start
    print(f"given up after {taken:.2f} s and {looks} looks")
    assert 4.5 < taken < 6.5 and 5 < looks < 16
    opens(service, reader, person)


def test_back_after_two_seconds(service, reader, person):
    with begun(service, person) as client:
        claim = reader.claim()
        claim.arm()
        client.until("armed")
        start = time.monotonic()
        claim.report("failed", b"\1")
        claim.finish()
        while time.monotonic() - start < 2:
            claim = reader.claim()
            claim.expect("list")
            claim.report("listed")
            claim.finish()
        claim = reader.claim()
        claim.arm()
        client.until("armed")
        claim.report("matched", b"\0")
        client.confirm(client.until("matched").nonce)
        client.expect("granted")
        claim.finish()


def test_the_next_in_the_queue_is_not_kept_waiting_by_one_that_looks(service, reader, person):
    with begun(service, person) as client:
        claim = reader.claim()
        claim.arm()
        client.until("armed")
        other = begun(service, person, real_user=4711)
        other.expect("waiting")
        claim.report("failed", b"\1")
        claim.finish()
        client.cancel()
        assert client.refusal() == "cancelled"
        claim = reader.claim()
        claim.arm()
        other.until("armed")
        other.close()
        claim.finish()


def test_a_process_that_crashes_every_time_is_not_started_in_a_loop(service, reader, person):
    """Whoever asks meanwhile hears at once that there is no reader; it is tried again after a pause."""
    refusals, starts, start = 0, 0, time.monotonic()
    while time.monotonic() - start < 1.5:
        # Each time for somebody else, so that nobody has to wait for having asked often.
        with begun(service, person, real_user=next(STRANGERS)) as client:
            wait_until(lambda: reader.waits() or has_news(client), "a process, or an answer")
            if reader.waits():
                claim = reader.claim()
                starts += 1
                claim.signal(signal.SIGSEGV)
                claim.end()
            assert client.refusal() == "reader-failed"
            refusals += 1
    assert starts == 4 and refusals > 50
    with wait_until(lambda: not_refused(service, person), "the pause to end", 4) as client:
        claim = reader.claim()
        claim.arm()
        client.until("armed")
        client.cancel()
        claim.finish()


def has_news(client) -> bool:
    return bool(select.select([client], [], [], 0)[0])


def not_refused(service, person):
    """A conversation that is not refused at once, if there is one now."""
    client = begun(service, person, real_user=next(STRANGERS))
    if not select.select([client], [], [], 0.1)[0]:
        return client
    client.close()
    return None


def test_hung_while_opening(service, reader, person):
    with begun(service, person) as client:
        claim = reader.claim()
        claim.expect("list")
        claim.found()
        claim.report("listed")
        claim.expect("open")
        claim.signal(signal.SIGSTOP)
        client.expect("accepted")
        start = time.monotonic()
        assert client.refusal(15) == "reader-failed"
        assert 9 < time.monotonic() - start < 12
        claim.end()
    opens(service, reader, person)


# Another address

@pytest.mark.skipif(not RECORDINGS.is_dir() or not shutil.which("umockdev-run"), reason="no recordings or no umockdev")
def test_enumerated_anew_at_another_address(reader, person, tmp_path):
    """The driver crashes as the device goes; the kernel has it again under another number."""
    text = re.sub(r"^(A: removable=)(?!unknown)\w+", r"\g<1>fixed", (RECORDINGS / "elanmoc/device").read_text(),
                  flags=re.MULTILINE)
    (tmp_path / "device").write_text(text)
    with reader.service(wrapper=["umockdev-run", "-d", str(tmp_path / "device"), "--"]) as service:
        about = {"driver": "elanmoc", "stores": 1, "bus": 1}
        with Client(str(service.socket)) as client:
            reader.enroll(client, person, address=3, **about)
        [environment] = [Path(f"/proc/{pid}/environ").read_bytes() for pid in daemon_of(service)]
        bed = re.search(rb"UMOCKDEV_DIR=([^\0]+)", environment).group(1).decode()
        number = Path(bed, "sys/devices/pci0000:00/0000:00:14.0/usb1/1-9/devnum")
        with begun(service, person) as client:
            claim = reader.claim()
            claim.arm(address=3, **about)
            client.until("armed")
            number.write_text("7\n")
            claim.signal(signal.SIGSEGV)
            claim.end()
            claim = reader.claim()
            claim.arm(address=7, **about)
            client.until("armed")
            claim.report("matched", b"\0")
            client.confirm(client.until("matched").nonce)
            client.expect("granted")
            claim.finish()


def daemon_of(service):
    """The daemon's process, below the one that mocks devices."""
    return [pid for pid in [service.process.pid, *children(service.process.pid)] if name(pid) == "thumbturnd"]
