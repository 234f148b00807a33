# SPDX-License-Identifier: Apache-2.0
"""The part that touches hardware holds nothing: its own uid, no rights, no network, no files.

Not here: the ACL on a real USB node (there is no USB on test machines; the unit tests set one on a file).
"""

import os
import pwd
import subprocess
from pathlib import Path

import pytest

from conftest import OTHER
from service import LIMIT, Log, Service, children, program, wait_until

READER_USER = "thumbturn-reader"


@pytest.fixture(scope="module")
def service(person, prints):
    """A daemon whose reader process runs as its own user, as in earnest, but on the virtual reader."""
    running = Service("image", arguments=("--reader-user", READER_USER))
    account = pwd.getpwnam(READER_USER)
    # The virtual reader's socket is made by the process itself.
    os.chown(running.folder, account.pw_uid, account.pw_gid)
    with running:
        running.enroll(person, prints[1][:5])
        yield running


@pytest.fixture(scope="module")
def reader(service, person):
    """The reader process, armed for a `thumbturn verify`."""
    mark = service.log.mark()
    verify = subprocess.Popen(
        [program("thumbturn"), "--socket", str(service.socket), "verify", "--user", person], stdout=subprocess.DEVNULL)
    service.log.wait(r"\barmed\b", mark)
    yield service.reader_processes()[0]
    verify.terminate()
    verify.wait()
    wait_until(lambda: not service.reader_processes(), "the claim to end")


def status(process: int) -> dict:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return {key: value.split() for key, _, value in (line.partition(":") for line in lines)}


def test_it_has_one_uid_and_no_other_group(reader):
    account = pwd.getpwnam(READER_USER)
    assert status(reader)["Uid"] == [str(account.pw_uid)] * 4
    assert status(reader)["Gid"] == [str(account.pw_gid)] * 4
    assert status(reader)["Groups"] == []


def test_it_has_no_rights_and_gains_none(reader):
    for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert int(status(reader)[kind][0], 16) == 0, kind
    assert status(reader)["NoNewPrivs"] == ["1"]


def test_it_has_no_network(reader):
    assert os.readlink(f"/proc/{reader}/ns/net") != os.readlink("/proc/self/ns/net")
    interfaces = Path(f"/proc/{reader}/net/dev").read_text().splitlines()[2:]
    assert [line.split(":")[0].strip() for line in interfaces] == ["lo"]


def test_it_is_limited(reader):
    limits = Path(f"/proc/{reader}/limits").read_text()
    for name, value in (("Max open files", "64"), ("Max file size", "0"), ("Max core file size", "0")):
        line = next(line for line in limits.splitlines() if line.startswith(name))
        assert line[len(name):].split()[:2] == [value, value], line


def test_it_holds_no_file_and_no_socket_of_the_daemons(service, reader):
    held = [os.readlink(entry) for entry in Path(f"/proc/{reader}/fd").iterdir()]
    assert not [target for target in held if str(service.data) in target], held
    # Its channel, and what the virtual reader listens on and was sent.
    assert len([target for target in held if target.startswith("socket:")]) <= 4, held


def test_its_environment_names_the_virtual_reader_only(reader):
    entries = Path(f"/proc/{reader}/environ").read_bytes().split(b"\0")
    names = {entry.split(b"=")[0] for entry in entries if entry}
    assert names <= {b"FP_VIRTUAL_IMAGE", b"FP_DRIVERS_WHITELIST", b"FP_DRIVERS_ALLOWLIST"}, names


def test_a_touch_is_recognised_under_it(service, person, prints, reader):
    mark = service.log.mark()
    service.touch(prints[1][7])
    service.log.wait(rf"\bgranted\b.*user {person}", mark)
    assert OTHER not in service.log.text(mark)


def test_in_earnest_it_gets_an_empty_environment(person, tmp_path):
    """Without --virtual-readers nothing of the daemon's environment passes."""
    for above in [tmp_path, *tmp_path.parents]:
        if above != Path("/"):
            above.chmod(above.stat().st_mode | 0o055)
    stand_in = tmp_path / "thumbturn-reader"
    stand_in.write_text("#!/bin/sh\nexec sleep 60\n")
    stand_in.chmod(0o755)
    daemon = subprocess.Popen(
        [program("thumbturnd"), "--socket", str(tmp_path / "socket"), "--data", str(tmp_path / "data"), "--libexec",
         str(tmp_path), "--idle-exit", "0", "--log-stderr"],
        env={"PATH": os.environ["PATH"], "FP_VIRTUAL_IMAGE": str(tmp_path / "x"), "LD_PRELOAD": ""},
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        Log(daemon.stderr).wait("ready")
        process = wait_until(
            lambda: [pid for pid in children(daemon.pid) if b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes()],
            "the stand-in")[0]
        names = {entry.split(b"=")[0] for entry in Path(f"/proc/{process}/environ").read_bytes().split(b"\0") if entry}
        # The shell itself adds these.
        assert names <= {b"PWD", b"SHLVL", b"_", b"OLDPWD"}, names
        assert status(process)["Uid"] == [str(pwd.getpwnam(READER_USER).pw_uid)] * 4
    finally:
        daemon.terminate()
        assert daemon.wait(LIMIT) == 0
