# SPDX-License-Identifier: Apache-2.0
"""What requests leave behind: a structured record in a real journal, a line in authpriv, a record of a real auditd."""

import contextlib
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import uuid
from pathlib import Path

import pytest

from conftest import OTHER
from patterns import RIGHT, WRONG, answer, client, outcome, set_pattern
from protocol_client import Client
from service import LIMIT, Service, wait_until
from system_log import SystemLog

MESSAGE_ID = "6c5f2b8e0f3d4a8f9f4f6a1f0d7c3b52"


@contextlib.contextmanager
def running(*command):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(LIMIT)


@contextlib.contextmanager
def covered(*folders):
    """Empty folders in the place of these, for the tests' mount namespace only."""
    made = [folder for folder in folders if not os.path.isdir(folder)]
    for folder in made:
        os.makedirs(folder)
    for folder in folders:
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        for folder in reversed(folders):
            subprocess.run(["umount", "-l", folder], check=True)
        for folder in made:
            os.rmdir(folder)


def listens(path):
    """Whether somebody reads from a datagram socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
    return True


@pytest.fixture
def journal():
    """journal(field=value…) answers the records of a journald of the test's own."""
    # In the tests' own /etc and mount namespace: without them journald does not run.
    if not os.path.ismount("/sys/fs/cgroup"):
        subprocess.run(["mount", "-t", "cgroup2", "cgroup2", "/sys/fs/cgroup"], check=False)
    machine = Path("/etc/machine-id")
    if not machine.exists() or not machine.read_text().strip():
        machine.write_text(f"{uuid.uuid4().hex}\n")
    settings = Path("/etc/systemd/journald.conf.d")
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "thumbturn.conf").write_text("[Journal]\nStorage=volatile\nAudit=no\nReadKMsg=no\nForwardToSyslog=no\n")
    with covered("/run/systemd", "/run/log"):
        for folder in ("/run/systemd/journal", "/run/log/journal"):
            os.makedirs(folder)
        with running("/lib/systemd/systemd-journald") as journald:
            wait_until(lambda: listens("/run/systemd/journal/socket") or journald.poll() is not None,
                       "journald to listen")
            if journald.poll() is not None:
                pytest.skip("journald does not run here, for want of a cgroup file system, say")

            def read(count, **fields):
                def records():
                    told = subprocess.run(
                        ["journalctl", "-D", "/run/log/journal", "-o", "json", "-q",
                         *(f"{name}={value}" for name, value in fields.items())],
                        capture_output=True, text=True, check=False).stdout
                    found = [json.loads(line) for line in told.splitlines()]
                    return found if len(found) >= count else None
                return wait_until(records, f"{count} records in the journal")
            yield read
    (settings / "thumbturn.conf").unlink()


@pytest.fixture
def audit(tmp_path):
    """The file that an auditd of the test's own keeps its records in."""
    status = subprocess.run(["auditctl", "-s"], capture_output=True, text=True, check=False)
    if status.returncode != 0 or os.path.exists("/run/auditd.pid"):
        pytest.skip("the kernel has no audit system that this process may use, or somebody else uses it")
    before = re.search(r"enabled (\d)", status.stdout)[1]
    kept = tmp_path / "audit.log"
    tmp_path.chmod(0o700)
    settings = tmp_path / "auditd"
    settings.mkdir(mode=0o750)
    text = Path("/etc/audit/auditd.conf").read_text().replace("/var/log/audit/audit.log", str(kept))
    (settings / "auditd.conf").write_text(text.replace("log_format = ENRICHED", "log_format = RAW"))
    (settings / "auditd.conf").chmod(0o640)
    with running("auditd", "-n", "-s", "enable", "-c", str(settings)):
        wait_until(lambda: os.path.exists("/run/auditd.pid"), "auditd to run")
        yield lambda words: wait_until(
            lambda: [line for line in kept.read_text().splitlines() if re.search(words, line)], f"{words} in the records")
    subprocess.run(["auditctl", "-e", before], check=False, capture_output=True)


@pytest.fixture
def service(person):
    with Service("none") as daemon:
        set_pattern(daemon, person)
        yield daemon


def give_up(service, person):
    with Client(str(service.socket)) as connection:
        connection.begin(person, service="login", terminal="tty9")
        connection.expect("pattern-offered")


def test_one_record_a_request_stands_in_the_journal(journal, service, person):
    assert outcome(answer(service, person, RIGHT, service="sudo", terminal="pts/7")) == "granted"
    assert outcome(answer(service, person, WRONG, service="sudo")) == "wrong-pattern"
    give_up(service, person)
    records = journal(4, MESSAGE_ID=MESSAGE_ID)
    assert [(one["THUMBTURN_REQUEST"], one["THUMBTURN_OUTCOME"]) for one in records] == [
        ("set-pattern", "done"), ("pattern", "granted"), ("verify", "refused"), ("verify", "given-up")]
    granted, refused = records[1:3]
    assert granted["THUMBTURN_FACTOR"] == "pattern" and granted["THUMBTURN_USER"] == person
    assert granted["THUMBTURN_SERVICE"] == "sudo" and granted["THUMBTURN_TERMINAL"] == "pts/7"
    assert granted["THUMBTURN_REQUESTER_UID"] == "0" and granted["THUMBTURN_DURATION_MS"].isdigit()
    assert refused["THUMBTURN_REFUSAL"] == "wrongPattern" and "THUMBTURN_FACTOR" not in refused
    # What people read is the same record, in authpriv.
    assert granted["MESSAGE"].startswith(f"pattern granted, service sudo, user {person}, terminal pts/7")
    assert granted["SYSLOG_FACILITY"] == "10" and granted["SYSLOG_IDENTIFIER"] == "thumbturnd"
    assert granted["PRIORITY"] == "6" and refused["PRIORITY"] == "5"


def test_no_record_holds_a_pattern_or_a_line_of_somebody_elses(journal, service, person):
    answer(service, person, RIGHT, service="sudo\nTHUMBTURN_OUTCOME=granted")
    answer(service, person, WRONG)
    records = journal(3, MESSAGE_ID=MESSAGE_ID)
    assert records[1]["THUMBTURN_SERVICE"] == "sudo?THUMBTURN_OUTCOME=granted"
    told = " ".join(value for one in records for name, value in one.items() if name.startswith(("THUMBTURN", "MESSAGE")))
    assert RIGHT not in told and WRONG not in told


def test_without_a_journal_the_line_is_in_the_system_log(service, person):
    with covered("/run/systemd"), SystemLog() as log:
        answer(service, person, RIGHT, service="sudo")
        line = log.wait("pattern granted, service sudo")
    # Facility authpriv (10), priority informational (6).
    assert line.startswith("<86>") and "thumbturnd[" in line and person in line


def test_the_journal_that_hangs_holds_nobody_up(journal, service, person):
    """What it does not take goes to the system log."""
    [daemon] = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
                if parent(pid) == os.getpid() and executable(pid).endswith("systemd-journald")]
    os.kill(daemon, signal.SIGSTOP)
    try:
        for _ in range(30):
            assert outcome(answer(service, person, RIGHT)) == "granted"
    finally:
        os.kill(daemon, signal.SIGCONT)


def parent(pid):
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def executable(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def test_auditd_keeps_who_was_let_in_and_what_was_changed(audit, service, person):
    answer(service, person, RIGHT, service="sudo", terminal="pts/7")
    answer(service, person, WRONG)
    with Client(str(service.socket)) as connection:
        connection.delete_pattern(person)
        connection.expect("done")
    [granted] = audit("op=thumbturn:pattern")
    assert "type=USER_AUTH" in granted and f'acct="{person}"' in granted and "res=success" in granted
    assert 'terminal="pts/7"' in granted and "thumbturnd" in granted
    [refused] = audit("op=thumbturn:verify")
    assert "type=USER_AUTH" in refused and "res=failed" in refused
    [deleted] = audit("op=thumbturn:delete-pattern")
    assert "type=USER_CHAUTHTOK" in deleted and "res=success" in deleted


def test_status_tells_people_when_they_were_last_let_in(service, person):
    def told(user):
        with client(service, user) as connection:
            connection.status()
            events = iter(connection.event, None)
            return dict((event.key, event.value) for event in itertools.takewhile(
                lambda event: event.kind != "done", events))

    assert "last pattern" not in told(person)
    answer(service, person, WRONG, service="login")
    assert "last pattern" not in told(person)
    answer(service, person, RIGHT, service="sudo")
    service.log.wait("pattern granted, ")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d by sudo", told(person)["last pattern"])
    assert "last pattern" not in told(OTHER) and "last touch" not in told(person)


def test_without_auditd_the_kernel_is_told_nothing(service, person):
    if os.path.exists("/run/auditd.pid"):
        pytest.skip("an auditd runs here")
    before = audited()
    answer(service, person, RIGHT)
    service.log.wait("pattern granted")
    assert audited() == before


def audited():
    """How often the kernel's own log names one of our operations."""
    told = subprocess.run(["dmesg"], capture_output=True, text=True, check=False).stdout
    return told.count("op=thumbturn")
