# SPDX-License-Identifier: Apache-2.0
"""The command's dealings with terminals, pipes and whoever listens at the socket."""

import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pexpect
import pytest

from conftest import PASSWORD
from service import Service, program, wait_until


@pytest.fixture(scope="module")
def service(person):
    shutil.copy(Path(__file__).parents[2] / "config/pam.d/thumbturn-password", "/etc/pam.d/thumbturn-password")
    with Service("image") as running:
        yield running


def as_person(person, *words):
    return ["setpriv", "--reuid", person, "--regid", person, "--init-groups", *words]


def on_terminal(service, *arguments, person=None, columns=80):
    words = [program("thumbturn"), "--socket", str(service.socket), *arguments]
    words = as_person(person, *words) if person else words
    return pexpect.spawn(
        words[0], words[1:], timeout=10, encoding="utf-8", dimensions=(24, columns), env={"TERM": "xterm", "PATH": os.environ["PATH"]})


def enrol_with_bar(service, prints, person, columns):
    """Enrols a finger on a terminal of so many columns; everything that was shown."""
    command = on_terminal(service, "enroll", "--user", person, columns=columns)
    shown = ""
    for stage in range(5):
        command.expect(f"{stage}/5")
        shown += command.before + command.after
        service.touch(prints[1][stage])
    command.expect(pexpect.EOF)
    command.close()
    assert command.exitstatus == 0
    assert service.command("delete", "--all", "--user", person).returncode == 0
    return shown + command.before


def test_the_bar_is_redrawn_in_place(service, prints, person):
    shown = enrol_with_bar(service, prints, person, 80)
    bars = re.findall(r"\r\[(#*)(-*)\] (\d)/5", shown)
    assert [(len(done), len(left), count) for done, left, count in bars] == [
        (4 * stage, 20 - 4 * stage, str(stage)) for stage in range(6)]


def test_a_narrow_terminal_is_never_overrun(service, prints, person):
    shown = enrol_with_bar(service, prints, person, 24)
    lines = [line for line in re.findall(r"\r([^\r\n\x1b]*)\x1b\[K", shown)]
    assert len(lines) >= 6
    assert max(map(len, lines)) < 24


def test_a_password_from_standard_input(service, person):
    words = [program("thumbturn"), "--socket", str(service.socket), "delete", "--all", "--password-stdin"]
    right = subprocess.run(as_person(person, *words), input=PASSWORD + "\nmore\n", capture_output=True, text=True, timeout=30)
    assert right.returncode == 1 and "no such fingerprint" in right.stderr
    wrong = subprocess.run(as_person(person, *words), input="wrong\n", capture_output=True, text=True, timeout=30)
    assert wrong.returncode == 4 and "password is not right" in wrong.stderr
    none = subprocess.run(as_person(person, *words), input="", capture_output=True, text=True, timeout=30)
    assert none.returncode == 4 and "input ended" in none.stderr
    long = subprocess.run(as_person(person, *words), input="x" * 600, capture_output=True, text=True, timeout=30)
    assert long.returncode == 4 and "too long" in long.stderr


def test_without_a_terminal_it_says_how_to_give_the_password(service, person):
    words = [program("thumbturn"), "--socket", str(service.socket), "enroll"]
    done = subprocess.run(
        as_person(person, *words), stdin=subprocess.DEVNULL, capture_output=True, text=True, start_new_session=True, timeout=30)
    assert done.returncode == 4
    assert "no terminal" in done.stderr and "--password-stdin" in done.stderr


@pytest.mark.parametrize("signal_name, status", [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131)])
def test_every_ending_signal_gives_the_terminal_back(service, person, signal_name, status):
    command = on_terminal(service, "enroll", person=person)
    command.expect("Password of .*: ")
    assert not command.getecho()
    command.kill(getattr(signal, "SIG" + signal_name))
    command.expect("cancelled")
    assert command.getecho()
    command.expect(pexpect.EOF)
    command.close()
    assert command.exitstatus == status


def test_stopped_at_the_password_it_shows_what_others_read_and_hides_it_again(service, person):
    shell = pexpect.spawn(
        "setpriv", as_person(person, "bash", "--norc", "--noprofile", "-i")[1:], timeout=10, encoding="utf-8",
        dimensions=(24, 250), env={"TERM": "dumb", "PS1": "ready> ", "PATH": os.environ["PATH"]})
    shell.expect("ready> ")
    shell.sendline("bind 'set enable-bracketed-paste off'; stty -a | grep -o -- '-*echo '")
    shell.expect("ready> ")
    shell.sendline(f"{program('thumbturn')} --socket {service.socket} delete --all")
    shell.expect("Password of .*: ")
    shell.sendcontrol("z")
    shell.expect("Stopped.*ready> ")
    shell.sendline("stty -a | grep -oE -- '-?echo ' | sed 's/^/now:/'")
    shell.expect("now:(-?)echo ")
    assert shell.match[1] == ""
    shell.expect("ready> ")
    shell.sendline("fg")
    shell.expect("delete --all\r\n")
    wait_until(lambda: not shell.getecho(), "the terminal to be silent again")
    shell.sendline(PASSWORD)
    shell.expect("no such fingerprint")
    assert PASSWORD not in shell.before
    shell.close(force=True)


def test_nothing_is_said_to_a_listener_that_is_not_root(tmp_path_factory, person):
    folder = tmp_path_factory.mktemp("listener")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(folder / "socket"))
    account = pwd.getpwnam(person)
    # The kernel takes whoever calls listen() for the peer.
    os.setresuid(-1, account.pw_uid, -1)
    try:
        listener.listen()
    finally:
        os.setresuid(-1, 0, -1)
    done = subprocess.run(
        [program("thumbturn"), "--socket", str(folder / "socket"), "status"], capture_output=True, text=True, timeout=10)
    connection, _ = listener.accept()
    assert done.returncode == 4 and f"uid {account.pw_uid}" in done.stderr
    assert connection.recv(100) == b""


def test_a_service_that_hangs_up_is_told_from_a_missing_one(tmp_path_factory):
    path = tmp_path_factory.mktemp("listener") / "socket"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(path))
    listener.listen()
    command = subprocess.Popen([program("thumbturn"), "--socket", str(path), "status"], stderr=subprocess.PIPE, text=True)
    connection, _ = listener.accept()
    assert connection.recv(100) == b"TT\x01\x13\x00\x00"
    connection.close()
    assert command.wait(10) == 3
    assert "ended without an answer" in command.stderr.read()


def test_what_the_service_says_cannot_steer_the_terminal(tmp_path_factory):
    path = tmp_path_factory.mktemp("listener") / "socket"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(path))
    listener.listen()
    command = subprocess.Popen([program("thumbturn"), "--socket", str(path), "status"], stdout=subprocess.PIPE)
    connection, _ = listener.accept()
    name, value = b"a\x1b[2J", b"b\r\n\x07\xc2\x9bc"
    body = bytes([len(name)]) + name + bytes([len(value)]) + value
    connection.send(b"TT\x01\x25" + len(body).to_bytes(2, "big") + body)
    connection.send(b"TT\x01\x26\x00\x00")
    assert command.wait(10) == 0
    assert command.stdout.read() == b"a?[2J  b????c\n"
