# SPDX-License-Identifier: Apache-2.0
"""A reader that keeps prints itself: libfprint's virtual one, whose storage is as old as its process."""

import pytest

from protocol_client import Client
from service import Service


@pytest.fixture
def chip(person):
    with Service("storage") as service:
        yield service


def scans(*names):
    return [f"SCAN {name}" for name in names for _ in range(5)]


def test_enrolled_listed_and_deleted(chip, person):
    chip.enroll(person, scans("one"))
    assert "right-index" in chip.command("list", "--user", person).stdout
    # The storage went with the process that enrolled; what is not there is as deleted as can be.
    deleted = chip.command("delete", "--user", person, "--all")
    assert deleted.returncode == 0, deleted.stderr
    assert "right-index" not in chip.command("list", "--user", person).stdout
    assert "storage" not in deleted.stdout


def test_the_print_bears_no_name(chip, person):
    chip.enroll(person, scans("one"))
    [record] = (chip.data / "users" / person).iterdir()
    # Once as the record's own field, not again in the template.
    assert record.read_bytes().count(person.encode()) == 1


def refusal_of_enrolling(chip, person, command: str) -> str:
    with Client(str(chip.socket)) as client:
        client.enroll(person, "left-thumb")
        client.expect("enrolling")
        chip.tell(command)
        return client.refusal()


@pytest.mark.parametrize("code, refusal", [(8, "reader-full"), (9, "kept-by-reader"), (7, "not-found")])
def test_what_the_reader_says_has_its_own_answer(chip, person, code, refusal):
    assert refusal_of_enrolling(chip, person, f"ERROR {code}") == refusal
    assert not (chip.data / "enrolled" / person).exists()


def test_a_reader_that_is_not_there_keeps_its_print_and_the_person_is_told(chip, person):
    chip.enroll(person, scans("one"))
    chip.stop()
    # The same data with a reader of another kind.
    chip.environment |= {
        "FP_VIRTUAL_DEVICE": str(chip.reader), "FP_DRIVERS_WHITELIST": "virtual_device",
        "FP_DRIVERS_ALLOWLIST": "virtual_device"}
    chip.start()
    deleted = chip.command("delete", "--user", person, "--all")
    assert deleted.returncode == 0, deleted.stderr
    assert "still holds it in its own storage" in deleted.stdout
    assert "not a known one" in deleted.stdout
    assert not (chip.data / "enrolled" / person).exists()
    assert chip.log.has("still keeps a deleted print")


def test_the_storage_is_shown(chip, person):
    shown = chip.command("storage")
    assert shown.returncode == 0, shown.stderr
    assert "0 prints, 0 of them enrolled here" in shown.stdout


def test_the_storage_is_for_root_only(chip, person):
    for arguments in ([], ["--clear"]):
        refused = chip.command("storage", *arguments, user=person)
        assert refused.returncode == 4, refused.stderr


def test_a_reader_without_storage(person):
    with Service("device") as service:
        shown = service.command("storage")
        assert shown.returncode == 0, shown.stderr
        assert "No attached reader keeps prints itself" in shown.stdout
