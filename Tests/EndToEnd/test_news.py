# SPDX-License-Identifier: Apache-2.0
"""What was enrolled in a session that a finger or pattern opened is announced at the next password, once.

Real daemon, sudo and pam_unix; what a strange daemon costs, with one that says what a test wants.
"""

import time

import pytest

from conftest import OTHER, PASSWORD, PROMPT
from fake_daemon import ARMED, FakeDaemon, announced, done, frame, granted, refused
from module_bench import AUTHINFO_UNAVAIL, bench, tools  # noqa: F401
from patterns import OTHER_RIGHT, RIGHT, answer, client, outcome, set_pattern
from policies import opens_by_touch, stacks, sudo
from service import Service, children, name, wait_until
from terminal import Shell

DATE = r"\d{4}-\d\d-\d\d \d\d:\d\d"
LEFT_INDEX = rf'Since a fingerprint let somebody in: "left-index" was enrolled on {DATE}\.'
PATTERN = rf"Since a fingerprint let somebody in: a pattern was set on {DATE}\."


@pytest.fixture
def service(person, prints):
    with Service("image") as running:
        running.enroll(person, prints[1][:5])
        stacks(running)
        yield running


@pytest.fixture
def shell(person, service):
    with Shell(person) as open_shell:
        yield open_shell


def kept(running, person, file="news"):
    return running.data / "users" / person / file


def opened_by_touch(shell, running, person, scan):
    opens_by_touch(shell, running, scan)
    shell.expect(r"\$ ")
    wait_until(kept(running, person, "last.uses").exists, "the touch to be noted")


def give(shell, secret):
    sudo(shell)
    shell.expect(PROMPT)
    shell.line(secret)


def gives_password_and_hears_nothing(shell):
    give(shell, PASSWORD)
    shell.expect("root\r\n")
    assert "Since" not in shell.before
    shell.expect(r"\$ ")


def set_own_pattern(running, person):
    with client(running, person) as connection:
        connection.set_pattern(person)
        connection.expect("proof-wanted")
        connection.proof(PASSWORD.encode())
        connection.expect("pattern-wanted")
        connection.answer(RIGHT.encode())
        connection.expect("done")


def checked(running):
    wait_until(lambda: not [pid for pid in children(running.process.pid) if name(pid).startswith("thumbturn-pw")],
               "the check to end")


def learn(running, person, password, user=None):
    """What whoever hands a password over hears; returns when it was checked."""
    with client(running, user) as connection:
        connection.learn(person, "sudo", password.encode())
        heard = connection.rest()
    checked(running)
    return [(event.kind, getattr(event, "finger", "")) for event in heard]


def test_a_finger_is_announced_once_to_the_right_password(shell, service, person, prints):
    opened_by_touch(shell, service, person, prints[1][6])
    service.enroll(person, prints[2][:5], "left-index", PASSWORD)
    assert kept(service, person).stat().st_mode & 0o777 == 0o600
    give(shell, "wrong")
    shell.expect(PROMPT)
    assert "Since" not in shell.before
    shell.line(PASSWORD)
    shell.expect(LEFT_INDEX)
    shell.expect("root\r\n")
    assert "Since" not in shell.before
    shell.expect(r"\$ ")
    assert not kept(service, person).exists()
    gives_password_and_hears_nothing(shell)


def test_a_pattern_is_announced_too(shell, service, person, prints):
    opened_by_touch(shell, service, person, prints[1][6])
    set_own_pattern(service, person)
    give(shell, PASSWORD)
    shell.expect(PATTERN)
    shell.expect("root\r\n")
    shell.expect(r"\$ ")
    gives_password_and_hears_nothing(shell)


def test_a_session_of_the_password_announces_nothing(shell, service, person, prints):
    opened_by_touch(shell, service, person, prints[1][6])
    then = int(kept(service, person, "last.uses").read_text().split()[3])
    wait_until(lambda: int(time.time()) > then, "another second")
    gives_password_and_hears_nothing(shell)
    wait_until(kept(service, person, "password.seen").exists, "the password to be learnt")
    set_own_pattern(service, person)
    assert not kept(service, person).exists()
    gives_password_and_hears_nothing(shell)


def test_nobody_hears_of_it_without_the_password_or_beside_root(service, person):
    set_pattern(service, person)
    assert not kept(service, person).exists(), "nobody was let in yet"
    assert outcome(answer_beside_finger(service, person)) == "granted"
    assert set_pattern(service, person, OTHER_RIGHT).kind == "done"
    news = kept(service, person).read_text()
    assert learn(service, person, PASSWORD, user=person) == [("done", "")]
    assert learn(service, OTHER, PASSWORD) == [("done", "")]
    mark = service.log.mark()
    with client(service) as connection:
        connection.learn(person, "sudo", PASSWORD.encode())
    service.log.wait("learn done", mark)
    assert learn(service, person, "wrong") == [("done", "")]
    assert kept(service, person).read_text() == news
    wait_until(lambda: learn(service, person, PASSWORD) == [("announced", None), ("done", "")],
               "the pause behind a wrong password to end")
    assert not kept(service, person).exists()


def answer_beside_finger(running, person):
    with client(running) as connection:
        connection.begin(person)
        connection.expect("pattern-offered")
        connection.answer(RIGHT.encode())
        return connection.until("granted", "passed-on")


def test_news_that_cannot_be_kept_fail_no_enrolment(person):
    with Service("none") as running:
        set_pattern(running, person)
        assert outcome(answer(running, person, RIGHT)) == "granted"
        kept(running, person).mkdir()
        assert set_pattern(running, person, OTHER_RIGHT).kind == "done"
        running.log.wait("/news")


def test_they_go_with_what_was_enrolled(person):
    with Service("none") as running:
        set_pattern(running, person)
        assert outcome(answer(running, person, RIGHT)) == "granted"
        set_pattern(running, person, OTHER_RIGHT)
        assert kept(running, person).exists()
        with client(running) as connection:
            connection.delete_pattern(person)
            connection.expect("done")
        assert not kept(running, person).parent.exists()


# --- the module alone ---------------------------------------------------------

def told(bench, *frames, words=()):  # noqa: F811
    """What the host finds out when a daemon says this and no more."""
    def script(daemon):
        daemon.send(*frames)
        daemon.wait_for_end()
    bench.service("learn", token="given")
    with FakeDaemon(bench.socket, None, learning=script):
        found = bench.run(*words)
    assert found.result == AUTHINFO_UNAVAIL and found.differences == []
    return found


def test_a_silent_daemon_costs_a_second_and_a_half(bench):  # noqa: F811
    assert 1400 < told(bench).took < 1700


@pytest.mark.parametrize("words", [(), ("flags=32768",)])
def test_each_is_a_line_even_where_silence_is_asked_for(bench, words):  # noqa: F811
    found = told(bench, announced(7, 1764493920), announced(0, 1764493980), done(), words=words)
    first, second = found.said("info")
    assert first.startswith('Since a fingerprint let somebody in: "right-index" was enrolled on 2025-11-30 ')
    assert second.startswith("Since a fingerprint let somebody in: a pattern was set on 2025-11-30 ")
    assert found.took < 500


@pytest.mark.parametrize("last", [granted(), refused(6), frame(ARMED), announced(11, 1), b"TT\x02\x0d\0\0"])
def test_what_does_not_belong_there_ends_it(bench, last):  # noqa: F811
    found = told(bench, last, announced(7, 1))
    assert found.said("info") == [] and found.took < 500


@pytest.mark.parametrize("when", [0, 2**63 - 1, 2**63, 2**64 - 1])
def test_any_time_is_taken(bench, when):  # noqa: F811
    [line] = told(bench, announced(7, when), done()).said("info")
    assert line.startswith("Since") and line.endswith(".")


def test_more_than_a_few_are_not_shown(bench):  # noqa: F811
    assert len(told(bench, *[announced(7, 1)] * 100).said("info")) == 8
