# SPDX-License-Identifier: Apache-2.0
"""The demonstration's stage: a temporary folder, a service with a virtual reader, terminals."""

import contextlib
import ctypes
import os
import pty
import pwd
import re
import secrets
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT = 20.0
STACK = """\
auth [success=done conv_err=die abort=die auth_err=die default=ignore] {module} socket={socket}
auth required pam_pwdfile.so pwdfile={passwords} try_first_pass nodelay
account required pam_permit.so
"""


class Failed(Exception):
    """A step did not do what it should."""


@contextlib.contextmanager
def step(what):
    """Says what happens and how long it took; the body may name a time that matters more."""
    print(f"\n== {what}", flush=True)
    named = []
    start = time.monotonic()
    yield lambda milliseconds, of: named.append(f"{milliseconds:.0f} ms {of}")
    print(f"   {named[0] if named else f'done in {1000 * (time.monotonic() - start):.0f} ms'}", flush=True)


class Quotation:
    """Text of another program, shown as it comes, with a bar before every line that is not empty."""

    MARK = "   | "

    def __init__(self):
        self.fresh = True

    def add(self, text):
        """Shows more of it."""
        for part in re.split(r"(\n|\r)", text):
            if part == "\n":
                print("" if self.fresh else "\n", end="")
                self.fresh = True
            elif part == "\r":
                print("" if self.fresh else "\r", end="")
                self.fresh = True
            elif part:
                print((self.MARK if self.fresh else "") + part, end="")
                self.fresh = False
        sys.stdout.flush()

    def finish(self):
        """Ends a line that is not ended."""
        self.add("" if self.fresh else "\n")


class Terminal:
    """A program on a pseudo-terminal of its own."""

    def __init__(self, command, show=False):
        self.seen, self.code = "", None
        self.shown = Quotation() if show else None
        sys.stdout.flush()
        # Redrawn lines only make sense where they are seen as they come.
        kind = os.environ.get("TERM", "dumb") if sys.stdout.isatty() else "dumb"
        self.process, self.master = pty.fork()
        if self.process == 0:
            try:
                os.execvpe(command[0], command, {"PATH": os.environ["PATH"], "TERM": kind})
            finally:
                os._exit(127)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.master)
        if self.code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process, 9)
            os.waitpid(self.process, 0)
        if self.shown:
            self.shown.finish()

    def _read(self, end, what):
        """Takes what comes; False when the program has closed its terminal."""
        ready, _, _ = select.select([self.master], [], [], max(end - time.monotonic(), 0))
        if not ready:
            raise Failed(f"waited {LIMIT:.0f} s in vain for {what}")
        try:
            text = os.read(self.master, 4096).decode(errors="replace")
        except OSError:  # EIO: nobody holds the other end any more
            return False
        self.seen += text
        if self.shown:
            self.shown.add(text.replace("\r\n", "\n"))
        return bool(text)

    def expect(self, pattern):
        """Waits for `pattern` behind what was waited for before."""
        end = time.monotonic() + LIMIT
        while not (found := re.search(pattern, self.seen)):
            if not self._read(end, repr(pattern)):
                raise Failed(f"the program ended without {pattern!r}")
        self.seen = self.seen[found.end():]

    def expect_end(self):
        """Waits until the program has ended."""
        end = time.monotonic() + LIMIT
        while self._read(end, "the program's end"):
            pass

    def line(self, text):
        """Types a line."""
        os.write(self.master, text.encode() + b"\n")

    def status(self):
        """Waits for the end; the exit status."""
        self.expect_end()
        self.code = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        return self.code


class Stage:
    """A folder with a service, a PAM service and a password; gone at the end."""

    def __init__(self, build, user, password):
        self.build = build
        self.folder = Path(tempfile.mkdtemp(prefix="thumbturn-demo-"))
        self.data = self.folder / "data"
        self.socket = self.data / "socket"
        self.reader = self.folder / "reader"
        self.pam = self.folder / "pam.d"
        self.pam.mkdir()
        self.daemon = None
        passwords = self.folder / "passwords"
        passwords.write_text(f"{user}:{crypt(password)}\n")
        (self.pam / "demo").write_text(STACK.format(
            module=build / "libpam_thumbturn.so", socket=self.socket, passwords=passwords))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder)

    def log(self):
        """What the service said."""
        path = self.folder / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    def start(self, virtual=True):
        """Starts the service and waits until it listens."""
        self.stop()
        environment = {"PATH": os.environ["PATH"]}
        arguments = ["--reader-user", stranger()]
        if virtual:
            arguments = ["--virtual-readers", "--anywhere", "--settle-time", "0"]
            drivers = {"FP_DRIVERS_WHITELIST": "virtual_image", "FP_DRIVERS_ALLOWLIST": "virtual_image"}
            environment |= {"FP_VIRTUAL_IMAGE": str(self.reader)} | drivers
        settings = self.folder / "thumbturn.conf"
        # The demonstration shows the touch: no password comes first, whoever and wherever you are.
        settings.write_text(
            "[policy]\npassword-first=false\npassword-every=0\nwithout-logind=allow\nroot-target=true\n",
            encoding="utf-8")
        settings.chmod(0o600)
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            self.daemon = subprocess.Popen(
                [str(self.build / "thumbturnd"), "--socket", str(self.socket), "--data", str(self.data),
                 "--config", str(settings), "--idle-exit", "0", "--log-stderr", *arguments],
                env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + LIMIT
        while "thumbturnd: ready" not in self.log():
            if self.daemon.poll() is not None or time.monotonic() > end:
                raise Failed("the service did not start")
            time.sleep(0.005)

    def stop(self):
        """Ends the service."""
        if self.daemon is not None:
            self.daemon.terminate()
            try:
                self.daemon.wait(LIMIT)
            except subprocess.TimeoutExpired:
                self.daemon.kill()
                self.daemon.wait()
        self.daemon = None

    def command(self, *arguments):
        """The command line of `thumbturn`."""
        return [str(self.build / "thumbturn"), "--socket", str(self.socket), *arguments]

    def run(self, *arguments, expected="", show=False):
        """Runs `thumbturn`; what it says must hold `expected`."""
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=LIMIT, check=False)
        if show:
            Quotation().add(done.stdout)
        if done.returncode != 0 or expected not in done.stdout:
            raise Failed(f"thumbturn {arguments[0]} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def touch(self, finger, impression):
        """Puts an invented finger on the virtual reader."""
        subprocess.run(
            [str(self.build / "thumbturn-synth"), "touch", "--socket", str(self.reader), "--finger", str(finger),
             "--impression", str(impression), "--wait", "10"], check=True, timeout=LIMIT)


def stranger():
    """A user for the process that drives a plugged-in reader: its own, where that exists."""
    with contextlib.suppress(KeyError):
        return pwd.getpwnam("thumbturn-reader").pw_name
    return "nobody"


def crypt(password):
    """A salted SHA-512 hash, as /etc/shadow has them."""
    library = ctypes.CDLL("libcrypt.so.1")
    library.crypt.restype = ctypes.c_char_p
    return library.crypt(password.encode(), b"$6$" + secrets.token_hex(8).encode()).decode()
