# SPDX-License-Identifier: Apache-2.0
"""Who sits in front of the machine: real sudo with the real service, logind played by python-dbusmock.

Not here: a real session manager, real groups of sessions, real consoles; the unit tests have them as files.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pexpect.fdpexpect
import pytest

from conftest import PASSWORD, PROMPT, stack
from login_manager import LoginManager
from remote import Sshd
from service import Service, alive, children, program, wait_until
from terminal import Shell

STRICT = "[policy]\npassword-first=false\npassword-every=0\nwithout-logind=never\n"
PASSWORD_PROMPT = r"\[sudo\] password[^:]*: "
SEAT = "2"


def in_container() -> bool:
    """Whether the tests themselves stand where nobody counts as sitting anywhere."""
    names = ("docker", "libpod", "lxc", "kubepods", "machine-", "crio", "/..")
    return any(name in line for line in Path("/proc/self/cgroup").read_text().splitlines() for name in names
               if "name=systemd" in line or line.startswith("0::"))


pytestmark = pytest.mark.skipif(in_container(), reason="the tests run in a container's group")


class LocalShell(Shell):
    """A shell that nobody's remote program stands above: its parents are init and nothing else."""

    def __init__(self, user: str):
        self.user = user
        self.master, terminal = os.openpty()
        environment = {"PS1": "$ ", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TERM": "dumb", "HOME": "/",
                       "LC_ALL": "C.UTF-8", "HISTFILE": "/dev/null", "SHELL": "/bin/bash"}
        reading, writing = os.pipe()
        command = f"echo $$ >&{writing}; exec setpriv --reuid {user} --regid {user} --init-groups " \
                  f"env PS1='$ ' bash --norc --noprofile -i {writing}>&-"
        subprocess.run(["setsid", "--fork", "--ctty", "bash", "-c", command], stdin=terminal, stdout=terminal,
                       stderr=terminal, env=environment, pass_fds=[writing], check=True)
        os.close(terminal)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            self.process = int(pipe.readline())
        self.child = pexpect.fdpexpect.fdspawn(self.master, encoding="utf8", timeout=8)
        self.child.delaybeforesend = None
        self.expect(r"\$ ")

    def __exit__(self, *_):
        for pid in [*children(self.process), self.process]:
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
        os.close(self.master)


@pytest.fixture
def logind():
    folder = Path(tempfile.mkdtemp(prefix="thumbturn-login-"))
    try:
        with LoginManager(folder) as manager:
            yield manager
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def running(person, prints, logind):
    """The daemon with a finger of the person's, and a sudo that asks it."""
    with Service("image", settings=STRICT, arguments=("--login-bus", str(logind.socket))) as service:
        service.enroll(person, prints[1][:5])
        stack("thumbturn-sudo", service.socket)
        yield service


@pytest.fixture
def shell(person, running):
    with LocalShell(person) as open_shell:
        yield open_shell


def as_person(person):
    """Runs what follows as the person."""
    return ["setpriv", "--reuid", person, "--regid", person, "--init-groups"]


def sit(logind, person, **properties):
    """Lets every process stand in session 2, which is in front of the seat unless told otherwise."""
    logind.session(SEAT, int(subprocess.check_output(["id", "-u", person])), **properties)
    logind.everybody(SEAT)


def touches(shell, running, prints):
    """sudo asks for the touch and opens by it."""
    shell.line("sudo -k id -un")
    shell.expect(PROMPT)
    running.touch(prints[1][6])
    shell.expect("root\r\n")
    shell.expect(r"\$ ")


def no_reader(running):
    """Waits until the reader of what went before is closed."""
    wait_until(lambda: running.reader_processes() == [], "the reader to be closed")


def wants_the_password(shell, running, reason):
    """sudo asks for nothing but the password, prints no word more, and no reader is opened."""
    no_reader(running)
    mark = running.log.mark()
    begin = time.monotonic()
    shell.line("sudo -k id -un")
    shell.expect(PASSWORD_PROMPT)
    assert time.monotonic() - begin < 1.5
    assert shell.before.replace("sudo -k id -un", "").strip() == ""
    assert running.reader_processes() == []
    shell.line(PASSWORD)
    shell.expect("root\r\n")
    assert shell.before.strip() == ""
    shell.expect(r"\$ ")
    assert reason in running.log.text(mark)
    assert not running.log.has("granted|matched", mark)


def test_the_session_in_front_may_touch(shell, running, logind, person, prints):
    sit(logind, person)
    touches(shell, running, prints)


@pytest.mark.parametrize("properties, reason", [
    ({"Active": False, "State": "online"}, "session in front"),
    ({"Class": "background"}, "session in front"),
    ({"Remote": True}, "another machine"),
    ({"RemoteHost": "192.0.2.1"}, "another machine"),
])
def test_other_sessions_may_not(shell, running, logind, person, properties, reason):
    sit(logind, person, **properties)
    wants_the_password(shell, running, reason)


def test_nobodys_session_may_not(shell, running, logind):
    wants_the_password(shell, running, "session in front")


def test_what_changes_counts_at_once(shell, running, logind, person, prints):
    sit(logind, person)
    touches(shell, running, prints)
    logind.change(SEAT, Active=False)
    wants_the_password(shell, running, "session in front")
    logind.change(SEAT, Active=True)
    touches(shell, running, prints)


def test_a_session_manager_that_hangs_costs_a_moment(shell, running, logind, person, prints):
    sit(logind, person)
    logind.process.send_signal(signal.SIGSTOP)
    try:
        wants_the_password(shell, running, "session in front")
    finally:
        logind.process.send_signal(signal.SIGCONT)
    touches(shell, running, prints)


def test_under_a_closed_lid_the_built_in_reader_rests(shell, running, logind, person, prints):
    sit(logind, person)
    logind.lid(True)
    mark = running.log.mark()
    shell.line("sudo -k id -un")
    shell.expect(PASSWORD_PROMPT)
    shell.line(PASSWORD)
    shell.expect("root\r\n")
    shell.expect(r"\$ ")
    running.log.wait("closed lid", mark)
    logind.lid(False)
    touches(shell, running, prints)


def test_the_lid_can_be_ignored(person, prints, logind):
    settings = STRICT + "lid=ignore\n"
    with Service("image", settings=settings, arguments=("--login-bus", str(logind.socket))) as service:
        service.enroll(person, prints[1][:5])
        stack("thumbturn-sudo", service.socket)
        sit(logind, person)
        logind.lid(True)
        with LocalShell(person) as shell:
            touches(shell, service, prints)


def test_a_program_of_ones_own_asks_only_at_the_seat(running, logind, person, prints):
    """What a locker does: it is not root, and what it says counts for nothing."""
    no_reader(running)
    command = [*as_person(person), program("thumbturn"), "--socket", str(running.socket), "verify"]
    sit(logind, person, Remote=True)
    refused = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20)
    assert refused.returncode != 0 and "another machine" in refused.stdout + refused.stderr
    assert running.reader_processes() == []


def test_sudo_in_sshs_session_never_opens_the_reader(running, logind, person):
    """The session manager says nothing of it: sshd among the parents is enough."""
    sit(logind, person)
    with Sshd(person) as sshd, sshd.shell() as shell:
        wants_the_password(shell, running, "another machine")


def test_sudo_in_tmux_counts_as_long_as_nobody_is_elsewhere(shell, running, logind, person, prints):
    """The server lives on by itself and may be looked at from anywhere."""
    uid = int(subprocess.check_output(["id", "-u", person]))
    sit(logind, person, Leader=shell.process)
    shell.line(f"TERM=xterm tmux -L thumbturn-{os.getpid()} -f /dev/null new-session \"env PS1='% ' bash --norc --noprofile\"")
    try:
        shell.expect("% ")
        shell.line("sudo -k id -un")
        shell.expect(PROMPT)
        running.touch(prints[1][6])
        shell.expect("root")
        logind.session("5", uid, "", Remote=True)
        no_reader(running)
        mark = running.log.mark()
        shell.line("sudo -k id -un")
        shell.expect(PASSWORD_PROMPT)
        shell.type("\x03")
        running.log.wait("another machine", mark)
        assert running.reader_processes() == []
    finally:
        subprocess.run([*as_person(person), "tmux", "-L", f"thumbturn-{os.getpid()}", "kill-server"], capture_output=True)
