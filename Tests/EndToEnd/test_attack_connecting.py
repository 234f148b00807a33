# SPDX-License-Identifier: Apache-2.0
"""An ordinary user who does nothing but connect must not keep the others from their sign-in."""

import os
import pwd
import shutil
import subprocess
import time

import pytest

from conftest import OTHER
from module_bench import compile_c
from patterns import set_pattern
from protocol_client import Client
from service import LIMIT, Service

# The module waits so long, in seconds, for what its prompt should say.
BEFORE_PROMPT = 0.3
FLOODERS = 6


@pytest.fixture
def flooder(tmp_path_factory):
    """The program, where every user can run it."""
    folder = tmp_path_factory.mktemp("flooder")
    compiled = compile_c(folder / "connect", "connect.c")
    target = shutil.copy(compiled, "/tmp/thumbturn-connect")
    os.chmod(target, 0o755)
    yield target
    os.unlink(target)


def test_whoever_only_connects_keeps_nobody_waiting(person, flooder):
    """Served until no connection waits, a second went by before anybody else was heard."""
    with Service("none") as service:
        assert set_pattern(service, person).kind == "done"
        running = [subprocess.Popen([flooder, service.socket], user=pwd.getpwnam(OTHER).pw_uid) for _ in range(FLOODERS)]
        try:
            service.log.wait("too many at once")
            end, took = time.monotonic() + 6, []
            while time.monotonic() < end:
                # Connecting waits like the module does, however long the queue is.
                with Client.blocking(str(service.socket), LIMIT) as client:
                    start = time.monotonic()
                    client.begin(person)
                    client.expect("pattern-offered")
                    took.append(time.monotonic() - start)
        finally:
            for process in running:
                process.kill()
                process.wait(LIMIT)
        assert len(took) > 20 and max(took) < BEFORE_PROMPT, sorted(took)[-5:]
