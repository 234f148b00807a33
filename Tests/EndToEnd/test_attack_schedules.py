# SPDX-License-Identifier: Apache-2.0
"""What a person may do at sudo's prompt, in random order, and what must hold whatever that was.

THUMBTURN_SCHEDULES sets how many orders are tried, THUMBTURN_SEED which ones.
"""

import contextlib
import os
import random
import re
import socket
from pathlib import Path

import pexpect
import pytest

from conftest import PASSWORD, STACK, stack
from service import alive, children, wait_until
from terminal import Shell, reads

COUNT = int(os.environ.get("THUMBTURN_SCHEDULES", "8"))
SEED = int(os.environ.get("THUMBTURN_SEED", "1"))
HALF = "qzxj"
ASKED = r"or type (?:your|the) password: |wait: |password for [^:]*: |Password: "


@pytest.fixture(scope="module", autouse=True)
def no_delay(enrolled):
    """No pause after a wrong password."""
    stack("thumbturn-sudo", enrolled.socket, text=STACK.replace("pam_unix.so", "pam_unix.so nodelay"))


class Schedule:
    """One sudo, some actions, and whether anything happened that may open it."""

    def __init__(self, shell, enrolled, prints, rng):
        self.shell, self.enrolled, self.prints, self.rng = shell, enrolled, prints, rng
        self.entitled, self.done = False, []
        self.mark = enrolled.log.mark()

    def run(self):
        self.shell.line("sudo -k; sudo id -un")
        self.shell.expect(ASKED)
        actions = [self.right, self.right, self.wrong, self.half, self.enter, self.password, self.stop, self.resize,
                   self.leave]
        for _ in range(self.rng.randint(1, 6)):
            action = self.rng.choice(actions)
            self.done.append(action.__name__)
            if action():
                break
        self.leave()
        self.check()

    # The actions; true ends the schedule.

    def armed(self):
        """Whether the daemon's last word is that the reader waits for a finger."""
        lines = [line for _, line in self.enrolled.log.lines[self.mark:] if re.search(r": verify ", line)]
        return bool(lines) and " armed" in lines[-1] and bool(watchers(self.shell.child.pid))

    def soon_armed(self):
        try:
            return wait_until(self.armed, "the reader", 0.4)
        except AssertionError:
            return False

    def right(self):
        if not self.soon_armed():
            return False
        self.entitled = True
        self.enrolled.touch(self.prints[1][self.rng.randint(5, 11)])
        self.shell.expect("root\r\n", limit=2)
        return True

    def wrong(self):
        if self.soon_armed():
            mark = self.enrolled.log.mark()
            self.enrolled.touch(self.prints[2][self.rng.randint(5, 11)])
            self.enrolled.log.wait("mismatch", mark)
        return False

    def half(self):
        self.wait_for_read()
        self.shell.type(HALF)
        return False

    def submit(self, text):
        self.wait_for_read()
        self.shell.line(text)
        self.entitled |= text == PASSWORD
        answer = self.shell.expect(["root\r\n", "incorrect password attempt", "try again", ASKED], limit=4)
        if answer == 2:
            self.shell.expect(ASKED)
        return answer < 2

    def enter(self):
        return self.submit("")

    def password(self):
        return self.submit(PASSWORD)

    def stop(self):
        self.wait_for_read()
        self.shell.control("z")
        self.shell.expect("Stopped")
        if self.rng.random() < 0.5 and self.armed():
            # Nobody is in front: not to be counted, now or later.
            self.touch_if_it_listens()
        self.shell.expect(r"\$ ")
        # As long as the reader is armed, a touch may be under way that is matched once sudo is back in front.
        wait_until(lambda: not self.enrolled.reader_processes(), "the reader to be freed", 2)
        self.shell.line("fg")
        self.shell.expect("sudo id")
        self.shell.expect(ASKED)
        return False

    def touch_if_it_listens(self):
        """The claim may be over at any moment."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as reader:
            with contextlib.suppress(OSError):
                reader.connect(str(self.enrolled.reader))
                reader.sendall(self.prints[1][self.rng.randint(5, 11)])

    def resize(self):
        self.shell.child.setwinsize(self.rng.randint(5, 60), self.rng.randint(20, 200))
        return False

    def wait_for_read(self):
        wait_until(lambda: not children(self.shell.child.pid) or any(
            reads(pid) for pid in children(self.shell.child.pid)), "somebody to read")

    # The end

    def leave(self):
        """Ends sudo, if it is still there, by Ctrl-C; true."""
        for _ in range(8):
            if not children(self.shell.child.pid):
                break
            self.wait_for_read()
            self.shell.control("c")
            try:
                wait_until(lambda: not children(self.shell.child.pid), "sudo to end", 0.3)
            except AssertionError:
                continue
        return True

    def check(self):
        seen = self.shell.settled(0.05) if not self.done or self.done[-1] != "right" else ""
        shown = self.shell.before + seen if isinstance(self.shell.before, str) else seen
        where = f"{self.done}: {shown!r}\n{self.enrolled.log.text(self.mark)}"
        assert not children(self.shell.child.pid), where
        assert self.entitled or "root\r\n" not in shown, where
        assert HALF not in shown, where
        self.shell.line("")
        self.shell.settled(0.05)
        assert self.shell.run("echo all clean") == "all clean", where
        assert self.shell.echoes(), where
        wait_until(lambda: not watchers(self.shell.child.pid), "the watchers to end", 1)
        wait_until(lambda: not self.enrolled.reader_processes(), "the reader to be freed", 1)


def watchers(session):
    """The watchers of a session, which outlasts their hosts."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "comm").read_text() == "thumbturn-watch\n" and os.getsid(int(folder.name)) == session:
                found.append(int(folder.name))
        except OSError:
            continue
    return [pid for pid in found if alive(pid)]


@pytest.mark.parametrize("number", range(COUNT))
def test_only_a_touch_in_front_or_the_password_opens(person, enrolled, prints, number):
    rng = random.Random(f"{SEED}/{number}")
    with Shell(person) as shell:
        schedule = Schedule(shell, enrolled, prints, rng)
        try:
            schedule.run()
        except (pexpect.ExceptionPexpect, AssertionError) as error:
            raise AssertionError(
                f"{schedule.done}: {type(error).__name__} {str(error)[:300]}, {shell.child.buffer!r}\n"
                f"{enrolled.log.text(schedule.mark)}") from None
