# SPDX-License-Identifier: Apache-2.0
"""A program in the place of thumbturn-reader that hands its channel to the test.

The test then is the reader process: it sees each command and may answer what it
likes, true or not.

    with StandIn() as reader, reader.service() as service:
        client.begin(...)
        claim = reader.claim()
        claim.offer()           # found, listed, opened
        ...
"""

import json
import os
import select
import shutil
import socket
import struct
import tempfile
import time
from pathlib import Path

import service as services

COMMANDS = {1: "list", 2: "open", 3: "template", 4: "verify", 5: "enroll", 6: "pause", 7: "close"}
REPORTS = {name: code for code, name in enumerate(
    ["found", "listed", "opened", "armed", "matched", "mismatched", "retry", "resting", "stage", "enrolled",
     "idle", "failed"], 1)}
LARGEST = 98_304

# Isolated and without site: it starts fast and takes nothing from its environment.
PROGRAM = """\
#!/usr/bin/python3 -IS
import json, os, signal, socket, sys
links = {number: os.readlink(f"/proc/self/fd/{number}")
         for number in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{number}")}
control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
control.connect(os.path.dirname(sys.argv[0]) + "/control")
about = {"arguments": sys.argv[1:], "environment": dict(os.environ), "descriptors": links,
         "status": open("/proc/self/status").read(), "limits": open("/proc/self/limits").read(),
         "network": os.readlink("/proc/self/ns/net"), "folder": os.getcwd(), "session": os.getsid(0)}
socket.send_fds(control, [json.dumps(about).encode()], [3])
os.close(3)
while True:
    word = control.recv(16)
    if word == b"fork":
        # A child that outlives the process it was started for.
        if os.fork() == 0:
            control.send(str(os.getpid()).encode())
            while control.recv(16): pass
            os._exit(0)
    elif word:
        os.kill(os.getpid(), int(word))
    else:
        os._exit(0)
"""


def text(value) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return bytes([len(raw)]) + raw


class Claim:
    """One start of the stand-in, with its channel to the daemon."""

    LIMIT = 10.0

    def __init__(self, control):
        self.control = control
        control.settimeout(Claim.LIMIT)
        raw, descriptors, _, _ = socket.recv_fds(control, 65_536, 1)
        self.about = json.loads(raw)
        self.channel = socket.socket(fileno=descriptors[0])
        self.channel.settimeout(Claim.LIMIT)

    def command(self):
        """The next command's name, `None` at the end."""
        self.body = b""
        try:
            packet = self.channel.recv(LARGEST)
        except ConnectionResetError:
            return None
        self.body = packet[2:]
        return COMMANDS[packet[1]] if packet else None

    def expect(self, *names: str):
        """Takes commands up to the first that is not `template`; it must be one of these."""
        name = self.command()
        while name == "template":
            name = self.command()
        assert name in names, f"expected {names}, got {name}"

    def report(self, name: str, body: bytes = b""):
        """Sends one report."""
        self.channel.send(bytes([1, REPORTS[name]]) + body)

    def raw(self, packet: bytes):
        """Sends what may be no report."""
        self.channel.send(packet)

    def found(self, driver="stand_in", device="0", name="Stand-in", stores=0, bus=0, address=0):
        """Reports a reader, with bus and address 0 one that is not on USB."""
        self.report("found", text(driver) + text(device) + text(name) + bytes([0, 5, 1, stores, bus, address]))

    def offer(self, **reader):
        """Goes as far as an open reader."""
        self.expect("list")
        self.found(**reader)
        self.report("listed")
        self.expect("open")
        self.report("opened")

    def arm(self, **reader):
        """Goes as far as an armed reader."""
        self.offer(**reader)
        self.expect("verify")
        self.report("armed")

    def signal(self, number: int):
        """Lets the process send itself a signal."""
        self.control.send(str(int(number)).encode())

    def fork(self) -> int:
        """Lets the process start a child; answers the child's number."""
        self.control.send(b"fork")
        return int(self.control.recv(16))

    def end(self):
        """Lets the process end."""
        self.channel.close()
        self.control.close()

    def finish(self):
        """Obeys `close`."""
        self.expect("close")
        self.end()


class StandIn:
    """A libexec folder with the stand-in, and the place where it reports."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="thumbturn-standin-"))
        self.folder.chmod(0o755)
        path = self.folder / "thumbturn-reader"
        path.write_text(PROGRAM)
        path.chmod(0o755)
        os.symlink(services.program("thumbturn-pwcheck"), self.folder / "thumbturn-pwcheck")
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(str(self.folder / "control"))
        os.chmod(self.folder / "control", 0o777)
        self.listener.listen(16)
        self.spare = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for claim in self.spare:
            claim.end()
        self.listener.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def service(self, *arguments, **options):
        """A daemon that starts the stand-in."""
        return services.Service("stand-in", arguments=["--libexec", str(self.folder), *arguments], **options)

    def waits(self) -> bool:
        """Whether a process was told something that nobody took yet."""
        return self._told(0) is not None

    def claim(self, limit: float = 10.0) -> Claim:
        """The process that is told something next. Daemons start one ahead of the next claim."""
        claim = self._told(limit)
        assert claim, f"no process was told anything in {limit} s"
        self.spare.remove(claim)
        return claim

    def _told(self, limit: float):
        end = time.monotonic() + limit
        while True:
            channels = {claim.channel: claim for claim in self.spare}
            ready, _, _ = select.select([self.listener, *channels], [], [], max(end - time.monotonic(), 0))
            if self.listener in ready:
                self.spare.append(Claim(self.listener.accept()[0]))
            for channel in ready:
                if channel is self.listener:
                    continue
                if channel.recv(1, socket.MSG_PEEK):
                    return channels[channel]
                # Its daemon is gone.
                self.spare.remove(channels[channel])
                channels[channel].end()
            if not ready:
                return None

    def enroll(self, client, user: str, finger: str = "right-index", template: bytes = b"template", **reader):
        """Enrols something for a person through a client of root's."""
        client.enroll(user, finger)
        claim = self.claim()
        claim.offer(**reader)
        claim.expect("enroll")
        client.expect("enrolling")
        claim.report("enrolled", struct.pack(">I", len(template)) + template)
        client.expect("done")
        claim.finish()
