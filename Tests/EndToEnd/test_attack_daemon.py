# SPDX-License-Identifier: Apache-2.0
"""Attacks on the daemon from both sides: by its reader process and by clients."""

import os
import pwd
import random
import signal
import struct
import subprocess
import threading
import time
from contextlib import contextmanager, suppress

import pytest

from conftest import OTHER
from protocol_client import Client, Ended, frame, text
from service import program, wait_until
from standin_reader import LARGEST, StandIn


@pytest.fixture(scope="module")
def reader():
    with StandIn() as running:
        yield running


@pytest.fixture(scope="module")
def service(reader, person):
    with reader.service() as running:
        with Client(str(running.socket)) as client:
            reader.enroll(client, person)
        yield running


def connected(service):
    """A connection; waits for room in a full backlog, as the module's blocking call does."""
    def connect():
        try:
            return Client(str(service.socket))
        except BlockingIOError:
            return None
    return wait_until(connect, "room in the backlog")


def begun(service, person):
    client = connected(service)
    client.begin(person)
    return client


def opens(service, reader, person):
    """An honest reader leads to a grant, and soon."""
    start = time.monotonic()
    with begun(service, person) as client:
        claim = reader.claim()
        claim.arm()
        client.until("armed")
        claim.report("matched", b"\0")
        client.confirm(client.until("matched").nonce)
        client.expect("granted")
        claim.finish()
    assert time.monotonic() - start < 2


@contextmanager
def somebody_else(work):
    """Runs `work` in a process of another user for the length of the block; it must end well."""
    child = os.fork()
    if child == 0:
        account = pwd.getpwnam(OTHER)
        try:
            os.setgroups([])
            os.setresgid(*[account.pw_gid] * 3)
            os.setresuid(*[account.pw_uid] * 3)
            work()
            os._exit(0)
        finally:
            os._exit(1)
    try:
        yield
    finally:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0


# The reader process

def go_to(step: int, claim):
    """Plays an honest process up to a step."""
    if step >= 1:
        claim.expect("list")
    if step >= 2:
        claim.found()
        claim.report("listed")
        claim.expect("open")
    if step >= 3:
        claim.report("opened")
        claim.expect("verify")
    if step >= 4:
        claim.report("armed")
    if step >= 5:
        claim.report("matched", b"\0")


STEPS = ["start", "listing", "opening", "comparing", "armed"]
LIES = {
    "matches": lambda claim: claim.report("matched", b"\0"),
    "matches what was not sent": lambda claim: claim.report("matched", b"\7"),
    "mismatches": lambda claim: claim.report("mismatched"),
    "garbage": lambda claim: claim.raw(bytes(range(256)) * 16),
    "too long": lambda claim: claim.raw(b"\1" * (LARGEST + 1)),
    "cut off": lambda claim: claim.raw(b"\1"),
    "enrols": lambda claim: claim.report("enrolled", struct.pack(">I", 4) + b"abcd"),
    "many readers": lambda claim: [claim.found(device=str(number)) for number in range(17)],
    "crashes": lambda claim: claim.signal(signal.SIGSEGV),
    "ends": lambda claim: claim.end(),
    "refuses for no match": lambda claim: claim.report("failed", b"\6"),
}
TRUE_WHEN_ARMED = ("matches", "mismatches")


@pytest.mark.parametrize("step", range(len(STEPS)), ids=STEPS)
@pytest.mark.parametrize("lie", LIES)
def test_lie(service, reader, person, lie, step):
    if step == 4 and lie in TRUE_WHEN_ARMED:
        return
    with begun(service, person) as client:
        claim = reader.claim()
        go_to(step, claim)
        LIES[lie](claim)
        events = client.rest(2)
        claim.end()
    assert "matched" not in [event.kind for event in events]
    # Anything about the finger would end the PAM stack and keep the password out.
    assert events[-1].refusal == "reader-failed"
    opens(service, reader, person)


# Clients

@pytest.mark.parametrize("step", range(6), ids=[*STEPS, "matched"])
def test_client_dies(service, reader, person, step):
    client = begun(service, person)
    claim = reader.claim()
    go_to(step, claim)
    if step >= 4:
        client.until("matched" if step == 5 else "armed")
    start = time.monotonic()
    client.close()
    while claim.command() != "close":
        pass
    assert time.monotonic() - start < 0.3
    claim.end()
    opens(service, reader, person)


@pytest.mark.parametrize("moment", ["before the match", "before the confirmation"])
def test_deleted_meanwhile(service, reader, person, moment):
    with begun(service, person) as client, Client(str(service.socket)) as root:
        claim = reader.claim()
        claim.arm()
        client.until("armed")
        nonce = None
        if moment == "before the confirmation":
            claim.report("matched", b"\0")
            nonce = client.until("matched").nonce
            client.hold()
        root.delete(person)
        root.expect("done")
        if nonce:
            client.confirm(nonce)
        else:
            claim.report("matched", b"\0")
        assert client.refusal() == "nothing-enrolled"
        claim.finish()
    with Client(str(service.socket)) as root:
        reader.enroll(root, person)
    opens(service, reader, person)


def test_two_enrolments_of_one_finger(service, reader, person):
    with Client(str(service.socket)) as first, Client(str(service.socket)) as second:
        for client in (first, second):
            client.enroll(person, "left-thumb")
        claim = reader.claim()
        claim.offer()
        claim.expect("enroll")
        second.expect("waiting")
        claim.report("enrolled", struct.pack(">I", 3) + b"abc")
        assert first.until("done")
        claim.finish()
        claim = reader.claim()
        claim.expect("list")
        claim.found()
        claim.report("listed")
        second.until("refused", "waiting")
        claim.finish()


def test_other_users(service, person):
    """What one says of oneself is no evidence; names that exist and names that do not are answered alike."""
    requests = [
        lambda client: client.begin(person), lambda client: client.begin(person, service="login", real_user=0),
        lambda client: client.begin("root"), lambda client: client.begin("nobody-has-this-name"),
        lambda client: client.enroll(person, "left-thumb"), lambda client: client.delete(person),
        lambda client: client.list(person), lambda client: client.list("nobody-has-this-name"),
    ]

    def ask():
        for request in requests:
            with Client(str(service.socket)) as client:
                request(client)
                assert client.refusal() == "not-permitted"

    with somebody_else(ask):
        pass


def test_silent_clients(service, reader, person):
    ready, done = os.pipe(), os.pipe()

    def crowd():
        clients = [Client(str(service.socket)) for _ in range(40)]
        os.write(ready[1], b"x")
        os.read(done[0], 1)
        assert len(clients) == 40

    with somebody_else(crowd):
        os.read(ready[0], 1)
        opens(service, reader, person)
        os.write(done[1], b"x")
    for end in (*ready, *done):
        os.close(end)


def opened(service) -> list:
    """What the daemon's open descriptors are."""
    folder, found = f"/proc/{service.process.pid}/fd", []
    for number in os.listdir(folder):
        with suppress(FileNotFoundError):
            found.append(os.readlink(f"{folder}/{number}"))
    return found


def measured(service):
    """Resident KiB and open descriptors of the daemon at rest.

    At rest it has its listener and one reader process ahead, with a channel and a pidfd. For some
    milliseconds after a conversation the ending process is there beside the next one, and the
    client's connection: three descriptors more.
    """
    def at_rest():
        kinds = [name.split(":")[0] for name in opened(service)]
        return kinds if kinds.count("socket") == 2 and kinds.count("anon_inode") == 3 else None

    descriptors = wait_until(at_rest, "the daemon to have closed what it does not need")
    status = open(f"/proc/{service.process.pid}/status").read()
    return int(status.split("VmRSS:")[1].split()[0]), len(descriptors)


def test_ten_thousand_conversations(service, reader, person):
    resident, descriptors = measured(service)

    def flood():
        for _ in range(10_000):
            with connected(service) as client, suppress(OSError):
                client.begin(OTHER)

    with somebody_else(flood):
        opens(service, reader, person)
    opens(service, reader, person)
    after = measured(service)
    assert after[0] < resident + 4096
    assert after[1] == descriptors


GOLDEN = [
    frame(1, text("sudo") + text(OTHER) + text("tty1") + text("") + struct.pack(">IIBHI", 0, 0xFFFFFFFF, 3, 60, 0)),
    frame(2, b"\1"), frame(3, b"n" * 16), frame(4), frame(5), frame(6, struct.pack(">H", 4) + b"1234"),
    frame(16, text("nobody-at-all") + b"\7"), frame(17, text(OTHER)), frame(18, text("nobody-at-all") + b"\0"),
    frame(19), frame(21, struct.pack(">H", 4) + b"pass"),
]


def mutated(chance) -> bytes:
    packet = bytearray(chance.choice(GOLDEN))
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(packet) + 1)
        match chance.randrange(4):
            case 0: packet[place:place + 1] = chance.randbytes(1)
            case 1: del packet[max(place, 1):]
            case 2: packet += chance.randbytes(chance.randrange(40))
            case 3: packet[place:place] = chance.randbytes(1)
    return bytes(packet)


def test_twenty_thousand_mutations(service, reader, person):
    chance = random.Random(20_000)
    answers = set()
    for number in range(20_000):
        with Client(str(service.socket)) as client:
            try:
                client.send_raw(mutated(chance))
                if number % 8 == 0:
                    client.send_raw(mutated(chance))
                    answers.add(client.event(5).kind)
            except (OSError, Ended):
                pass
        # Some turn out to ask for the readers.
        while reader.waits():
            claim = reader.claim()
            claim.expect("list")
            claim.end()
    assert "refused" in answers and service.process.poll() is None
    opens(service, reader, person)


# The administrator

def test_socket_in_place_of_a_file(tmp_path):
    place = tmp_path / "precious"
    place.write_text("precious")
    ended = subprocess.run(
        [program("thumbturnd"), "--socket", str(place), "--data", str(tmp_path / "data"), "--idle-exit", "1"],
        capture_output=True, text=True, timeout=10)
    assert ended.returncode == 1 and "cannot listen" in ended.stderr
    assert place.read_text() == "precious"


def test_second_daemon(service, reader, person):
    ended = subprocess.run(
        [program("thumbturnd"), "--socket", str(service.socket), "--data", str(service.data), "--idle-exit", "1"],
        capture_output=True, text=True, timeout=10)
    assert ended.returncode == 1 and "in use" in ended.stderr
    opens(service, reader, person)


def test_many_wrong_files(reader, person, tmp_path):
    configuration = tmp_path / "thumbturn.conf"
    configuration.write_text("nonsense\n" * 5000)
    with reader.service("--config", str(configuration)) as service:
        folder = service.data / "users" / person
        folder.mkdir(mode=0o700)
        for number in range(600):
            (folder / f"{number}.print").write_bytes(b"junk")
        with Client(str(service.socket)) as client:
            client.status()
            lines = client.rest()
        assert lines[-1].kind == "done"
        values = [line.value for line in lines[:-1]]
        assert any(value.startswith(f"{configuration}:1: ") for value in values)
        assert f"{configuration}: 4980 more problems" in values
        with Client(str(service.socket)) as client:
            client.list(person)
            assert client.rest()[-1].kind == "done"
        with Client(str(service.socket)) as client:
            client.begin(person)
            assert client.refusal() == "nothing-enrolled"


@pytest.mark.parametrize("damage", ["full", "read-only"])
def test_disk(reader, person, tmp_path, damage):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=755", "tmpfs", str(tmp_path)], check=True)
    try:
        with reader.service() as service:
            service.stop()
            service.data, service.socket = tmp_path, service.folder / "socket"
            service.start()
            with Client(str(service.socket)) as client:
                reader.enroll(client, person, "left-thumb")
            if damage == "full":
                with pytest.raises(OSError):
                    (tmp_path / "filling").write_bytes(bytes(100_000))
            else:
                subprocess.run(["mount", "-o", "remount,ro", str(tmp_path)], check=True)
            with Client(str(service.socket)) as client:
                client.enroll(person, "right-thumb")
                claim = reader.claim()
                claim.offer()
                claim.expect("enroll")
                claim.report("enrolled", struct.pack(">I", 30_000) + bytes(30_000))
                assert client.until("refused").refusal == "storage-failed"
                claim.finish()
            assert listed(service, person) == ["left-thumb"]
            # Who wants room again must be able to delete.
            with Client(str(service.socket)) as client:
                client.delete(person)
                assert client.event().kind == ("done" if damage == "full" else "refused")
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def listed(service, person):
    with Client(str(service.socket)) as client:
        client.list(person)
        prints = client.rest()[:-1]
    assert all(entry.state == "good" for entry in prints), prints
    return [entry.finger for entry in prints]


def test_killed_while_saving(reader, person):
    """Wherever an enrolment is cut off, it is there whole or not at all, and so is what was there before."""
    outcomes = set()
    with reader.service() as service:
        with Client(str(service.socket)) as client:
            reader.enroll(client, person, "left-thumb")
        # From a tenth of a millisecond to a tenth of a second.
        for delay in (0.0001 * 1.3 ** number for number in range(27)):
            with Client(str(service.socket)) as client:
                client.enroll(person, "right-thumb")
                claim = reader.claim()
                claim.offer()
                claim.expect("enroll")
                killer = threading.Timer(delay, service.kill)
                killer.start()
                try:
                    claim.report("enrolled", struct.pack(">I", 90_000) + bytes(90_000))
                except OSError:
                    pass
                killer.join()
                claim.end()
                told = client.rest()[-1].kind
            service.start()
            fingers = listed(service, person)
            assert fingers[0] == "left-thumb" and (service.data / "enrolled" / person).exists()
            assert not list((service.data / "users" / person).glob(".*"))
            assert len(fingers) == 2 or told != "done"
            outcomes.add(len(fingers))
            if len(fingers) > 1:
                with Client(str(service.socket)) as client:
                    client.delete(person, "right-thumb")
                    client.expect("done")
    assert outcomes == {1, 2}, "the daemon was never killed at the right moment"
