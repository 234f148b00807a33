# SPDX-License-Identifier: Apache-2.0
"""Who is locked out by what: real sudo, su, pam_unix and pam_faillock, and libfprint's own matching."""

from pathlib import Path

import pytest

from conftest import OTHER, PASSWORD, PROMPT
from patterns import RIGHT, client, outcome, set_pattern
from policies import (
    PASSWORD_PROMPT, give_password, machine, opens_by_touch, policy, restart, status, sudo, tally)
from service import MODULE, POLICY
from terminal import Shell

FAILLOCK = """\
auth [success=done conv_err=die abort=die auth_err=die default=ignore] {module} socket={socket}
auth [success=1 default=ignore] pam_unix.so nodelay
auth [default=die] pam_faillock.so authfail deny=99 dir={tally}
auth required pam_permit.so
auth optional {module} learn socket={socket}
account required pam_permit.so
session required pam_permit.so
"""


@pytest.fixture
def running(person, prints):
    """The daemon where no password comes first; the person's finger is enrolled."""
    with machine(POLICY) as service:
        service.enroll(person, prints[1][:5])
        yield service


@pytest.fixture
def shell(person, running):
    with Shell(person) as open_shell:
        yield open_shell


def mismatches(running, person, count, wrong, **request):
    """So many wrong fingers, each in a request of its own; answers how the last ended."""
    for _ in range(count):
        with client(running) as connection:
            connection.begin(person, tries=1, **request)
            while (event := connection.event()).kind != "armed":
                if event.kind in ("refused", "finger-ended"):
                    return event.refusal
            running.touch(wrong)
            connection.expect("mismatch")
            last = connection.event().refusal
    return last


def touch_wrongly(running, scan, count):
    """So many wrong fingers in one request that is armed by now, until it ends."""
    for number in range(count):
        mark = running.log.mark()
        running.touch(scan)
        running.log.wait(r"\bmismatch\b", mark)
        if number + 1 < count:
            running.log.wait(r"\barmed\b", mark)
    running.log.wait(r"\brefused\b", mark)


def test_five_wrong_fingers_and_then_the_password(shell, running, person, prints):
    """Three in one request, two in the next; then only the password counts."""
    for count in (3, 2):
        mark = running.log.mark()
        sudo(shell)
        shell.expect(PROMPT)
        running.log.wait(r"\barmed\b", mark)
        touch_wrongly(running, prints[2][6], count)
        if count == 3:
            shell.interrupt()
            shell.expect(r"\$ ")
    assert "locked fingerprint" in status(running)
    assert policy(running, "sudo", person)["fingerprint"].startswith("no: not recognised 5 times")
    # The right finger does not count now, over restarts either.
    restart(running)
    with client(running) as connection:
        connection.begin(person)
        assert connection.refusal() == "locked-out"
    give_password(shell, running, person, "")
    opens_by_touch(shell, running, prints[1][6])
    assert "locked fingerprint" not in status(running)


def test_a_recognised_finger_ends_the_row(running, person, prints):
    for _ in range(3):
        assert mismatches(running, person, 4, prints[2][6]) == "no-match"
        with client(running) as connection:
            connection.begin(person)
            connection.until("armed")
            running.touch(prints[1][6])
            connection.confirm(connection.expect("matched").nonce)
            connection.expect("granted")
    assert mismatches(running, person, 5, prints[2][6]) == "locked-out"


def test_what_does_not_count(running, person, prints):
    """Poor scans, cancelled requests, void matches and silence."""
    mismatches(running, person, 4, prints[2][6])
    for end in ("poor scan", "cancel", "hang up", "void"):
        with client(running) as connection:
            connection.begin(person)
            connection.until("armed")
            if end == "poor scan":
                running.put(prints[2][6][:8] + bytes(len(prints[2][6]) - 8))
                connection.expect("retry")
            elif end == "void":
                running.touch(prints[1][6])
                connection.expect("matched")
                connection.expect("voided")
            elif end == "cancel":
                connection.cancel()
                connection.refusal()
    assert policy(running, "sudo", person)["fingerprint"].endswith("1 mismatches until it is locked")


def test_su_by_others_never_locks_the_person(running, person, prints):
    with Shell(OTHER) as shell:
        for count in (3, 2):
            mark = running.log.mark()
            shell.line(f"su {person} -c 'id -un'")
            shell.expect(PROMPT)
            running.log.wait(r"\barmed\b", mark)
            touch_wrongly(running, prints[2][6], count)
            shell.interrupt()
            shell.expect(r"\$ ")
        # Now others are locked, and hear so.
        mark = running.log.mark()
        shell.line(f"su {person} -c 'id -un'")
        shell.expect(PASSWORD_PROMPT)
        assert "ouch" not in shell.before
        running.log.wait(r"verify refused \(fingerprints are locked", mark)
        shell.interrupt()
        shell.expect(r"\$ ")
    with Shell(person) as shell:
        opens_by_touch(shell, running, prints[1][6])
    assert "other accounts" in status(running)


def test_requests_from_afar_never_lock_the_person(running, person, prints):
    set_pattern(running, person)
    for request in ({"remote_host": "192.0.2.7"}, {"service": "sshd"}):
        with client(running) as connection:
            connection.begin(person, **request)
            assert connection.refusal() == "remote"
    assert policy(running, "sudo", person)["fingerprint"].endswith("5 mismatches until it is locked")


def test_a_right_pattern_unlocks_the_finger(running, person, prints):
    set_pattern(running, person)
    mismatches(running, person, 5, prints[2][6])
    with client(running) as connection:
        connection.begin(person)
        connection.expect("pattern-offered")
        assert connection.expect("finger-ended").refusal == "locked-out"
        connection.answer(RIGHT.encode())
        connection.expect("granted")
    with client(running) as connection:
        connection.begin(person)
        connection.until("armed")


def test_a_damaged_count_locks_all_but_the_password(shell, running, person, prints):
    set_pattern(running, person)
    mismatches(running, person, 1, prints[2][6])
    record = running.data / "users" / person / "finger.count"
    bytes_ = bytearray(record.read_bytes())
    assert bytes_[12] == 1, "one mismatch of the person"
    bytes_[12] = 0
    record.write_bytes(bytes_)
    restart(running)
    with client(running) as connection:
        connection.begin(person)
        assert connection.refusal() == "locked-out"
    assert "damaged count" in status(running)
    sudo(shell)
    give_password(shell, running, person)
    # The password opens, and mends nothing.
    with client(running) as connection:
        connection.begin(person)
        assert connection.refusal() == "locked-out"
    assert running.command("unlock", person).returncode == 0
    assert "damaged" not in status(running)
    opens_by_touch(shell, running, prints[1][6])


def test_unlock_ends_every_lock(running, person, prints):
    set_pattern(running, person)
    mismatches(running, person, 5, prints[2][6])
    for number in range(5):
        with client(running) as connection:
            connection.begin(person)
            connection.expect("pattern-offered")
            connection.expect("finger-ended")
            connection.answer(["27618", "27619", "27613", "27614", "27615"][number].encode())
            assert outcome(connection.event()) == "wrong-pattern"
    assert "locked pattern" in status(running) and "locked fingerprint" in status(running)
    assert running.command("unlock", person).returncode == 0
    assert "locked" not in status(running)


# pam_faillock

@pytest.fixture
def counted(running, tmp_path):
    """Answers pam_faillock's count of a person."""
    folder = tmp_path / "tally"
    Path("/etc/pam.d/thumbturn-sudo").write_text(
        FAILLOCK.format(module=MODULE, socket=running.socket, tally=folder))
    return lambda person: tally(folder, person)


def test_faillock_counts_passwords_only(shell, running, person, prints, counted):
    opens_by_touch(shell, running, prints[1][6])
    assert counted(person) == 0, "a finger"
    sudo(shell)
    shell.expect(PROMPT)
    running.log.wait(r"\barmed\b")
    shell.interrupt()
    shell.expect(r"\$ ")
    assert counted(person) == 0, "Ctrl-C"
    mark = running.log.mark()
    sudo(shell)
    shell.expect(PROMPT)
    running.log.wait(r"\barmed\b", mark)
    running.touch(prints[1][6][:8] + bytes(len(prints[1][6]) - 8))
    running.log.wait(r"\bretry\b", mark)
    shell.line("")
    shell.expect(PASSWORD_PROMPT)
    assert counted(person) == 0, "a poor scan and an empty Enter"
    shell.line(PASSWORD)
    shell.expect("root\r\n")
    assert counted(person) == 0, "the right password"
    sudo(shell)
    shell.expect(PROMPT)
    shell.line("wrong")
    shell.expect("try again")
    assert counted(person) == 1, "one wrong password"
