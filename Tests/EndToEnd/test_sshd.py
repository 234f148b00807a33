# SPDX-License-Identifier: Apache-2.0
"""sudo in a session of the real sshd: takes the password, prints nothing extra, and no touch can serve it."""

import re
import subprocess

import pytest

from conftest import PASSWORD, STACK, stack
from fake_daemon import FakeDaemon, refused
from patterns import RIGHT, WRONG, set_pattern
from remote import Sshd
from service import MODULE, POLICY, Service

NOT_AT_SEAT = 36


@pytest.fixture(scope="module")
def sshd(person):
    with Sshd(person) as running:
        yield running


@pytest.fixture
def stand_in(person, tmp_path):
    """In place of the service: says that whoever asks is not in front, and keeps what it was asked."""
    (tmp_path / "enrolled").mkdir()
    (tmp_path / "enrolled" / person).touch()
    stack("thumbturn-sudo", tmp_path / "socket")
    seen = []

    def script(client):
        client.send(refused(NOT_AT_SEAT))
        seen.append(client.receive()[0])

    with FakeDaemon(str(tmp_path / "socket"), script) as daemon:
        yield daemon
    assert set(seen) <= {None}, "a request that was refused says no more"


def printed_by_sudo(shell, command, answers):
    """What sudo prints from its start to its end, with these answers to its prompts."""
    shell.line(f"echo 'be''gin'; {command}; echo 'e''nd'")
    shell.expect("begin\r\n")
    seen = ""
    for answer in answers:
        shell.expect(r"[Pp]assword[^\r\n]*: ")
        seen += shell.before + shell.child.after
        shell.line(answer)
    shell.expect("end\r\n")
    seen += shell.before
    shell.expect(r"\$ ")
    return seen


def without_module(text):
    """The same stack without ours."""
    return "".join(line for line in text.splitlines(True) if "{module}" not in line)


def test_sudo_is_as_without_the_module(sshd, stand_in, person, tmp_path):
    """Compared word by word with a stack that has nothing of ours: right, and wrong first."""
    with sshd.shell() as shell:
        for answers in ([PASSWORD], ["wrong horse", PASSWORD]):
            ours = printed_by_sudo(shell, "sudo -k id -un", answers)
            assert "root" in ours
            stack("thumbturn-sudo", "", text=without_module(STACK))
            plain = printed_by_sudo(shell, "sudo -k id -un", answers)
            stack("thumbturn-sudo", tmp_path / "socket")
            assert ours == plain
    assert len(stand_in.begins) == 3
    for begin in stand_in.begins:
        assert re.fullmatch(r"pts/\d+", begin["terminal"]) and begin["user"] == person


def test_sudo_without_a_terminal_asks_nobody(sshd, stand_in):
    """`ssh host sudo`, a password piped in: not even the service is asked."""
    done = subprocess.run(sshd.command("sudo", "-k", "-S", "-p", "''", "id", "-un"), input=f"{PASSWORD}\n", text=True,
                          capture_output=True, timeout=20)
    assert (done.returncode, done.stdout, done.stderr) == (0, "root\n", "")
    assert stand_in.begins == []


def test_sudo_that_must_not_ask_prints_nothing_extra(sshd, stand_in):
    done = subprocess.run(sshd.command("sudo", "-k", "-n", "id", "-un"), text=True, capture_output=True, timeout=20)
    assert done.returncode == 1 and done.stderr == "sudo: a password is required\n" and done.stdout == ""
    assert stand_in.begins == []


@pytest.fixture
def judging(person, prints, tmp_path):
    """The service itself, which judges everybody by what the kernel tells: its bus has no session manager."""
    with Service("image", arguments=["--login-bus", str(tmp_path / "no-bus")]) as running:
        running.enroll(person, prints[1][:5])
        stack("thumbturn-sudo", running.socket)
        yield running


def test_the_service_itself_sees_where_a_request_comes_from(sshd, judging):
    mark = judging.log.mark()
    with sshd.shell() as shell:
        seen = printed_by_sudo(shell, "sudo -k id -un", [PASSWORD])
    assert re.fullmatch(r"\[sudo\] password for ttperson: \s*root\s*", seen), seen
    judging.log.wait("verify refused .the reader is not used for requests from another machine", mark)
    assert not judging.log.has(r"\b(accepted|armed)\b", mark) and not judging.reader_processes()


@pytest.mark.parametrize("settings, prompt", [
    ("", r"(?<!pattern or )[Pp]assword: "), ("[pattern]\noff-for=\nremote=true\n", "type your pattern or password: ")],
    ids=["as shipped", "where it is configured"])
@pytest.mark.parametrize("typed, is_let_in", [(RIGHT, True), (WRONG, False)])
def test_a_pattern_opens_sshd_only_where_it_is_configured(person, settings, prompt, typed, is_let_in):
    with Service("none", settings=POLICY + settings) as running:
        set_pattern(running, person)
        with Sshd(person, STACK.format(module=MODULE, socket=running.socket, options="")) as sshd:
            child = sshd.ask("id", "-un")
            try:
                child.expect(prompt)
                child.sendline(typed)
                seen = child.expect([rf"{person}\r\n", "Permission denied"])
            finally:
                child.close(force=True)
    assert (seen == 0) == (is_let_in and bool(settings))
