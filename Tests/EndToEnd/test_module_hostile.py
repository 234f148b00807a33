# SPDX-License-Identifier: Apache-2.0
"""A daemon that is wrong, slow, dead or not root: never success, never a long wait."""

import socket
import time

import pytest

from fake_daemon import (CONFIRM, NONCE, FakeDaemon, accepted, armed, frame, granted, matched, mismatch, refused, text,
                         waiting)
from module_bench import (AUTH_ERR, AUTHINFO_UNAVAIL, SUCCESS, SYSTEM_ERR, USER_UNKNOWN, bench, expect_all,  # noqa: F401
                          finish, needs_root, tools)

pytestmark = needs_root

GOOD = accepted()
WRONG = {
    "not ours": frame(1, magic=b"XX"),
    "another version": frame(1, version=2),
    "another version of another shape": b"TT\x02\x01",
    "an unknown kind": frame(99),
    "a client's kind": frame(0),
    "an administrator's event": frame(48),
    "too short": b"TT",
    "a length that lies": b"TT\x01\x01\xff\xff",
    "bytes behind the last field": frame(3, b"x"),
    "a NUL in a text": frame(2, b"\x02a\x00" + text("tty")),
    "an unknown refusal": frame(9, bytes([200])),
    "refusal number 0": frame(9, bytes([0])),
    "an unknown retry reason": frame(5, bytes([77])),
    "unknown fingers": frame(1, text("x") + b"\0\xff\xff"),
    "an unknown way to scan": frame(1, text("x") + b"\7\0\2"),
    "longer than any frame": frame(1, b"x" * 3000),
    "an empty packet": b"",
    "granted at once": granted(),
    "matched at once": matched(),
    "every byte": bytes(range(256)),
} | {f"accepted cut at {count}": GOOD[:count] for count in range(1, len(GOOD))}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_first_packet_costs_only_the_finger(bench, name):
    with FakeDaemon(bench.socket, lambda client: (client.send(WRONG[name]), client.wait_for_end())):
        found = finish(bench.spawn())
    assert found.result == AUTHINFO_UNAVAIL and found.said("prompt") == [] and found.took < 250


@pytest.mark.parametrize("name", ["not ours", "another version", "too short", "an empty packet", "longer than any frame"])
def test_a_wrong_packet_in_place_of_the_verdict(bench, name):
    bench.service("reader=only")

    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(CONFIRM)
        client.send(WRONG[name], granted())
        client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        found = bench.run()
    assert found.result == AUTHINFO_UNAVAIL


def test_every_one_byte_change_of_the_verdict_is_no_success(bench):
    """Nothing but `granted` itself grants; 48 changes of its six bytes."""
    bench.service("reader=only")
    for place in range(6):
        for bit in range(8):
            changed = bytearray(granted())
            changed[place] ^= 1 << bit

            def script(client, packet=bytes(changed)):
                client.send(accepted(), armed(), matched())
                client.expect(CONFIRM)
                client.send(packet)

            with FakeDaemon(bench.socket, script):
                assert bench.run().result != SUCCESS


@pytest.mark.parametrize("code,result", [(1, AUTHINFO_UNAVAIL), (5, AUTHINFO_UNAVAIL), (6, AUTH_ERR), (3, AUTHINFO_UNAVAIL),
                                         (9, AUTHINFO_UNAVAIL), (18, USER_UNKNOWN), (24, SYSTEM_ERR)])
def test_a_refusal_before_the_prompt_asks_nothing(bench, code, result):
    with FakeDaemon(bench.socket, lambda client: client.send(refused(code))):
        found = finish(bench.spawn())
    assert found.result == result and found.said("prompt") == []


def test_a_silent_daemon_costs_300_ms_and_no_password(bench):
    with FakeDaemon(bench.socket, lambda client: client.wait_for_end()):
        child = bench.spawn()
        started = time.monotonic()
        child.expect_exact("host: touch the fingerprint reader or type your password: ")
        assert time.monotonic() - started < 0.45
        child.sendline("typed")
        found = finish(child)
    assert found.result == AUTHINFO_UNAVAIL and bench.token == "typed"


def test_a_late_daemon_still_takes_the_touch(bench):
    """Started by the first connection, it may need longer than the prompt waits."""
    def script(client):
        time.sleep(0.5)  # the delay is what is tested
        client.send(accepted(), armed())
        client.grant()

    with FakeDaemon(bench.socket, script):
        found = finish(bench.spawn())
    assert found.result == SUCCESS


@pytest.mark.parametrize("before", [[], [accepted()], [accepted(), armed()], [waiting()], [accepted(), armed(), mismatch(1)]])
def test_a_hang_up_changes_nothing_for_the_password(bench, before):
    with FakeDaemon(bench.socket, lambda client: client.send(*before)):
        child = bench.spawn()
        if before:
            expect_all(child, ": ", " (the fingerprint service is not running; type your password) ")
            child.sendline("typed")
        found = finish(child)
    assert found.result == AUTHINFO_UNAVAIL
    assert bench.token == ("typed" if before else None)


def test_a_hang_up_in_place_of_the_verdict(bench):
    bench.service("reader=only")

    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(CONFIRM)

    with FakeDaemon(bench.socket, script):
        assert bench.run().result == AUTHINFO_UNAVAIL


def test_a_verdict_behind_a_reset_counts(bench):
    """Closing with something unread resets the connection; the verdict was sent before."""
    bench.service("reader=only")

    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(CONFIRM)
        client.send(granted())

    def resetting(client):
        # The confirmation stays unread, and granted is queued before the reset.
        client.send(accepted(), armed(), matched())
        while not client.socket.recv(1, socket.MSG_PEEK):
            pass
        client.send(granted())

    for each in (script, resetting):
        with FakeDaemon(bench.socket, each):
            assert bench.run().result == SUCCESS


def test_the_refusal_before_a_hang_up_is_told(bench):
    bench.service("reader=only")

    def script(client):
        client.send(accepted(), refused(4))

    with FakeDaemon(bench.socket, script):
        found = bench.run()
    assert found.said("error") == ["the fingerprint reader must cool down"]


def test_a_listener_that_is_not_root_is_not_asked(bench):
    with FakeDaemon(bench.socket, lambda client: client.grant(), as_uid=65534) as daemon:
        found = finish(bench.spawn())
        assert found.result == AUTHINFO_UNAVAIL and found.said("prompt") == [] and found.took < 250
        assert daemon.begins == []


def test_a_full_backlog_costs_250_ms(bench):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(bench.socket)
    listener.listen(0)
    waiting_ones = []
    while True:
        one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        one.setblocking(False)
        waiting_ones.append(one)
        try:
            one.connect(bench.socket)
        except BlockingIOError:
            break
    found = finish(bench.spawn())
    assert found.result == AUTHINFO_UNAVAIL and 200 <= found.took <= 400
    for one in [*waiting_ones, listener]:
        one.close()


@pytest.mark.parametrize("place", ["missing", "a file", "a stream socket", "too long"])
def test_no_daemon_costs_nothing(bench, place):
    listener = None
    if place == "a file":
        open(bench.socket, "w").close()
    if place == "a stream socket":
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(bench.socket)
        listener.listen(1)
    if place == "too long":
        long = bench.folder / ("x" * 120)
        (long / "enrolled").mkdir(parents=True)
        (long / "enrolled" / "alice").touch()
        bench.socket = str(long / "socket")
        bench.service()
    found = finish(bench.spawn())
    # A path that no socket can have is a wrong option, PAM_SERVICE_ERR.
    assert found.result == (3 if place == "too long" else AUTHINFO_UNAVAIL)
    assert found.said("prompt") == [] and found.took < 100
    if listener:
        listener.close()


def test_events_nobody_can_digest_end_in_time(bench):
    """A daemon that never stops talking is left when the time is up."""
    bench.service("reader=only timeout=1")

    def script(client):
        client.send(accepted())
        while True:
            client.send(armed())

    with FakeDaemon(bench.socket, script):
        found = bench.run()
    assert found.result == AUTH_ERR and found.took < 1500


def test_a_flood_in_place_of_the_verdict_ends_in_time(bench):
    bench.service("reader=only timeout=20")

    def script(client):
        client.send(accepted(), armed(), matched())
        assert client.expect(CONFIRM) == NONCE
        while True:
            client.send(armed())

    with FakeDaemon(bench.socket, script):
        found = bench.run()
    assert found.result == AUTHINFO_UNAVAIL and found.took < 1000
