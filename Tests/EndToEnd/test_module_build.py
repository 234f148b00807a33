# SPDX-License-Identifier: Apache-2.0
"""What the built module is made of, and how it takes its options."""

import ctypes
import pathlib
import platform
import re
import subprocess

import pexpect
import pytest

from fake_daemon import FakeDaemon, accepted, armed, frame, mismatch, refused, retry, waiting
from module_bench import (AUTHINFO_UNAVAIL, MODULE, SERVICE_ERR, SUCCESS, bench, compile_c, expect_all,  # noqa: F401
                          finish, needs_root, tools)

ENTRIES = {"pam_sm_authenticate", "pam_sm_setcred", "pam_sm_acct_mgmt", "pam_sm_open_session", "pam_sm_close_session",
           "pam_sm_chauthtok"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_only_the_entry_points_are_exported():
    exported = {line.split()[-1] for line in output("nm", "-D", "--defined-only", str(MODULE)).splitlines()}
    assert exported == ENTRIES


def test_only_libpam_and_libc_are_needed_and_bound_at_once():
    dynamic = output("readelf", "-d", str(MODULE))
    assert set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)) == {"libpam.so.0", "libc.so.6"}
    assert "BIND_NOW" in dynamic
    # SwiftPM adds $ORIGIN, which the installation strips; no other place is searched.
    assert set(re.findall(r"RUNPATH.*\[(.*)\]", dynamic)) <= {"$ORIGIN"}


def test_it_loads_and_lacks_what_it_should():
    module = ctypes.CDLL(str(MODULE))
    assert hasattr(module, "pam_sm_authenticate")
    assert not hasattr(module, "thumbturn_open")


def test_it_has_no_code_of_threads_signals_or_the_environment():
    wanted = set(re.findall(r" U (\w+)", output("nm", "-D", str(MODULE))))
    assert not wanted & {"pthread_create", "signal", "setenv", "putenv", "unsetenv", "atexit", "system", "fork", "vfork",
                         "posix_spawn", "abort"}
    # One process of ours puts SIGTERM back to its default; in the host nothing is changed.
    users = [path for path in sorted((pathlib.Path(__file__).parents[2] / "pam").glob("*.c")) if "sigaction(" in path.read_text()]
    assert [path.name for path in users] == ["speaker.c"]
    assert re.findall(r"sigaction\((.*)\);", users[0].read_text()) == ["SIGTERM, &action, NULL"]


# Leftovers of Swift's runtime and an initialiser that nothing of the module calls,
# and two checks that a literal's address is not null.
MAY_TRAP = re.compile(r"^(swift_|_swift_|\$es|\$e13ThumbturnShim4TextVyACs12StaticStringVcfC$|thumbturn_refusal_message$"
                      r"|thumbturn_finger_name$|\$es12StaticString)")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="looks for x86's trap instruction")
def test_no_code_that_runs_in_a_host_can_trap():
    """Swift turns a failed check into `ud2`, which would end sudo or unlock i3lock."""
    function, trapping = "", set()
    for line in output("objdump", "-d", "--no-show-raw-insn", str(MODULE)).splitlines():
        start = re.match(r"^[0-9a-f]+ <(\S+)>:$", line)
        function = start.group(1) if start else function
        if line.rstrip().endswith("ud2"):
            trapping.add(function)
    assert trapping, "objdump shows no traps at all, so this test sees nothing"
    assert {name for name in trapping if not MAY_TRAP.match(name)} == set()


@needs_root
def test_the_module_itself_allocates_nothing(bench, tmp_path):
    preloaded = compile_c(tmp_path / "allocations.so", "allocations.c", flags=["-shared", "-fPIC"])

    def script(client):
        client.send(accepted(), armed(), mismatch(1), retry(1), waiting())
        client.grant()

    bench.service("reader=only")
    with FakeDaemon(bench.socket, script):
        done = subprocess.run(bench.command(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30,
                              env={"LD_PRELOAD": str(preloaded)})
    assert done.returncode == 0 and done.stderr == ""
    with FakeDaemon(bench.socket, script):
        bench.service()
        child = pexpect.spawn("env", [f"LD_PRELOAD={preloaded}", *bench.command("tty=self", "talk=terminal")],
                              encoding="utf8", timeout=15)
        found = finish(child)
    assert found.result == SUCCESS and "allocates" not in found.output


@needs_root
@pytest.mark.parametrize("option", [
    "reader=sometimes", "reader=", "reader", "timeout=0", "timeout=171", "timeout=5s", "timeout=-5", "timeout=05",
    "timeout=99999999999999999999", "timeout=", "max-tries=0", "max-tries=11", "max-tries= 3", "prompt=", "socket=run/socket",
    "socket=/" + "x" * 108, "debug=1", "nullok", "Debug", "use_first_pass=yes", "learn=yes"])
def test_a_wrong_option_is_named_and_refuses(bench, option):
    bench.service(f"[{option}]")
    with FakeDaemon(bench.socket, lambda client: client.grant()) as daemon:
        found = bench.run("answer=typed")
    assert found.result == SERVICE_ERR and daemon.begins == []
    assert found.log == [(3, f"unknown or wrong option: {option}")]


@needs_root
@pytest.mark.parametrize("option", ["reader=parallel", "timeout=1", "timeout=170", "max-tries=1", "max-tries=10", "debug",
                                    "try_first_pass", "prompt=Say friend: "])
def test_a_right_option_is_taken(bench, option):
    bench.service(f"[{option}]")
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.grant())):
        assert bench.run("answer=").result == SUCCESS


@needs_root
@pytest.mark.parametrize("call", ["account", "open", "close", "password"])
def test_in_another_stack_it_fails(bench, call):
    """Never success, never ignored: nothing was looked at."""
    found = bench.run(f"call={call}")
    assert found.result == SERVICE_ERR and "does not belong into the" in found.log[0][1]


@needs_root
def test_credentials_are_always_set(bench):
    assert bench.run("call=setcred").result == SUCCESS


@needs_root
@pytest.mark.parametrize("words,who,options", [
    (["rhost=192.0.2.1"], {}, "reader=only"), (["rhost=192.0.2.1"], {}, "reader=off"),
    ([], {"user": "nobody-enrolled"}, ""),
    ([], {"user": ".."}, ""), ([], {"user": "../enrolled/alice"}, ""), ([], {"user": ".hidden"}, ""),
    ([], {"user": "x" * 300}, ""), ([], {"user": "a\nb"}, ""), ([], {}, "use_first_pass"),
    ([], {"service": "thumbturn-password"}, "")])
def test_who_is_not_served_is_not_asked(bench, words, who, options):
    bench.service(options, name=who.get("service", "host"))
    (bench.folder / "enrolled" / ".hidden").touch()
    with FakeDaemon(bench.socket, lambda client: client.grant()) as daemon:
        found = bench.run("answer=typed", *words, **who)
    assert found.result == AUTHINFO_UNAVAIL and found.said("prompt") == [] and daemon.begins == []
    assert found.took < 50 and found.log == []


@needs_root
@pytest.mark.parametrize("host", ["", "localhost", "127.0.0.1", "::1"])
def test_a_local_host_by_any_name_is_local(bench, host):
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.grant())):
        assert bench.run("answer=", f"rhost={host}").result == SUCCESS


@needs_root
def test_a_token_given_before_is_left_to_the_next_module(bench):
    bench.service(token="given")
    with FakeDaemon(bench.socket, lambda client: client.grant()) as daemon:
        found = bench.run("answer=typed")
    assert found.result == AUTHINFO_UNAVAIL and found.said("prompt") == [] and daemon.begins == []
    assert bench.token == "given"


@needs_root
def test_reader_only_does_not_mind_a_token(bench):
    bench.service("reader=only use_first_pass", token="given")
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.grant())):
        assert bench.run().result == SUCCESS


@needs_root
@pytest.mark.parametrize("refuse", [refused(3), frame(9, b"\xff"), frame(1, version=9), b""])
def test_a_refusal_is_one_line_of_the_log(bench, refuse):
    with FakeDaemon(bench.socket, lambda client: client.send(refuse)):
        found = finish(bench.spawn())
    assert len(found.log) == 1 and found.log[0][0] == 5
    assert found.log[0][1].startswith("no fingerprint for alice: ")
    with FakeDaemon(bench.socket, lambda client: client.send(accepted(), armed(), refuse)):
        child = bench.spawn()
        expect_all(child, "type your password: ", "type your password) ")
        child.sendline("s3cret")
        found = finish(child)
    assert len(found.log) == 1 and found.log[0][0] == 5 and "s3cret" not in found.output


@needs_root
def test_no_daemon_is_said_with_its_reason(bench):
    found = finish(bench.spawn())
    assert found.log == [(5, "no fingerprint for alice: the fingerprint service is not running: "
                             "No such file or directory")]


@needs_root
def test_debug_tells_why_nobody_was_asked(bench):
    bench.service("debug use_first_pass")
    assert bench.run().log == [(7, "alice: a password was given before")]
