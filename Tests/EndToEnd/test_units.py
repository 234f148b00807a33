# SPDX-License-Identifier: Apache-2.0
"""systemd's parts without systemd as PID 1: units, socket activation, idle exit.

Not here: the units' sandbox in force.
"""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from service import LIMIT, Log, children, command_line, program, wait_until

CONFIG = Path(__file__).parents[2] / "config"


def test_units_verify(tmp_path):
    for unit in ("thumbturn.socket", "thumbturn.service"):
        text = (CONFIG / "systemd" / unit).read_text()
        # The programs are not installed here.
        lines = [
            "ExecStart=/bin/true" if line.startswith("ExecStart=") else line for line in text.splitlines()]
        (tmp_path / unit).write_text("\n".join(lines) + "\n")
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / "thumbturn.socket"), str(tmp_path / "thumbturn.service")],
        capture_output=True, text=True)
    ours = [line for line in checked.stderr.splitlines() if "thumbturn" in line]
    assert checked.returncode == 0 and not ours, checked.stderr


@pytest.fixture
def folder():
    path = Path(tempfile.mkdtemp(prefix="thumbturn-units-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


def test_socket_activation_and_idle_exit(folder, person):
    listener = subprocess.Popen(
        ["systemd-socket-activate", "--seqpacket", "-l", str(folder / "socket"), program("thumbturnd"),
         "--data", str(folder / "data"), "--idle-exit", "1", "--log-stderr"],
        stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        log = Log(listener.stderr)
        log.wait("Listening")
        status = subprocess.run(
            [program("thumbturn"), "--socket", str(folder / "socket"), "status"], capture_output=True, text=True, timeout=20)
        assert status.returncode == 0, status.stderr
        # systemd-socket-activate becomes the daemon, which ends by itself when idle.
        assert listener.wait(LIMIT) == 0
    finally:
        if listener.poll() is None:
            listener.kill()
            listener.wait()
