# SPDX-License-Identifier: Apache-2.0
"""Hosts without a terminal, odd hosts, and what is left in a host afterwards."""

import os
import pathlib
import re
import subprocess
import time

import pexpect
import pytest

from fake_daemon import (CONFIRM, FakeDaemon, accepted, armed, granted, matched, mismatch, refused, retry, voided,
                         waiting)
from module_bench import (AUTH_ERR, AUTHINFO_UNAVAIL, CONV_ERR, MODULE, SUCCESS, SYSTEM_ERR, TOOLS, Found, bench,  # noqa: F401
                          finish, needs_root, tools)

pytestmark = needs_root
ELSEWHERE = "Password (or press Enter to use the fingerprint reader): "


def touch(client):
    client.send(accepted(), armed())
    client.grant()


# --- hosts without a terminal -------------------------------------------------

def test_a_locker_gets_its_typed_secret_checked_at_once(bench):
    with FakeDaemon(bench.socket, touch) as daemon:
        found = bench.run("answer=typed")
    assert found.result == AUTHINFO_UNAVAIL and bench.token == "typed" and found.took < 100
    assert found.said("prompt") == [ELSEWHERE] and daemon.begins == []


def test_an_empty_answer_waits_for_the_reader(bench):
    with FakeDaemon(bench.socket, touch) as daemon:
        found = bench.run("answer=")
    assert found.result == SUCCESS and bench.token is None
    assert found.said("info") == ["Touch the fingerprint reader (right index)"]
    assert (daemon.begins[0]["tries"], daemon.begins[0]["timeout"]) == (2, 8)


def test_two_wrong_fingers_end_the_wait(bench):
    """Even of a daemon that would go on."""
    def script(client):
        client.send(accepted(), armed(), mismatch(9), armed(), retry(0), armed(), mismatch(8))
        client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        found = bench.run("answer=")
    assert found.result == AUTHINFO_UNAVAIL and found.took < 1000
    assert found.said("error")[-1] == "fingerprint not recognised"


def test_the_wait_ends_after_its_time(bench):
    bench.service("timeout=1")
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.wait_for_end())):
        found = bench.run("answer=")
    assert found.result == AUTHINFO_UNAVAIL and 900 < found.took < 1500


def test_a_void_match_is_not_the_end(bench):
    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(CONFIRM)
        client.send(voided(), armed())
        client.grant()

    with FakeDaemon(bench.socket, script):
        assert bench.run("answer=").result == SUCCESS


def test_a_conversation_that_fails_at_once_asks_no_daemon(bench):
    with FakeDaemon(bench.socket, touch) as daemon:
        found = bench.run("talk=fail")
    assert found.result == CONV_ERR and daemon.begins == []


# --- reader=only --------------------------------------------------------------

def test_reader_only_never_prompts(bench):
    bench.service("reader=only")
    with FakeDaemon(bench.socket, touch) as daemon:
        found = bench.run("odd=thread")
    assert found.result == SUCCESS and found.said("prompt") == [] and found.differences == []
    assert found.said("info") == ["Touch the fingerprint reader (right index)"]
    assert (daemon.begins[0]["tries"], daemon.begins[0]["timeout"]) == (3, 30)


def test_reader_only_is_mute_when_told_so(bench):
    bench.service("reader=only")
    with FakeDaemon(bench.socket, lambda client: client.send(waiting(), accepted(), mismatch(1), refused(4))):
        found = bench.run("flags=32768")
    assert found.result == AUTHINFO_UNAVAIL and found.said("info") == found.said("error") == []


def test_reader_only_says_when_the_tries_are_used_up(bench):
    bench.service("reader=only max-tries=2")
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), mismatch(1), mismatch(0)),
                                                  client.wait_for_end())):
        found = bench.run()
    assert found.result == AUTH_ERR
    assert found.said("error") == ["Fingerprint: not recognised, 1 try left", "fingerprint not recognised"]
    assert len(found.said("info")) == 1


def test_a_user_changed_meanwhile_gets_nothing(bench):
    def script(client):
        client.send(accepted(), armed(), matched())
        assert client.receive()[0] in (4, CONFIRM)
        client.send(granted())

    with FakeDaemon(bench.socket, script):
        found = bench.run("talk=rename", "rename=bob", "answer=")
        assert found.result == SYSTEM_ERR
    with FakeDaemon(bench.socket, touch):
        command = bench.command("tty=self", "talk=rename", "rename=bob", "delay=60")
        found = finish(pexpect.spawn(command[0], command[1:], encoding="utf8", timeout=15))
    assert found.result == SYSTEM_ERR


# --- odd hosts ----------------------------------------------------------------

ODD = ["blocked", "ignore", "nowait", "reaper", "realuser", "ignore,blocked,realuser", "few"]


@pytest.mark.parametrize("odd", ODD)
def test_touch_and_typing_work_in_odd_hosts(bench, odd):
    words = [f"odd={odd}"]
    with FakeDaemon(bench.socket, touch):
        found = finish(bench.spawn(*words))
    assert found.result == SUCCESS and found.differences == []
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.wait_for_end())):
        child = bench.spawn(*words)
        child.expect("password: ")
        child.sendline("typed")
        found = finish(child)
    assert found.result == AUTHINFO_UNAVAIL and found.differences == [] and bench.token == "typed"


def test_closed_standard_descriptors(bench):
    """Ours stay out of the way of 0 to 2, which the host may open again."""
    with FakeDaemon(bench.socket, touch):
        child = pexpect.spawn("sh", ["-c", 'exec "$@"', "sh", *bench.command("talk=terminal", "odd=closed", "tty=tty")],
                              encoding="utf8", timeout=15)
        found = finish(child)
    # PAM_TTY "tty" is /dev/tty: the controlling terminal whatever its name is.
    assert found.result == SUCCESS and found.differences == []


def test_a_host_that_cannot_fork_still_asks(bench):
    with FakeDaemon(bench.socket, touch):
        child = bench.spawn("odd=noproc")
        child.expect_exact(ELSEWHERE)
        child.sendline("typed")
        found = finish(child)
        assert found.result == AUTHINFO_UNAVAIL and bench.token == "typed"
        child = bench.spawn("odd=noproc")
        child.expect_exact(ELSEWHERE)
        child.sendline("")
        assert finish(child).result == SUCCESS


def test_a_host_with_threads_gets_no_watcher(bench):
    with FakeDaemon(bench.socket, touch):
        child = bench.spawn("odd=thread")
        child.expect_exact(ELSEWHERE)
        child.sendline("typed")
        assert finish(child).result == AUTHINFO_UNAVAIL


def watcher_of(pid):
    """The one child of a host, as a folder of /proc."""
    listed = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True, check=True).stdout
    return pathlib.Path("/proc") / listed.split()[0]


@pytest.mark.parametrize("odd", ["realuser", "realuser,blocked,ignore"])
def test_the_watcher_is_out_of_everyones_reach(bench, odd):
    """Root's alone although the caller is not, in a group of its own, deaf to signals, with three descriptors."""
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.wait_for_end())):
        child = bench.spawn(f"odd={odd}")
        child.expect("password: ")
        watcher = watcher_of(child.pid)
        status = dict(line.split(":\t", 1) for line in (watcher / "status").read_text().splitlines())
        assert status["Name"] == "thumbturn-watch" and status["Threads"] == "1"
        assert status["Uid"].split() == ["0"] * 4
        blocked = int(status["SigBlk"], 16)
        assert blocked | 1 << 8 | 1 << 18 | 0b11 << 31 == (1 << 64) - 1, "all but KILL, STOP and the C library's two"
        assert os.getpgid(int(watcher.name)) == int(watcher.name) != os.getpgid(child.pid)
        kinds = sorted(re.sub(r"\d+", "", os.readlink(entry)) for entry in (watcher / "fd").iterdir())
        assert kinds == ["/dev/pts/", "pipe:[]", "socket:[]"]
        child.sendline("typed")
        assert finish(child).differences == []
        assert not watcher.exists()


@pytest.mark.parametrize("how", ["killed", "exits"])
def test_the_watcher_does_not_outlive_the_host(bench, how):
    seen = []

    def script(client):
        client.send(accepted(), armed())
        client.wait_for_end()
        seen.append(time.monotonic())

    with FakeDaemon(bench.socket, script):
        if how == "killed":
            child = bench.spawn()
            child.expect("password: ")
            assert watcher_of(child.pid).exists()
            child.kill(9)
        else:
            command = bench.command("tty=self", "talk=exit", "delay=300")
            child = pexpect.spawn(command[0], command[1:], encoding="utf8", timeout=15)
        child.expect(pexpect.EOF)
        child.close()
    # The daemon saw the hang-up, so no process holds the connection any more.
    assert seen


# --- what is left -------------------------------------------------------------

def cycles(bench, count, *words):
    done = subprocess.run(bench.command(f"cycles={count}", *words), stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=300, start_new_session=True)
    return Found(done.stdout, done.returncode)


def memory(found):
    words = next(line for line in found.output.splitlines() if line.startswith("memory")).split()
    return int(words[1]), int(words[4])


def test_a_thousand_touches_leave_nothing(bench):
    """Loaded, used and unloaded a thousand times."""
    bench.service("reader=only")
    with FakeDaemon(bench.socket, touch):
        found = cycles(bench, 1000)
    grown, maps = memory(found)
    assert found.result == SUCCESS and found.differences == [] and maps == 0 and grown < 256


def test_a_hundred_watched_prompts_leave_nothing(bench):
    with FakeDaemon(bench.socket, touch):
        found = finish(bench.spawn("cycles=100", "keep=1", limit=120))
    grown, maps = memory(found)
    assert found.result == SUCCESS and found.differences == [] and maps == 0 and grown < 256


def test_valgrind_finds_nothing(bench, tmp_path):
    """In process and beside a watcher; Swift's debug information is too new for valgrind."""
    stripped = tmp_path / "stripped.so"
    subprocess.run(["strip", "-g", "-o", str(stripped), str(MODULE)], check=True)
    check = ["valgrind", "-q", "--leak-check=full", "--show-leak-kinds=definite,indirect", "--error-exitcode=9",
             "--trace-children=no", f"--suppressions={TOOLS}/valgrind.supp"]
    bench.service("reader=only", module=stripped)
    with FakeDaemon(bench.socket, touch):
        done = subprocess.run([*check, *bench.command("cycles=5")], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    bench.service("", module=stripped)
    with FakeDaemon(bench.socket, touch):
        command = [*check, *bench.command("tty=self", "talk=terminal", "keep=1")]
        found = finish(pexpect.spawn(command[0], command[1:], encoding="utf8", timeout=60))
    assert found.code == 0, found.output
