# SPDX-License-Identifier: Apache-2.0
"""A real sshd on the loopback interface, with a configuration and keys of the tests' own."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pexpect

import terminal
from service import LIMIT, wait_until

CONFIGURATION = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/person.pub
PidFile none
UsePAM yes
PasswordAuthentication no
KbdInteractiveAuthentication {asks}
StrictModes no
PrintMotd no
PrintLastLog no
"""
# Keys are sshd's own affair; PAM only lets the session in.
STACK = "auth required pam_deny.so\naccount required pam_permit.so\nsession required pam_permit.so\n"


class Sshd:
    """Serves a person who has a key; with a stack of PAM's, one who is asked by that."""

    def __init__(self, person: str, stack: str = ""):
        self.person, self.stack = person, stack
        self.folder = Path(tempfile.mkdtemp(prefix="thumbturn-sshd-"))
        self.made = not os.path.isdir("/run/sshd")
        self.process = None

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def start(self):
        self.folder.chmod(0o711)
        if self.made:
            os.mkdir("/run/sshd", 0o755)
        for key in ("host", "person"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / key)], check=True)
        (self.folder / "person.pub").chmod(0o644)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        Path("/etc/pam.d/sshd").write_text(self.stack or STACK)
        configuration = self.folder / "sshd_config"
        configuration.write_text(CONFIGURATION.format(
            port=self.port, folder=self.folder, asks="yes" if self.stack else "no"))
        self.process = subprocess.Popen(
            ["/usr/sbin/sshd", "-D", "-e", "-f", str(configuration)], stdin=subprocess.DEVNULL,
            stderr=open(self.folder / "log", "wb"))
        wait_until(lambda: "Server listening" in (self.folder / "log").read_text(), "sshd to listen")
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.terminate()
            self.process.wait(LIMIT)
        if self.made:
            os.rmdir("/run/sshd")
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self, *words) -> list:
        """A command line that comes in from afar."""
        return ["ssh", "-F", "none", "-p", str(self.port), "-i", str(self.folder / "person"), "-o", "BatchMode=yes",
                "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
                f"{self.person}@127.0.0.1", *words]

    def ask(self, *words):
        """A terminal on which ssh asks what PAM asks, for such a command."""
        options = ["BatchMode=no", "PreferredAuthentications=keyboard-interactive", "NumberOfPasswordPrompts=1"]
        program, *rest = self.command(*words)
        return pexpect.spawn(
            program, [word for option in options for word in ("-o", option)] + rest, encoding="utf8", timeout=LIMIT)

    def shell(self):
        """The person's shell at the other end, on a terminal of sshd's."""
        return terminal.Shell("root", command=self.command(
            "-tt", "env", "PS1='$ '", "LC_ALL=C.UTF-8", "bash", "--norc", "--noprofile", "-i"))
