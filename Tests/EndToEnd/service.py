# SPDX-License-Identifier: Apache-2.0
"""A running thumbturnd beside a virtual reader of libfprint's."""

import atexit
import functools
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time
from pathlib import Path

BUILD = Path(os.environ.get("THUMBTURN_BUILD", Path(__file__).parents[2] / ".build/debug")).absolute()
MODULE = BUILD / "libpam_thumbturn.so"
LIMIT = 10.0


def program(name: str) -> str:
    """The path of a built program; of the command, a copy that every user can reach."""
    path = BUILD / name
    assert path.exists(), f"{path} is missing: build first (make check does)"
    return str(path) if name != "thumbturn" else reachable(path)


@functools.cache
def reachable(path: Path) -> str:
    """The path of a copy that every user can reach."""
    folder = tempfile.mkdtemp(prefix="thumbturn-command-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o755)
    return shutil.copy(path, folder)


def wait_until(condition, what: str, limit: float = LIMIT):
    """Waits for `condition` to be true and answers what it answered."""
    end = time.monotonic() + limit
    while True:
        result = condition()
        if result:
            return result
        assert time.monotonic() < end, f"waited {limit} s in vain: {what}"
        time.sleep(0.002)


class Log:
    """Lines of the daemon's standard error, each with the time it came (monotonic seconds)."""

    def __init__(self, stream):
        self.lines = []
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream):
        for line in stream:
            with self._changed:
                self.lines.append((time.monotonic(), line.decode(errors="replace").rstrip()))
                self._changed.notify_all()

    def mark(self) -> int:
        """A place in the log; later lines are "after" it."""
        with self._changed:
            return len(self.lines)

    def wait(self, pattern: str, after: int = 0, limit: float = LIMIT):
        """Waits for a line after `after` that has `pattern`; answers (time, line)."""
        end = time.monotonic() + limit
        with self._changed:
            while True:
                for when, line in self.lines[after:]:
                    if re.search(pattern, line):
                        return when, line
                left = end - time.monotonic()
                assert left > 0, f"no log line with {pattern!r} in {self.text(after)}"
                self._changed.wait(left)

    def has(self, pattern: str, after: int = 0) -> bool:
        """Whether a line after `after` has `pattern`."""
        with self._changed:
            return any(re.search(pattern, line) for _, line in self.lines[after:])

    def text(self, after: int = 0) -> str:
        """All lines after `after`."""
        return "\n".join(line for _, line in self.lines[after:])


# A test that is about none of this takes the finger at once, wherever it runs.
POLICY = "[policy]\npassword-first=false\npassword-every=0\nwithout-logind=allow\n"


class Service:
    """thumbturnd with a folder of its own, and a virtual reader: `image`, `device` or `storage`.

    `settings` is its configuration; a test with a `--config` of its own brings all of it.
    """

    VARIABLES = {"image": "FP_VIRTUAL_IMAGE", "device": "FP_VIRTUAL_DEVICE", "storage": "FP_VIRTUAL_DEVICE_STORAGE"}
    DRIVERS = {"image": "virtual_image", "device": "virtual_device", "storage": "virtual_device_storage"}

    def __init__(self, kind: str = "image", settle: int = 0, arguments=(), wrapper=(), environment=None,
                 settings: str = POLICY):
        self.kind = kind
        self.folder = Path(tempfile.mkdtemp(prefix="thumbturn-test-"))
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        self.socket = self.data / "socket"
        self.reader = self.folder / "reader.sock"
        self.settings = self.folder / "thumbturn.conf"
        self.settings.write_text(settings)
        self.arguments = ["--settle-time", str(settle), "--idle-exit", "0", *arguments]
        # Wherever the tests run: whoever started them may sit at another machine.
        if "--login-bus" not in arguments:
            self.arguments.append("--anywhere")
        if "--config" not in arguments:
            self.arguments += ["--config", str(self.settings)]
        self.wrapper = list(wrapper)
        self.environment = {"PATH": os.environ["PATH"]}
        if kind in self.VARIABLES:
            driver = self.DRIVERS[kind]
            self.environment |= {
                self.VARIABLES[kind]: str(self.reader), "FP_DRIVERS_WHITELIST": driver, "FP_DRIVERS_ALLOWLIST": driver,
            }
        self.environment |= environment or {}
        self.process = None
        self.log = None

    def start(self):
        """Starts the daemon and waits until it listens."""
        self.process = subprocess.Popen(
            [*self.wrapper, program("thumbturnd"), "--socket", str(self.socket), "--data", str(self.data),
             "--virtual-readers", "--log-stderr", *self.arguments],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.log = Log(self.process.stderr)
        self.log.wait("ready")
        return self

    def stop(self, how=signal.SIGTERM):
        """Ends the daemon and waits for it."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(LIMIT)

    def kill(self):
        """Ends the daemon without a chance to tidy up."""
        self.stop(signal.SIGKILL)

    def remove(self):
        """Ends the daemon and removes its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.remove()

    # The reader

    def touch(self, image: bytes):
        """Puts a finger on the virtual image reader: one connection a scan."""
        with self._reader_connection() as connection:
            connection.sendall(image)

    def put(self, scan):
        """Touches with a picture, or tells a command."""
        self.tell(scan) if isinstance(scan, str) else self.touch(scan)

    def tell(self, command: str) -> str:
        """One command to a virtual device reader (`SCAN id`, `FINGER 1`, ...)."""
        with self._reader_connection() as connection:
            connection.sendall(command.encode())
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(4096).decode()

    def _reader_connection(self):
        def connect():
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            try:
                connection.connect(str(self.reader))
                return connection
            except (FileNotFoundError, ConnectionRefusedError):
                connection.close()
                return None
        return wait_until(connect, "the virtual reader to listen")

    def reader_processes(self):
        """The reader processes that serve a claim; the one that waits ahead of the next has another name."""
        return [pid for pid in children(self.process.pid) if name(pid) == "thumbturn-read"]

    # Through the command

    def command(self, *arguments, **options):
        """Runs `thumbturn` against this daemon."""
        return subprocess.run(
            [program("thumbturn"), "--socket", str(self.socket), *arguments], capture_output=True, text=True,
            timeout=60, stdin=subprocess.DEVNULL, **options)

    def enroll(self, user: str, scans, finger: str = "right-index", password: str = ""):
        """Enrols a finger from scans (pictures, or commands of a virtual device), as root; with a password, as the user."""
        process = subprocess.Popen(
            [program("thumbturn"), "--socket", str(self.socket), "enroll", "--user", user, "--finger", finger,
             *(["--password-stdin"] if password else [])], user=user if password else None,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        process.stdin.write(password + "\n" if password else "")
        process.stdin.close()
        # A scan is read before the next is sent, or the next would replace it.
        output, waiting = "", list(scans)
        for line in process.stdout:
            output += line
            if waiting and (" times" in line or line.startswith("scan ")):
                self.put(waiting.pop(0))
        assert process.wait(LIMIT) == 0, output
        return output


def image(width: int, height: int, pixels: bytes) -> bytes:
    """One scan as the virtual image reader takes it."""
    return struct.pack("=ii", width, height) + pixels


def children(pid: int):
    """All descendants of a process, nearest first; zombies count as gone."""
    found, waiting = [], [pid]
    while waiting:
        parent = waiting.pop(0)
        try:
            tasks = os.listdir(f"/proc/{parent}/task")
        except OSError:
            continue
        for task in tasks:
            try:
                numbers = [int(number) for number in Path(f"/proc/{parent}/task/{task}/children").read_text().split()]
            except OSError:
                continue
            waiting += numbers
            found += [number for number in numbers if alive(number)]
    return found


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie counts as gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def command_line(pid: int) -> str:
    """A process's command line."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def name(pid: int) -> str:
    """A process's short name, as it last set it."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
