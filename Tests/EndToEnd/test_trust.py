# SPDX-License-Identifier: Apache-2.0
"""Readers that nobody vouched for: a device with a known reader's numbers that says yes to everything.

The kernel's side is umockdev's, from the descriptions of recorded readers; the process that parses what the
device sends is played by the test, as if the device had all of it in its hands.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import OTHER, PASSWORD
from protocol_client import Client
from service import LIMIT, program
from standin_reader import StandIn

HERE = Path(__file__).resolve()
RECORDINGS = Path(os.environ.get("THUMBTURN_RECORDINGS", HERE.parents[3] / "shared/recordings"))
CHIPS = ["elanmoc", "synaptics"]

pytestmark = [
    pytest.mark.skipif(not RECORDINGS.is_dir(), reason=f"no recordings in {RECORDINGS} (set THUMBTURN_RECORDINGS)"),
    pytest.mark.skipif(not shutil.which("umockdev-run"), reason="umockdev is not installed"),
]


@pytest.fixture
def reader():
    shutil.copy(HERE.parents[2] / "config/pam.d/thumbturn-password", "/etc/pam.d/thumbturn-password")
    with StandIn() as running:
        yield running


@pytest.fixture(params=CHIPS)
def plug(request, reader, person, tmp_path):
    """plug(port, removable) starts the daemon, always with the same data, on a machine with that reader there."""
    original = (RECORDINGS / request.param / "device").read_text()
    port = re.search(r"^P: .*/(1-\d+)$", original, re.MULTILINE).group(1)
    number = int(re.search(r"^A: devnum=(\d+)", original, re.MULTILINE).group(1))
    about = {"driver": request.param, "stores": 1, "bus": 1, "address": number}
    service = None

    @contextlib.contextmanager
    def start(place: str, removable: str, matches_on_chip: bool = True):
        nonlocal service
        changed = re.sub(rf"\b{port}\b", place, original)
        changed = re.sub(r"^(A: removable=)(?!unknown)\w+", rf"\g<1>{removable}", changed, flags=re.MULTILINE)
        (tmp_path / "device").write_text(changed)
        wrapper = ["umockdev-run", "-d", str(tmp_path / "device"), "--"]
        if service is None:
            service = reader.service(wrapper=wrapper)
        service.start()
        try:
            yield service, about | {"stores": int(matches_on_chip)}
        finally:
            service.stop()

    yield start
    if service:
        service.remove()


def enrol(reader, service, person, about):
    with Client(str(service.socket)) as client:
        reader.enroll(client, person, **about)


def opens(reader, service, person, about):
    with Client(str(service.socket)) as client:
        client.begin(person)
        claim = reader.claim()
        claim.arm(**about)
        claim.report("matched", b"\0")
        client.confirm(client.until("matched").nonce)
        client.expect("granted")
        claim.finish()


def is_refused(reader, service, person, about):
    """The device would say yes, and is not even opened."""
    mark = service.log.mark()
    with Client(str(service.socket)) as client:
        client.begin(person)

        claim = reader.claim()
        claim.expect("list")
        claim.found(**about)
        claim.report("listed")
        claim.report("matched", b"\0")
        assert client.refusal() == "unknown-reader"
        assert claim.command() == "close"
        claim.end()
    service.log.wait(rf"reader is not used for {person}: .*USB \w+:\w+ at 0000:00:14.0/\d", mark)


def run(reader, service, about, *arguments, user=None, given=None, listings: int = 1):
    """Runs the command as somebody while the test plays the reader process; answers what it did."""
    command = subprocess.Popen(
        [program("thumbturn"), "--socket", str(service.socket), *arguments], user=user, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if given:
        command.stdin.write(given + "\n")
        command.stdin.flush()
    for _ in range(listings):
        claim = reader.claim()
        claim.expect("list")
        claim.found(**about)
        claim.report("listed")
        claim.finish()
    output, errors = command.communicate(timeout=LIMIT)
    return command.returncode, output, errors


def trust(reader, service, about, user=None):
    arguments = ["readers", "trust"] + (["--password-stdin"] if user else [])
    code, output, errors = run(reader, service, about, *arguments, user=user, given=user and PASSWORD)
    assert code == 0, output + errors
    return output


def shown(reader, service, about, user=None) -> dict:
    code, output, errors = run(reader, service, about, "readers", "--json", user=user)
    assert code == 0, output + errors
    [only] = json.loads(output)["readers"]
    return only


def test_a_built_in_reader_and_its_double_outside(plug, reader, person):
    with plug("1-9", "fixed") as (service, about):
        assert shown(reader, service, about, person)["trust"] == "new"
        enrol(reader, service, person, about)
        opens(reader, service, person, about)
        assert shown(reader, service, about, person)["trust"] == "trusted"
        assert not (service.data / "readers.trusted").exists()
        [record] = (service.data / "users" / person).glob("*.print")
        assert b"0000:00:14.0/9" in record.read_bytes()
        assert (about["driver"] == "synaptics") == (b"c087f7d72126" in record.read_bytes())
    for place, removable in [("1-4", "removable"), ("1-4", "fixed"), ("1-9", "removable"), ("1-4", "unknown")]:
        with plug(place, removable) as (service, about):
            is_refused(reader, service, person, about)
            told = shown(reader, service, about, person)
            assert told["trust"] == "unknown" and f"/{place[2:]}, " in told["place"]
    with plug("1-9", "fixed") as (service, about):
        opens(reader, service, person, about)


def test_only_ones_own_word_counts(plug, reader, person):
    with plug("1-9", "fixed") as (service, about):
        enrol(reader, service, person, about)
    with plug("1-4", "removable") as (service, about):
        # Whoever has a password of their own brings no reader in for somebody else.
        assert "Trusted where it is" in trust(reader, service, about, user=OTHER)
        is_refused(reader, service, person, about)
        assert "Trusted where it is" in trust(reader, service, about, user=person)
        assert "trusted already" in trust(reader, service, about, user=person)
        opens(reader, service, person, about)
        assert shown(reader, service, about, person)["trust"] == "trusted"
        assert (service.data / "readers.trusted").stat().st_mode & 0o7777 == 0o600
    # It counts for that place.
    with plug("1-5", "removable") as (service, about):
        is_refused(reader, service, person, about)


def test_roots_word_counts_for_everybody_and_a_damaged_file_for_nobody(plug, reader, person):
    with plug("1-9", "fixed") as (service, about):
        enrol(reader, service, person, about)
    with plug("1-4", "removable") as (service, about):
        trust(reader, service, about)
        opens(reader, service, person, about)
        file = service.data / "readers.trusted"
        changed = bytearray(file.read_bytes())
        changed[20] ^= 1
        file.write_bytes(changed)
        is_refused(reader, service, person, about)
        assert service.log.has("readers.trusted: damaged")
        trust(reader, service, about)
        opens(reader, service, person, about)


def test_enrolling_on_a_chip_that_can_be_exchanged_takes_a_word_first(plug, reader, person):
    for removable in ("removable", "unknown"):
        with plug("1-4", removable) as (service, about):
            code, _, errors = run(reader, service, about, "enroll", "--user", person)
            assert code != 0 and "not a known one" in errors and "thumbturn readers trust" in errors
            assert not (service.data / "enrolled" / person).exists()
    with plug("1-4", "removable") as (service, about):
        trust(reader, service, about)
        enrol(reader, service, person, about)
        opens(reader, service, person, about)


def test_a_wrong_password_trusts_nothing(plug, reader, person):
    with plug("1-4", "removable") as (service, about):
        code, _, errors = run(
            reader, service, about, "readers", "trust", "--password-stdin", user=person, given="wrong", listings=0)
        assert code != 0 and "password is not right" in errors
        assert not (service.data / "readers.trusted").exists()


def test_a_reader_that_sends_pictures_is_known_where_it_was_enrolled_on(plug, reader, person):
    with plug("1-4", "removable", matches_on_chip=False) as (service, about):
        enrol(reader, service, person, about)
        opens(reader, service, person, about)
    with plug("1-5", "removable", matches_on_chip=False) as (service, about):
        is_refused(reader, service, person, about)
        trust(reader, service, about, user=person)
        opens(reader, service, person, about)
