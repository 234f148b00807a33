# SPDX-License-Identifier: Apache-2.0
"""logind as python-dbusmock's template plays it, on a bus of our own.

Run as a program, it plays logind on the bus at the first argument and takes one
command a line, a list in JSON, each answered with "ok".
"""

import json
import os
import subprocess
import sys
from pathlib import Path

CONFIGURATION = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
  </policy>
</busconfig>
"""
SESSION = "org.freedesktop.login1.Session"


class LoginManager:
    """A bus with logind on it, for tests: `with LoginManager(folder) as logind: logind.session(...)`."""

    def __init__(self, folder: Path):
        self.socket = folder / "bus.sock"
        self._configuration = folder / "bus.conf"
        self._processes = []

    def __enter__(self):
        self._configuration.write_text(CONFIGURATION.format(socket=self.socket))
        bus = self._run(["dbus-daemon", f"--config-file={self._configuration}", "--nofork", "--nopidfile", "--print-address"])
        assert bus.stdout.readline(), "the bus did not start"
        self.process = self._run([sys.executable, __file__, str(self.socket)])
        assert self.process.stdout.readline() == "ready\n", "logind did not start"
        return self

    def __exit__(self, *_):
        for process in reversed(self._processes):
            process.kill()
            process.wait()
            process.stdout.close()
            process.stdin.close()

    def session(self, number: str, uid: int, seat: str = "seat0", **properties):
        """Adds a session; `Remote=True, Class="greeter"` and the like are its properties."""
        self._tell("session", number, uid, seat, properties)

    def change(self, number: str, **properties):
        """Changes a session's properties."""
        self._tell("change", number, properties)

    def process_of(self, pid: int, number: str):
        """Puts a process into a session's scope."""
        self._tell("process", pid, number)

    def front(self, number: str):
        """Lets a session be the one in front of seat0; its Active stays as it is."""
        self._tell("front", number)

    def display(self, uid: int, number: str):
        """Names a person's session on a screen."""
        self._tell("display", uid, number)

    def lid(self, closed: bool):
        """Closes or opens the lid."""
        self._tell("lid", closed)

    def sleep(self, sleeping: bool):
        """Tells that the machine is about to sleep, or awake again."""
        self._tell("sleep", sleeping)

    def _run(self, command):
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._processes.append(process)
        return process

    def _tell(self, *command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "ok\n", f"logind cannot do {command}"


class Player:
    """Plays logind."""

    def __init__(self, address: str):
        import dbus
        import dbus.mainloop.glib
        import dbusmock
        from dbusmock.templates import logind

        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        self.dbus, self.logind, self.objects = dbus, logind, dbusmock.mockobject.objects
        self.name = dbus.service.BusName(logind.BUS_NAME, dbus.bus.BusConnection(address), do_not_queue=True)
        self.mock = dbusmock.mockobject.DBusMockObject(self.name, logind.MAIN_OBJ, logind.MAIN_IFACE, {}, os.devnull)
        self.mock.AddTemplate("logind", {})
        self.objects[logind.MAIN_OBJ] = self.mock
        self.mock.AddProperty(logind.MAIN_IFACE, "LidClosed", dbus.Boolean(False))
        self.mock.AddSeat("seat0")
        self.scopes = {}
        self._answer_for_processes()

    def do(self, verb: str, *arguments):
        """Does one command."""
        getattr(self, f"do_{verb}")(*arguments)

    def do_session(self, number, uid, seat, properties):
        path = self.mock.AddSession(number, seat or "none", self.dbus.UInt32(uid), f"user{uid}", True)
        session = self.objects[path]
        if not seat:
            session.Set(SESSION, "Seat", ("", self.dbus.ObjectPath("/")))
        self._set(session, properties)

    def do_change(self, number, properties):
        self._set(self.objects[self._path(number)], properties)

    def do_process(self, pid, number):
        self.scopes[pid] = self._path(number)
        self._answer_for_processes()

    def do_front(self, number):
        seat = self.objects["/org/freedesktop/login1/seat/seat0"]
        seat.Set("org.freedesktop.login1.Seat", "ActiveSession", (number, self.dbus.ObjectPath(self._path(number))))

    def do_display(self, uid, number):
        user = self.objects[f"/org/freedesktop/login1/user/{uid}"]
        user.Set("org.freedesktop.login1.User", "Display", (number, self.dbus.ObjectPath(self._path(number))))

    def do_lid(self, closed):
        self.mock.UpdateProperties(self.logind.MAIN_IFACE, {"LidClosed": self.dbus.Boolean(closed)})

    def do_sleep(self, sleeping):
        self.mock.EmitSignal(self.logind.MAIN_IFACE, "PrepareForSleep", "b", [sleeping])

    def _set(self, session, properties):
        for name, value in properties.items():
            session.Set(SESSION, name, self.dbus.UInt32(value) if name == "Leader" else value)

    def _answer_for_processes(self):
        code = (
            f"ret = {self.scopes!r}.get(int(args[0]))\n"
            "if ret is None: raise dbus.exceptions.DBusException("
            "'no session', name='org.freedesktop.login1.NoSessionForPID')")
        self.mock.AddMethod(self.logind.MAIN_IFACE, "GetSessionByPID", "u", "o", code)

    @staticmethod
    def _path(number: str) -> str:
        return f"/org/freedesktop/login1/session/{number}"


def main(socket: str):
    from gi.repository import GLib

    player, loop = Player(f"unix:path={socket}"), GLib.MainLoop()

    def heard(*_):
        line = sys.stdin.readline()
        if not line:
            loop.quit()
            return False
        player.do(*json.loads(line))
        print("ok", flush=True)
        return True

    GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, heard)
    print("ready", flush=True)
    loop.run()


if __name__ == "__main__":
    main(sys.argv[1])
