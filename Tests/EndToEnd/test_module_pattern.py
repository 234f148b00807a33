# SPDX-License-Identifier: Apache-2.0
"""What the module makes of typed patterns and of its line that learns, with a daemon that says what a test wants.

Not shown here: real hosts and the real daemon (test_pattern_sudo.py, test_lockers.py, test_learn.py).
"""

import pytest

from fake_daemon import (FakeDaemon, accepted, armed, finger_ended, granted, matched, mismatch, offered,
                         passed_on, refused, voided, waiting)
from module_bench import (AUTH_ERR, AUTHINFO_UNAVAIL, MODULE, SERVICE_ERR, SUCCESS, bench, finish,  # noqa: F401
                          needs_root, tools)

pytestmark = needs_root
PATTERN, PERM_DENIED = "2589", 6
NOTHING_ENROLLED, NO_MATCH, TIMED_OUT, POOR_SCAN, BUSY, TOO_HOT, NO_READER = 5, 6, 11, 7, 3, 4, 1
WRONG_PATTERN, LOCKED, REMOTE = 25, 29, 9


def offering(*answers, before=(accepted(), armed()), heard=None):
    """A daemon that offers a pattern, hears one and says `answers`."""
    def script(client):
        client.send(offered(), *before)
        said = client.answer()
        if heard is not None:
            heard.append(said)
        client.send(*answers)
        client.wait_for_end()
    return script


def quiet(client):
    """Offers nothing; whoever answers all the same breaks the test."""
    client.send(accepted(), armed())
    assert client.receive()[0] is None


def type_in(bench, text, prompt="pattern or password: ", *words):
    child = bench.spawn(*words)
    child.expect_exact(prompt)
    child.sendline(text)
    return finish(child)


# --- on a terminal ------------------------------------------------------------

def test_a_right_pattern_is_enough(bench):
    heard = []
    with FakeDaemon(bench.socket, offering(granted(), heard=heard)):
        found = type_in(bench, PATTERN)
    assert found.result == SUCCESS and found.differences == [] and heard == [PATTERN]
    assert found.said("prompt") == ["host: touch the fingerprint reader (right index), or type your pattern or password: "]
    assert bench.token is None, "a pattern is no PAM_AUTHTOK"


def test_a_wrong_pattern_is_an_error_and_goes_no_further(bench):
    with FakeDaemon(bench.socket, offering(refused(WRONG_PATTERN))):
        found = type_in(bench, PATTERN)
    assert found.result == AUTH_ERR and bench.token is None and found.differences == []
    assert found.log == [(5, "wrong pattern for alice")] and PATTERN not in "".join(found.said("log"))


@pytest.mark.parametrize("answers", [[passed_on()], [refused(LOCKED)], [refused(TIMED_OUT)]])
def test_what_the_daemon_passes_on_is_a_password(bench, answers):
    with FakeDaemon(bench.socket, offering(*answers)):
        found = type_in(bench, PATTERN)
    assert found.result == AUTHINFO_UNAVAIL and bench.token == PATTERN and found.took < 2000


def test_a_daemon_that_hangs_up_leaves_it_to_the_next_module(bench):
    def script(client):
        client.send(offered(), accepted(), armed())
        client.answer()

    with FakeDaemon(bench.socket, script):
        found = type_in(bench, PATTERN)
    assert found.result == AUTHINFO_UNAVAIL and bench.token == PATTERN


def test_silence_costs_three_seconds(bench):
    with FakeDaemon(bench.socket, offering()):
        found = type_in(bench, PATTERN)
    assert found.result == AUTHINFO_UNAVAIL and bench.token == PATTERN and 2900 < found.took < 4500


def test_what_comes_between_is_no_answer(bench):
    """Fingers that miss meanwhile, a void match: only what is said about the pattern counts."""
    between = [mismatch(2), armed(), matched(), voided(), finger_ended(NO_MATCH), granted()]
    with FakeDaemon(bench.socket, offering(*between)):
        assert type_in(bench, PATTERN).result == SUCCESS


@pytest.mark.parametrize("typed", ["123", "1234567891", "25890", "25a9", "2589 ", " 2589", "٢٥٨٩", "correct horse"])
def test_other_shapes_are_never_sent(bench, typed):
    def script(client):
        client.send(offered(), accepted(), armed())
        assert client.receive()[0] is None, "nothing is answered"

    with FakeDaemon(bench.socket, script):
        found = type_in(bench, typed)
    assert found.result == AUTHINFO_UNAVAIL and bench.token == typed


def test_digits_where_no_pattern_is_offered_are_a_password(bench):
    with FakeDaemon(bench.socket, quiet) as daemon:
        found = type_in(bench, PATTERN, "or type your password: ")
    assert found.result == AUTHINFO_UNAVAIL and bench.token == PATTERN and len(daemon.begins) == 1


def test_granted_after_passed_on_is_no_grant(bench):
    """The module leaves at the first word; the client would refuse the second."""
    with FakeDaemon(bench.socket, offering(passed_on(), granted())):
        found = type_in(bench, PATTERN)
    assert found.result == AUTHINFO_UNAVAIL and bench.token == PATTERN


@pytest.mark.parametrize("why", [NOTHING_ENROLLED, NO_READER])
def test_who_has_no_finger_is_asked_for_the_pattern(bench, why):
    with FakeDaemon(bench.socket, offering(granted(), before=[finger_ended(why)])):
        found = type_in(bench, PATTERN)
    assert found.result == SUCCESS and found.said("prompt") == ["host: type your pattern or password: "]


def test_while_another_holds_the_reader(bench):
    with FakeDaemon(bench.socket, offering(granted(), before=[waiting("su", "pts/9")])):
        found = type_in(bench, PATTERN, "or wait: ")
    assert found.result == SUCCESS and "type your pattern or password, or wait" in found.output


def test_a_finger_that_is_over_leaves_the_pattern(bench):
    with FakeDaemon(bench.socket, offering(granted(), before=[accepted(), armed(), finger_ended(NO_MATCH)])):
        found = type_in(bench, PATTERN, "(fingerprint not recognised; type your pattern or password) ")
    assert found.result == SUCCESS and found.differences == []
    assert found.log == [(5, "no fingerprint for alice: fingerprint not recognised")]


def test_a_prompt_that_outlived_the_conversation_opens_another(bench):
    scripts = [lambda client: client.send(offered(), accepted(), refused(TIMED_OUT)), offering(granted())]
    with FakeDaemon(bench.socket, lambda client: scripts.pop(0)(client)) as daemon:
        found = type_in(bench, PATTERN, "in time; type your pattern or password) ")
    assert found.result == SUCCESS and len(daemon.begins) == 2


def test_the_touch_still_wins(bench):
    def script(client):
        client.send(offered(), accepted(), armed())
        client.grant()

    with FakeDaemon(bench.socket, script):
        assert finish(bench.spawn()).result == SUCCESS


# --- in process ---------------------------------------------------------------

def test_in_process_only_the_shape_asks_the_daemon(bench):
    with FakeDaemon(bench.socket, offering(granted())) as daemon:
        found = bench.run(f"answer={PATTERN}")
        assert found.result == SUCCESS and bench.token is None and found.took < 500
        assert bench.run("answer=correct horse").result == AUTHINFO_UNAVAIL and len(daemon.begins) == 1


def test_in_process_a_wrong_pattern_is_an_error(bench):
    with FakeDaemon(bench.socket, offering(refused(WRONG_PATTERN))):
        found = bench.run(f"answer={PATTERN}")
    assert found.result == AUTH_ERR and bench.token is None


@pytest.mark.parametrize("first", [accepted(), refused(NOTHING_ENROLLED), granted(), waiting()])
def test_in_process_without_an_offer_digits_are_a_password(bench, first):
    with FakeDaemon(bench.socket, lambda client: (client.send(first), client.wait_for_end())):
        found = bench.run(f"answer={PATTERN}")
    assert found.result == AUTHINFO_UNAVAIL and bench.token == PATTERN and found.took < 500


def test_in_process_without_a_daemon_digits_are_a_password(bench):
    found = bench.run(f"answer={PATTERN}")
    assert found.result == AUTHINFO_UNAVAIL and bench.token == PATTERN and found.took < 500


def test_an_empty_answer_with_a_pattern_but_no_finger_waits_for_nothing(bench):
    with FakeDaemon(bench.socket, lambda client: (client.send(offered(), finger_ended(NOTHING_ENROLLED)),
                                                  client.wait_for_end())):
        found = bench.run("answer=")
    assert found.result == AUTHINFO_UNAVAIL and found.took < 500 and bench.token is None


def test_a_reader_that_never_stops_talking_costs_eight_seconds(bench):
    def script(client):
        client.send(accepted())
        client.socket.settimeout(0.05)
        while True:
            client.send(armed())
            try:
                if client.socket.recv(64) == b"":
                    return
            except TimeoutError:
                pass

    bench.service("timeout=170")
    with FakeDaemon(bench.socket, script):
        found = bench.run("answer=")
    assert found.result == AUTHINFO_UNAVAIL and 7900 < found.took < 8300


# --- reader=off and reader=only -----------------------------------------------

def test_without_the_reader_the_secret_alone_is_asked_for(bench):
    bench.service("reader=off")
    with FakeDaemon(bench.socket, offering(granted())) as daemon:
        found = bench.run("answer=typed", "odd=thread")
        assert found.result == AUTHINFO_UNAVAIL and bench.token == "typed" and daemon.begins == []
        assert found.said("prompt") == ["Password: "]
        assert bench.run("answer=").result == AUTHINFO_UNAVAIL and bench.token is None and daemon.begins == []
        assert bench.run(f"answer={PATTERN}", "odd=thread").result == SUCCESS


@pytest.mark.parametrize("why,result", [
    (NO_MATCH, AUTH_ERR), (POOR_SCAN, AUTH_ERR), (TIMED_OUT, AUTH_ERR), (BUSY, AUTH_ERR),
    (NO_READER, AUTHINFO_UNAVAIL), (NOTHING_ENROLLED, AUTHINFO_UNAVAIL), (TOO_HOT, AUTHINFO_UNAVAIL)])
@pytest.mark.parametrize("pattern", [False, True])
def test_alone_only_what_cannot_be_mended_is_unavailable(bench, why, result, pattern):
    """A desktop retires a reader that is "unavailable" until the next lock."""
    bench.service("reader=only")
    ending = [offered(), accepted(), finger_ended(why)] if pattern else [accepted(), refused(why)]
    with FakeDaemon(bench.socket, lambda client: (client.send(*ending), client.wait_for_end())):
        found = bench.run()
    assert found.result == result and len(found.said("error")) == 1


def test_alone_nobody_in_time_is_no_reason_to_give_the_reader_up(bench):
    bench.service("reader=only timeout=1")
    with FakeDaemon(bench.socket, lambda client: (client.send(accepted(), armed()), client.wait_for_end())):
        found = bench.run()
    assert found.result == AUTH_ERR and 900 < found.took < 1500


# --- from another machine ------------------------------------------------------

@pytest.mark.parametrize("host", ["192.0.2.7", "other.example"])
def test_from_afar_a_pattern_is_taken_where_the_daemon_takes_it(bench, host):
    with FakeDaemon(bench.socket, offering(granted(), before=[finger_ended(REMOTE)])) as daemon:
        found = bench.run(f"answer={PATTERN}", f"rhost={host}")
    assert found.result == SUCCESS and daemon.begins[0]["remote_host"] == host
    assert found.said("prompt") == ["host: type your pattern or password: "]


@pytest.mark.parametrize("where", ["rhost=192.0.2.7", "tty=ssh"])
@pytest.mark.parametrize("events", [[refused(REMOTE)], [accepted(), armed()], [waiting()], []])
def test_from_afar_nothing_else_is_said(bench, events, where):
    """Whatever else the daemon says: no prompt, no touch."""
    with FakeDaemon(bench.socket, lambda client: (client.send(*events), client.wait_for_end())):
        found = bench.run("answer=typed", where)
    assert found.result == AUTHINFO_UNAVAIL and found.said("prompt") == [] and found.took < 500


# --- the line that learns -----------------------------------------------------

def test_learning_hands_over_what_was_typed_and_vouches_for_nothing(bench):
    bench.service("learn", token="secret-1")
    with FakeDaemon(bench.socket, quiet) as daemon:
        found = bench.run("rhost=192.0.2.7")
        assert bench.run("call=setcred").result == SUCCESS
    assert found.result == AUTHINFO_UNAVAIL and found.said("prompt") == [] and found.differences == []
    assert daemon.learnt == [("alice", "host", "secret-1")] and daemon.begins == []
    assert bench.token == "secret-1" and "secret-1" not in found.output


@pytest.mark.parametrize("who,token", [({}, None), ({"user": "nobody-enrolled"}, "given"), ({"user": "../alice"}, "given"),
                                       ({"service": "thumbturn-password"}, "given")])
def test_nothing_to_learn_from_is_nothing(bench, who, token):
    bench.service("learn", name=who.get("service", "host"), token=token)
    with FakeDaemon(bench.socket, quiet) as daemon:
        found = bench.run(**who)
    assert found.result == AUTHINFO_UNAVAIL and daemon.learnt == [] and found.took < 50


def test_learning_waits_for_nobody(bench):
    bench.service("learn", token="given")
    assert bench.run().result == AUTHINFO_UNAVAIL, "no daemon at all"
    with FakeDaemon(bench.socket, quiet, as_uid=1) as daemon:
        assert bench.run().result == AUTHINFO_UNAVAIL and daemon.learnt == [], "root must listen there"
    bench.service("learn", token="x" * 512)
    with FakeDaemon(bench.socket, quiet) as daemon:
        assert bench.run().result == AUTHINFO_UNAVAIL and daemon.learnt == [], "no secret is that long"


@pytest.mark.parametrize("options", ["learn reader=only", "learn timeout=5", "learn use_first_pass", "learn prompt=x"])
def test_a_line_that_learns_says_nothing_else(bench, options):
    bench.service(options, token="given")
    with FakeDaemon(bench.socket, quiet) as daemon:
        assert bench.run().result == SERVICE_ERR and daemon.learnt == []


@pytest.mark.parametrize("control,result", [
    ("required", AUTHINFO_UNAVAIL), ("sufficient", PERM_DENIED), ("[success=done default=ignore]", PERM_DENIED)])
def test_as_the_only_line_it_lets_nobody_in(bench, control, result):
    """PERM_DENIED is libpam's own, of a stack that decided nothing."""
    (bench.folder / "host").write_text(f"auth [default=ignore] {bench.tools}/pam_tell.so token=given\n"
                                       f"auth {control} {MODULE} socket={bench.socket} learn\n")
    with FakeDaemon(bench.socket, quiet) as daemon:
        assert bench.run().result == result
    assert daemon.learnt == [("alice", "host", "given")]
