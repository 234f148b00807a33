# SPDX-License-Identifier: Apache-2.0
"""The command as people use it: enrol with proof, list, verify, delete; what bad input does."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import OTHER, PASSWORD
from service import Service, program
from terminal import Shell


@pytest.fixture(scope="module")
def service(person, prints):
    shutil.copy(Path(__file__).parents[2] / "config/pam.d/thumbturn-password", "/etc/pam.d/thumbturn-password")
    with Service("image") as running:
        yield running


@pytest.fixture
def shell(person, service):
    with Shell(person) as running:
        yield running


def thumbturn(service, arguments: str) -> str:
    return f"{program('thumbturn')} --socket {service.socket} {arguments}"


def files(service):
    return sorted(path.relative_to(service.data) for path in service.data.rglob("*.print"))


def test_a_person_enrols_with_the_password(shell, service, prints, person):
    shell.line(thumbturn(service, "enroll"))
    shell.expect("[Pp]assword.*: ")
    shell.line(PASSWORD)
    for stage in range(5):
        service.touch(prints[1][stage])
        shell.expect(f"{stage + 1}(?:/| of )5")
    shell.expect(r"\$ ")
    assert shell.status() == 0
    assert PASSWORD not in shell.before
    assert "right-index" in shell.run(thumbturn(service, "list"))
    assert (service.data / "enrolled" / person).exists()


def test_verify_says_who_matches(shell, service, prints):
    shell.line(thumbturn(service, "verify"))
    shell.expect("Waiting for a touch")
    service.touch(prints[1][8])
    shell.expect("recognised")
    shell.expect(r"\$ ")
    assert shell.status() == 0


def test_verify_ends_after_wrong_fingers(shell, service, prints):
    shell.line(thumbturn(service, "verify"))
    for attempt in range(3):
        service.touch(prints[2][attempt])
        shell.expect("not recognised")
    shell.expect(r"\$ ")
    assert shell.status() == 1


def test_a_wrong_password_enrols_nothing(shell, service):
    before = files(service)
    shell.line(thumbturn(service, "enroll --finger left-thumb"))
    shell.expect("[Pp]assword.*: ")
    shell.line("wrong")
    shell.expect("not right", limit=6)
    shell.expect(r"\$ ")
    assert shell.status() not in (0, 2)
    assert files(service) == before
    assert shell.echoes()


def test_control_c_cancels_and_restores_the_terminal(shell, service):
    before = files(service)
    shell.line(thumbturn(service, "enroll --finger left-thumb"))
    shell.expect("[Pp]assword.*: ")
    shell.control("c")
    shell.expect(r"\$ ")
    assert shell.status() == 130
    assert shell.echoes()
    assert files(service) == before


def test_a_finger_is_enrolled_once(service, person):
    again = service.command("enroll", "--user", person)
    assert again.returncode == 1 and "already" in again.stderr


def test_acting_for_another_is_roots(shell, service):
    for action in ("list", "delete --all", "enroll", "verify"):
        output = shell.run(thumbturn(service, f"{action} --user {OTHER}") + "; echo status $?")
        assert "may not" in output and "status 4" in output, output


def test_damaged_and_foreign_records_are_named_and_kept(service, person):
    folder = service.data / "users" / person
    good = next(folder.glob("*.print"))
    bytes_ = good.read_bytes()
    damaged = folder / ("left-ring" + good.name[len("right-index"):])
    damaged.write_bytes(bytes_[:60] + bytes([bytes_[60] ^ 1]) + bytes_[61:])
    foreign_folder = service.data / "users" / OTHER
    foreign_folder.mkdir(mode=0o700)
    shutil.copy(good, foreign_folder / good.name)
    try:
        status = service.command("status").stdout
        assert damaged.name in status and OTHER in status, status
        assert "damaged" in service.command("list", "--user", person).stdout
        refused = service.command("verify", "--user", OTHER)
        assert refused.returncode != 0
        assert damaged.exists() and (foreign_folder / good.name).exists()
    finally:
        damaged.unlink()
        shutil.rmtree(foreign_folder)


def test_a_full_disk_loses_nothing(person, prints):
    with Service("image") as service:
        service.stop()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k,mode=755", "tmpfs", str(service.data)], check=True)
        try:
            service.start()
            service.enroll(person, prints[1][:5])
            before = {path: path.read_bytes() for path in service.data.rglob("*.print")}
            assert before
            with open(service.data / "filler", "wb", buffering=0) as filler:
                try:
                    while True:
                        filler.write(b"x" * 4096)
                except OSError:
                    pass
            with pytest.raises(AssertionError, match="could not be written"):
                service.enroll(person, prints[2][:5], finger="left-thumb")
            assert {path: path.read_bytes() for path in service.data.rglob("*.print")} == before
            (service.data / "filler").unlink()
            service.enroll(person, prints[2][:5], finger="left-thumb")
        finally:
            service.stop()
            subprocess.run(["umount", str(service.data)], check=True)


def test_delete_by_finger_and_all(shell, service, person):
    shell.line(thumbturn(service, "delete --finger right-index"))
    shell.expect("[Pp]assword.*: ")
    shell.line(PASSWORD)
    shell.expect(r"\$ ", limit=4)
    assert shell.status() == 0
    assert files(service) == []
    assert not (service.data / "enrolled" / person).exists()
    assert service.command("delete", "--user", person, "--all").returncode == 1


def test_the_data_folders_are_closed(service):
    assert (service.data / "users").stat().st_mode & 0o777 == 0o700
    assert (service.data / "enrolled").stat().st_mode & 0o777 == 0o711


def test_virtual_readers_never_reach_the_default_data(tmp_path):
    refused = subprocess.run(
        [program("thumbturnd"), "--virtual-readers", "--socket", str(tmp_path / "s")], capture_output=True, text=True,
        timeout=5)
    assert refused.returncode == 2 and "--data" in refused.stderr


def test_without_a_daemon_it_says_what_to_do(tmp_path):
    missing = subprocess.run(
        [program("thumbturn"), "--socket", str(tmp_path / "none"), "status"], capture_output=True, text=True)
    assert missing.returncode == 3 and "thumbturn" in missing.stderr
