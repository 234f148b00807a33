# SPDX-License-Identifier: Apache-2.0
"""The contestants, each on a virtual image reader of its own with the same prints."""

import os
import subprocess
import time
from pathlib import Path

import common
import host
import service
from private_bus import PrivateBus

FPRINTD_STACK = """\
auth [success=done default=ignore] pam_fprintd.so max-tries=1 timeout=10
auth [success=done default=die] pam_unix.so
"""
THUMBTURN_STACK = """\
auth [success=done conv_err=die abort=die auth_err=die default=ignore] {module} socket={socket}
auth [success=done default=die] pam_unix.so
"""
UNIX_STACK = "auth [success=done default=die] pam_unix.so\n"
PERMIT = "auth required pam_permit.so\n"


class Place:
    """The benchmark's temporary folder: programs, service files, prints and the person."""

    def __init__(self, folder: Path, programs: Path, scans, person: str, stranger: str, password: str):
        self.folder, self.programs, self.scans = folder, programs, scans
        self.person, self.stranger, self.password = person, stranger, password
        self.services = folder / "pam.d"
        self.services.mkdir()
        (self.services / "other").write_text("auth required pam_deny.so\n")
        self.stack("permit", PERMIT)
        self.stack("unix", UNIX_STACK)

    def stack(self, name: str, text: str):
        """Writes a PAM service file."""
        (self.services / name).write_text(text)

    def attempt(self, name: str, user: str, environment=None) -> host.Attempt:
        """Starts one authentication under the service `name`."""
        return host.Attempt(self.programs / "pamhost", self.services, name, user, environment)


class Bare:
    """libfprint alone, in a program of its own."""

    title = "bare libfprint"

    def __init__(self, place: Place):
        self.place = place
        self.reader = common.Reader(place.folder / "bare.sock")
        self.print = place.folder / "bare.print"

    def _run(self, verb: str, **options):
        return common.start(
            [self.place.programs / "bare", verb, self.print], stdout=subprocess.PIPE, text=True,
            env=self.reader.environment | {"PATH": os.environ["PATH"]}, **options)

    def prepare(self):
        common.enroll(self._run("enroll"), self.reader, self.place.scans[:5], "stage")

    def ready(self):
        self.reader.forget()

    def rest(self):
        pass

    def attempt(self, scan: bytes, delay):
        """Answers {start, touch, done} of one touch, offered `delay` seconds after the reader listens."""
        process = self._run("identify")
        try:
            touched = touch(self.reader, scan, delay)
            output = process.communicate(timeout=common.LIMIT)[0]
        finally:
            common.stop(process)
        times = {name: float(when) for name, when in (line.split() for line in output.splitlines())}
        if process.returncode != 0:
            raise common.Failed("bare libfprint did not match")
        return times | {"touch": touched}

    def remove(self):
        pass


def touch(reader: common.Reader, scan: bytes, delay) -> float:
    """Offers a finger at once (delay None), or so many seconds after the reader listens."""
    if delay is not None:
        reader.wait_listening()
        time.sleep(delay)
    return reader.touch(scan)


class ThroughPAM:
    """What pam_fprintd and ours have in common: one touch through the PAM host."""

    def attempt(self, scan: bytes, delay, armed=None):
        """Answers the host's events and `touch`; calls `armed` just before a delayed touch."""
        with self.place.attempt(self.name, self.place.person, self.environment) as attempt:
            if delay is not None:
                self.reader.wait_listening()
                time.sleep(delay)
                if armed:
                    armed(self.processes())
            touched = self.reader.touch(scan)
            attempt.succeed()
            return attempt.times | {"touch": touched}

    def ready(self):
        self.reader.forget()

    def rest(self):
        pass


class Fprintd(ThroughPAM):
    """pam_fprintd and fprintd on a private bus with the real polkitd."""

    def __init__(self, place: Place, cold: bool):
        self.place, self.cold = place, cold
        self.name = "fprintd-cold" if cold else "fprintd-warm"
        self.title = "pam_fprintd, fprintd " + ("started by the bus" if cold else "running")
        self.folder = place.folder / self.name
        self.folder.mkdir()
        self.reader = common.Reader(self.folder / "reader.sock")
        self.bus = PrivateBus(self.folder, self.reader.environment)
        self.environment = self.bus.environment

    def prepare(self):
        self.bus.start(keep_fprintd=not self.cold)
        self.place.stack(self.name, FPRINTD_STACK)
        self.place.stack(self.name + "-permit", FPRINTD_STACK.splitlines()[0] + "\n" + PERMIT)
        # stdbuf: the command would keep its lines back from a pipe.
        command = ["stdbuf", "-oL", "fprintd-enroll", "-f", "right-index-finger", self.place.person]
        process = common.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env={"PATH": os.environ["PATH"]} | self.environment)
        # fprintd asks for one touch more, which it compares with the prints it has.
        common.enroll(process, self.reader, self.place.scans[:1] + self.place.scans[:5], "enroll-")

    def ready(self):
        super().ready()
        if self.cold:
            self.bus.stop_fprintd()

    def processes(self):
        return self.bus.fprintd_processes()

    def remove(self):
        self.bus.stop()


class Thumbturn(ThroughPAM):
    """Ours: the module, thumbturnd and thumbturn-reader."""

    def __init__(self, place: Place, cold: bool):
        self.place, self.cold = place, cold
        self.name = "thumbturn-cold" if cold else "thumbturn-warm"
        self.title = "Thumbturn, thumbturnd " + ("started by its socket" if cold else "running")
        self.environment = {}
        self.service = service.Service("image", settle=0)
        self.reader = common.Reader(self.service.reader)
        self.activation = None

    def prepare(self):
        line = {"module": service.MODULE, "socket": self.service.socket}
        stack = THUMBTURN_STACK.format(**line)
        self.place.stack(self.name, stack)
        self.place.stack(self.name + "-permit", stack.splitlines()[0] + "\n" + PERMIT)
        self.service.start()
        process = common.start(
            [service.program("thumbturn"), "--socket", self.service.socket, "enroll", "--user", self.place.person,
             "--finger", "right-index"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        common.enroll(process, self.reader, self.place.scans[:5], "scan ")
        if self.cold:
            self.service.stop()

    def settle(self, milliseconds: int):
        """Restarts the running daemon with another settle time."""
        self.service.stop()
        self.service.arguments[self.service.arguments.index("--settle-time") + 1] = str(milliseconds)
        self.service.start()

    def ready(self):
        super().ready()
        if self.cold:
            self._listen()

    def rest(self):
        common.stop(self.activation)
        self.activation = None

    def _listen(self):
        self.service.socket.unlink(missing_ok=True)
        variables = [item for name, value in self.service.environment.items() for item in ("-E", f"{name}={value}")]
        self.activation = common.start(
            ["systemd-socket-activate", "--seqpacket", "--listen", self.service.socket, *variables,
             service.program("thumbturnd"), "--socket", self.service.socket, "--data", self.service.data,
             "--config", self.service.settings,
             "--virtual-readers", *self.service.arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for line in self.activation.stderr:
            if b"Listening on" in line:
                return
        raise SystemExit("bench: systemd-socket-activate does not listen")

    def processes(self):
        return [self.service.process.pid, *self.service.reader_processes()]

    def remove(self):
        self.rest()
        self.service.remove()
