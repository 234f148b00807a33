# SPDX-License-Identifier: Apache-2.0
"""The two hosts that ask over pipes, polkit's helper and xsecurelock's: touch or type, one of both."""

import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import threading
import time

import pytest

from fake_daemon import (CONFIRM, FakeDaemon, accepted, armed, granted, matched, mismatch, offered, refused, voided,
                         waiting)
from module_bench import (ABORT, AUTHINFO_UNAVAIL, CONV_ERR, MODULE, SUCCESS, TOOLS, Found, bench,  # noqa: F401
                          needs_root, tools)
from service import alive, children, name, wait_until

pytestmark = needs_root
HOSTS = ("polkit-1", "xsecurelock")


class Piped:
    """A host whose standard input and output are pipes, or one socket."""

    def __init__(self, bench, service, *words, over="pipe", before=(), module=MODULE, **more):
        bench.service(name=service, module=module)
        ends = {}
        self.mine = None
        if over == "socket":
            self.mine, theirs = socket.socketpair()
            ends = {"stdin": theirs, "stdout": theirs}
        self.process = subprocess.Popen(
            [*before, *bench.command("talk=pipes", *words, service=service)],
            **({"stdin": subprocess.PIPE, "stdout": subprocess.PIPE} | ends | more))
        if over == "socket":
            theirs.close()
        self.reads = self.mine.fileno() if self.mine else self.process.stdout.fileno()
        self.output = ""

    def type(self, text):
        data = text.encode()
        self.mine.sendall(data) if self.mine else os.write(self.process.stdin.fileno(), data)

    def hang_up(self):
        self.mine.shutdown(socket.SHUT_WR) if self.mine else self.process.stdin.close()

    def expect(self, pattern, limit=10):
        end = time.monotonic() + limit
        while not re.search(pattern, self.output):
            assert select.select([self.reads], [], [], end - time.monotonic())[0], f"no {pattern!r} in {self.output!r}"
            data = os.read(self.reads, 4096)
            assert data, f"no {pattern!r} in {self.output!r}"
            self.output += data.decode()

    def finish(self):
        while data := os.read(self.reads, 4096):
            self.output += data.decode()
        code = self.process.wait(10)
        for stream in (self.process.stdin, self.process.stdout, self.mine):
            if stream and not getattr(stream, "closed", False):
                stream.close()
        return Found(self.output, code)

    def speaker(self):
        """The process that asks."""
        return wait_until(lambda: [pid for pid in children(self.process.pid) if name(pid) == "thumbturn-speak"],
                          "the process that asks")[0]


def patient(client):
    """Waits for a touch that never comes."""
    client.send(accepted(), armed())
    client.wait_for_end()


@pytest.fixture(params=HOSTS)
def service(request):
    return request.param


@pytest.mark.parametrize("over", ["pipe", "socket"])
def test_a_touch_ends_the_prompt(bench, service, over):
    go = threading.Event()

    def script(client):
        client.send(accepted(), armed())
        assert go.wait(10)
        client.grant()

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service, over=over)
        host.expect("prompt: ")
        speaker = host.speaker()
        go.set()
        found = host.finish()
    assert found.result == SUCCESS and found.differences == [] and bench.token is None
    assert not alive(speaker)


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


def assert_clean(found, result):
    assert found.result == result and found.differences == [], found.output


def test_the_prompt_names_service_and_finger(bench):
    with FakeDaemon(bench.socket, patient):
        for service, shown in (("polkit-1", "polkit"), ("xsecurelock", "xsecurelock")):
            host = Piped(bench, service)
            host.expect("prompt: ")
            host.type("typed\n")
            assert host.finish().said("prompt") == [
                f"{shown}: touch the fingerprint reader (right index) or type your password: "]


def test_half_a_line_reaches_nobody(bench, service):
    def script(client):
        client.send(accepted(), armed())
        assert typed.wait(10)
        client.grant()

    typed = threading.Event()
    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service, "linger=1")
        host.expect("prompt: ")
        host.type("half of a secr")
        typed.set()
        host.expect(r"result \d+")
        assert bench.token is None
        host.type("\n")
        assert_clean(host.finish(), SUCCESS)


def test_an_answer_in_flight_is_discarded(bench):
    """Typed while the match was being confirmed; the host's next read must not find it."""
    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(CONFIRM)
        os.kill(host.speaker(), signal.SIGSTOP)
        host.type("too late\n")
        client.send(granted())

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, "polkit-1", "linger=1")
        host.expect(r"result \d+")
        assert host.process.poll() is None, "it reads a line, and there is none"
        assert not select.select([host.reads], [], [], 0.2)[0]
        assert host.process.poll() is None
        host.type("\n")
        assert_clean(host.finish(), SUCCESS)
    assert bench.token is None


def test_an_answer_before_the_match_counts(bench, service):
    """Both wait when the host looks: it was stopped."""
    seen, answered, sent = [], threading.Event(), threading.Event()

    def script(client):
        client.send(accepted(), armed())
        assert answered.wait(10)
        client.send(matched())
        sent.set()
        seen.append(client.receive()[0])

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service)
        host.expect("prompt: ")
        os.kill(host.process.pid, signal.SIGSTOP)
        host.type("typed\n")
        wait_until(lambda: not children(host.process.pid), "the answer to be handed over")
        answered.set()
        assert sent.wait(10)
        os.kill(host.process.pid, signal.SIGCONT)
        assert_clean(host.finish(), AUTHINFO_UNAVAIL)
    assert seen == [None], "the match was not confirmed"
    assert bench.token == "typed"


def test_a_void_match_is_not_the_end(bench, service):
    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(CONFIRM)
        client.send(voided(), armed())
        client.grant()

    with FakeDaemon(bench.socket, script):
        assert_clean(Piped(bench, service).finish(), SUCCESS)


@pytest.mark.parametrize("answer", ["silence", "a hang-up", "too late"])
def test_a_match_that_is_not_granted_in_time_leaves_the_password(bench, service, answer):
    confirmed = threading.Event()

    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(CONFIRM)
        confirmed.set()
        if answer == "too late":
            assert client.receive(2)[0] is None, "it left"
        elif answer == "silence":
            client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service)
        host.expect("prompt: ")
        assert confirmed.wait(10)
        host.type("typed\n")
        assert_clean(host.finish(), AUTHINFO_UNAVAIL)
    assert bench.token == "typed"


def test_a_closed_pipe_is_a_failed_conversation(bench, service):
    with FakeDaemon(bench.socket, patient):
        host = Piped(bench, service)
        host.expect("prompt: ")
        host.hang_up()
        # xsecurelock would ask again after CONV_ERR.
        assert_clean(host.finish(), CONV_ERR if service == "polkit-1" else ABORT)
    assert bench.token is None


def test_so_is_a_killed_conversation(bench, service):
    with FakeDaemon(bench.socket, patient):
        host = Piped(bench, service)
        os.kill(host.speaker(), signal.SIGKILL)
        assert_clean(host.finish(), CONV_ERR if service == "polkit-1" else ABORT)


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


def test_a_pattern_is_taken(bench, service):
    def script(client):
        client.send(offered(), accepted(), armed())
        assert client.answer() == "14789"
        client.send(granted())

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service)
        host.expect("pattern or password: ")
        host.type("14789\n")
        assert_clean(host.finish(), SUCCESS)
    assert bench.token is None


def test_wrong_fingers_are_told_beside_polkits_prompt_only(bench, service):
    def script(client):
        client.send(waiting(), accepted(), armed(), mismatch(1), mismatch(0), refused(6))
        client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        host = Piped(bench, service)
        host.expect("prompt: ")
        if service == "polkit-1":
            host.expect("error: fingerprint not recognised\n")
        wait_until(lambda: os.readlink(f"/proc/{host.process.pid}/fd/0") and not sockets(host.process.pid), "its end")
        host.type("typed\n")
        found = host.finish()
    assert found.result == AUTHINFO_UNAVAIL and bench.token == "typed"
    told = ["Fingerprint: not recognised, 1 try left", "fingerprint not recognised"]
    assert found.said("error") == (told if service == "polkit-1" else [])
    assert found.said("info") == (["The fingerprint reader is free, touch it now"] if service == "polkit-1" else [])


def sockets(pid):
    """The unix sockets a process holds."""
    found = []
    for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            found += [entry.name] if os.readlink(entry).startswith("socket:") else []
        except OSError:
            pass
    return found


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
