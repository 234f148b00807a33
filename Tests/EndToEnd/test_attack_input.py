# SPDX-License-Identifier: Apache-2.0
"""Keys that nobody pressed for the next program must not reach it; asking twice in one process."""

import subprocess

import pexpect
import pytest

from fake_daemon import FakeDaemon, accepted, armed, matched, refused, voided
from module_bench import AUTHINFO_UNAVAIL, MODULE, SUCCESS, bench, finish, needs_root, tools  # noqa: F401

pytestmark = needs_root


@pytest.mark.parametrize("ending", [refused(14), voided()], ids=["refused", "void"])
def test_an_enter_for_a_match_that_came_to_nothing_is_taken_back(bench, ending):
    """The host reads from elsewhere, so the key stays in the terminal."""
    def script(client):
        client.send(accepted(), armed(), matched(), ending)
        client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        host = bench.command("tty=self", "talk=script", "delay=300", "answer=elsewhere")
        child = pexpect.spawn("sh", ["-c", '"$@"; echo rea"dy"; read -r line </dev/tty; echo "got<$line>"', "sh", *host],
                              encoding="utf8", timeout=15)
        child.expect(f"result {AUTHINFO_UNAVAIL}")
        child.expect("ready")
        child.sendline("hello")
        child.expect("got<(.*)>")
        assert child.match.group(1) == "hello"
        child.expect(pexpect.EOF)
        child.close()
    assert bench.token == "elsewhere"


def test_two_lines_in_one_stack(bench):
    """The second asks again after an empty answer, and not at all after a typed one."""
    line = f"auth [success=done default=ignore] {MODULE} socket={bench.socket}\n"
    (bench.folder / "host").write_text(line * 2 + f"auth required {bench.tools}/pam_tell.so {bench.token_file}\n")
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.wait_for_end())) as daemon:
        child = bench.spawn()
        child.expect("password: ")
        child.sendline("")
        child.expect("password: ")
        child.sendline("typed")
        found = finish(child)
        assert bench.token == "typed" and len(daemon.begins) == 2 and found.differences == []
        child = bench.spawn()
        child.expect("password: ")
        child.sendline("at once")
        finish(child)
        assert bench.token == "at once" and len(daemon.begins) == 3


@pytest.mark.parametrize("host,is_asked", [
    ("", True), ("localhost", True), ("127.0.0.1", True), ("::1", True), (" ", False), ("LOCALHOST", False),
    ("127.0.0.1 ", False), ("::ffff:127.0.0.1", False), ("localhost.example.org", False), ("0", False)])
def test_only_plain_names_of_this_machine_are_local(bench, host, is_asked):
    bench.service("reader=only")
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.grant())) as daemon:
        found = bench.run(f"rhost={host}")
    assert (found.result == SUCCESS) == is_asked == bool(daemon.begins)


@pytest.mark.parametrize("terminal", ["/dev/../dev/tty", "/dev//tty", "../dev/tty", ":0", "null", "/dev/null", "x" * 300])
def test_other_names_of_a_terminal_get_no_watcher(bench, terminal):
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.grant())) as daemon:
        found = bench.run(f"tty={terminal}", "answer=typed")
    assert found.result == AUTHINFO_UNAVAIL and bench.token == "typed" and daemon.begins == []


@pytest.mark.parametrize("user", ["alice\n", "../alice", ".", "", "a" * 255, "a" * 4000, "alice/", "al\x7fice", "%s%n"])
def test_odd_names_are_nobodys(bench, user):
    bench.service("reader=only")
    with FakeDaemon(bench.socket, lambda client: client.grant()) as daemon:
        found = bench.run(user=user)
    assert found.result != SUCCESS and daemon.begins == []
