# SPDX-License-Identifier: Apache-2.0
"""Real xsecurelock: its dialog takes a touch as it stands, without Enter; whatever was typed by then is dropped."""

import time

import pytest

from conftest import PASSWORD, stack
from lockers import SecureScreen
from module_bench import tools  # noqa: F401
from patterns import RIGHT, WRONG
from service import alive, wait_until
from test_lockers import opens, prepare, reader  # noqa: F401
from terminal import Shell


@pytest.fixture
def locked(person, reader, tools):  # noqa: F811
    """A locked screen of the person, without a dialog."""
    with SecureScreen(person) as session:
        prepare(session, "xsecurelock", reader.socket, tools)
        yield session.lock()


def wake(locked, reader, mark=None):  # noqa: F811
    """Presses a key that wakes the dialog, and waits until a touch counts."""
    mark = reader.log.mark() if mark is None else mark
    locked.type("", "BackSpace")
    reader.log.wait(r"\barmed\b", mark)
    return mark


def is_free(reader):  # noqa: F811
    """Whether nothing is on the reader."""
    return not reader.reader_processes()


@pytest.mark.parametrize("typed", ["", "half of a se"])
def test_a_touch_opens_without_enter(locked, reader, prints, typed):  # noqa: F811
    wake(locked, reader)
    if typed:
        locked.run("xdotool", "type", "--delay", "1", typed)
    mark = reader.log.mark()
    reader.touch(prints[1][6])
    matched, _ = reader.log.wait(r"\bmatched\b", mark)
    assert opens(locked) and time.monotonic() - matched < 0.8
    assert not locked.wrong.exists(), "what was half typed reached nobody"


def test_ten_screens_open_by_a_touch(person, reader, tools, prints):  # noqa: F811
    """The dialog may draw in the moment it is told to go."""
    for number in range(10):
        with SecureScreen(person) as session:
            prepare(session, "xsecurelock", reader.socket, tools)
            session.lock()
            wake(session, reader)
            reader.touch(prints[1][5 + number % 7])
            assert opens(session)


def test_the_password_is_answered_at_once(locked, reader):  # noqa: F811
    wake(locked, reader)
    locked.type(PASSWORD)
    assert opens(locked)
    wait_until(lambda: is_free(reader), "the claim to end")


def test_a_wrong_password_does_not_open_and_the_next_touch_does(locked, reader, prints):  # noqa: F811
    mark = wake(locked, reader)
    locked.type("wrong horse")
    wait_until(lambda: locked.wrong.exists() and locked.wrong.read_text() == "token:wrong horse", "PAM to end")
    mark = reader.log.mark() if reader.log.has("armed", mark) else mark
    wake_again(locked, reader, mark)
    reader.touch(prints[1][6])
    assert opens(locked, 8)


def wake_again(locked, reader, mark):  # noqa: F811
    """xsecurelock shows its dialog again by itself."""
    wait_until(locked.asks, "the dialog to ask")
    wait_until(lambda: reader.log.has(r"\barmed\b", mark) or reader.reader_processes(), "the reader to be armed")


def test_the_pattern_opens(locked, reader):  # noqa: F811
    wake(locked, reader)
    locked.type(RIGHT)
    assert opens(locked)


def test_a_wrong_pattern_does_not(locked, reader):  # noqa: F811
    wake(locked, reader)
    locked.type(WRONG)
    wait_until(lambda: not locked.asks() or reader.log.has("wrong pattern"), "PAM to end")
    assert locked.locker.poll() is None and not locked.wrong.exists()


def test_wrong_fingers_leave_the_password(locked, reader, prints):  # noqa: F811
    mark = wake(locked, reader)
    for scan in prints[2][6:9]:
        reader.log.wait(r"\barmed\b", mark)
        mark = reader.log.mark()
        reader.touch(scan)
    reader.log.wait(r"\bfingerEnded\b", mark)
    assert locked.asks() and locked.locker.poll() is None
    locked.type(PASSWORD)
    assert opens(locked, 8)


def test_escape_ends_the_dialog_at_once_and_frees_the_reader(locked, reader, prints):  # noqa: F811
    wake(locked, reader)
    locked.type("", "Escape")
    wait_until(lambda: is_free(reader) and not locked.helpers(), "the dialog to end", 1)
    assert locked.locker.poll() is None
    wake(locked, reader)
    reader.touch(prints[1][6])
    assert opens(locked)


def test_enter_alone_leads_to_the_password(locked, reader):  # noqa: F811
    wake(locked, reader)
    locked.type("")
    wait_until(lambda: is_free(reader) and locked.asks(), "the next prompt")
    locked.type(PASSWORD)
    assert opens(locked)


def test_no_touch_is_taken_while_no_dialog_shows(locked, reader, prints):  # noqa: F811
    """Latent: before the dialog and behind it; the reader is not even opened."""
    mark = reader.log.mark()
    assert is_free(reader) and not locked.helpers()
    wake(locked, reader)
    locked.type("", "Escape")
    wait_until(lambda: is_free(reader), "the claim to end", 1)
    assert len([line for _, line in reader.log.lines[mark:] if "armed" in line]) == 1


def test_one_touch_serves_the_screen_and_not_the_sudo_that_it_covers(person, locked, reader, prints):  # noqa: F811
    """The dialog asks later and is served first; the sudo behind it gets a touch of its own."""
    stack("thumbturn-sudo", reader.socket)
    with Shell(person) as shell:
        mark = reader.log.mark()
        shell.line("sudo -k id -un")
        reader.log.wait(r"\barmed\b", mark)
        mark = reader.log.mark()
        locked.type("", "BackSpace")
        reader.log.wait(r"\barmed\b", mark)
        mark = reader.log.mark()
        reader.touch(prints[1][6])
        assert opens(locked)
        reader.log.wait(r"\barmed\b", mark)
        assert not reader.log.has("granted, service thumbturn-sudo")
        reader.touch(prints[1][7])
        shell.expect("root\r\n")


def test_a_killed_locker_leaves_no_process_of_ours(locked, reader):  # noqa: F811
    wake(locked, reader)
    helpers = wait_until(lambda: len(locked.helpers()) == 2 and locked.helpers(), "helper and prompt")
    locked.locker.kill()
    locked.locker.wait()
    wait_until(lambda: is_free(reader) and not any(map(alive, helpers)), "all to end", 2)
