# SPDX-License-Identifier: Apache-2.0
"""Runs the built PAM module in a host of the tests' own, under real libpam."""

import os
import pathlib
import re
import subprocess

import pexpect
import pytest

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = HERE.parent / "tools"
BUILD = pathlib.Path(os.environ.get("THUMBTURN_BUILD", HERE / "../../.build/debug")).resolve()
MODULE = BUILD / "libpam_thumbturn.so"
HOST_PARTS = ("pam_host.c", "converse.c", "odd.c", "trace.c", "log.c")

# Linux-PAM's numbers.
SUCCESS, SERVICE_ERR, SYSTEM_ERR, AUTH_ERR, AUTHINFO_UNAVAIL = 0, 3, 4, 7, 9
USER_UNKNOWN, CONV_ERR, ABORT = 10, 19, 26

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="the module helps only a host that is root")


def compile_c(target, *sources, flags=(), libraries=()):
    command = ["cc", "-std=gnu17", "-O1", "-g", *flags, "-o", str(target)]
    subprocess.run([*command, *[str(TOOLS / name) for name in sources], *libraries], check=True)
    return target


@pytest.fixture(scope="session")
def tools(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tools")
    compile_c(folder / "pam_host", *HOST_PARTS, flags=["-rdynamic"], libraries=["-lpam", "-lpthread"])
    compile_c(folder / "pam_tell.so", "pam_tell.c", flags=["-shared", "-fPIC"], libraries=["-lpam"])
    return folder


class Bench:
    """One folder with a service file, a socket's place and a marker for `alice`."""

    def __init__(self, folder, tools):
        self.folder, self.tools = folder, tools
        self.socket = str(folder / "socket")
        self.token_file = folder / "token"
        (folder / "enrolled").mkdir()
        (folder / "enrolled" / "alice").touch()
        self.service()

    def service(self, options="", name="host", module=MODULE, token=None):
        """Writes a service whose result is our module's own code.

        The module behind ours only writes down what was handed on; with `token`,
        one before ours has set it.
        """
        before = [f"auth optional {self.tools}/pam_tell.so token={token}"] if token else []
        lines = [*before, f"auth [success=ok default=bad] {module} socket={self.socket} {options}",
                 f"auth optional {self.tools}/pam_tell.so {self.token_file}",
                 f"account required {module}", f"session required {module}", f"password required {module}"]
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def command(self, *words, user="alice", service="host"):
        return [str(self.tools / "pam_host"), str(self.folder), service, user, *words]

    def run(self, *words, limit=30, **who):
        """Runs the host without a terminal; what it found out."""
        done = subprocess.run(self.command(*words, **who), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=limit, start_new_session=True)
        return Found(done.stdout, done.returncode)

    def spawn(self, *words, limit=15, **who):
        """Starts the host on a terminal of its own."""
        command = self.command("tty=self", "talk=terminal", *words, **who)
        return pexpect.spawn(command[0], command[1:], encoding="utf8", timeout=limit, echo=True)

    @property
    def token(self):
        """What the next module found as PAM_AUTHTOK; None when it found none."""
        told = self.token_file.read_text()
        return told[6:] if told.startswith("token:") else None


class Found:
    """The lines a host printed."""

    def __init__(self, output, code=None):
        self.output, self.code = output.replace("\r", ""), code
        result = re.search(r"^result (\d+)$", self.output, re.M)
        self.result = int(result.group(1)) if result else None
        took = re.search(r"^took (\d+) ms$", self.output, re.M)
        self.took = int(took.group(1)) if took else None
        self.differences = re.findall(r"^differs: (.*)$", self.output, re.M)

    def said(self, kind):
        return re.findall(rf"^{kind}: (.*)$", self.output, re.M)

    @property
    def log(self):
        """What our module logged as (priority's number, text)."""
        found = re.findall(r"^log (\d): [a-z]*pam_thumbturn\(\S+\): (.*)$", self.output, re.M)
        return [(int(priority), line) for priority, line in found]


def expect_all(child, *texts):
    """Waits for texts that may come in any order.

    A note may stand before the prompt, which discards what is typed before it.
    """
    missing = list(texts)
    while missing:
        del missing[child.expect_exact(missing)]


def finish(child):
    """Waits for a spawned host; what it found out."""
    child.expect(pexpect.EOF)
    child.close()
    return Found(child.before, child.exitstatus)


@pytest.fixture
def bench(tmp_path, tools):
    return Bench(tmp_path, tools)
