# SPDX-License-Identifier: Apache-2.0
"""An ordinary user's interactive shell on a pseudo-terminal."""

import os
import re
import time
from pathlib import Path

import pexpect

from service import children, wait_until

PROMPT = r"\$ "
LIMIT = 8


class Shell:
    """bash without start-up files, as a user, with a terminal of its own."""

    def __init__(self, user: str, term: str = "dumb", command=("bash", "--norc", "--noprofile", "-i"), **options):
        self.user = user
        environment = {
            "PS1": "$ ", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TERM": term, "HOME": "/", "LC_ALL": "C.UTF-8",
            "HISTFILE": "/dev/null", "SHELL": "/bin/bash",
        }
        self.child = pexpect.spawn(
            "setpriv", ["--reuid", user, "--regid", user, "--init-groups", *command], encoding="utf8",
            timeout=LIMIT, env=environment, echo=True, **options)
        self.child.delaybeforesend = None
        self.expect(PROMPT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.close(force=True)

    def line(self, text: str):
        """Types a line."""
        self.child.sendline(text)

    def type(self, text: str):
        """Types without Enter."""
        self.child.send(text)

    def control(self, letter: str):
        """Types Ctrl and a letter."""
        self.child.sendcontrol(letter)

    def interrupt(self):
        """Types Ctrl-C once the program in front reads the terminal.

        sudo and su only note a signal that comes between their prompt and their read.
        """
        wait_until(lambda: any(reads(pid) for pid in children(self.child.pid)), "a program to read")
        self.control("c")

    def expect(self, patterns, limit: float = LIMIT):
        """Waits for one of the patterns; answers its index."""
        return self.child.expect(patterns, timeout=limit)

    def never(self, pattern: str, during: float):
        """Shows that `pattern` does not come within so many seconds."""
        assert self.child.expect([pattern, pexpect.TIMEOUT, pexpect.EOF], timeout=during) != 0, self.child.before

    @property
    def before(self) -> str:
        """What came before the last pattern."""
        return self.child.before

    def run(self, text: str, limit: float = LIMIT) -> str:
        """Runs a command to its end and answers what it printed."""
        # Quoted so that the terminal's echo of the line never looks like the marks.
        self.line(f"echo '<''<'; {text}; echo '>''>'")
        self.expect("<<\r\n", limit)
        self.expect(">>\r\n", limit)
        output = self.before
        self.expect(PROMPT, limit)
        return output.replace("\r\n", "\n").strip()

    def status(self) -> int:
        """The exit status of the command that ended just now."""
        self.line("echo '<'$?'>'")
        self.expect(r"<(\d+)>")
        status = int(self.child.match.group(1))
        self.expect(PROMPT)
        return status

    def echoes(self) -> bool:
        """Whether the terminal echoes, as its own user sees it."""
        return " echo " in f" {self.run('stty -a').replace(chr(10), ' ').replace(';', ' ')} "

    def settled(self, seconds: float = 0.3) -> str:
        """What is printed until nothing comes for so long."""
        seen, end = "", time.monotonic() + LIMIT
        while time.monotonic() < end:
            try:
                seen += self.child.read_nonblocking(4096, timeout=seconds)
            except pexpect.TIMEOUT:
                return seen
            except pexpect.EOF:
                return seen
        return seen


def reads(pid: int) -> bool:
    """Whether a process waits in read(2) on its terminal, as root may see."""
    try:
        call = Path(f"/proc/{pid}/syscall").read_text().split()
        return call[0] == "0" and os.readlink(f"/proc/{pid}/fd/{int(call[1], 16)}").startswith(("/dev/pts/", "/dev/tty"))
    except (OSError, IndexError, ValueError):
        return False
