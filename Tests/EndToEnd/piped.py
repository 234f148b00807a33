# SPDX-License-Identifier: Apache-2.0
"""The tests' own host of PAM over pipes, under the names of the two that the module knows."""

import os
import pathlib
import re
import select
import socket
import subprocess
import time

import pytest

from fake_daemon import accepted, armed
from module_bench import MODULE, Found
from service import children, name, wait_until

HOSTS = ("polkit-1", "xsecurelock")


@pytest.fixture(params=HOSTS)
def service(request):
    return request.param


class Piped:
    """A host whose standard input and output are pipes, or one socket."""

    def __init__(self, bench, service, *words, over="pipe", before=(), module=MODULE, **more):
        bench.service(name=service, module=module)
        ends = {}
        self.mine = None
        if over == "socket":
            self.mine, theirs = socket.socketpair()
            ends = {"stdin": theirs, "stdout": theirs}
        self.process = subprocess.Popen(
            [*before, *bench.command("talk=pipes", *words, service=service)],
            **({"stdin": subprocess.PIPE, "stdout": subprocess.PIPE} | ends | more))
        if over == "socket":
            theirs.close()
        self.reads = self.mine.fileno() if self.mine else self.process.stdout.fileno()
        self.output = ""

    def type(self, text):
        data = text.encode()
        self.mine.sendall(data) if self.mine else os.write(self.process.stdin.fileno(), data)

    def hang_up(self):
        self.mine.shutdown(socket.SHUT_WR) if self.mine else self.process.stdin.close()

    def expect(self, pattern, limit=10):
        end = time.monotonic() + limit
        while not re.search(pattern, self.output):
            assert select.select([self.reads], [], [], end - time.monotonic())[0], f"no {pattern!r} in {self.output!r}"
            data = os.read(self.reads, 4096)
            assert data, f"no {pattern!r} in {self.output!r}"
            self.output += data.decode()

    def finish(self):
        while data := os.read(self.reads, 4096):
            self.output += data.decode()
        code = self.process.wait(10)
        for stream in (self.process.stdin, self.process.stdout, self.mine):
            if stream and not getattr(stream, "closed", False):
                stream.close()
        return Found(self.output, code)

    def speaker(self):
        """The process that asks."""
        return wait_until(lambda: [pid for pid in children(self.process.pid) if name(pid) == "thumbturn-speak"],
                          "the process that asks")[0]


def patient(client):
    """Waits for a touch that never comes."""
    client.send(accepted(), armed())
    client.wait_for_end()


def assert_clean(found, result):
    assert found.result == result and found.differences == [], found.output


def sockets(pid):
    """The unix sockets a process holds."""
    found = []
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            found += [entry.name] if os.readlink(entry).startswith("socket:") else []
        except OSError:
            pass
    return found
