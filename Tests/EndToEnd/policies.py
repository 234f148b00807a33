# SPDX-License-Identifier: Apache-2.0
"""What the tests of policy share: stacks with the line that learns, and daemons at another time."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path

from conftest import PASSWORD, PROMPT
from patterns import allow_password_checks
from service import LIMIT, MODULE, Service, children, name, wait_until

# As the examples have it: ours on top, the password, and the line that learns behind it.
STACK = """\
auth [success=done conv_err=die abort=die auth_err=die default=ignore] {module} socket={socket}
auth [success=ok default=die] pam_unix.so nodelay
auth optional {module} learn socket={socket}
account required pam_permit.so
session required pam_permit.so
"""
# As it is shipped, wherever the tests run.
SHIPPED = "[policy]\nwithout-logind=allow\n"
# A machine without a session manager.
NO_LOGIND = ("--login-bus", "/nonexistent")
PASSWORD_PROMPT = r"assword[^:]*: "


def stacks(running):
    """Lets sudo and su ask this daemon."""
    allow_password_checks()
    for service in ("thumbturn-sudo", "su"):
        Path("/etc/pam.d", service).write_text(STACK.format(module=MODULE, socket=running.socket))


@contextlib.contextmanager
def machine(settings=SHIPPED, arguments=()):
    """A daemon that can be started several times over one folder."""
    running = Service("image", settings=settings, arguments=arguments)
    stacks(running)
    try:
        yield running.start()
    finally:
        stop(running)
        running.remove()


def stop(running):
    """Ends the daemon. What holds another time for it ends with it, and by itself heeds no signal."""
    if "--fork" in running.wrapper:
        for pid in children(running.process.pid):
            if name(pid) == "thumbturnd":
                os.kill(pid, signal.SIGTERM)
        running.process.wait(LIMIT)
    running.stop()


def restart(running, wrapper=()):
    """Ends the daemon and starts it again, in this world or another."""
    stop(running)
    running.wrapper = list(wrapper)
    running.start()


@contextlib.contextmanager
def home(user, place):
    """Lets a user's home be elsewhere for a while."""
    accounts = Path("/etc/passwd")
    before = accounts.read_text()
    rows = [line.split(":") for line in before.splitlines()]
    for row in rows:
        if row[0] == user:
            row[5] = place
    accounts.write_text("".join(":".join(row) + "\n" for row in rows))
    try:
        yield
    finally:
        accounts.write_text(before)


def other_boot(running):
    """A world in which the kernel was started anew."""
    place = running.folder / "boot_id"
    place.write_text("01234567-89ab-cdef-0123-456789abcdef\n")
    return ["unshare", "--mount", "sh", "-c",
            f"mount --bind {place} /proc/sys/kernel/random/boot_id && exec \"$@\"", "sh"]


def later(hours):
    """A world in which the machine has run for so many hours more."""
    return ["unshare", "--time", "--boottime", str(int(hours * 3600)), "--fork", "--kill-child=SIGTERM"]


def seen(running, person):
    """What is kept of the password, empty when nothing is."""
    try:
        return (running.data / "users" / person / "password.seen").read_text()
    except FileNotFoundError:
        return ""


def give_password(shell, running, person, prompt=PASSWORD_PROMPT):
    """Types the password at the prompt and waits until the daemon has learnt of it."""
    before = seen(running, person)
    shell.expect(prompt)
    shell.line(PASSWORD)
    shell.expect("root\r\n")
    wait_until(lambda: seen(running, person) not in ("", before), "the password to be learnt")


def sudo(shell):
    """Starts sudo."""
    shell.line("sudo -k; sudo id -un")


def touch(running, scan, after):
    """Puts a finger on the reader once it is armed."""
    running.log.wait(r"\barmed\b", after)
    running.touch(scan)


def opens_by_touch(shell, running, scan):
    """sudo opens by a touch alone."""
    mark = running.log.mark()
    sudo(shell)
    shell.expect(PROMPT)
    touch(running, scan, mark)
    shell.expect("root\r\n", limit=3)


def wants_password(shell, running, person):
    """sudo asks for the password and never for the finger; the reader stays dark."""
    mark = running.log.mark()
    sudo(shell)
    give_password(shell, running, person, r"(?:\. Password|\[sudo\] password for [^:]*): ")
    assert "ouch" not in shell.before
    assert not running.log.has(r"\b(accepted|armed)\b", mark)


def status(running):
    """What `thumbturn status` tells root."""
    return running.command("status").stdout


def policy(running, service, user):
    """What `thumbturn policy` tells root, as a dictionary."""
    shown = running.command("policy", service, user)
    assert shown.returncode == 0, shown.stderr
    return {key: value.strip() for key, value in (line.split("  ", 1) for line in shown.stdout.splitlines())}


def tally(folder, person):
    """How many failures pam_faillock has counted."""
    told = subprocess.run(["faillock", "--dir", folder, "--user", person], capture_output=True, text=True, check=True)
    return sum(line.rstrip().endswith("V") for line in told.stdout.splitlines())
