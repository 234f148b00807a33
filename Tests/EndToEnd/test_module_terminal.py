# SPDX-License-Identifier: Apache-2.0
"""The prompt on a terminal with the watcher beside it.

Not shown here: real sudo, su and login (test_sudo.py, test_su_login.py).
"""

import threading

import pexpect
import pytest

from fake_daemon import (CONFIRM, FOREGROUND, HOLD, NONCE, FakeDaemon, accepted, armed, granted, matched, mismatch,
                         refused, retry, voided, waiting)
from module_bench import (AUTHINFO_UNAVAIL, CONV_ERR, SUCCESS, bench, expect_all, finish,  # noqa: F401
                          needs_root, tools)

pytestmark = needs_root


def settled(client):
    """Accepts, arms and leaves the rest to the person."""
    client.send(accepted(), armed())
    client.wait_for_end()


def test_a_touch_wins_without_a_key(bench):
    def script(client):
        client.send(accepted(), armed())
        client.grant()

    with FakeDaemon(bench.socket, script) as daemon:
        found = finish(bench.spawn())
    assert found.result == SUCCESS and found.differences == []
    assert found.said("prompt") == ["host: touch the fingerprint reader (right index) or type your password: "]
    assert bench.token is None
    begin = daemon.begins[0]
    assert (begin["service"], begin["user"], begin["remote_host"]) == ("host", "alice", "")
    assert begin["terminal"].startswith("pts/") and begin["real_user"] == 0 and begin["tries"] == 0


def test_a_typed_secret_goes_to_the_next_module(bench):
    with FakeDaemon(bench.socket, settled):
        child = bench.spawn()
        child.expect("password: ")
        child.sendline("s3cret word")
        found = finish(child)
    assert found.result == AUTHINFO_UNAVAIL and found.differences == []
    assert bench.token == "s3cret word"


def test_enter_alone_asks_the_next_module(bench):
    with FakeDaemon(bench.socket, settled):
        child = bench.spawn()
        child.expect("password: ")
        child.sendline("")
        found = finish(child)
    assert found.result == AUTHINFO_UNAVAIL and bench.token is None


def test_a_failed_conversation_voids_the_match(bench):
    def script(client):
        client.send(accepted(), armed(), matched())
        assert [client.receive()[0], client.receive()[0]] == [HOLD, None], "nothing is confirmed"

    with FakeDaemon(bench.socket, script):
        command = bench.command("tty=self", "talk=fail", "delay=400")
        found = finish(pexpect.spawn(command[0], command[1:], encoding="utf8", timeout=15))
    assert found.result == CONV_ERR and found.differences == []


def test_ctrl_c_ends_it(bench):
    with FakeDaemon(bench.socket, settled):
        child = bench.spawn()
        child.expect("password: ")
        child.sendintr()
        found = finish(child)
    assert found.result == CONV_ERR and found.differences == []


def test_the_half_typed_word_reaches_nobody(bench):
    """What was typed before the match is neither a token nor input of the next program."""
    typed = threading.Event()

    def script(client):
        client.send(accepted(), armed())
        assert typed.wait(10)
        client.grant()

    with FakeDaemon(bench.socket, script):
        child = pexpect.spawn("sh", ["-c", '"$@"; head -c 6 </dev/tty', "sh",
                                     *bench.command("tty=self", "talk=terminal", "keep=1")], encoding="utf8", timeout=15)
        child.expect("password: ")
        child.send("sec")
        typed.set()
        child.expect("result 0")
        child.sendline("hello")
        child.expect("hello\r\n")
        child.expect("hello\r\n")
        child.expect(pexpect.EOF)
        child.close()
    assert "sec" not in child.before and bench.token is None


def test_a_match_that_the_daemon_does_not_grant_is_no_success(bench):
    """The confirmation decides; what was typed is then what was typed."""
    def script(client):
        client.send(accepted(), armed(), matched())
        assert client.expect(CONFIRM) == NONCE
        client.send(voided())

    with FakeDaemon(bench.socket, script):
        found = finish(bench.spawn())
    assert found.result == AUTHINFO_UNAVAIL and bench.token is None


@pytest.mark.parametrize("ending", ["silence", "hang-up", "granted unasked", "refusal"])
def test_only_granted_after_our_confirmation_counts(bench, ending):
    def script(client):
        if ending == "granted unasked":
            client.send(accepted(), granted())
            client.wait_for_end()
            return
        client.send(accepted(), armed(), matched())
        client.expect(CONFIRM)
        if ending == "refusal":
            client.send(refused(14))
        if ending == "silence":
            client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        child = bench.spawn()
        if ending == "granted unasked":
            expect_all(child, "type your password: ", "type your password) ")
            child.sendline("typed")
        found = finish(child)
    assert found.result == AUTHINFO_UNAVAIL
    assert found.took < 2000
    assert bench.token == ("typed" if ending == "granted unasked" else None)


def test_notes_stand_behind_the_prompt(bench):
    def script(client):
        client.send(accepted(fingers=(2, 7)), armed(), mismatch(2), armed(), retry(2), armed(), mismatch(1), mismatch(0),
                    refused(6))

    with FakeDaemon(bench.socket, script):
        child = bench.spawn("flags=32768")
        expect_all(child, "host: touch the fingerprint reader or type your password: ", " (not recognised, 2 tries left) ",
                   " (put your finger on the middle of the reader) ", " (not recognised, 1 try left) ",
                   " (fingerprint not recognised; type your password) ")
        child.sendline("typed")
        found = finish(child)
    assert "0 tries" not in found.output
    assert found.result == AUTHINFO_UNAVAIL and bench.token == "typed"


def test_the_prompt_says_who_holds_the_reader(bench):
    def script(client):
        client.send(waiting("su\x1bdo", "pts/9"))
        client.send(accepted(), armed())
        client.grant()

    with FakeDaemon(bench.socket, script):
        found = finish(bench.spawn())
    assert found.said("prompt") == ["host: fingerprint reader in use by su?do on pts/9; type your password or wait: "]
    assert found.result == SUCCESS


def test_a_swipe_reader_asks_for_a_swipe(bench):
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(swipe=True)), client.grant())):
        found = finish(bench.spawn())
    assert found.said("prompt") == [
        "host: swipe your finger over the fingerprint reader (right index) or type your password: "]


def test_the_option_replaces_the_prompt(bench):
    bench.service("[prompt=Finger or word? ]")
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted()), client.grant())):
        found = finish(bench.spawn())
    assert found.said("prompt") == ["Finger or word? "]


def test_return_ends_the_line_where_newline_does_not(bench):
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.grant())):
        found = finish(bench.spawn("raw=1"))
    assert found.result == SUCCESS


def test_a_prompt_that_does_not_end_is_held_until_enter(bench):
    """Neither key ends this prompt; the match waits until something else does."""
    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(HOLD)
        assert client.expect(CONFIRM) == NONCE
        client.send(granted())

    with FakeDaemon(bench.socket, script):
        # A host that reads from elsewhere, so that keys on the terminal do not end it.
        command = bench.command("tty=self", "talk=script", "delay=1500", "answer=late")
        child = pexpect.spawn(command[0], command[1:], encoding="utf8", timeout=15)
        child.expect("prompt: ")
        child.expect_exact(" recognised, press Enter ")
        found = finish(child)
    assert found.result == SUCCESS and bench.token is None


def test_one_swallowed_key_is_typed_again(bench):
    """Ctrl-V takes the first key as text; the second ends the line."""
    quoted = threading.Event()

    def script(client):
        client.send(accepted(), armed())
        assert quoted.wait(10)
        client.send(matched())
        assert client.expect(CONFIRM) == NONCE, "no hold was needed"
        client.send(granted())

    with FakeDaemon(bench.socket, script):
        child = bench.spawn()
        child.expect("password: ")
        child.send("\x16")
        quoted.set()
        found = finish(child)
    assert found.result == SUCCESS


def test_what_came_from_elsewhere_counts_when_the_match_is_void(bench):
    """`sudo -S` and `-A` answer from elsewhere, later, with the right secret."""
    def script(client):
        client.send(accepted(), armed(), matched())
        client.expect(HOLD)
        client.send(voided())
        client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        command = bench.command("tty=self", "talk=script", "delay=700", "answer=late")
        found = finish(pexpect.spawn(command[0], command[1:], encoding="utf8", timeout=15))
    assert found.result == AUTHINFO_UNAVAIL and bench.token == "late"


def test_a_host_behind_gets_no_match(bench):
    """Stopped while the finger matches: the touch opens nothing, not even after `fg`."""
    void = threading.Event()

    def script(client):
        client.send(accepted(), armed())
        assert client.expect(FOREGROUND) == b"\0"
        client.send(matched())
        assert client.expect(FOREGROUND) == b"\0"
        client.send(voided())
        void.set()
        assert client.expect(FOREGROUND) == b"\1"
        client.send(accepted(), armed())
        client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        shell = pexpect.spawn("bash", ["--norc", "-i"], encoding="utf8", timeout=15, env={"PS1": "$ ", "TERM": "dumb"})
        shell.expect_exact("$ ")
        shell.sendline(" ".join(f"'{part}'" for part in bench.command("tty=self", "talk=terminal")))
        shell.expect("password: ")
        shell.sendcontrol("z")
        shell.expect("Stopped")
        assert void.wait(10)
        shell.sendline("fg")
        shell.expect("pam_host")
        assert shell.expect(["result", pexpect.TIMEOUT], timeout=1) == 1
        shell.sendline("wrong")
        shell.expect(r"result (\d+)")
        assert int(shell.match.group(1)) != SUCCESS
        shell.sendline("exit")
        shell.expect(pexpect.EOF)
        shell.close()
