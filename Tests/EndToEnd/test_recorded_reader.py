# SPDX-License-Identifier: Apache-2.0
"""A real reader's driver against its recorded USB traffic: enrol by command, then real sudo.

Not here: waiting for a finger and cancelling; a recording's finger is there at once.
"""

import os
import re
import shutil
from pathlib import Path

import pytest

from conftest import PROMPT, stack
from service import Service, program
from terminal import Shell

HERE = Path(__file__).resolve()
RECORDINGS = Path(os.environ.get("THUMBTURN_RECORDINGS", HERE.parents[3] / "shared/recordings"))

pytestmark = [
    pytest.mark.skipif(not RECORDINGS.is_dir(), reason=f"no recordings in {RECORDINGS} (set THUMBTURN_RECORDINGS)"),
    pytest.mark.skipif(not shutil.which("umockdev-run"), reason="umockdev is not installed"),
]


@pytest.fixture
def nb1010():
    folder = RECORDINGS / "nb1010"
    node = re.match(r"@DEV (\S+)", (folder / "capture.ioctl").read_text()).group(1)
    wrapper = ["umockdev-run", "-d", str(folder / "device"), "-i", f"{node}={folder / 'capture.ioctl'}", "--"]
    environment = {
        "FP_DEVICE_EMULATION": "1", "FP_DRIVERS_WHITELIST": "nb1010", "FP_DRIVERS_ALLOWLIST": "nb1010",
    }
    with Service("recorded", wrapper=wrapper, environment=environment) as service:
        yield service


def test_enrol_by_command_then_sudo(nb1010, person):
    enrolled = nb1010.command("enroll", "--user", person, "--finger", "left-thumb")
    assert enrolled.returncode == 0, enrolled.stdout + enrolled.stderr
    listed = nb1010.command("list", "--user", person)
    assert "left-thumb" in listed.stdout
    stack("thumbturn-sudo", nb1010.socket)
    with Shell(person) as shell:
        shell.line("sudo -k; sudo id -un")
        # The recording's finger lies on the reader at once: the prompt may be over before it is seen.
        shell.expect("root\r\n")
        assert shell.status() == 0


def test_verify_by_command(nb1010, person):
    assert nb1010.command("enroll", "--user", person).returncode == 0
    verified = nb1010.command("verify", "--user", person)
    assert verified.returncode == 0, verified.stdout + verified.stderr
