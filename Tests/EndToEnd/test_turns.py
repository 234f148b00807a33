# SPDX-License-Identifier: Apache-2.0
"""Whoever has the reader, or many connections, leaves others theirs."""

import subprocess
from contextlib import suppress
from pathlib import Path

from conftest import OTHER
from protocol_client import Client
from service import wait_until
from test_flood import service, touch, uid  # noqa: F401 (a fixture)


def test_a_person_who_holds_the_reader_lets_others_have_their_turn(service, person):
    with Client(str(service.socket)) as holder:
        holder.begin(OTHER, real_user=uid(OTHER))
        wait_until(lambda: holder.event(20).kind == "armed", "the other one's turn", 20)
        taken = touch(service, person, 15)
        # And has it back after.
        holder.until("waiting")
        holder.until("armed")
        service.tell("SCAN theirs")
        holder.confirm(holder.until("matched").nonce)
        holder.expect("granted")
    print(f"\nthe turn came after {taken:.1f} s")
    assert 9 < taken < 12


def test_one_users_setuid_programs_leave_room_for_others(service, person):
    """Root's connections are counted for those who started the programs that make them."""
    script = f"""
import os, sys, time
{(Path(__file__).parent / "protocol_client.py").read_text()}
os.setresuid(int(sys.argv[1]), 0, 0)
clients = []
for number in range(40):
    client = Client({str(service.socket)!r})
    client.status()
    clients.append((client, client.event().kind))
print(sum(kind != "refused" for _, kind in clients), flush=True)
sys.stdin.read()
"""
    users = [uid(OTHER), 60001, 60002, 60003]
    children = []
    try:
        for user in users:
            child = subprocess.Popen(
                ["/usr/bin/python3", "-c", script, str(user)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            children.append(child)
            child.stdout.readline()
        assert touch(service, person) < 3
    finally:
        for child in children:
            with suppress(OSError):
                child.stdin.close()
            child.kill()
            child.wait()
