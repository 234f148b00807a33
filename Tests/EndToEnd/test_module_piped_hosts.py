# SPDX-License-Identifier: Apache-2.0
"""What a host that asks over pipes keeps, what the process beside it holds, and which hosts there are."""

import os
import pathlib
import signal
import subprocess
import threading
import time

import pytest

from fake_daemon import FakeDaemon, accepted, armed
from module_bench import AUTHINFO_UNAVAIL, MODULE, SUCCESS, TOOLS, bench, needs_root, tools  # noqa: F401
from piped import Piped, assert_clean, patient, service, sockets  # noqa: F401
from service import alive, wait_until

pytestmark = needs_root


@pytest.mark.parametrize("odd", ["", "blocked", "ignore", "nowait", "reaper", "realuser", "few", "deaf"])
def test_in_odd_hosts(bench, service, odd):
    """Touched, and typed."""
    def script(client):
        client.send(accepted(), armed())
        client.grant()

    with FakeDaemon(bench.socket, script):
        assert_clean(Piped(bench, service, f"odd={odd}").finish(), SUCCESS)
    with FakeDaemon(bench.socket, patient):
        host = Piped(bench, service, f"odd={odd}")
        host.expect("prompt: ")
        start = time.monotonic()
        host.type("typed\n")
        assert_clean(host.finish(), AUTHINFO_UNAVAIL)
    assert bench.token == "typed" and time.monotonic() - start < 0.5


@pytest.mark.parametrize("odd", ["", "blocked", "deaf"])
def test_the_process_that_asks_is_the_hosts_alone(bench, service, odd):
    """It listens to SIGTERM whatever the host does, is root's alone, and holds nothing of the daemon's."""
    with FakeDaemon(bench.socket, patient):
        host = Piped(bench, service, f"odd=realuser,{odd}" if service == "polkit-1" else f"odd={odd}")
        host.expect("prompt: ")
        speaker = host.speaker()
        status = dict(line.split(":\t", 1) for line in pathlib.Path(f"/proc/{speaker}/status").read_text().splitlines())
        terminate = 1 << (signal.SIGTERM - 1)
        for which in ("SigBlk", "SigIgn", "SigCgt"):
            assert not int(status[which], 16) & terminate, which
        assert status["Uid"].split() == ["0"] * 4 and os.getpgid(speaker) == speaker
        assert sockets(speaker) == [] and len(sockets(host.process.pid)) == 1
        host.type("typed\n")
        assert_clean(host.finish(), AUTHINFO_UNAVAIL)


def test_a_killed_host_takes_the_conversation_along(bench, service):
    left = threading.Event()

    def script(client):
        patient(client)
        left.set()

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service)
        speaker = host.speaker()
        host.process.kill()
        wait_until(lambda: not alive(speaker), "the conversation to end", 1)
        assert left.wait(1), "the daemon saw the hang-up"
        host.process.wait()
        host.finish()


def test_the_agent_of_polkits_helper_is_named(bench):
    """Where the helper is a service its own uid says nothing; the peer of its socket does."""
    with FakeDaemon(bench.socket, patient) as daemon:
        for over, words in (("socket", []), ("pipe", []), ("pipe", ["odd=realuser"])):
            host = Piped(bench, "polkit-1", *words, over=over)
            host.expect("prompt: ")
            host.type("typed\n")
            host.finish()
        host = Piped(bench, "xsecurelock", over="socket")
        host.expect("prompt: ")
        host.type("typed\n")
        host.finish()
    assert [begin["requester"] for begin in daemon.begins] == [os.getpid(), 0, 0, 0]
    assert [begin["real_user"] for begin in daemon.begins] == [0, 0, 65534, 0]


@pytest.mark.parametrize("words", [["odd=thread"], ["odd=noproc"]])
def test_hosts_that_cannot_be_forked_ask_in_process(bench, words):
    with FakeDaemon(bench.socket, patient):
        host = Piped(bench, "xsecurelock", *words)
        host.expect("prompt: ")
        host.type("typed\n")
        assert host.finish().result == AUTHINFO_UNAVAIL
    assert bench.token == "typed"


@pytest.mark.parametrize("service", ["polkit-2", "sudo"])
def test_no_other_setuid_host_without_a_terminal_gets_the_reader(bench, service):
    with FakeDaemon(bench.socket, patient) as daemon:
        host = Piped(bench, service, "odd=realuser", start_new_session=True)
        host.hang_up()
        assert host.finish().result == AUTHINFO_UNAVAIL
    assert daemon.begins == []


def test_nor_does_one_called_polkit_whose_input_is_a_file(bench):
    with FakeDaemon(bench.socket, patient) as daemon, open("/dev/null") as nothing:
        host = Piped(bench, "polkit-1", "odd=realuser", stdin=nothing, start_new_session=True)
        assert host.finish().result == AUTHINFO_UNAVAIL
    assert daemon.begins == []


@pytest.mark.parametrize("service, cycles", [("polkit-1", 1000), ("xsecurelock", 100)])
def test_many_touches_leave_nothing(bench, service, cycles):
    """Fewer of xsecurelock's: each waits a moment for its dialog, which is not there, to go."""
    def script(client):
        client.send(accepted(), armed())
        client.grant()

    with FakeDaemon(bench.socket, script):
        found = Piped(bench, service, f"cycles={cycles}").finish()
    words = next(line for line in found.output.splitlines() if line.startswith("memory")).split()
    assert_clean(found, SUCCESS)
    assert int(words[4]) == 0 and int(words[1]) < 256, found.output[-200:]


@pytest.mark.parametrize("how", ["touched", "typed", "hung up"])
def test_valgrind_finds_nothing(bench, service, tmp_path, how):
    """In the host, and in the process that asks."""
    stripped = tmp_path / "stripped.so"
    subprocess.run(["strip", "-g", "-o", str(stripped), str(MODULE)], check=True)
    check = ["valgrind", "-q", "--leak-check=full", "--show-leak-kinds=definite,indirect", "--error-exitcode=9",
             "--trace-children=no", f"--suppressions={TOOLS}/valgrind.supp"]

    def script(client):
        client.send(accepted(), armed())
        assert asked.wait(30)
        client.grant() if how == "touched" else client.wait_for_end()

    asked = threading.Event()
    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service, before=check, module=stripped)
        host.expect("prompt: ")
        asked.set()
        host.type("typed\n") if how == "typed" else host.hang_up() if how == "hung up" else None
        found = host.finish()
    assert found.result == {"touched": SUCCESS, "typed": AUTHINFO_UNAVAIL}.get(how, found.result)
    assert found.code == (0 if how == "touched" else 1), found.output
