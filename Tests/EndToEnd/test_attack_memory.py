# SPDX-License-Identifier: Apache-2.0
"""Secrets that were used are in nobody's memory any more: read from /proc/PID/mem."""

import os
import pwd
import re
import threading
from pathlib import Path

import pexpect
import pytest

import protocol_client
from conftest import OTHER
from fake_daemon import FakeDaemon, accepted, armed, offered, passed_on, refused
from module_bench import AUTHINFO_UNAVAIL, SUCCESS, bench, needs_root, tools  # noqa: F401
from service import wait_until

pytestmark = needs_root
# Of a length that little else has, so that freed memory keeps it; the allocator
# overwrites the first bytes of a freed block, so the last ones are looked for.
SECRET = "Zq7!unlikely-proof-43" * 7
TAIL = SECRET[-40:].encode()


def memory_of(pid):
    """Everything a process can write, region by region, as (region, bytes)."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            start, end, rights = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+)", line).groups()
            if not rights.startswith("rw"):
                continue
            try:
                memory.seek(int(start, 16))
                yield line, memory.read(int(end, 16) - int(start, 16))
            except OSError:
                continue


def found(pid, wanted):
    """Where a process still has these bytes."""
    return [line for line, held in memory_of(pid) if wanted in held]


def test_the_search_finds_what_is_there():
    assert found(os.getpid(), TAIL)


def test_the_daemon_forgets_a_proof(enrolled):
    mark = enrolled.log.mark()
    os.seteuid(pwd.getpwnam(OTHER).pw_uid)
    try:
        client = protocol_client.Client(str(enrolled.socket))
    finally:
        os.seteuid(0)
    with client:
        client.enroll(OTHER, "right-index")
        client.expect("proof-wanted")
        client.proof(SECRET.encode())
        assert client.rest(limit=10)
    assert found(enrolled.process.pid, TAIL) == []
    assert SECRET not in enrolled.log.text(mark)


def test_the_daemon_forgets_the_templates(person, enrolled, prints):
    record = next(path for path in (enrolled.data / "users").rglob("*") if path.is_file()).read_bytes()
    parts = [record[place:place + 48] for place in range(len(record) // 4, len(record) - 48, 997)]
    assert parts
    with protocol_client.Client(str(enrolled.socket)) as client:
        client.begin(person)
        client.until("armed")
        enrolled.touch(prints[1][6])
        client.confirm(client.until("matched").nonce)
        client.until("granted")
    # The claim ends behind its last word.
    wait_until(lambda: not enrolled.reader_processes(), "the claim to end")
    wait_until(lambda: not any(found(enrolled.process.pid, part) for part in parts), "the templates to be gone", 1)


def start(bench, *words):
    """A host that stays after the result. Symbols are bound at once: binding one later
    writes all registers, with what strings were in them, to the stack."""
    command = bench.command("tty=self", "talk=terminal", "linger=1", *words)
    return pexpect.spawn("env", ["LD_BIND_NOW=1", *command], encoding="utf8", timeout=15)


def forgotten(child):
    """Waits for the host's result, looks into it while it stays, and lets it go."""
    child.expect(r"result (\d+)")
    result = int(child.match.group(1))
    assert found(child.pid, TAIL) == []
    child.sendline("")
    child.expect(pexpect.EOF)
    child.close()
    return result


def test_the_host_forgets_what_was_typed_before_the_touch(bench):
    """On a raw terminal the host has read it, and hands it to the module when the touch ends the prompt."""
    typed = threading.Event()

    def script(client):
        client.send(accepted(), armed())
        assert typed.wait(10)
        client.grant()

    with FakeDaemon(bench.socket, script):
        child = start(bench, "raw=1")
        child.expect("password: ")
        child.send(SECRET)
        typed.set()
        assert forgotten(child) == SUCCESS


def test_the_host_forgets_what_was_handed_on(bench):
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.wait_for_end())):
        child = start(bench)
        child.expect("password: ")
        child.sendline(SECRET)
        assert forgotten(child) == AUTHINFO_UNAVAIL
    assert bench.token == SECRET


@pytest.mark.parametrize("answer", [refused(25), passed_on()], ids=["wrong", "passed on"])
def test_the_host_forgets_a_pattern(bench, answer):
    typed = "294381675"

    def script(client):
        client.send(offered(), accepted(), armed())
        client.answer()
        client.send(answer)
        client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        child = start(bench)
        child.expect("password: ")
        child.sendline(typed)
        child.expect(r"result (\d+)")
        assert found(child.pid, typed.encode()) == []
        child.sendline("")
        child.expect(pexpect.EOF)
        child.close()


def test_the_host_forgets_what_was_learnt_from(bench):
    """The token itself stays where the test's own module has it; the frame it travelled in does not."""
    bench.service("learn", token=SECRET)
    with FakeDaemon(bench.socket, lambda client: None) as daemon:
        child = start(bench)
        child.expect(r"result (\d+)")
        assert found(child.pid, protocol_client.text("alice") + protocol_client.text("host")) == []
        child.sendline("")
        child.expect(pexpect.EOF)
        child.close()
    assert daemon.learnt == [("alice", "host", SECRET)]
