# SPDX-License-Identifier: Apache-2.0
"""Real readers' drivers against their recorded USB traffic, through the command and real sudo.

Not here: waiting for a finger and cancelling; a recording's finger is there at once. Readers that
match on their chip replay in one session only and are in Tests/ReaderCoreTests/RecordedChipTests.swift.
"""

import contextlib
import os
import re
import shutil
from pathlib import Path

import pytest

from conftest import PROMPT, stack
from service import Service, alive
from terminal import Shell

HERE = Path(__file__).resolve()
RECORDINGS = Path(os.environ.get("THUMBTURN_RECORDINGS", HERE.parents[3] / "shared/recordings"))

pytestmark = [
    pytest.mark.skipif(not RECORDINGS.is_dir(), reason=f"no recordings in {RECORDINGS} (set THUMBTURN_RECORDINGS)"),
    pytest.mark.skipif(not shutil.which("umockdev-run"), reason="umockdev is not installed"),
]


def attachment(folder: Path) -> list:
    """How umockdev-run attaches a recording: ioctls at a node, or packets at a device."""
    ioctls = folder / "capture.ioctl"
    if ioctls.exists():
        node = re.match(r"@DEV (\S+)", ioctls.read_text()).group(1)
        return ["-i", f"{node}={ioctls}"]
    device = re.match(r"P: (\S+)", (folder / "device").read_text()).group(1)
    return ["-p", f"/sys{device}={folder / 'capture.pcapng'}"]


@contextlib.contextmanager
def recorded(name: str, driver: str):
    """The daemon with one recorded reader."""
    folder = RECORDINGS / name
    wrapper = ["umockdev-run", "-d", str(folder / "device"), *attachment(folder), "--"]
    environment = {"FP_DEVICE_EMULATION": "1", "FP_DRIVERS_WHITELIST": driver, "FP_DRIVERS_ALLOWLIST": driver}
    with Service("recorded", wrapper=wrapper, environment=environment) as service:
        yield service


def succeed(service, *arguments):
    """Runs the command, which must succeed; answers what it said."""
    done = service.command(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def nb1010():
    with recorded("nb1010", "nb1010") as service:
        yield service


def test_enrol_by_command_then_sudo(nb1010, person):
    succeed(nb1010, "enroll", "--user", person, "--finger", "left-thumb")
    assert "left-thumb" in succeed(nb1010, "list", "--user", person)
    stack("thumbturn-sudo", nb1010.socket)
    with Shell(person) as shell:
        shell.line("sudo -k; sudo id -un")
        # The recording's finger lies on the reader at once: the prompt may be over before it is seen.
        shell.expect("root\r\n")
        assert shell.status() == 0


@pytest.mark.parametrize("name", ["nb1010", "aes3500", "vfs7552"])
def test_enrol_verify_delete(name, person):
    with recorded(name, name) as service:
        assert name in succeed(service, "readers")
        succeed(service, "enroll", "--user", person, "--finger", "left-thumb")
        succeed(service, "enroll", "--user", person, "--finger", "right-index")
        succeed(service, "verify", "--user", person)
        succeed(service, "delete", "--user", person, "--finger", "left-thumb")
        assert "left-thumb" not in succeed(service, "list", "--user", person)
        succeed(service, "verify", "--user", person)
        # The reader keeps nothing itself, so nothing is said of it.
        deleted = succeed(service, "delete", "--user", person, "--all")
        assert "storage" not in deleted
        assert not (service.data / "enrolled" / person).exists()
        refused = service.command("verify", "--user", person)
        assert refused.returncode == 1 and "no fingerprint is enrolled" in refused.stderr


def test_a_reader_that_fails_in_the_middle(person):
    """This recording has one scan; the second times out inside the driver."""
    with recorded("uru4000-4500", "uru4000") as service:
        for _ in range(2):
            refused = service.command("enroll", "--user", person)
            assert refused.returncode == 5, refused.stdout + refused.stderr
            assert "the fingerprint reader is unavailable" in refused.stderr
            assert "plug the reader in anew" in refused.stderr
        assert not (service.data / "enrolled" / person).exists()
        assert alive(service.process.pid)
        assert "No finger" in succeed(service, "list", "--user", person)
