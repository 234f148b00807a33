# SPDX-License-Identifier: Apache-2.0
"""The line that learns, at every place of real stacks of sudo: it hands over, and lets nobody in.

The daemon is a stand-in that keeps what it is handed; the check of it is the real one's own.
"""

from pathlib import Path

import pytest

from conftest import PASSWORD
from fake_daemon import FakeDaemon
from module_bench import MODULE
from terminal import Shell

LEARN = "auth [default=ignore] {module} learn socket={socket}"
UNIX = "auth [success=done default=ignore] pam_unix.so nodelay"
# The password is asked for once; what stands behind is reached with a wrong one alone, or with either.
STACKS = {
    "in front": [LEARN, UNIX, "auth required pam_deny.so"],
    "behind, reached when wrong": [UNIX, LEARN, "auth required pam_deny.so"],
    "behind, reached either way": ["auth required pam_unix.so nodelay", LEARN],
    "behind, reached when right": ["auth [success=ok default=die] pam_unix.so nodelay", LEARN],
    "behind another's success": ["auth sufficient pam_permit.so", LEARN],
}
REST = "account required pam_permit.so\nsession required pam_permit.so\n"


@pytest.fixture
def sudo(person, tmp_path):
    """sudo(place, password) answers whether sudo let in, and what was handed over."""
    (tmp_path / "enrolled").mkdir()
    (tmp_path / "enrolled" / person).touch()

    def run(place, password):
        lines = [line.format(module=MODULE, socket=tmp_path / "socket") for line in STACKS[place]]
        Path("/etc/pam.d/thumbturn-sudo").write_text("\n".join(lines) + "\n" + REST)
        with FakeDaemon(str(tmp_path / "socket"), lambda client: None) as daemon, Shell(person) as shell:
            shell.line("sudo -k; sudo id -un")
            if shell.expect(["assword[^:]*: ", "root\r\n"]) == 1:
                return True, daemon.learnt
            shell.line(password)
            return shell.expect(["try again", "root\r\n"]) == 1, daemon.learnt
    return run


@pytest.mark.parametrize("place", list(STACKS)[:4])
def test_a_wrong_password_lets_nobody_in_wherever_the_line_stands(sudo, person, place):
    """What reaches the line is handed over, wrong as it is: only the daemon's own check may teach."""
    inside, learnt = sudo(place, "wrong")
    assert not inside
    assert learnt == ([(person, "thumbturn-sudo", "wrong")] if place in list(STACKS)[1:3] else [])


@pytest.mark.parametrize("place", list(STACKS)[:4])
def test_a_right_password_is_handed_over_where_the_line_is_reached(sudo, person, place):
    inside, learnt = sudo(place, PASSWORD)
    assert inside
    assert learnt == ([(person, "thumbturn-sudo", PASSWORD)] if place in list(STACKS)[2:4] else [])


def test_anothers_success_hands_over_nothing(sudo):
    assert sudo("behind another's success", "") == (True, [])
