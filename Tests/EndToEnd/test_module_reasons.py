# SPDX-License-Identifier: Apache-2.0
"""Refusals as a person meets them: why the password is needed once, in the prompt; and nothing where it is no news."""

import subprocess

import pytest

from conftest import PASSWORD, stack
from fake_daemon import FakeDaemon, accepted, armed, finger_ended, offered, refused
from module_bench import AUTH_ERR, AUTHINFO_UNAVAIL, bench, finish, needs_root, tools  # noqa: F401
from terminal import Shell
from piped import Piped

pytestmark = needs_root
REASONS = {
    8: "fingerprints are locked until the password is given",
    32: "after a start of the machine the password is needed once",
    33: "the password is needed again",
    34: "only the password is taken until it is given once",
    35: "the password is needed to open the home folder",
}
SILENT = {9: "remote", 10: "lidClosed", 36: "notAtSeat", 37: "factorOff"}


def refusing(code):
    def script(client):
        client.send(refused(code))
        client.wait_for_end()
    return script


@pytest.mark.parametrize("code", REASONS)
def test_a_reason_stands_in_the_prompt(bench, code):
    with FakeDaemon(bench.socket, refusing(code)):
        child = bench.spawn()
        child.expect("Password: ")
        child.sendline("typed")
        found = finish(child)
    assert found.result == AUTHINFO_UNAVAIL and bench.token == "typed" and found.differences == []
    assert found.said("prompt") == [f"host: {REASONS[code]}. Password: "]
    assert found.said("info") == found.said("error") == []


@pytest.mark.parametrize("code", [32, 33])
def test_digits_are_a_password_then(bench, code):
    """The reasons hold for patterns, so nothing is sent to the daemon."""
    begins = []

    def script(client):
        begins.append(1)
        client.send(refused(code))
        client.wait_for_end()

    with FakeDaemon(bench.socket, script):
        child = bench.spawn()
        child.expect("Password: ")
        child.sendline("14789")
        assert finish(child).result == AUTHINFO_UNAVAIL
    assert bench.token == "14789" and begins == [1]


@pytest.mark.parametrize("code", SILENT)
def test_others_are_no_news(bench, code):
    """The next module asks, as if ours were not there."""
    with FakeDaemon(bench.socket, refusing(code)):
        found = finish(bench.spawn())
    assert found.result == AUTHINFO_UNAVAIL and found.differences == []
    assert found.said("prompt") == found.said("info") == found.said("error") == []


@pytest.mark.parametrize("code", SILENT)
@pytest.mark.parametrize("options, words", [("reader=only", []), ("", ["answer="])])
def test_nor_where_messages_are_shown(bench, code, options, words):
    bench.service(options)
    with FakeDaemon(bench.socket, refusing(code)):
        found = bench.run(*words)
    assert found.result == AUTHINFO_UNAVAIL and found.said("info") == found.said("error") == []


@pytest.mark.parametrize("code", SILENT)
def test_nor_in_the_middle_of_a_prompt(bench, code):
    def script(client):
        client.send(accepted(), armed(), refused(code))
        client.wait_for_end()
        ended.append(code)

    ended = []
    with FakeDaemon(bench.socket, script):
        child = bench.spawn()
        child.expect("password: ")
        child.sendline("typed")
        found = finish(child)
    assert found.result == AUTHINFO_UNAVAIL and bench.token == "typed" and ended == [code]
    assert "type your password) " not in found.output


def test_a_locked_finger_leaves_the_pattern(bench):
    def script(client):
        client.send(offered(), finger_ended(8))
        assert client.answer() == "14789"
        client.send(refused(25))

    with FakeDaemon(bench.socket, script):
        child = bench.spawn()
        child.expect("password: ")
        child.sendline("14789")
        found = finish(child)
    assert found.result == AUTH_ERR
    assert found.said("prompt") == [f"host: {REASONS[8]}; type your pattern or password: "]


@pytest.mark.parametrize("code", [32, 36])
@pytest.mark.parametrize("service", ["polkit-1", "xsecurelock"])
def test_over_pipes(bench, service, code):
    with FakeDaemon(bench.socket, refusing(code)):
        host = Piped(bench, service)
        if code in REASONS:
            host.expect("Password: ")
            host.type("typed\n")
        found = host.finish()
    shown = service.removesuffix("-1")
    assert found.result == AUTHINFO_UNAVAIL and found.differences == []
    assert found.said("prompt") == ([f"{shown}: {REASONS[code]}. Password: "] if code in REASONS else [])
    assert found.said("error") == []


@pytest.fixture
def sudo(person, tmp_path):
    """Answers refusals to the real sudo."""
    folder = tmp_path
    (folder / "enrolled").mkdir()
    (folder / "enrolled" / person).touch()
    stack("thumbturn-sudo", folder / "socket")
    return str(folder / "socket")


def test_sudo_says_the_reason_once(person, sudo):
    """Its three tries are one transaction; what asks behind the first is sudo's own prompt."""
    with FakeDaemon(sudo, refusing(32)), Shell(person) as shell:
        shell.line("sudo -k id -un")
        shell.expect(f"thumbturn-sudo: {REASONS[32]}. Password: ")
        shell.line("wrong horse")
        shell.expect("try again")
        shell.expect(r"\n\[sudo\] password for [^\r\n]*: ")
        assert REASONS[32] not in shell.before
        shell.line(PASSWORD)
        shell.expect("root\r\n")


def test_sudos_own_prompt_still_replaces_ours(person, sudo):
    with FakeDaemon(sudo, refusing(32)), Shell(person) as shell:
        shell.line("sudo -k -p 'mine: ' id -un")
        shell.expect("mine: ")
        assert REASONS[32] not in shell.before
        shell.line(PASSWORD)
        shell.expect("root\r\n")


def test_the_prompt_of_another_account_names_it(person, tmp_path, sudo):
    """Its finger and its password are wanted."""
    stack("su", sudo)
    (tmp_path / "enrolled" / "ttother").touch()

    def script(client):
        client.send(accepted(), armed())
        client.wait_for_end()

    with FakeDaemon(sudo, script), Shell(person) as shell:
        shell.line("su ttother -c 'id -un'")
        shell.expect(r"su ttother: touch the fingerprint reader \(right index\) or type the password: ")
        shell.line(PASSWORD)
        shell.expect("ttother\r\n")


def test_no_prompt_is_longer_than_pam_allows(bench, tmp_path):
    name = "n" * 200
    (tmp_path / "enrolled" / name).touch()
    with FakeDaemon(bench.socket, refusing(32)):
        command = bench.command("tty=self", "talk=terminal", user=name)
        done = subprocess.run(["script", "-qec", " ".join(command), "/dev/null"], input="typed\n", capture_output=True,
                              text=True, timeout=20)
    assert f"{REASONS[32]}. Password: " in done.stdout
