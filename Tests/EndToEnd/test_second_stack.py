# SPDX-License-Identifier: Apache-2.0
"""A desktop's two stacks at once: the reader alone in one thread, the password in another.

Not here: GNOME's and KDE's own lockers.
"""

import re
import subprocess
from pathlib import Path

import pytest

from conftest import PASSWORD, PERSON
from module_bench import AUTH_ERR, AUTHINFO_UNAVAIL, SUCCESS, compile_c
from service import MODULE, Log

FINGER = "auth [success=ok default=die] {module} socket={socket} reader=only max-tries=2 {options}\n"
SECRET = """\
auth [success=done conv_err=die abort=die auth_err=die default=ignore] {module} socket={socket} reader=off
auth [success=done default=die] pam_unix.so nodelay
"""


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    return compile_c(tmp_path_factory.mktemp("host") / "two_stacks", "two_stacks.c", libraries=["-lpam", "-lpthread"])


@pytest.fixture
def desktop(host, enrolled):
    """desktop(socket, options) starts the two stacks."""
    started = []

    def start(socket=enrolled.socket, options=""):
        for name, text in (("thumbturn-finger", FINGER), ("thumbturn-secret", SECRET)):
            Path("/etc/pam.d", name).write_text(text.format(module=MODULE, socket=socket, options=options))
        process = subprocess.Popen([host, PERSON, "thumbturn-finger", "thumbturn-secret"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        started.append(process)
        process.told = Log(process.stdout)
        process.told.wait("^password prompt: Password:$")
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdin.close()


def answer(process, text):
    process.stdin.write(f"{text}\n".encode())
    process.stdin.flush()


def test_the_finger_opens_while_the_password_is_asked_for(desktop, enrolled, touch):
    mark = enrolled.log.mark()
    process = desktop()
    process.told.wait("^finger info: .* the fingerprint reader")
    touch(after=mark)
    process.told.wait(f"^finger {SUCCESS}$")
    assert not process.told.has(r"^password \d")
    answer(process, PASSWORD)
    process.told.wait(f"^password {SUCCESS}$")


def test_the_password_opens_while_the_reader_waits(desktop):
    process = desktop()
    process.told.wait("^finger info:")
    answer(process, PASSWORD)
    process.told.wait(f"^password {SUCCESS}$")
    assert not process.told.has(r"^finger \d")


def test_wrong_fingers_count_as_theirs_alone(desktop, enrolled, touch, prints):
    """Problems as problems, PAM_AUTH_ERR at the end; the password goes on."""
    mark = enrolled.log.mark()
    process = desktop()
    touch(2, 6, after=mark)
    process.told.wait("^finger error: Fingerprint: not recognised, 1 try left$")
    enrolled.log.wait(r"(?s)\barmed\b", enrolled.log.mark() - 1)
    enrolled.touch(prints[2][7])
    process.told.wait("^finger error: fingerprint not recognised$")
    process.told.wait(f"^finger {AUTH_ERR}$")
    assert not process.told.has(r"^password \d")
    answer(process, "wrong")
    process.told.wait(f"^password {AUTH_ERR}$")


def test_nobody_in_time_is_a_failed_try_and_no_reader_is_not(desktop, enrolled, tmp_path):
    process = desktop(options="timeout=1")
    process.told.wait(f"^finger {AUTH_ERR}$")
    (tmp_path / "enrolled").mkdir()
    (tmp_path / "enrolled" / PERSON).touch()
    process = desktop(socket=tmp_path / "socket")
    process.told.wait(f"^finger {AUTHINFO_UNAVAIL}$")
    assert not re.search(r"^password \d", process.told.text(), re.M)
