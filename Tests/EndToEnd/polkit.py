# SPDX-License-Identifier: Apache-2.0
"""A system bus of the tests' own with the real polkitd on it, and an agent of a person's."""

import os
import subprocess
from pathlib import Path

from service import LIMIT, Log, children, name, reachable, wait_until

AGENT = Path(__file__).parents[1] / "tools/polkit_agent.py"
SOCKET = "/run/dbus/system_bus_socket"
CONFIGURATION = f"""\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={SOCKET}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/>
    <allow send_destination="*"/><allow receive_type="method_call"/><allow receive_type="signal"/>
    <allow receive_type="method_return"/><allow receive_type="error"/>
  </policy>
</busconfig>
"""
# Whoever asks is the administrator, so that one account is enough.
RULES = 'polkit.addAdminRule(function(action, subject) {{ return ["unix-user:{person}"]; }});\n'


class Polkit:
    """The bus stands where everybody looks for it: polkit's helper takes no other address from its caller.

    It does so in the tests' own mount namespace, so it is nobody else's.
    """

    def __init__(self, person: str):
        self.person, self.processes = person, []

    def __enter__(self):
        os.makedirs("/run/dbus", exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run/dbus"], check=True)
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        configuration = Path("/run/dbus/bus.conf")
        configuration.write_text(CONFIGURATION)
        rules = Path("/etc/polkit-1/rules.d/00-thumbturn-test.rules")
        rules.parent.mkdir(parents=True, exist_ok=True)
        rules.write_text(RULES.format(person=self.person))
        rules.chmod(0o644)
        self.run("dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile")
        wait_until(lambda: os.path.exists(SOCKET), "the bus to listen")
        self.log = Log(self.run("/usr/lib/polkit-1/polkitd", stdout=subprocess.PIPE).stdout)
        self.log.wait("Acquired the name")

    def run(self, *command, **options):
        process = subprocess.Popen(command, **({"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT} | options))
        self.processes.append(process)
        return process

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.kill()
            process.wait(LIMIT)
        subprocess.run(["umount", "-l", "/run/dbus"], check=True)


class Agent:
    """A person's agent that wants to run a program as root."""

    def __init__(self, person: str, *command: str):
        self.process = subprocess.Popen(
            ["setpriv", "--reuid", person, "--regid", person, "--init-groups", "/usr/bin/python3", reachable(AGENT),
             *(command or ("id", "-un"))], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "SHELL": "/bin/bash"}, cwd="/")
        self.log = Log(self.process.stdout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        started = children(self.process.pid)
        self.process.kill()
        self.process.wait(LIMIT)
        for pid in started:
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                pass

    def say(self, line: str):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def wait(self, pattern: str, limit: float = LIMIT) -> str:
        return self.log.wait(pattern, limit=limit)[1]

    def told(self, kind: str) -> list:
        """What it was told of a kind so far."""
        return [line.split(": ", 1)[1] for _, line in self.log.lines if line.startswith(kind + ": ")]

    def helpers(self) -> list:
        """polkit's helper and what it started."""
        return [pid for pid in children(self.process.pid) if name(pid).startswith(("polkit-agent", "thumbturn-speak"))]
