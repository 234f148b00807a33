# SPDX-License-Identifier: Apache-2.0
"""Patterns in the daemon: what is offered, tested, counted and told, whatever happens in between."""

import multiprocessing
import pwd
import subprocess

import pytest

from conftest import OTHER, PASSWORD
from patterns import (
    COMMON, OTHER_RIGHT, RIGHT, SHORT, TWICE, WRONG, allow_password_checks, answer, client, failures, outcome,
    set_pattern, wrong_patterns)
from protocol_client import Client, Ended
from service import POLICY, Service, wait_until


@pytest.fixture
def service(person):
    """A daemon without a reader; the person has a pattern."""
    allow_password_checks()
    with Service("none") as running:
        assert set_pattern(running, person).kind == "done"
        yield running


def guess(path, user, pattern, barrier, results):
    with Client(path, 60) as connection:
        connection.begin(user)
        connection.expect("pattern-offered")
        connection.expect("finger-ended")
        barrier.wait()
        connection.answer(pattern.encode())
        results.put(outcome(connection.event()))


def guess_often(service, person, count):
    for pattern in wrong_patterns(count):
        assert outcome(answer(service, person, pattern)) == "wrong-pattern"


# What is offered

def test_the_right_pattern_is_enough_and_a_wrong_one_is_not(service, person):
    assert outcome(answer(service, person, WRONG)) == "wrong-pattern" and failures(service, person) == 1
    assert outcome(answer(service, person, RIGHT)) == "granted" and failures(service, person) == 0
    service.log.wait(rf"pattern granted.*user {person}")
    assert not service.log.has(f"{RIGHT}|{WRONG}")


def test_every_spelling_of_a_pattern_is_one(service, person):
    assert set_pattern(service, person, "13978").kind == "refused"  # the stroke from 9 to 7 took the 8
    assert set_pattern(service, person, "13958").kind == "done"
    assert outcome(answer(service, person, "1236958")) == "granted"


@pytest.mark.parametrize("request_, refusal", [
    ({"remote_host": "192.0.2.7"}, "remote"), ({"real_user": "other"}, "nothing-enrolled"),
    ({"service": "sshd"}, "remote"),
], ids=["from another machine", "by somebody else", "where it is off"])
def test_where_none_is_offered(service, person, request_, refusal):
    if request_.get("real_user"):
        request_ = {"real_user": pwd.getpwnam(OTHER).pw_uid}
    with client(service) as connection:
        connection.begin(person, **request_)
        assert connection.refusal() == refusal
    assert failures(service, person) == 0


def test_where_it_is_configured_it_is_offered(person, tmp_path):
    settings = tmp_path / "conf"
    settings.write_text(POLICY + "[pattern]\noff-for=\nremote=true\nother-users=true\n")
    with Service("none", arguments=["--config", str(settings)]) as service:
        set_pattern(service, person)
        requests = {"service": "sshd", "remote_host": "192.0.2.7", "real_user": pwd.getpwnam(OTHER).pw_uid}
        assert outcome(answer(service, person, RIGHT, **requests)) == "granted"


def test_switched_off_none_is_tested(person, tmp_path):
    settings = tmp_path / "conf"
    settings.write_text(POLICY + "[pattern]\nenabled=false\n")
    with Service("none", arguments=["--config", str(settings)]) as service, client(service) as connection:
        set_pattern(service, person)
        connection.begin(person)
        assert connection.refusal() == "nothing-enrolled"


def test_a_finger_and_a_pattern_in_one_conversation(person, prints):
    with Service("image") as service:
        service.enroll(person, prints[1][:5])
        set_pattern(service, person)
        with client(service) as connection:
            connection.begin(person)
            assert [connection.event().kind for _ in range(3)] == ["pattern-offered", "accepted", "armed"]
            connection.answer(RIGHT.encode())
            connection.expect("granted")
        # The reader is free again at once, and the finger counts as before.
        with client(service) as connection:
            connection.begin(person, tries=1)
            connection.until("armed")
            service.touch(prints[1][6])
            connection.confirm(connection.expect("matched").nonce)
            connection.expect("granted")
        with client(service) as connection:
            connection.begin(person, tries=1)
            connection.until("armed")
            service.touch(prints[2][6])
            connection.expect("mismatch")
            assert connection.expect("finger-ended").refusal == "no-match"
            connection.answer(RIGHT.encode())
            connection.expect("granted")


def test_without_prints_the_marker_stands_for_the_pattern(service, person):
    marker = service.data / "enrolled" / person
    assert marker.exists()
    with client(service) as connection:
        connection.delete_pattern(person)
        connection.expect("done")
    assert not marker.exists() and not (service.data / "users" / person).exists()


# What is counted

def test_thirty_two_processes_at_once_are_counted_exactly(service, person):
    """Five guesses are free of a pause; every other one is not even tested."""
    context = multiprocessing.get_context("fork")
    barrier, results = context.Barrier(32), context.Queue()
    guessers = [
        context.Process(target=guess, args=(str(service.socket), person, pattern, barrier, results))
        for pattern in wrong_patterns(32)]
    for guesser in guessers:
        guesser.start()
    outcomes = sorted(results.get(timeout=60) for _ in guessers)
    for guesser in guessers:
        guesser.join(10)
    assert outcomes == ["passed-on"] * 27 + ["wrong-pattern"] * 5
    assert failures(service, person) == 5


def test_a_kill_between_count_and_test_keeps_the_count(service, person):
    """With the right pattern: had the test been reached, the count would be gone."""
    with client(service) as connection:
        connection.begin(person)
        connection.expect("pattern-offered")
        connection.expect("finger-ended")
        connection.answer(RIGHT.encode())
        wait_until(lambda: failures(service, person) == 1, "the guess to be counted")
        service.kill()
        with pytest.raises((Ended, ConnectionResetError)):
            connection.event()
    assert failures(service, person) == 1
    service.start()
    assert outcome(answer(service, person, WRONG)) == "wrong-pattern"
    assert failures(service, person) == 2


def test_a_new_daemon_knows_the_pause(service, person):
    guess_often(service, person, 5)
    service.kill()
    service.start()
    assert outcome(answer(service, person, RIGHT)) == "passed-on"


def test_while_locked_the_right_pattern_is_not_tested(service, person):
    guess_often(service, person, 5)
    assert outcome(answer(service, person, RIGHT)) == "passed-on"
    assert failures(service, person) == 5
    with client(service) as connection:
        connection.check_pattern(person)
        connection.expect("pattern-wanted")
        connection.answer(RIGHT.encode())
        assert 50 <= connection.expect("locked-for").seconds <= 60
        assert connection.refusal() == "pattern-locked"
    assert set_pattern(service, person, OTHER_RIGHT).kind == "done"
    assert outcome(answer(service, person, RIGHT)) == "wrong-pattern"
    assert outcome(answer(service, person, OTHER_RIGHT)) == "granted"


def test_what_can_be_no_pattern_is_no_guess(service, person):
    for typed in (TWICE, SHORT, "", "27a189", "0276189"):
        assert outcome(answer(service, person, typed)) == "wrong-pattern"
    assert failures(service, person) == 0


def test_a_damaged_count_locks(service, person):
    path = service.data / "users" / person / "pattern.throttle"
    raw = bytearray(path.read_bytes())
    raw[12] ^= 1
    path.write_bytes(raw)
    with client(service) as connection:
        connection.check_pattern(person)
        connection.expect("pattern-wanted")
        connection.answer(RIGHT.encode())
        assert connection.expect("locked-for").seconds == 0
        assert connection.refusal() == "pattern-locked"


def test_a_second_answer_at_once_is_out_of_order(service, person):
    with client(service) as connection:
        connection.begin(person)
        connection.expect("pattern-offered")
        connection.expect("finger-ended")
        connection.answer(WRONG.encode())
        connection.answer(RIGHT.encode())
        assert connection.refusal() == "malformed"


@pytest.fixture
def small_disk(person):
    """A daemon whose data folder is a file system of its own."""
    service = Service("none")
    service.data.mkdir(mode=0o755)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k,mode=755", "tmpfs", str(service.data)], check=True)
    try:
        service.start()
        set_pattern(service, person)
        yield service
    finally:
        service.stop()
        subprocess.run(["umount", str(service.data)], check=True)
        service.remove()


def test_a_guess_that_cannot_be_counted_is_not_tested(small_disk, person):
    def remount(how):
        subprocess.run(["mount", "-o", f"remount,{how}", str(small_disk.data)], check=True)
    remount("ro")
    assert outcome(answer(small_disk, person, RIGHT)) == "passed-on"
    with client(small_disk) as connection:
        connection.check_pattern(person)
        connection.expect("pattern-wanted")
        connection.answer(RIGHT.encode())
        assert connection.refusal() == "storage-failed"
    assert outcome(set_pattern(small_disk, person, OTHER_RIGHT)) == "storage-failed"
    remount("rw")
    assert outcome(answer(small_disk, person, RIGHT)) == "granted"


def test_a_full_disk_keeps_the_old_pattern(small_disk, person):
    filler = small_disk.data / "filler"
    with open(filler, "wb", buffering=0) as file:
        with pytest.raises(OSError):
            while True:
                file.write(b"x" * 4096)
    assert outcome(set_pattern(small_disk, person, OTHER_RIGHT)) == "storage-failed"
    assert outcome(answer(small_disk, person, RIGHT)) == "passed-on"
    filler.unlink()
    assert outcome(answer(small_disk, person, RIGHT)) == "granted"


# Who may do what, and what they hear

@pytest.mark.parametrize("pattern, refusal", [
    (COMMON, "pattern-common"), (SHORT, "pattern-invalid"), (TWICE, "pattern-invalid"), ("", "pattern-invalid")])
def test_what_cannot_be_set(service, person, pattern, refusal):
    assert outcome(set_pattern(service, person, pattern)) == refusal
    assert outcome(answer(service, person, RIGHT)) == "granted"


def test_the_owner_sets_one_with_the_password_only(service, person):
    with client(service, person) as connection:
        connection.set_pattern(person)
        assert connection.expect("proof-wanted").user == person
        connection.proof(b"wrong")
        assert connection.refusal() == "wrong-password"
    with client(service, person) as connection:
        connection.set_pattern(person)
        connection.expect("proof-wanted")
        connection.answer(OTHER_RIGHT.encode())
        assert connection.refusal() == "malformed"
    assert outcome(answer(service, person, RIGHT)) == "granted"
    with client(service, person) as connection:
        connection.set_pattern(person)
        connection.expect("proof-wanted")
        connection.proof(PASSWORD.encode())
        connection.expect("pattern-wanted")
        connection.answer(OTHER_RIGHT.encode())
        connection.expect("done")
    assert outcome(answer(service, person, OTHER_RIGHT)) == "granted"


def test_where_the_password_looks_like_a_pattern_wrong_ones_are_passed_on(service, person):
    digits = "159487"
    subprocess.run(["chpasswd", "-c", "SHA512"], input=f"{person}:{digits}\n", text=True, check=True)
    try:
        with client(service, person) as connection:
            connection.set_pattern(person)
            connection.expect("proof-wanted")
            connection.proof(digits.encode())
            connection.expect("pattern-wanted")
            connection.answer(RIGHT.encode())
            connection.expect("done")
        assert outcome(answer(service, person, digits)) == "passed-on" and failures(service, person) == 1
        assert outcome(answer(service, person, TWICE)) == "passed-on" and failures(service, person) == 1
        assert outcome(answer(service, person, RIGHT)) == "granted"
    finally:
        subprocess.run(["chpasswd"], input=f"{person}:{PASSWORD}\n", text=True, check=True)


def test_answers_tell_others_nothing_apart(service, person):
    """Somebody with a pattern, somebody without and nobody: all the same to another user."""
    for name in (person, "root", "no-such-user"):
        for ask in ("set_pattern", "delete_pattern", "check_pattern", "begin"):
            with client(service, OTHER) as connection:
                getattr(connection, ask)(name)
                assert [vars(event) for event in connection.rest()] == [{"kind": "refused", "refusal": "not-permitted"}]
        with client(service, OTHER) as connection:
            connection.learn(name, "sudo", PASSWORD.encode())
            assert connection.refusal() == "not-permitted"
    with client(service, OTHER) as connection:
        connection.status()
        shown = " ".join(f"{event.key} {event.value}" for event in connection.rest() if event.kind == "status")
    # Not even how many have one, which on most machines says who.
    assert "patterns on" in shown and person not in shown


# Learning

def test_a_wrong_password_teaches_nothing_and_a_right_one_is_noted(service, person):
    seen = service.data / "users" / person / "password.seen"
    wrong = learn(service, person, "wrong")
    assert not seen.exists()
    answers = []
    # It is not even checked during the pause that a wrong one costs.
    wait_until(lambda: answers.append(learn(service, person, PASSWORD)) or seen.exists(), "the password to be noted")
    assert all(answer == wrong == [{"kind": "done"}] for answer in answers)
    version, uid, _, _, boot = seen.read_text().split()
    assert (version, int(uid)) == ("1", pwd.getpwnam(person).pw_uid) and len(boot) == 32
    assert seen.stat().st_mode & 0o777 == 0o600
    assert not service.log.has(PASSWORD)
    # It is no print, damaged or not, and goes with the last of what it belongs to.
    assert "damaged" not in service.command("status").stdout
    with client(service) as connection:
        connection.delete_pattern(person)
        connection.expect("done")
    assert not seen.parent.exists()


def learn(service, person, password):
    """Hands a password over and waits until it was checked, or was not to be; what the client heard."""
    mark = service.log.mark()
    with client(service) as connection:
        connection.learn(person, "sudo", password.encode())
        heard = [vars(event) for event in connection.rest()]
    service.log.wait(rf"learn (done|refused).*user {person}", mark)
    return heard
