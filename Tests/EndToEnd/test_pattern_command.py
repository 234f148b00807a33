# SPDX-License-Identifier: Apache-2.0
"""`thumbturn pattern` as people use it, on a terminal; and the reports for programs."""

import json
import subprocess

import pytest

from conftest import OTHER, PASSWORD
from patterns import COMMON, OTHER_RIGHT, RIGHT, SHORT, TWICE, WRONG, allow_password_checks, failures, set_pattern
from patterns import wrong_patterns
from service import Service, program
from terminal import Shell

PASSWORD_PROMPT, NEW_PROMPT, AGAIN_PROMPT = "Password of [^:]*: ", "New pattern of [^:]*: ", "Once more: "


@pytest.fixture(scope="module")
def service(person):
    allow_password_checks()
    with Service("none") as running:
        yield running


@pytest.fixture
def shell(person, service):
    with Shell(person) as running:
        yield running


def thumbturn(service, arguments: str) -> str:
    return f"{program('thumbturn')} --socket {service.socket} {arguments}"


def set_to(shell, service, first, second=None, password=PASSWORD):
    """Runs `pattern set`; answers what was printed behind the prompts."""
    shell.line(thumbturn(service, "pattern set"))
    shell.expect(PASSWORD_PROMPT)
    shell.line(password)
    shell.expect(NEW_PROMPT)
    shell.line(first)
    if second is not None:
        shell.expect(AGAIN_PROMPT)
        shell.line(second)
    shell.expect(r"\$ ")
    return shell.before


def check(shell, service, pattern):
    shell.line(thumbturn(service, "pattern check"))
    shell.expect("Pattern of [^:]*: ")
    shell.line(pattern)
    shell.expect(r"\$ ")
    return shell.before


def test_without_one_there_is_nothing_to_try(shell, service):
    assert "no pattern is set" in shell.run(thumbturn(service, "pattern check"))


def test_a_person_sets_one_with_the_password_and_tries_it(shell, service, person):
    said = set_to(shell, service, RIGHT, RIGHT)
    assert f"Pattern of {person} set" in said and RIGHT not in said and shell.status() == 0
    assert shell.echoes()
    said = check(shell, service, RIGHT)
    assert f"That is the pattern of {person}" in said and RIGHT not in said and shell.status() == 0
    assert "not right" in check(shell, service, WRONG) and shell.status() == 1
    assert failures(service, person) == 1


def test_verify_is_about_fingers_only(shell, service):
    assert "no fingerprint is enrolled" in shell.run(thumbturn(service, "verify"))


@pytest.mark.parametrize("first, second, reason", [
    (OTHER_RIGHT, WRONG, "the two patterns differ"), (COMMON, COMMON, "among the first that are guessed"),
    (SHORT, None, "at least 4 cells"), (TWICE, None, "no cell twice"), ("27x1", None, "the digits 1 to 9")])
def test_what_is_refused_says_why_and_changes_nothing(shell, service, first, second, reason):
    assert reason in set_to(shell, service, first, second)
    assert shell.status() == 1
    assert "That is the pattern" in check(shell, service, RIGHT)


def test_a_wrong_password_sets_nothing(shell, service):
    shell.line(thumbturn(service, "pattern set"))
    shell.expect(PASSWORD_PROMPT)
    shell.line("wrong")
    shell.expect("the password is not right")
    shell.expect(r"\$ ")
    assert shell.status() == 4


def test_control_c_at_the_second_typing_leaves_everything(shell, service):
    shell.line(thumbturn(service, "pattern set"))
    shell.expect(PASSWORD_PROMPT)
    # A wrong password a moment ago costs its owner a second.
    shell.line(PASSWORD)
    if shell.expect([NEW_PROMPT, "try again"]) == 1:
        shell.expect(r"\$ ")
        return test_control_c_at_the_second_typing_leaves_everything(shell, service)
    shell.line(OTHER_RIGHT)
    shell.expect(AGAIN_PROMPT)
    shell.control("c")
    shell.expect(r"\$ ")
    assert shell.status() == 130 and shell.echoes()
    assert "That is the pattern" in check(shell, service, RIGHT)


def test_too_many_wrong_ones_lock_it_and_it_says_for_how_long(shell, service, person):
    for pattern in wrong_patterns(5):
        assert "not right" in check(shell, service, pattern)
    said = check(shell, service, RIGHT)
    assert "locked for" in said and "That is" not in said and shell.status() == 1
    assert "5 wrong guesses, locked for" in shell.run(thumbturn(service, "status"))
    assert f"{person}: set, 5 wrong guesses, locked for" in service.command("status").stdout
    assert f"Pattern of {person} set" in set_to(shell, service, OTHER_RIGHT, OTHER_RIGHT)
    assert "That is the pattern" in check(shell, service, OTHER_RIGHT)


def test_anothers_is_roots_business(shell, service, person):
    for action in ("set", "delete", "check"):
        output = shell.run(thumbturn(service, f"pattern {action} --user {OTHER}") + "; echo status $?")
        assert "may not" in output and "status 4" in output
    # Root gives it once, on standard input.
    asked = service.command("pattern", "check", "--user", person)
    assert asked.returncode == 4 and "no terminal" in asked.stderr


def test_root_sets_one_from_standard_input(service, person, tmp_path):
    (tmp_path / "pattern").write_text(RIGHT + "\n")
    with open(tmp_path / "pattern", encoding="ascii") as pattern:
        done = subprocess.run(
            [program("thumbturn"), "--socket", str(service.socket), "pattern", "set", "--user", person,
             "--password-stdin"], stdin=pattern, capture_output=True, text=True, timeout=10)
    assert done.returncode == 0 and RIGHT not in done.stdout + done.stderr, done.stderr


def test_a_password_that_looks_like_a_pattern_is_warned_of(shell, service, person):
    digits = "159487"
    subprocess.run(["chpasswd", "-c", "SHA512"], input=f"{person}:{digits}\n", text=True, check=True)
    try:
        shell.line(thumbturn(service, "pattern set"))
        shell.expect(PASSWORD_PROMPT)
        shell.line(digits)
        shell.expect("your password looks like a pattern")
        shell.expect(NEW_PROMPT)
        shell.control("c")
        shell.expect(r"\$ ")
    finally:
        subprocess.run(["chpasswd"], input=f"{person}:{PASSWORD}\n", text=True, check=True)


def test_it_is_deleted_with_the_password(shell, service, person):
    set_pattern(service, person)
    shell.line(thumbturn(service, "pattern delete"))
    shell.expect(PASSWORD_PROMPT)
    shell.line(PASSWORD)
    shell.expect(f"Pattern of {person} deleted")
    shell.expect(r"\$ ")
    assert "no pattern is set" in shell.run(thumbturn(service, "pattern check"))
    assert service.command("pattern", "delete", "--user", person).returncode == 1


def test_status_as_json(service, person):
    report = json.loads(service.command("status", "--json").stdout)
    for key, kind in {"version": str, "uptime": int, "configuration": str, "data": str, "connections": int,
                      "reader": str, "patterns": int, "configuration_problems": list, "damaged_records": list,
                      "foreign_records": list, "locked_patterns": list, "damaged_patterns": list}.items():
        assert isinstance(report[key], kind), key
    assert report["connections"] == 1 and report["damaged_records"] == []


def test_json_escapes_what_others_chose(service):
    """A damaged file whose name has quotes, a backslash and what a terminal obeys."""
    folder = service.data / "users" / "x"
    folder.mkdir(mode=0o700)
    name = 'a"b\\c\u009b31m.print'
    (folder / name).touch()
    try:
        shown = service.command("status", "--json").stdout
        assert "\u009b" not in shown and shown.count("\n") == 1
        assert json.loads(shown)["damaged_records"] == ['users/x/a"b\\c?31m.print']
    finally:
        (folder / name).unlink()
        folder.rmdir()


def test_readers_as_json(service):
    assert json.loads(service.command("readers", "--json").stdout) == {"readers": []}
    with Service("image") as other:
        found = json.loads(other.command("readers", "--json").stdout)["readers"]
    assert [reader["driver"] for reader in found] == ["virtual_image"]
    assert set(found[0]) == {"name", "driver", "scan", "trust", "place"} and found[0]["scan"] in ("press", "swipe")
    assert found[0]["trust"] == "trusted"
