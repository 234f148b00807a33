# SPDX-License-Identifier: Apache-2.0
"""A D-Bus daemon of our own for fprintd, with the real polkitd on it.

Neither the system's bus nor /var/lib/fprint is touched. polkitd allows root,
which the PAM host is, without asking anybody.
"""

import os
import subprocess
from pathlib import Path

import common
import service

FPRINTD = "/usr/libexec/fprintd"
POLKITD = "/usr/lib/polkit-1/polkitd"
CONFIGURATION = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path={folder}/bus.sock</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{folder}/services</servicedir>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
  </policy>
</busconfig>
"""
ACTIVATION = f"[D-BUS Service]\nName=net.reactivated.Fprint\nExec={FPRINTD}\n"


class PrivateBus:
    """One bus with polkitd, and fprintd: kept running, or started by the bus on demand."""

    def __init__(self, folder: Path, reader_environment):
        self.folder = folder
        self.environment = {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/bus.sock"}
        self._everything = reader_environment | self.environment | {
            "PATH": os.environ["PATH"], "STATE_DIRECTORY": str(folder / "state")}
        self._processes = []
        self._bus = self._fprintd = None

    def start(self, keep_fprintd: bool):
        """Starts the bus and what must be on it."""
        (self.folder / "state").mkdir(mode=0o700)
        (self.folder / "services").mkdir()
        (self.folder / "services/net.reactivated.Fprint.service").write_text(ACTIVATION)
        (self.folder / "bus.conf").write_text(CONFIGURATION.format(folder=self.folder))
        # Polkitd gives up root and must reach the socket.
        self.folder.chmod(0o755)
        self._bus = self._run(["dbus-daemon", f"--config-file={self.folder}/bus.conf", "--nofork", "--nopidfile"])
        common.wait_until((self.folder / "bus.sock").exists, "the private bus")
        self._run([POLKITD, "--no-debug"])
        self._wait_name("org.freedesktop.PolicyKit1")
        if keep_fprintd:
            self._fprintd = self._run([FPRINTD, "--no-timeout"])
            self._wait_name("net.reactivated.Fprint")

    def fprintd_processes(self):
        """The process ids of fprintd."""
        if self._fprintd:
            return [self._fprintd.pid]
        return [pid for pid in service.children(self._bus.pid) if FPRINTD in service.command_line(pid)]

    def stop_fprintd(self):
        """Ends a fprintd that the bus started."""
        common.stop_descendants(self._bus.pid, FPRINTD)

    def stop(self):
        """Ends everything."""
        if self._bus:
            self.stop_fprintd()
        for process in reversed(self._processes):
            common.stop(process)

    def _run(self, command):
        with open(self.folder / "log", "ab") as log:
            process = common.start(command, env=self._everything, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._processes.append(process)
        return process

    def _wait_name(self, name: str):
        def owned():
            answer = subprocess.run(
                ["gdbus", "call", "--system", "-d", "org.freedesktop.DBus", "-o", "/org/freedesktop/DBus", "-m",
                 "org.freedesktop.DBus.NameHasOwner", name],
                env=self._everything, capture_output=True, text=True)
            return "true" in answer.stdout
        common.wait_until(owned, f"{name} on the private bus")
