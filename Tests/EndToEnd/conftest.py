# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: an own /etc, a person, an enrolled reader."""

import os
import subprocess
from pathlib import Path

import pytest

import isolation
import service as services

PERSON, OTHER, PASSWORD = "ttperson", "ttother", "correct horse 7"
PROMPT = r"(?:touch|swipe)[^:]*: "
# Ours on top, then pam_unix alone: what a typed secret or a refusal leads to.
STACK = """\
auth [success=done conv_err=die abort=die auth_err=die default=ignore] {module} socket={socket} {options}
auth [success=done default=die] pam_unix.so
account required pam_permit.so
session required pam_permit.so
"""


def pytest_configure(config):
    if os.geteuid() != 0:
        pytest.exit("the end-to-end tests need root (users, PAM services): run `sudo make check`", returncode=2)
    if not isolation.entered():
        isolation.enter()


@pytest.fixture(scope="session")
def person():
    """An ordinary user who may use sudo, with a password; and a second one."""
    for name in (PERSON, OTHER):
        subprocess.run(["useradd", "--no-create-home", "--home-dir", "/", "--shell", "/bin/bash", name], check=True)
        subprocess.run(["chpasswd"], input=f"{name}:{PASSWORD}\n", text=True, check=True)
    subprocess.run(["useradd", "--system", "--no-create-home", "thumbturn-reader"], check=False)
    sudoers = Path("/etc/sudoers.d/thumbturn-test")
    sudoers.write_text(
        f"Defaults:{PERSON} pam_service=thumbturn-sudo, !lecture, passwd_tries=3\n"
        f"Defaults:{PERSON} pam_askpass_service=thumbturn-sudo, !use_pty\n"
        f"{PERSON} ALL=(ALL:ALL) ALL\n")
    sudoers.chmod(0o440)
    return PERSON


@pytest.fixture(scope="session")
def prints(tmp_path_factory):
    """Scans of two synthetic fingers: prints[finger][impression], as the virtual reader takes them."""
    folder = tmp_path_factory.mktemp("prints")
    scans = {}
    for finger in (1, 2):
        subprocess.run(
            [services.program("thumbturn-synth"), "raw", "--finger", str(finger), "--impressions", "1-12",
             "--directory", str(folder)], check=True)
        scans[finger] = [(folder / f"{finger}-{number}.raw").read_bytes() for number in range(1, 13)]
    return scans


def stack(service_file: str, socket, options: str = "", text: str = STACK):
    """Writes a PAM service file that has our module on top."""
    Path("/etc/pam.d", service_file).write_text(text.format(module=services.MODULE, socket=socket, options=options))


@pytest.fixture(scope="module")
def enrolled(person, prints):
    """The daemon with the virtual image reader; the person's finger 1 is enrolled from impressions 1 to 5."""
    with services.Service("image") as running:
        running.enroll(person, prints[1][:5])
        for name in ("thumbturn-sudo", "su", "login"):
            stack(name, running.socket)
        yield running


@pytest.fixture
def touch(enrolled, prints):
    """touch(finger) puts a finger on the reader once it is armed for the request that was made last."""
    def put(finger: int = 1, impression: int = 6, after: int = 0):
        enrolled.log.wait(r"\barmed\b", after)
        enrolled.touch(prints[finger][impression])
    return put
