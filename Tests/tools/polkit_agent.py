# SPDX-License-Identifier: Apache-2.0
"""A small agent of polkit's, on libpolkit-agent, that asks through standard input and output.

It runs pkexec, whose parent it is, and serves what that asks for. Says what it is told, one
line each ("request: Password: ", "info: ...", "error: ...", "completed: True", "began: N"), at
last "pkexec: STATUS OUTPUT"; takes "type TEXT", "cancel", and "hang up", which ends it.
"""

import os
import subprocess
import sys

import gi

gi.require_version("Polkit", "1.0")
gi.require_version("PolkitAgent", "1.0")
from gi.repository import Gio, GLib, Polkit, PolkitAgent  # noqa: E402

AUTHORITY = ("org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority",
             "org.freedesktop.PolicyKit1.Authority")
PLACE = "/thumbturn/agent"
INTERFACE = """
<node><interface name="org.freedesktop.PolicyKit1.AuthenticationAgent">
  <method name="BeginAuthentication">
    <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="a{ss}" direction="in"/><arg type="s" direction="in"/><arg type="a(sa{sv})" direction="in"/>
  </method>
  <method name="CancelAuthentication"><arg type="s" direction="in"/></method>
</interface></node>
"""


def tell(kind, text):
    print(f"{kind}: {text}", flush=True)


class Agent:
    def __init__(self, bus, command):
        self.bus, self.session, self.begun = bus, None, 0
        self.loop = GLib.MainLoop()
        interface = Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0]
        bus.register_object(PLACE, interface, self.called, None, None)
        start = int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])
        subject = ("unix-process", {"pid": GLib.Variant("u", os.getpid()), "start-time": GLib.Variant("t", start)})
        bus.call_sync(*AUTHORITY, "RegisterAuthenticationAgent",
                      GLib.Variant("((sa{sv})ss)", (subject, "C.UTF-8", PLACE)), None, 0, 10000, None)
        self.process = subprocess.Popen(
            ["pkexec", "--disable-internal-agent", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        GLib.child_watch_add(GLib.PRIORITY_LOW, self.process.pid, self.ended)
        GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, self.told)

    def called(self, _bus, _sender, _path, _interface, method, parameters, invocation):
        if method == "CancelAuthentication":
            self.session.cancel()
            invocation.return_value(None)
            return
        cookie, (_, details) = parameters[4], parameters[5][0]
        self.begun += 1
        tell("began", self.begun)
        self.session = PolkitAgent.Session.new(Polkit.UnixUser.new(details["uid"]), cookie)
        self.session.connect("request", lambda _session, text, _echo: tell("request", text))
        self.session.connect("show-info", lambda _session, text: tell("info", text))
        self.session.connect("show-error", lambda _session, text: tell("error", text))
        self.session.connect("completed", self.completed, invocation)
        self.session.initiate()

    def completed(self, _session, gained, invocation):
        tell("completed", gained)
        invocation.return_value(None)

    def told(self, descriptor, _condition):
        data = os.read(descriptor, 4096).decode()
        for line in data.splitlines():
            if line.startswith("type "):
                self.session.response(line[5:])
            elif line == "cancel":
                self.session.cancel()
            elif line == "hang up":
                os._exit(0)
        return bool(data)

    def ended(self, _pid, status):
        tell("pkexec", f"{os.waitstatus_to_exitcode(status)} {self.process.stdout.read().strip()}")
        self.loop.quit()


Agent(Gio.bus_get_sync(Gio.BusType.SYSTEM), sys.argv[1:]).loop.run()
