# SPDX-License-Identifier: Apache-2.0
"""Dead and hostile parts: whatever is broken, the password works, and soon.

Not here: a daemon limited by systemd's own limits (no systemd as PID 1 on test machines).
"""

import os
import signal
import socket
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from conftest import PASSWORD, PROMPT, STACK, stack
from service import Service, wait_until
from terminal import Shell

ANY_PROMPT = rf"{PROMPT}|password for[^:]*: |Password: "
PLAIN = "".join(line + "\n" for line in STACK.splitlines() if "{module}" not in line)


@pytest.fixture
def shell(person):
    with Shell(person) as running:
        yield running


@pytest.fixture
def folder(person, tmp_path_factory):
    """A folder with a marker for the person and no daemon."""
    path = tmp_path_factory.mktemp("dead")
    for above in [path, *path.parents]:
        if above != Path("/"):
            above.chmod(above.stat().st_mode | 0o055)
    (path / "enrolled").mkdir()
    (path / "enrolled" / person).touch()
    return path


@contextmanager
def listener(path, behaviour: str, user: int = 0):
    """A process that listens at `path` and answers each connection as `behaviour` says."""
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("hostile_daemon.py")), str(path), behaviour, str(user)],
        stdout=subprocess.PIPE)
    process.stdout.readline()
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def seconds_to_prompt(shell) -> float:
    start = time.monotonic()
    shell.line("sudo -k; sudo id -un")
    shell.expect(ANY_PROMPT)
    taken = time.monotonic() - start
    shell.interrupt()
    shell.expect(r"\$ ")
    return taken


def added_delay(shell, socket_path, text=STACK) -> float:
    """How much later the prompt comes with our module than without it; medians of 7 each, in turn."""
    ours, plain = [], []
    for _ in range(7):
        stack("thumbturn-sudo", socket_path, text=text)
        ours.append(seconds_to_prompt(shell))
        stack("thumbturn-sudo", socket_path, text=PLAIN)
        plain.append(seconds_to_prompt(shell))
    stack("thumbturn-sudo", socket_path, text=text)
    return statistics.median(ours) - statistics.median(plain)


def password_opens(shell, limit: float = 3):
    shell.line("sudo -k; sudo id -un")
    shell.expect(ANY_PROMPT)
    shell.line(PASSWORD)
    shell.expect("root\r\n", limit)
    shell.expect(r"\$ ")
    assert shell.run("echo clean") == "clean"


def test_daemon_missing(shell, folder):
    assert added_delay(shell, folder / "socket") < 0.05
    password_opens(shell)


def test_dead_socket(shell, folder):
    dead = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    dead.bind(str(folder / "socket"))
    dead.close()
    assert added_delay(shell, folder / "socket") < 0.05
    password_opens(shell)


def test_full_backlog(shell, folder):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as stuck:
        stuck.bind(str(folder / "socket"))
        stuck.listen(0)
        waiting = []
        while True:
            client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            client.setblocking(False)
            waiting.append(client)
            try:
                client.connect(str(folder / "socket"))
            except BlockingIOError:
                break
        assert added_delay(shell, folder / "socket") < 2
        password_opens(shell)
        for client in waiting:
            client.close()


def test_a_listener_that_is_not_root_is_not_believed(shell, folder):
    folder.chmod(0o777)
    with listener(folder / "socket", "grant", user=65534):
        shell.line("sudo -k; sudo id -un")
        assert shell.expect(["root\r\n", ANY_PROMPT]) == 1
        shell.interrupt()
        shell.expect(r"\$ ")
        assert added_delay(shell, folder / "socket") < 0.05
        password_opens(shell)


@pytest.mark.parametrize("behaviour", ["garbage", "truncated", "hangup", "version", "oversize", "empty"])
def test_a_daemon_that_talks_nonsense(shell, folder, behaviour):
    stack("thumbturn-sudo", folder / "socket")
    with listener(folder / "socket", behaviour):
        password_opens(shell)


@pytest.mark.parametrize("behaviour", ["grant", "grant-after-accept", "match-without-arming", "match-then-garbage"])
def test_nothing_but_a_confirmed_match_opens(shell, folder, behaviour):
    stack("thumbturn-sudo", folder / "socket")
    with listener(folder / "socket", behaviour):
        shell.line("sudo -k; sudo id -un")
        assert shell.expect(["root\r\n", ANY_PROMPT]) == 1
        shell.never("root\r\n", during=1)
        shell.interrupt()
        shell.expect(r"\$ ")
        password_opens(shell)


def test_a_silent_daemon(shell, folder):
    with listener(folder / "socket", "silent"):
        assert added_delay(shell, folder / "socket") < 2
        password_opens(shell)


@pytest.fixture
def armed(person, prints, shell):
    """sudo at its prompt with the reader armed; (service, shell)."""
    with Service("image") as service:
        service.enroll(person, prints[1][:5])
        stack("thumbturn-sudo", service.socket)
        mark = service.log.mark()
        shell.line("sudo -k; sudo id -un")
        shell.expect(PROMPT)
        service.log.wait(r"\barmed\b", mark)
        yield service, shell


def finish_with_password(shell, limit):
    start = time.monotonic()
    shell.line(PASSWORD)
    shell.expect("root\r\n", 4)
    return time.monotonic() - start


def plain_seconds(shell):
    """What pam_unix alone takes from Enter to success."""
    stack("thumbturn-sudo", "/nonexistent", text=PLAIN)
    shell.line("sudo -k; sudo id -un")
    shell.expect(ANY_PROMPT)
    return finish_with_password(shell, 4)


def test_daemon_killed_in_mid_verify(armed, person):
    service, shell = armed
    readers = service.reader_processes()
    service.kill()
    taken = finish_with_password(shell, 4)
    shell.expect(r"\$ ")
    assert taken - plain_seconds(shell) < 0.3
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}/exe") for pid in readers), "its reader to end", 1)
    # And it starts again without harm.
    shell.expect(r"\$ ")
    service.start()
    assert "right-index" in service.command("list", "--user", person).stdout


def test_reader_process_killed(armed, person, prints):
    service, shell = armed
    for reader in service.reader_processes():
        os.kill(reader, signal.SIGKILL)
    shell.expect("unavailable", limit=2)
    finish_with_password(shell, 4)
    shell.expect(r"\$ ")
    # The next request gets a new one.
    mark = service.log.mark()
    shell.line("sudo -k; sudo id -un")
    shell.expect(PROMPT)
    service.log.wait(r"\barmed\b", mark)
    service.touch(prints[1][6])
    shell.expect("root\r\n")


def test_reader_process_stopped(armed):
    service, shell = armed
    for reader in service.reader_processes():
        os.kill(reader, signal.SIGSTOP)
    taken = finish_with_password(shell, 4)
    shell.expect(r"\$ ")
    assert taken - plain_seconds(shell) < 0.3
    wait_until(lambda: not service.reader_processes(), "the stopped reader to be ended", 8)
