# SPDX-License-Identifier: Apache-2.0
"""Readers that fail, vanish, come back, get hot or hang: the conversation goes on, or says why it cannot.

A virtual reader's part; test_reader_process_life.py has that of the process that drives it. Not here: real
unplugging, and sleep, which DaemonCoreTests has with clocks of its own.
"""

import time

import pytest

from conftest import PASSWORD, PROMPT, STACK, stack
from protocol_client import Client
from service import Service, wait_until
from terminal import Shell

PLAIN = "".join(line + "\n" for line in STACK.splitlines() if "{module}" not in line)


@pytest.fixture
def device(person):
    """A virtual reader on which the person enrolled "mine"."""
    with Service("device") as service:
        service.enroll(person, ["SCAN mine"] * 5)
        yield service


def begun(service, person, real_user: int = 0) -> Client:
    client = Client(str(service.socket))
    client.begin(person, real_user=real_user)
    return client


def armed(service, person) -> Client:
    client = begun(service, person)
    client.until("armed")
    return client


def touch_opens(service, client):
    service.tell("SCAN mine")
    client.confirm(client.until("matched").nonce)
    client.expect("granted")
    client.close()


# Errors

def test_unplugged_and_back_in_the_same_conversation(device, person):
    client = armed(device, person)
    for _ in range(3):
        start = time.monotonic()
        device.tell("UNPLUG")
        client.until("armed")
        assert time.monotonic() - start < 2
    touch_opens(device, client)
    # A reader that comes and goes all the time is given up.
    client = armed(device, person)
    for _ in range(3):
        device.tell("UNPLUG")
        client.until("armed")
    device.tell("UNPLUG")
    assert client.refusal() == "no-reader"


@pytest.mark.parametrize("code, refusal", [
    (0, "reader-failed"), (1, "reader-failed"), (2, "reader-failed"), (3, "reader-failed"), (4, "busy"),
    (5, "reader-failed"), (6, "reader-failed"), (7, "not-found"), (8, "reader-full"), (9, "kept-by-reader")])
def test_an_error_ends_the_finger_and_not_the_reader(device, person, code, refusal):
    client = armed(device, person)
    start = time.monotonic()
    device.tell(f"ERROR {code}")
    assert client.refusal() == refusal
    assert time.monotonic() - start < 1
    touch_opens(device, armed(device, person))


def test_removed_for_a_moment(device, person):
    client = armed(device, person)
    device.tell("ERROR 256")
    client.until("armed")
    touch_opens(device, client)


@pytest.mark.parametrize("code, reason", [(0, "general"), (1, "too-short"), (2, "not-centred"), (3, "lift-finger")])
def test_a_poor_scan_costs_nothing(device, person, code, reason):
    client = armed(device, person)
    device.tell(f"RETRY {code}")
    assert client.expect("retry").reason == reason
    client.until("armed")
    touch_opens(device, client)


def test_too_hot_is_everybodys_pause(device, person):
    client = armed(device, person)
    waiting = begun(device, person, real_user=4711)
    waiting.expect("waiting")
    device.tell("ERROR 257")
    assert client.refusal() == "too-hot"
    assert waiting.refusal() == "too-hot"
    before = device.reader_processes()
    for real_user in (0, 4711):
        start = time.monotonic()
        assert begun(device, person, real_user).refusal() == "too-hot"
        assert time.monotonic() - start < 0.1
    assert device.reader_processes() == before
    assert "too hot" in device.command("status").stdout


# A reader that does not let go

def seconds_to_root(shell) -> float:
    start = time.monotonic()
    shell.line(PASSWORD)
    shell.expect("root\r\n", 4)
    taken = time.monotonic() - start
    shell.expect(r"\$ ")
    return taken


def test_a_cancel_that_takes_thirty_seconds(device, person):
    with Shell(person) as shell:
        stack("thumbturn-sudo", "/nonexistent", text=PLAIN)
        shell.line("sudo -k; sudo id -un")
        shell.expect(f"{PROMPT}|password for[^:]*: ")
        plain = seconds_to_root(shell)
        stack("thumbturn-sudo", device.socket)
        mark = device.log.mark()
        shell.line("sudo -k; sudo id -un")
        shell.expect(PROMPT)
        device.log.wait(r"\barmed\b", mark)
        device.tell("SET_CANCELLATION_ENABLED 0")
        device.tell("SLEEP 30000")
        taken = seconds_to_root(shell)
        print(f"typed password {taken * 1000:.0f} ms, without us {plain * 1000:.0f} ms")
        assert taken < plain + 0.5 and taken < 0.5 + 0.3
        # The process is ended by force, and the next touch works.
        wait_until(lambda: not device.reader_processes(), "the stuck process to be ended", 8)
        touch_opens(device, armed(device, person))
