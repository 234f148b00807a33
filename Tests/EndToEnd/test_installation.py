# SPDX-License-Identifier: Apache-2.0
"""What "make install" puts where, looked at in a folder of its own."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import service

ROOT = Path(__file__).parents[2]


def make(folder: Path, *words: str, **how):
    return subprocess.run(
        ["make", "-C", str(ROOT), *words, f"DESTDIR={folder}", f"RELEASE={service.BUILD}", "MULTIARCH=test-triplet"],
        capture_output=True, text=True, **how)


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    done = make(folder, "install")
    assert done.returncode == 0, done.stderr
    return folder


def test_everything_is_in_its_place(installed):
    files = {str(path.relative_to(installed)): path.stat().st_mode & 0o777
             for path in installed.rglob("*") if path.is_file()}
    programs = {"usr/local/bin/thumbturn"} | {
        f"usr/local/libexec/thumbturn/{name}" for name in ("thumbturnd", "thumbturn-reader", "thumbturn-pwcheck")}
    others = {
        "lib/test-triplet/security/pam_thumbturn.so",
        "usr/local/lib/systemd/system/thumbturn.socket", "usr/local/lib/systemd/system/thumbturn.service",
        "usr/local/lib/sysusers.d/thumbturn.conf",
        "usr/local/share/bash-completion/completions/thumbturn",
        "usr/local/share/man/man1/thumbturn.1", "usr/local/share/man/man5/thumbturn.conf.5",
        "usr/local/share/man/man8/thumbturnd.8", "usr/local/share/man/man8/pam_thumbturn.8",
        "etc/thumbturn/thumbturn.conf", "etc/pam.d/thumbturn-password",
        "usr/local/share/doc/thumbturn/README.md", "usr/local/share/doc/thumbturn/examples/sudo.example",
    }
    assert programs | others <= set(files)
    assert {path for path, mode in files.items() if mode == 0o755} == programs
    assert {mode for path, mode in files.items() if path not in programs} == {0o644}


def test_the_module_is_stripped_and_bound_to_libpam_and_libc_only(installed):
    module = installed / "lib/test-triplet/security/pam_thumbturn.so"
    dynamic = subprocess.run(["readelf", "-d", str(module)], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"NEEDED.*\[(.*)\]", dynamic) == ["libpam.so.0", "libc.so.6"]
    assert "RUNPATH" not in dynamic and "RPATH" not in dynamic
    sections = subprocess.run(["readelf", "-S", str(module)], capture_output=True, text=True, check=True).stdout
    assert ".debug_info" not in sections and ".symtab" not in sections


def test_the_unit_starts_what_is_installed(installed):
    unit = (installed / "usr/local/lib/systemd/system/thumbturn.service").read_text()
    path = re.search(r"^ExecStart=(\S+)$", unit, re.MULTILINE)[1]
    assert (installed / path.lstrip("/")).is_file()


def test_the_readers_user_can_be_made(installed):
    checked = subprocess.run(
        ["systemd-sysusers", "--dry-run", str(installed / "usr/local/lib/sysusers.d/thumbturn.conf")],
        capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_settings_of_the_administrator_survive(installed, tmp_path):
    shutil.copytree(installed, tmp_path / "again", symlinks=True)
    settings = tmp_path / "again/etc/thumbturn/thumbturn.conf"
    settings.write_text("[reader]\ntries=1\n")
    assert make(tmp_path / "again", "install").returncode == 0
    assert settings.read_text() == "[reader]\ntries=1\n"


def test_uninstall_removes_it_but_not_below_a_pam_file_that_names_it(installed, tmp_path):
    root = tmp_path / "gone"
    shutil.copytree(installed, root, symlinks=True)
    user = root / "etc/pam.d/sudo"
    user.write_text("auth sufficient pam_thumbturn.so\n")
    refused = make(root, "uninstall")
    assert refused.returncode != 0 and "etc/pam.d/sudo" in refused.stderr
    assert (root / "lib/test-triplet/security/pam_thumbturn.so").exists()
    user.write_text("#auth sufficient pam_thumbturn.so\n")
    assert make(root, "uninstall").returncode == 0
    left = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}
    assert left == {"etc/thumbturn/thumbturn.conf", "etc/pam.d/thumbturn-password", "etc/pam.d/sudo"}


def test_package_lists_are_read_and_wrong_names_refused():
    for words, code in (((), 2), (("nothing",), 2), (("build", "test"), 0)):
        done = subprocess.run([str(ROOT / "config/install-packages"), *words], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        assert (done.stderr != "") == (code != 0)
