# SPDX-License-Identifier: Apache-2.0
"""The tool thumbturn-synth: its command line, its socket, and what libfprint thinks of its images.

The environment variable THUMBTURN_SYNTH names the built tool; without it the newest build in .build is taken.
Not tested: the device commands' effect on libfprint's virtual device, only their bytes.
"""
import json
import os
import pathlib
import socket
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALIBRATE = ROOT / "Tests" / "tools" / "calibrate_prints.py"


def built_tool():
    named = os.environ.get("THUMBTURN_SYNTH")
    if named:
        return named
    builds = [ROOT / ".build" / kind / "thumbturn-synth" for kind in ("release", "debug")]
    found = sorted((build for build in builds if build.exists()), key=lambda build: build.stat().st_mtime)
    assert found, "thumbturn-synth is not built: swift build --product thumbturn-synth"
    return str(found[-1])


def run(*words):
    return subprocess.run([built_tool(), *map(str, words)], capture_output=True, timeout=30)


def raw_scan(directory, seed, number):
    result = run("raw", "--finger", seed, "--impressions", number, "--directory", directory)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
    return (directory / f"{seed}-{number}.raw").read_bytes()


@pytest.fixture
def listener(tmp_path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "reader.sock"))
        server.settimeout(20)
        yield server


def received(server):
    connection, _ = server.accept()
    with connection:
        connection.settimeout(20)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def measure(preset, fingers, probes):
    result = subprocess.run(
        [CALIBRATE, "--tool", built_tool(), "--preset", preset,
         "--fingers", str(fingers), "--probes", str(probes)],
        capture_output=True, timeout=120)
    assert result.returncode == 0, result.stderr.decode()
    return json.loads(result.stdout)


def test_libfprint_finds_minutiae_and_tells_fingers_apart():
    figures = measure("easy", fingers=3, probes=2)
    assert (figures["images"], figures["genuine"], figures["strangers"]) == (21, 6, 12)
    assert figures["with25"] >= 0.95, figures
    assert (figures["rejected"], figures["accepted"]) == (0, 0), figures


def test_mixed_touches_are_harder():
    easy, mixed = measure("easy", fingers=2, probes=2), measure("mixed", fingers=2, probes=2)
    assert mixed["minutiae"]["25%"] < easy["minutiae"]["25%"]


def test_image_goes_to_a_file_or_to_standard_output(tmp_path):
    file = tmp_path / "print.pgm"
    assert run("image", "--finger", 7, "--impression", 2, "--output", file).returncode == 0
    printed = run("image", "--finger", 7, "--impression", 2).stdout
    assert printed == file.read_bytes()
    assert printed.startswith(b"P5\n260 300\n255\n")


def test_raw_writes_one_file_for_each_impression(tmp_path):
    assert run("raw", "--finger", 7, "--impressions", "2-4", "--directory", tmp_path).returncode == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["7-2.raw", "7-3.raw", "7-4.raw"]


def test_touch_sends_what_raw_writes(listener, tmp_path):
    listener.listen()
    result = run("touch", "--socket", listener.getsockname(), "--finger", 7, "--impression", 3)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
    assert received(listener) == raw_scan(tmp_path, 7, 3)


def test_touch_waits_for_a_reader_that_listens_late(listener):
    words = ["touch", "--socket", listener.getsockname(), "--finger", "7"]
    with subprocess.Popen([built_tool(), *words]) as tool:
        # Bound but not listening: connections are refused until here.
        listener.listen()
        assert len(received(listener)) == 8 + 260 * 300
        assert tool.wait(20) == 0


def test_touch_sends_a_device_command(listener):
    listener.listen()
    path = listener.getsockname()
    assert run("touch", "--socket", path, "--device-command", "SCAN left-thumb").returncode == 0
    assert received(listener) == b"SCAN left-thumb"


def test_touch_gives_up_on_an_absent_reader(tmp_path):
    result = run("touch", "--socket", tmp_path / "none", "--finger", 7, "--wait", 0)
    assert result.returncode == 1
    assert b"cannot reach a reader" in result.stderr


def test_touch_gives_up_on_a_reader_whose_queue_is_full(listener):
    listener.listen(0)
    with socket.socket(socket.AF_UNIX) as first:
        first.connect(listener.getsockname())
        result = run("touch", "--socket", listener.getsockname(), "--finger", 7, "--wait", 1)
    assert result.returncode == 1
    assert b"cannot reach a reader" in result.stderr


def test_a_directory_that_is_not_there_is_a_failure(tmp_path):
    result = run("raw", "--finger", 7, "--impressions", 1, "--directory", tmp_path / "none")
    assert result.returncode == 1
    assert b"No such file or directory" in result.stderr


def test_help_is_no_error():
    result = run("--help")
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.startswith(b"Usage: thumbturn-synth")


@pytest.mark.parametrize("words", [
    [], ["paint"], ["image"], ["image", "--finger"], ["image", "--finger", "x"], ["image", "--finger", "-1"],
    ["image", "--finger", "1", "--finger", "1"], ["image", "--finger", "1", "--preset", "hard"],
    ["image", "--finger", "1", "--colour", "red"], ["image", "7"], ["touch", "--finger", "1"],
    ["touch", "--socket", "", "--finger", "1"], ["touch", "--socket", "x" * 108, "--finger", "1"],
    ["raw", "--finger", "1", "--impressions", "5-1", "--directory", "."],
    ["raw", "--finger", "1", "--impressions", "-", "--directory", "."],
    ["raw", "--finger", "1", "--impressions", "0-99999", "--directory", "."],
    ["raw", "--finger", "1", "--impressions", "0-9223372036854775807", "--directory", "."],
], ids=" ".join)
def test_a_senseless_command_line_is_refused(words):
    result = run(*words)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.startswith(b"thumbturn-synth: ")
