# SPDX-License-Identifier: Apache-2.0
"""What the tests of patterns share: a daemon without a reader, patterns, and the count of guesses."""

import contextlib
import os
import pwd
import shutil
from pathlib import Path

from protocol_client import Client

RIGHT, WRONG, OTHER_RIGHT, COMMON, SHORT, TWICE = "276189", "276183", "381642", "14789", "258", "2762"


def wrong_patterns(count: int) -> list:
    """So many different patterns of four cells, none of them RIGHT."""
    found = []

    def grow(path):
        if len(path) == 4:
            found.append("".join(map(str, path)))
            return
        row, column = divmod(path[-1] - 1, 3)
        for cell in range(1, 10):
            down, right = divmod(cell - 1, 3)
            passes_over = (row + down) % 2 == 0 and (column + right) % 2 == 0
            if cell not in path and not passes_over:
                grow([*path, cell])

    grow([2])
    return found[:count]


def allow_password_checks():
    """Puts the service file in place that thumbturn-pwcheck asks."""
    shutil.copy(Path(__file__).parents[2] / "config/pam.d/thumbturn-password", "/etc/pam.d/thumbturn-password")


@contextlib.contextmanager
def client(service, user=None, limit=10.0):
    """A connection of this user's, root's without one."""
    if user:
        os.seteuid(pwd.getpwnam(user).pw_uid)
    try:
        connection = Client(str(service.socket), limit)
    finally:
        os.seteuid(0)
    with connection:
        yield connection


def set_pattern(service, user, pattern=RIGHT):
    """Sets somebody's pattern as root; answers the last event."""
    with client(service) as connection:
        connection.set_pattern(user)
        connection.expect("pattern-wanted")
        connection.answer(pattern.encode())
        return connection.event()


def answer(daemon, user, pattern, **request):
    """Answers a conversation with a pattern that must be offered; the event that came of it."""
    with client(daemon) as connection:
        connection.begin(user, **request)
        connection.expect("pattern-offered")
        connection.expect("finger-ended")
        connection.answer(pattern.encode())
        return connection.event()


def outcome(event) -> str:
    """An event in a word."""
    return event.refusal if event.kind == "refused" else event.kind


def failures(service, user) -> int:
    """Wrong guesses in a row, as they stand on the disk; 0 without a file."""
    try:
        return int.from_bytes((service.data / "users" / user / "pattern.throttle").read_bytes()[9:13], "big")
    except FileNotFoundError:
        return 0
