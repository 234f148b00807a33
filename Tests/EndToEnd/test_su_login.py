# SPDX-License-Identifier: Apache-2.0
"""The same core for real su and real login.

Not here: login on a virtual console under getty (there is none on a test machine).
"""

import time

import pexpect
import pytest

from conftest import OTHER, PASSWORD, PROMPT
from terminal import Shell
from service import wait_until


@pytest.fixture
def shell(person, enrolled):
    with Shell(OTHER) as running:
        yield running


def ask(shell, enrolled, person, command="id -un"):
    """Another user becomes the person by su."""
    mark = enrolled.log.mark()
    shell.line(f"su {person} -c '{command}'")
    shell.expect(PROMPT)
    return mark


def test_su_by_touch(shell, enrolled, person, touch):
    mark = ask(shell, enrolled, person)
    touch(after=mark)
    shell.expect(f"{person}\r\n", limit=2)
    shell.expect(r"\$ ")
    assert shell.run("echo clean") == "clean"


def test_su_by_password(shell, enrolled, person):
    mark = ask(shell, enrolled, person)
    enrolled.log.wait(r"\barmed\b", mark)
    shell.line(PASSWORD)
    shell.expect(f"{person}\r\n", limit=2)


def test_su_half_typed_text_reaches_no_program(shell, enrolled, person, touch):
    mark = ask(shell, enrolled, person, "cat")
    shell.type("half of a pass")
    touch(after=mark)
    enrolled.log.wait(r"\bgranted\b", mark)
    shell.settled(0.2)
    shell.line("hello")
    shell.expect("hello\r\n.*hello\r\n")
    assert "half" not in shell.before and "half" not in shell.child.after
    shell.control("d")


def test_su_wrong_password(shell, enrolled, person):
    ask(shell, enrolled, person)
    shell.line("wrong")
    shell.expect("Authentication failure", limit=6)


def test_su_empty_enter(shell, enrolled, person):
    ask(shell, enrolled, person)
    start = time.monotonic()
    shell.line("")
    shell.expect("Password: ")
    assert time.monotonic() - start < 0.3
    shell.line(PASSWORD)
    shell.expect(f"{person}\r\n")


def test_su_control_c(shell, enrolled, person):
    mark = ask(shell, enrolled, person)
    enrolled.log.wait(r"\barmed\b", mark)
    shell.interrupt()
    shell.expect(r"\$ ", limit=2)
    wait_until(lambda: not enrolled.reader_processes(), "the claim to end", 1)


def test_su_with_a_piped_password(shell, enrolled, person):
    """Standard input is no terminal, so PAM_TTY names none: in process, at once."""
    shell.line(f"echo '{PASSWORD}' | su {person} -c 'id -un'")
    shell.expect(f"{person}\r\n", limit=2)


@pytest.fixture
def login(person, enrolled):
    """login on a terminal of its own, at the prompt for the person."""
    child = pexpect.spawn("login", env={"TERM": "dumb", "PATH": "/usr/bin:/bin"}, encoding="utf8", timeout=8)
    child.delaybeforesend = None
    child.expect("login: ")
    child.mark = enrolled.log.mark()
    child.sendline(person)
    child.expect(PROMPT)
    yield child
    child.close(force=True)


def signed_in(child, person):
    child.expect(r"\$ ")
    child.sendline("id -un; echo $PPID")
    child.expect(rf"{person}\r\n")


def test_login_by_touch(login, person, touch):
    touch(after=login.mark)
    signed_in(login, person)


def test_login_by_password(login, person, enrolled):
    enrolled.log.wait(r"\barmed\b", login.mark)
    login.sendline(PASSWORD)
    signed_in(login, person)


def test_login_half_typed_text_is_dropped(login, person, touch, enrolled):
    login.send("rm -rf half")
    touch(after=login.mark)
    enrolled.log.wait(r"\bgranted\b", login.mark)
    login.expect(r"\$ ")
    assert "half" not in login.before
    login.sendline("echo all is $((40+2))")
    login.expect("all is 42\r\n")


def test_login_empty_enter(login, person):
    login.sendline("")
    login.expect("Password: ")
    login.sendline(PASSWORD)
    signed_in(login, person)


def test_login_wrong_password(login):
    login.sendline("wrong")
    login.expect("Login incorrect", timeout=8)
