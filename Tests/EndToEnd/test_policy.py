# SPDX-License-Identifier: Apache-2.0
"""When only the password counts, and how it is learnt that it was given: real sudo, su and pam_unix.

Not here: a real start of the machine, and a real session manager.
"""

import signal

import pytest

from conftest import OTHER, PASSWORD, PROMPT
from patterns import client, set_pattern
from policies import (
    NO_LOGIND, PASSWORD_PROMPT, SHIPPED, give_password, home, later, machine, opens_by_touch, other_boot, policy, restart, seen, status,
    sudo, wants_password)
from terminal import Shell


@pytest.fixture
def running(person, prints):
    """The daemon as it is shipped; root has enrolled the person's finger, the password was not given."""
    with machine() as service:
        service.enroll(person, prints[1][:5])
        yield service


@pytest.fixture
def shell(person, running):
    with Shell(person) as open_shell:
        yield open_shell


def test_first_the_password_then_the_finger(shell, running, person, prints):
    wants_password(shell, running, person)
    opens_by_touch(shell, running, prints[1][6])
    assert policy(running, "sudo", person)["fingerprint"] == "allowed, 1 enrolled, 5 mismatches until it is locked"


def test_a_wrong_password_and_anothers_success_teach_nothing(shell, running, person):
    sudo(shell)
    shell.expect(PASSWORD_PROMPT)
    shell.line("wrong")
    shell.expect(PASSWORD_PROMPT)
    shell.interrupt()
    shell.expect(r"\$ ")
    with client(running) as connection:
        connection.learn(person, "sudo", b"wrong")
        connection.expect("done")
    with client(running) as connection:
        connection.learn(person, "sudo", PASSWORD.encode())
        connection.expect("done")
    # A wrong one costs a second, in which no other is checked.
    running.log.wait(r"learn refused \(too many")
    assert seen(running, person) == ""


def test_after_a_start_of_the_machine(shell, running, person, prints):
    wants_password(shell, running, person)
    restart(running)
    opens_by_touch(shell, running, prints[1][6])
    restart(running, other_boot(running))
    assert "after a start" in policy(running, "sudo", person)["fingerprint"]
    wants_password(shell, running, person)
    opens_by_touch(shell, running, prints[1][7])
    restart(running)
    wants_password(shell, running, person)


def test_after_three_days(shell, running, person, prints):
    wants_password(shell, running, person)
    restart(running, later(71))
    opens_by_touch(shell, running, prints[1][6])
    restart(running, later(72.01))
    assert "too long ago" in policy(running, "sudo", person)["fingerprint"]
    wants_password(shell, running, person)
    opens_by_touch(shell, running, prints[1][7])
    # Time that runs back is no proof of anything.
    restart(running)
    wants_password(shell, running, person)


def test_a_lockdown_lasts_until_the_password(shell, running, person, prints):
    wants_password(shell, running, person)
    assert running.command("lockdown", user=person).returncode == 0
    assert person in status(running).split("lockdown")[1].splitlines()[0]
    wants_password(shell, running, person)
    opens_by_touch(shell, running, prints[1][6])
    assert running.command("lockdown", "--all").returncode == 0
    wants_password(shell, running, person)
    opens_by_touch(shell, running, prints[1][7])


def test_a_lockdown_takes_a_waiting_finger_away(shell, running, person, prints):
    wants_password(shell, running, person)
    mark = running.log.mark()
    sudo(shell)
    shell.expect(PROMPT)
    running.log.wait(r"\barmed\b", mark)
    assert running.command("lockdown", person).returncode == 0
    running.touch(prints[1][6])
    running.log.wait(r"verify refused \(only the password", mark)
    shell.line(PASSWORD)
    shell.expect("root\r\n")


def test_only_root_locks_others_and_unlocks(running, person):
    for words in (["lockdown", OTHER], ["lockdown", "--all"], ["unlock", person]):
        refused = running.command(*words, user=person)
        assert refused.returncode == 4, words
    assert not (running.data / "users" / person / "lockdown").exists()
    assert running.command("policy", "sudo", OTHER, user=person).returncode == 4


def test_a_home_that_is_not_there(shell, running, person, prints):
    wants_password(shell, running, person)
    with home(person, "/home/not-there"):
        assert "home" in policy(running, "sudo", person)["fingerprint"]
        wants_password(shell, running, person)
    opens_by_touch(shell, running, prints[1][6])


def test_enrolling_with_the_password_is_giving_it(person, prints):
    """The first print makes the place where it is remembered."""
    with machine() as service:
        with client(service, person) as connection:
            connection.enroll(person, "right-index")
            connection.expect("proof-wanted")
            connection.proof(PASSWORD.encode())
            connection.expect("enrolling")
            for scan in prints[1][:5]:
                service.touch(scan)
                connection.expect("stage")
            connection.expect("done")
        with Shell(person) as shell:
            opens_by_touch(shell, service, prints[1][6])


def test_what_comes_first_holds_for_patterns_too(shell, running, person):
    set_pattern(running, person, "276189")
    wants_password(shell, running, person)
    running.command("lockdown", person)
    with client(running) as connection:
        connection.begin(person, real_user=0)
        assert connection.refusal() == "lockdown"


def test_without_a_session_manager_nobody_knows(person, prints):
    with machine(SHIPPED.replace("allow", "never"), NO_LOGIND) as service:
        service.enroll(person, prints[1][:5])
        with Shell(person) as shell:
            wants_password(shell, service, person)
            wants_password(shell, service, person)
        assert "not come from the session in front" in policy(service, "sudo", person)["fingerprint"]
        with client(service) as connection:
            connection.begin(person)
            assert connection.refusal() == "not-at-seat"


@pytest.mark.parametrize("message, refusal", [
    ("answer", "malformed"), ("confirm", "malformed"), ("cancel", "cancelled")])
def test_what_comes_before_the_place_is_known(running, person, message, refusal):
    """Both packets wait when the daemon looks; the answer to where one sits comes later."""
    with client(running) as connection:
        running.process.send_signal(signal.SIGSTOP)
        connection.begin(person)
        {"answer": lambda: connection.answer(b"2761"), "confirm": lambda: connection.confirm(b"n" * 16),
         "cancel": connection.cancel}[message]()
        running.process.send_signal(signal.SIGCONT)
        assert connection.refusal() == refusal


def test_root_is_no_target(running, prints, person):
    running.enroll("root", prints[2][:5])
    mark = running.log.mark()
    with Shell(OTHER) as shell:
        shell.line("su -c 'id -un'")
        shell.expect(PASSWORD_PROMPT)
        assert "ouch" not in shell.before
        shell.interrupt()
        shell.expect(r"\$ ")
    running.log.wait(r"verify refused \(fingerprints are not used for this", mark)
    assert not running.log.has("armed", mark)
    assert "root-target" in policy(running, "su", "root")["fingerprint"]


@pytest.mark.parametrize("settings, words", [
    ("[service thumbturn-sudo]\nfactors=none\n", "its section"), ("[class privilege]\nfactors=pattern\n", "privilege"),
    ("[service thumbturn-sudo]\nfactor=none\n", "mistake"),
], ids=["a service", "a class", "a mistake"])
def test_where_it_is_configured_only_the_password_counts(person, prints, settings, words):
    with machine(SHIPPED + "password-first=false\n" + settings) as service:
        service.enroll(person, prints[1][:5])
        with Shell(person) as shell:
            mark = service.log.mark()
            sudo(shell)
            give_password(shell, service, person)
            assert not service.log.has("armed", mark)
        assert words in policy(service, "thumbturn-sudo", person)["fingerprint"]
