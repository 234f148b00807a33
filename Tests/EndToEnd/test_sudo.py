# SPDX-License-Identifier: Apache-2.0
"""Real sudo on a pseudo-terminal, our module above pam_unix, libfprint's own matching.

Not here: a person's real finger, and sudo's session plug-ins.
"""

import os
import re
import signal
import time
from pathlib import Path

import pytest

from conftest import PASSWORD, PROMPT, stack
from service import alive, children, command_line, wait_until
from terminal import Shell

# Not timestamp_timeout=0: with it, sudo does not ask again after Ctrl-Z and fg.
FORGET = "sudo -k; "
COMMAND = "sudo id -un"
ANY_PROMPT = rf"{PROMPT}|in use by [^:]*: "


@pytest.fixture
def shell(person, enrolled):
    with Shell(person) as running:
        yield running


def ask(shell, enrolled, command=COMMAND, prompt=PROMPT):
    """Starts sudo, waits for its prompt; answers the log's place before it."""
    mark = enrolled.log.mark()
    shell.line(FORGET + command)
    shell.expect(prompt)
    return mark


def test_a_touch_is_enough(shell, enrolled, touch):
    mark = ask(shell, enrolled)
    touch(after=mark)
    matched, _ = enrolled.log.wait(r"\bmatched\b", mark)
    shell.expect("root\r\n")
    assert time.monotonic() - matched < 0.1, "success comes within 100 ms of the match"
    assert shell.status() == 0


def test_half_typed_text_reaches_no_program(shell, enrolled, touch):
    mark = ask(shell, enrolled, "sudo cat")
    shell.type("half of a pass")
    touch(after=mark)
    enrolled.log.wait(r"\bgranted\b", mark)
    shell.line("hello")
    shell.expect("hello\r\n.*hello\r\n")
    assert "half" not in shell.before and "half" not in shell.child.after
    shell.control("d")
    shell.expect(r"\$ ")


def test_the_password_works_while_the_reader_is_armed_and_frees_it(shell, enrolled, touch):
    mark = ask(shell, enrolled)
    enrolled.log.wait(r"\barmed\b", mark)
    shell.line(PASSWORD)
    shell.expect("root\r\n", limit=1.5)
    wait_until(lambda: not enrolled.reader_processes(), "the reader to be freed", 1)


def test_a_wrong_password_is_refused(shell, enrolled):
    ask(shell, enrolled)
    shell.line("wrong")
    shell.expect("try again")
    shell.interrupt()


def test_three_wrong_fingers_leave_the_password(shell, enrolled, prints):
    mark = ask(shell, enrolled)
    for attempt in range(3):
        enrolled.log.wait(r"\barmed\b", mark)
        mark = enrolled.log.mark()
        enrolled.touch(prints[2][5 + attempt])
        shell.expect("not recognised")
    shell.line(PASSWORD)
    shell.expect("root\r\n")


def test_control_c_ends_sudo_at_once(shell, enrolled):
    mark = ask(shell, enrolled)
    enrolled.log.wait(r"\barmed\b", mark)
    start = time.monotonic()
    shell.interrupt()
    shell.expect(r"\$ ")
    assert time.monotonic() - start < 0.5
    assert shell.status() != 0
    assert shell.echoes()
    wait_until(lambda: not enrolled.reader_processes(), "the claim to end", 1)


def test_an_empty_enter_leads_to_the_password(shell, enrolled):
    ask(shell, enrolled)
    start = time.monotonic()
    shell.line("")
    shell.expect(r"[Pp]assword[^\r\n]*: ")
    assert time.monotonic() - start < 0.3
    shell.line(PASSWORD)
    shell.expect("root\r\n")


def test_stop_second_sudo_and_return(shell, enrolled, touch):
    mark = ask(shell, enrolled)
    enrolled.log.wait(r"\barmed\b", mark)
    shell.control("z")
    shell.expect("Stopped")
    shell.expect(r"\$ ")
    # The first still holds the reader for the quarter of a second it takes to see that it is not in front.
    mark = ask(shell, enrolled, prompt=ANY_PROMPT)
    touch(after=mark)
    shell.expect("root\r\n")
    shell.expect(r"\$ ")
    mark = enrolled.log.mark()
    shell.line("fg")
    touch(after=mark)
    shell.expect("root\r\n")


def test_a_touch_while_stopped_opens_nothing_later(shell, enrolled, prints):
    mark = ask(shell, enrolled)
    enrolled.log.wait(r"\barmed\b", mark)
    shell.control("z")
    shell.expect("Stopped")
    # At once: the daemon may not have heard yet that sudo is not in front.
    enrolled.touch(prints[1][7])
    shell.expect(r"\$ ")
    wait_until(lambda: not enrolled.reader_processes(), "the reader to be freed", 2)
    shell.line("fg")
    shell.never("root\r\n", during=1.5)
    shell.line("wrong")
    assert shell.expect(["root\r\n", "try again"]) == 1
    shell.interrupt()


def test_a_touch_for_a_background_sudo_opens_nothing(shell, enrolled, prints):
    shell.run("sudo -k")
    shell.line(COMMAND + " &")
    shell.expect(r"\[1\] \d+\r\n")
    seen = shell.settled()
    assert "root" not in seen
    assert not enrolled.reader_processes(), "the reader is not armed for a request nobody sees"
    shell.line("fg")
    shell.expect(COMMAND)
    assert shell.expect(["root\r\n", PROMPT]) == 1
    shell.line(PASSWORD)
    shell.expect("root\r\n")


def test_in_a_pipeline(shell, enrolled, touch):
    mark = ask(shell, enrolled, "echo text | sudo tr a-z A-Z | cat")
    touch(after=mark)
    shell.expect("TEXT\r\n")


def test_without_a_terminal_on_standard_input(shell, enrolled, touch):
    mark = ask(shell, enrolled, "sudo id -un </dev/null")
    touch(after=mark)
    shell.expect("root\r\n")


@pytest.mark.parametrize("setting", ["pwfeedback", "use_pty"])
def test_with_sudos_settings(person, enrolled, touch, setting):
    extra = Path("/etc/sudoers.d/thumbturn-test-setting")
    extra.write_text(f"Defaults:{person} {setting}\n")
    extra.chmod(0o440)
    try:
        with Shell(person) as shell:
            mark = ask(shell, enrolled)
            shell.type("abc")
            touch(after=mark)
            shell.expect("root\r\n")
            shell.expect(r"\$ ")
            assert shell.run("echo clean") == "clean"
    finally:
        extra.unlink()


def test_resized_at_the_prompt(shell, enrolled, touch):
    mark = ask(shell, enrolled)
    shell.child.setwinsize(40, 132)
    touch(after=mark)
    shell.expect("root\r\n")


def test_control_v_before_the_touch(shell, enrolled, touch):
    mark = ask(shell, enrolled)
    shell.control("v")
    touch(after=mark)
    shell.expect("root\r\n", limit=2)


@pytest.mark.parametrize("mode", ["inlcr", "inlcr icrnl", "-icrnl", "raw -isig"])
def test_strange_terminal_modes(shell, enrolled, touch, mode):
    mark = enrolled.log.mark()
    shell.line(f"stty {mode}; {FORGET}{COMMAND}; stty sane")
    shell.expect(PROMPT)
    touch(after=mark)
    shell.expect("root\r?\n", limit=3)


def test_a_piped_password_is_answered_at_once(shell, enrolled):
    start = time.monotonic()
    shell.line(f"echo '{PASSWORD}' | sudo -k -S id -un")
    shell.expect("root\r\n", limit=2)
    assert time.monotonic() - start < 1
    shell.expect(r"\$ ")
    assert shell.run("echo clean") == "clean"


def test_a_slow_askpass_has_the_last_word_without_a_touch(shell, enrolled, tmp_path):
    askpass = Path("/tmp/thumbturn-askpass")
    askpass.write_text(f"#!/bin/sh\nread line </dev/null; sleep 1; echo '{PASSWORD}'\n")
    askpass.chmod(0o755)
    try:
        shell.line(f"SUDO_ASKPASS={askpass} sudo -k -A id -un")
        shell.expect("root\r\n", limit=4)
        shell.expect(r"\$ ")
        assert shell.run("echo clean") == "clean"
    finally:
        askpass.unlink()


def test_sudo_n_prints_nothing_extra(shell, enrolled):
    output = shell.run(FORGET + "sudo -n id -un")
    assert output == "sudo: a password is required"


def test_in_tmux(person, enrolled, touch):
    command = ("tmux", "-L", f"tt{os.getpid()}", "-f", "/dev/null", "new-session", "PS1='$ ' bash --norc --noprofile -i")
    with Shell(person, term="xterm", command=command) as shell:
        mark = ask(shell, enrolled)
        touch(after=mark)
        shell.expect("root")
        shell.line("exit")


def test_enter_at_the_instant_of_the_match(shell, enrolled, prints):
    """Either the touch wins or the password is asked for, cleanly; 40 times."""
    ways = {"touch": 0, "password": 0}
    for run in range(40):
        mark = ask(shell, enrolled)
        enrolled.log.wait(r"\barmed\b", mark)
        enrolled.touch(prints[1][5 + run % 7])
        enrolled.log.wait(r"\bmatched\b", mark)
        # From before the byte is pushed to well after it.
        time.sleep((run % 8) * 0.0005)
        shell.line("")
        if shell.expect(["root\r\n", r"password for[^\r\n]*: |Password: "]) == 0:
            ways["touch"] += 1
        else:
            ways["password"] += 1
            assert "Sorry" not in shell.before
            shell.line(PASSWORD)
            shell.expect("root\r\n")
        shell.expect(r"\$ ")
        assert "try again" not in shell.settled(0.02)
    assert ways["touch"] > 0


def test_twenty_touches_back_to_back(shell, enrolled, prints):
    for run in range(20):
        mark = ask(shell, enrolled)
        enrolled.log.wait(r"\barmed\b", mark)
        enrolled.touch(prints[1][5 + run % 7])
        shell.expect("root\r\n")
        shell.expect(r"\$ ")


def test_one_touch_serves_one_of_two(person, enrolled, prints):
    with Shell(person) as first, Shell(person) as second:
        mark = ask(first, enrolled)
        enrolled.log.wait(r"\barmed\b", mark)
        second.line(FORGET + COMMAND)
        second.expect("in use by thumbturn-sudo on [^:]*: ")
        later = enrolled.log.mark()
        enrolled.touch(prints[1][6])
        first.expect("root\r\n")
        enrolled.log.wait(r"\barmed\b", later)
        second.never("root\r\n", during=0.6)
        enrolled.touch(prints[1][7])
        second.expect("root\r\n")


def test_the_caller_cannot_stop_or_kill_the_watcher(shell, enrolled):
    mark = ask(shell, enrolled)
    enrolled.log.wait(r"\barmed\b", mark)
    sudo = next(pid for pid in children(shell.child.pid) if command_line(pid).startswith("sudo"))
    watcher = wait_until(lambda: children(sudo), "the watcher")[0]
    with Shell(shell.user) as other:
        for name in ("STOP", "KILL"):
            assert "Operation not permitted" in other.run(f"kill -{name} {watcher}")
    assert alive(watcher)
    shell.interrupt()
    shell.expect(r"\$ ")
    wait_until(lambda: not alive(watcher), "the watcher to end", 0.3)


def test_a_killed_host_leaves_nothing(shell, enrolled):
    mark = ask(shell, enrolled)
    enrolled.log.wait(r"\barmed\b", mark)
    sudo = next(pid for pid in children(shell.child.pid) if command_line(pid).startswith("sudo"))
    watcher = wait_until(lambda: children(sudo), "the watcher")[0]
    os.kill(sudo, signal.SIGKILL)
    wait_until(lambda: not alive(watcher), "the watcher to end", 0.3)
    wait_until(lambda: not enrolled.reader_processes(), "the claim to end", 0.3)
    shell.expect("Killed")


def test_another_persons_prints_do_not_open(person, enrolled, prints):
    """A finger opens only for the account that enrolled it."""
    stack("su", enrolled.socket)
    with Shell("ttother") as shell:
        shell.line("su ttother -c 'id -un'")
        shell.expect("[Pp]assword: ")
        assert not re.search(PROMPT, shell.before)
        shell.interrupt()
