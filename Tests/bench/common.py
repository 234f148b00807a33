# SPDX-License-Identifier: Apache-2.0
"""What all parts of the benchmark share: time, processes, touches, memory."""

import errno
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import service

LIMIT = 10.0
# A pause between attempts: every contestant closes its reader, which takes the virtual one 100 ms.
REST = 0.3
DRIVER = "virtual_image"


class Failed(Exception):
    """One attempt that did not end as it should; it is counted, not measured."""


def now() -> float:
    """Seconds on CLOCK_MONOTONIC, the clock of the C programs' events."""
    return time.clock_gettime(time.CLOCK_MONOTONIC)


def start(command, **options) -> subprocess.Popen:
    """Starts a program that does not outlive the benchmark."""
    return subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *map(str, command)], **options)


def stop(process: subprocess.Popen):
    """Ends a process this program started."""
    if process and process.poll() is None:
        process.terminate()
        try:
            process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(LIMIT)


def stop_descendants(parent: int, name: str):
    """Ends the descendants of `parent` that run `name` and waits until they are gone."""
    pids = [pid for pid in service.children(parent) if name in service.command_line(pid)]
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not any(service.alive(pid) for pid in pids), f"{name} to end")


def wait_until(condition, what: str, limit: float = LIMIT):
    """Waits for `condition` and answers what it answered."""
    end = now() + limit
    while not (result := condition()):
        if now() > end:
            raise Failed(f"waited {limit:.0f} s in vain for {what}")
        time.sleep(0.0002)
    return result


class Reader:
    """The scan socket of one contestant's virtual image reader."""

    def __init__(self, path: Path):
        self.path = path
        self.environment = {"FP_VIRTUAL_IMAGE": str(path), "FP_DRIVERS_WHITELIST": DRIVER, "FP_DRIVERS_ALLOWLIST": DRIVER}

    def forget(self):
        """Removes the last claim's socket, so that only the next claim's can be seen."""
        self.path.unlink(missing_ok=True)

    def wait_listening(self):
        """Waits until a claim listens for scans; the reader is armed some 100 ms later."""
        wait_until(self.path.exists, "the virtual reader")

    def touch(self, scan: bytes, limit: float = LIMIT) -> float:
        """Offers a finger as soon as the reader listens; answers when it did (seconds)."""
        connection = wait_until(self._connect, "the virtual reader to listen", limit)
        with connection:
            when = now()
            connection.sendall(scan)
        return when

    def _connect(self):
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        code = connection.connect_ex(str(self.path))
        if code == 0:
            return connection
        connection.close()
        if code in (errno.ENOENT, errno.ECONNREFUSED):
            return None
        raise OSError(code, os.strerror(code))


def enroll(process: subprocess.Popen, reader: Reader, scans, stage: str):
    """Feeds an enrolment one scan a stage; `stage` stands in the line that reports one."""
    for scan in scans:
        reader.touch(scan)
        for line in process.stdout:
            if stage in line:
                break
    rest = process.communicate(timeout=LIMIT)[0]
    if process.returncode != 0:
        raise SystemExit(f"bench: an enrolment failed: {rest}")


def memory(pids) -> tuple[float, float]:
    """The proportional and resident set sizes of some processes together, in MiB."""
    totals = {"Pss": 0, "Rss": 0}
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
            name, size = line.split(":")
            if name in totals:
                totals[name] += int(size.split()[0])
    return totals["Pss"] / 1024, totals["Rss"] / 1024
