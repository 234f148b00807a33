# SPDX-License-Identifier: Apache-2.0
"""The two hosts that ask over pipes, polkit's helper and xsecurelock's: touch or type, one of both."""

import os
import select
import signal
import threading

import pytest

from fake_daemon import (CONFIRM, FakeDaemon, accepted, armed, granted, matched, mismatch, offered, refused, voided,
                         waiting)
from module_bench import ABORT, AUTHINFO_UNAVAIL, CONV_ERR, SUCCESS, bench, needs_root, tools  # noqa: F401
from piped import Piped, assert_clean, patient, service, sockets  # noqa: F401
from service import alive, children, wait_until

pytestmark = needs_root


@pytest.mark.parametrize("over", ["pipe", "socket"])
def test_a_touch_ends_the_prompt(bench, service, over):
    go = threading.Event()

    def script(client):
        client.send(accepted(), armed())
        assert go.wait(10)
        client.grant()

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service, over=over)
        host.expect("prompt: ")
        speaker = host.speaker()
        go.set()
        found = host.finish()
    assert found.result == SUCCESS and found.differences == [] and bench.token is None
    assert not alive(speaker)


def test_the_prompt_names_service_and_finger(bench):
    with FakeDaemon(bench.socket, patient):
        for service, shown in (("polkit-1", "polkit"), ("xsecurelock", "xsecurelock")):
            host = Piped(bench, service)
            host.expect("prompt: ")
            host.type("typed\n")
            assert host.finish().said("prompt") == [
                f"{shown}: touch the fingerprint reader (right index) or type your password: "]


def test_half_a_line_reaches_nobody(bench, service):
    def script(client):
        client.send(accepted(), armed())
        assert typed.wait(10)
        client.grant()

    typed = threading.Event()
    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service, "linger=1")
        host.expect("prompt: ")
        host.type("half of a secr")
        typed.set()
        host.expect(r"result \d+")
        assert bench.token is None
        host.type("\n")
        assert_clean(host.finish(), SUCCESS)


def test_an_answer_in_flight_is_discarded(bench):
    """Typed while the match was being confirmed; the host's next read must not find it."""
    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(CONFIRM)
        os.kill(host.speaker(), signal.SIGSTOP)
        host.type("too late\n")
        client.send(granted())

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, "polkit-1", "linger=1")
        host.expect(r"result \d+")
        assert host.process.poll() is None, "it reads a line, and there is none"
        assert not select.select([host.reads], [], [], 0.2)[0]
        assert host.process.poll() is None
        host.type("\n")
        assert_clean(host.finish(), SUCCESS)
    assert bench.token is None


def test_an_answer_before_the_match_counts(bench, service):
    """Both wait when the host looks: it was stopped."""
    seen, answered, sent = [], threading.Event(), threading.Event()

    def script(client):
        client.send(accepted(), armed())
        assert answered.wait(10)
        client.send(matched())
        sent.set()
        seen.append(client.receive()[0])

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service)
        host.expect("prompt: ")
        os.kill(host.process.pid, signal.SIGSTOP)
        host.type("typed\n")
        wait_until(lambda: not children(host.process.pid), "the answer to be handed over")
        answered.set()
        assert sent.wait(10)
        os.kill(host.process.pid, signal.SIGCONT)
        assert_clean(host.finish(), AUTHINFO_UNAVAIL)
    assert seen == [None], "the match was not confirmed"
    assert bench.token == "typed"


def test_a_void_match_is_not_the_end(bench, service):
    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(CONFIRM)
        client.send(voided(), armed())
        client.grant()

    with FakeDaemon(bench.socket, script):
        assert_clean(Piped(bench, service).finish(), SUCCESS)


@pytest.mark.parametrize("answer", ["silence", "a hang-up", "too late"])
def test_a_match_that_is_not_granted_in_time_leaves_the_password(bench, service, answer):
    confirmed = threading.Event()

    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(CONFIRM)
        confirmed.set()
        if answer == "too late":
            assert client.receive(2)[0] is None, "it left"
        elif answer == "silence":
            client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service)
        host.expect("prompt: ")
        assert confirmed.wait(10)
        host.type("typed\n")
        assert_clean(host.finish(), AUTHINFO_UNAVAIL)
    assert bench.token == "typed"


def test_a_closed_pipe_is_a_failed_conversation(bench, service):
    with FakeDaemon(bench.socket, patient):
        host = Piped(bench, service)
        host.expect("prompt: ")
        host.hang_up()
        # xsecurelock would ask again after CONV_ERR.
        assert_clean(host.finish(), CONV_ERR if service == "polkit-1" else ABORT)
    assert bench.token is None


def test_so_is_a_killed_conversation(bench, service):
    with FakeDaemon(bench.socket, patient):
        host = Piped(bench, service)
        os.kill(host.speaker(), signal.SIGKILL)
        assert_clean(host.finish(), CONV_ERR if service == "polkit-1" else ABORT)


def test_a_pattern_is_taken(bench, service):
    def script(client):
        client.send(offered(), accepted(), armed())
        assert client.answer() == "14789"
        client.send(granted())

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service)
        host.expect("pattern or password: ")
        host.type("14789\n")
        assert_clean(host.finish(), SUCCESS)
    assert bench.token is None


def test_wrong_fingers_are_told_beside_polkits_prompt_only(bench, service):
    def script(client):
        client.send(waiting(), accepted(), armed(), mismatch(1), mismatch(0), refused(6))
        client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service)
        host.expect("prompt: ")
        if service == "polkit-1":
            host.expect("error: fingerprint not recognised\n")
        wait_until(lambda: os.readlink(f"/proc/{host.process.pid}/fd/0") and not sockets(host.process.pid), "its end")
        host.type("typed\n")
        found = host.finish()
    assert found.result == AUTHINFO_UNAVAIL and bench.token == "typed"
    told = ["Fingerprint: not recognised, 1 try left", "fingerprint not recognised"]
    assert found.said("error") == (told if service == "polkit-1" else [])
    assert found.said("info") == (["The fingerprint reader is free, touch it now"] if service == "polkit-1" else [])
