# SPDX-License-Identifier: Apache-2.0
"""A touch must not open what nobody sees: requests hidden by whoever made them."""

import os
import signal
from pathlib import Path

import pytest

from conftest import PASSWORD, PROMPT, STACK, stack
from service import children, command_line, wait_until
from terminal import Shell

# Each would wait for the next touch, whoever it is meant for, and say nothing on the terminal.
HIDDEN = {
    "sudo without a terminal": "echo | setsid -w sudo -k -S id -un",
    "su without a terminal": "echo | setsid -w su ttperson -c 'id -un'",
    "su in the background": "(echo | su ttperson -c 'id -un')",
    "sudo in the background": "(echo | sudo -k -S id -un)",
}


@pytest.fixture(scope="module", autouse=True)
def no_delay(enrolled):
    """No pause after a wrong password: nothing here is about it."""
    stacks(enrolled, "")


@pytest.fixture
def reader_only(enrolled):
    """Stacks that ask nobody but the reader."""
    stacks(enrolled, "reader=only timeout=2")
    yield
    stacks(enrolled, "")


def stacks(enrolled, options):
    for name in ("thumbturn-sudo", "su"):
        stack(name, enrolled.socket, options, STACK.replace("pam_unix.so", "pam_unix.so nodelay"))


def hidden(shell, command):
    """Runs a command in the background to its end, and answers what it wrote."""
    output = Path("/tmp/thumbturn-hidden")
    output.unlink(missing_ok=True)
    try:
        shell.run(f"{{ {command}; }} > {output} 2>&1 & wait $!")
        return output.read_text()
    finally:
        output.unlink(missing_ok=True)


@pytest.mark.parametrize("name", HIDDEN)
def test_a_hidden_request_never_arms_the_reader(person, enrolled, name):
    with Shell(person) as shell:
        mark = enrolled.log.mark()
        said = hidden(shell, HIDDEN[name])
    assert "root" not in said and "press Enter" not in said
    assert not enrolled.log.has(r"\barmed\b", mark)


@pytest.mark.parametrize("name", ["sudo without a terminal", "su in the background"])
def test_nor_does_one_that_asks_the_reader_only(person, enrolled, reader_only, name):
    with Shell(person) as shell:
        mark = enrolled.log.mark()
        hidden(shell, HIDDEN[name])
    assert not enrolled.log.has(r"\bverify\b", mark), "the daemon is not even asked"


def test_the_reader_only_needs_the_request_in_front(person, enrolled, reader_only, prints):
    with Shell(person) as shell:
        mark = enrolled.log.mark()
        shell.line("sudo -k id -un")
        enrolled.log.wait(r"\barmed\b", mark)
        enrolled.touch(prints[1][6])
        shell.expect("root\r\n")
        shell.expect(r"\$ ")
        mark = enrolled.log.mark()
        # Behind from the start; and behind only once the reader is armed.
        shell.run("sudo -k; sudo -k id -un </dev/null >/dev/null 2>&1 & wait $!")
        assert not enrolled.log.has(r"\bverify\b", mark)
        shell.line("sudo -k id -un")
        enrolled.log.wait(r"\barmed\b", mark)
        shell.control("z")
        shell.expect("Stopped")
        shell.line("bg; wait; echo over")
        enrolled.touch(prints[1][7])
        enrolled.log.wait(r"\bmatched\b", mark)
        shell.expect("\r\nover")
        assert "root\r\n" not in shell.before


def test_a_touch_for_a_stopped_host_opens_nothing_later(person, enrolled, prints):
    """Its group stays in front: sh, unlike bash, does not take the terminal back."""
    with Shell(person) as shell:
        mark = enrolled.log.mark()
        shell.line("sh -c 'sudo -k id -un; exit'")
        shell.expect(PROMPT)
        enrolled.log.wait(r"\barmed\b", mark)
        sudo = next(pid for pid in children(shell.child.pid) if command_line(pid).startswith("sudo"))
        # Before the scan is matched, which takes some milliseconds.
        enrolled.touch(prints[1][6])
        os.kill(sudo, signal.SIGSTOP)
        try:
            wait_until(lambda: not enrolled.reader_processes(), "the reader to be freed", 1.5)
        finally:
            os.kill(sudo, signal.SIGCONT)
        shell.never("root\r\n", during=0.4)
        assert not enrolled.log.has(r"\bgranted\b", mark)
        shell.line(PASSWORD)
        shell.expect("root\r\n")


def test_a_piped_password_without_a_terminal_still_works(person, enrolled):
    with Shell(person) as shell:
        assert "root" in shell.run(f"echo '{PASSWORD}' | setsid -w sudo -k -S id -un")
