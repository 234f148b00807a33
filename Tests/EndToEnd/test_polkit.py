# SPDX-License-Identifier: Apache-2.0
"""The real polkitd, its setuid helper and pkexec, with an agent on libpolkit-agent: touch, password, cancel."""

import subprocess
import time

import pytest

from conftest import OTHER, PASSWORD, STACK, stack
from polkit import Agent, Polkit
from service import alive, children, wait_until
from terminal import Shell

PROMPT = "polkit: swipe your finger over the fingerprint reader (right index) or type your password:"


@pytest.fixture(scope="module")
def polkit(person, enrolled):
    stack("polkit-1", enrolled.socket, text=STACK.replace("pam_unix.so", "pam_unix.so nodelay"))
    with Polkit(person) as running:
        yield running


@pytest.fixture
def agent(person, polkit):
    with Agent(person) as asking:
        asking.wait("^request: ")
        yield asking


def test_a_touch_is_enough(agent, enrolled, touch):
    touch()
    assert agent.wait("^pkexec: ") == "pkexec: 0 root"
    assert agent.told("request") == [PROMPT] and agent.told("completed") == ["True"]
    assert agent.told("info") == agent.told("error") == []
    wait_until(lambda: not enrolled.reader_processes(), "the claim to end", 2)


def test_the_password_is_answered_at_once(agent, enrolled):
    start = time.monotonic()
    agent.say(f"type {PASSWORD}")
    assert agent.wait("^pkexec: ") == "pkexec: 0 root"
    assert time.monotonic() - start < 1.5
    assert agent.told("request") == [PROMPT]
    wait_until(lambda: not enrolled.reader_processes(), "the claim to end", 2)


def test_a_wrong_password_fails_and_asks_once(agent):
    agent.say("type wrong horse")
    assert agent.wait("^completed: ") == "completed: False"
    assert not agent.wait("^pkexec: ").endswith("root")
    assert set(agent.told("request")) == {PROMPT} and len(agent.told("request")) == int(agent.told("began")[-1])


def test_a_cancel_frees_the_reader_and_leaves_no_process(agent, enrolled):
    enrolled.log.wait(r"\barmed\b")
    helpers = wait_until(lambda: len(agent.helpers()) == 2 and agent.helpers(), "helper and prompt")
    agent.say("cancel")
    assert agent.wait("^completed: ") == "completed: False"
    wait_until(lambda: not agent.helpers() and not enrolled.reader_processes(), "all to end", 1)
    assert helpers and not agent.wait("^pkexec: ").endswith("root")


def test_an_agent_that_dies_frees_the_reader(agent, enrolled):
    helpers = wait_until(lambda: len(agent.helpers()) == 2 and agent.helpers(), "helper and prompt")
    agent.say("hang up")
    wait_until(lambda: not any(map(alive, helpers)) and not enrolled.reader_processes(), "all to end", 1)


def test_a_wrong_finger_is_told_and_a_right_one_still_counts(agent, enrolled, prints, touch):
    mark = enrolled.log.mark()
    touch(2)
    agent.wait("^error: Fingerprint: not recognised")
    enrolled.log.wait(r"\barmed\b", mark)
    enrolled.touch(prints[1][7])
    assert agent.wait("^pkexec: ") == "pkexec: 0 root"


def test_another_setuid_program_without_a_terminal_still_gets_no_reader(person, enrolled, polkit):
    """The helper alone is let in; sudo and su without a terminal are not."""
    with Shell(person) as shell:
        mark = enrolled.log.mark()
        shell.run("echo | setsid -w sudo -k -S id -un >/dev/null 2>&1")
        assert not enrolled.log.has(r"\barmed\b", mark)


def test_the_helper_run_by_hand_gains_nothing(person, enrolled, polkit, touch):
    """Anybody may start it; without a cookie of polkit's the touch opens nothing."""
    command = ["setpriv", "--reuid", OTHER, "--regid", OTHER, "--init-groups",
               "/usr/lib/polkit-1/polkit-agent-helper-1", person]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    mark = enrolled.log.mark()
    process.stdin.write("no-cookie\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith("PAM_PROMPT_ECHO_OFF polkit: ")
    touch(after=mark)
    assert process.stdout.readline() == "FAILURE\n"
    process.stdin.close()
    assert process.wait(10) == 1
    process.stdout.close()


def test_twenty_times_in_a_row(person, polkit, enrolled, prints):
    for number in range(20):
        mark = enrolled.log.mark()
        with Agent(person) as agent:
            agent.wait("^request: ")
            enrolled.log.wait(r"\barmed\b", mark)
            enrolled.touch(prints[1][5 + number % 7])
            assert agent.wait("^(pkexec|error): ") == "pkexec: 0 root"
            assert children(agent.process.pid) == []


def test_an_agent_on_a_terminal_needs_enter_behind_the_touch(person, polkit, enrolled, touch):
    """pkttyagent looks at nothing else while it reads; the touch counts, and what is typed behind it does not."""
    with Shell(person) as shell, Shell(person) as other:
        before, mark = polkit.log.mark(), enrolled.log.mark()
        shell.line("pkttyagent --process $$")
        polkit.log.wait("Registered Authentication Agent.*pkttyagent", before)
        other.line(f"pkcheck --action-id org.freedesktop.policykit.exec --process {shell.child.pid} -u; echo '<'$?'>'")
        shell.expect("type your password: ")
        shell.type("half of a se")
        touch(after=mark)
        enrolled.log.wait(r"\bgranted\b", mark)
        shell.line("")
        shell.expect("AUTHENTICATION COMPLETE")
        other.expect("<0>")
