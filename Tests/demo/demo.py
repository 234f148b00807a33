# SPDX-License-Identifier: Apache-2.0
"""Shows Thumbturn at work: enrol, touch, wrong finger, pattern, password, through real PAM.

The reader is libfprint's virtual one, which runs the real matching; the fingers
are invented (thumbturn-synth). Everything lies in a temporary folder, PAM's
service as well; nothing of the machine is changed. Ends with 1 when a step
did not do what it should.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from stage import Failed, Quotation, Stage, Terminal, step

USER, PASSWORD = "root", "open sesame"
PATTERN, WRONG_PATTERN = "276189", "276183"
RIGHT, WRONG = 7, 8  # two invented fingers
PAM_SUCCESS, PAM_AUTH_ERR = 0, 7


def needs_root():
    """Goes on as root: PAM modules believe no service that is not root's."""
    if os.geteuid() == 0:
        return
    if "--inside" not in sys.argv:
        # Root of a namespace of its own will do, where the kernel lets people have one.
        command = ["unshare", "--user", "--map-root-user", sys.executable, *sys.argv, "--inside"]
        sys.exit(subprocess.call(command))
    sys.exit("The demonstration needs root, or user namespaces. Run it as root: sudo make demo")


def enrol(stage):
    """Enrols the right finger through the command, its progress bar shown as it comes."""
    with Terminal(stage.command("enroll", "--user", USER), show=True) as terminal:
        terminal.expect("5 times")
        for number in range(1, 6):
            stage.touch(RIGHT, number)
            terminal.expect(rf"{number}(?:/| of )5")
        terminal.expect("Enrolled")
        if terminal.status() != 0:
            raise Failed("thumbturn enroll did not end well")


def set_pattern(stage):
    """Sets a pattern through the command, typed twice and never shown."""
    with Terminal(stage.command("pattern", "set", "--user", USER), show=True) as terminal:
        for prompt in ("New pattern of .*: ", "Once more: "):
            terminal.expect(prompt)
            terminal.line(PATTERN)
        terminal.expect("set")
        if terminal.status() != 0:
            raise Failed("thumbturn pattern set did not end well")


def sign_in(stage, act, expected):
    """Asks PAM for somebody; `act` does something about the prompt and answers when it did."""
    read, write = os.pipe()
    os.set_inheritable(write, True)
    host = [sys.executable, str(Path(__file__).with_name("host.py")), str(stage.pam), "demo", USER, str(write)]
    try:
        with Terminal(host, show=True) as terminal:
            os.close(write)
            terminal.expect("[Pp]assword[^:]*: ")
            acted = act(terminal)
            terminal.expect_end()
            code, answered = os.read(read, 100).decode().split() or ("none", "0")
    finally:
        os.close(read)
    if int(code) != expected:
        raise Failed(f"PAM answered {code}, not {expected}")
    return 1000 * (float(answered) - acted)


def wrong_finger(stage, terminal):
    """Three touches of another finger and a wrong password."""
    for number in range(1, 4):
        stage.touch(WRONG, number)
        terminal.expect("not recognised")
    terminal.expect("type your password")
    terminal.line("something else")
    return time.monotonic()


def touch(stage, terminal):
    """A touch of the enrolled finger; answers when the image was with the reader."""
    stage.touch(RIGHT, 8)
    return time.monotonic()


def typed(text):
    """Types a password or a pattern."""

    def act(terminal):
        terminal.line(text)
        return time.monotonic()

    return act


def show(stage):
    """All the steps."""
    with step("The service starts"):
        stage.start()
    with step("The reader it finds"):
        stage.run("readers", expected="virtual", show=True)
    with step("A finger is enrolled: five scans of an invented one"):
        enrol(stage)
        stage.run("list", "--user", USER, expected="right-index", show=True)
    with step("Signing in by a touch") as took:
        took(sign_in(stage, lambda terminal: touch(stage, terminal), PAM_SUCCESS), "from the scan to PAM's yes")
    with step("Another finger, three times, and a wrong password: refused"):
        sign_in(stage, lambda terminal: wrong_finger(stage, terminal), PAM_AUTH_ERR)
    with step("Signing in by the password, while the reader waits") as took:
        took(sign_in(stage, typed(PASSWORD), PAM_SUCCESS), "from Enter to PAM's yes")
    with step("A pattern is set: cells of a 3x3 grid, typed as digits"):
        set_pattern(stage)
    with step("Signing in by the pattern, typed at the same prompt") as took:
        took(sign_in(stage, typed(PATTERN), PAM_SUCCESS), "from Enter to PAM's yes")
    with step("A wrong pattern: refused, and tried as no password"):
        sign_in(stage, typed(WRONG_PATTERN), PAM_AUTH_ERR)
    with step("The service is gone: the password goes on") as took:
        stage.stop()
        took(sign_in(stage, typed(PASSWORD), PAM_SUCCESS), "from Enter to PAM's yes")


def offer_real_reader(stage):
    """Lets a person try a reader that is plugged in; nothing of it is kept."""
    with step("Looking for a plugged-in reader"):
        stage.start(virtual=False)
        found = stage.run("readers").stdout
        Quotation().add(found)
    if "No fingerprint reader" in found or not sys.stdin.isatty():
        return
    if input("Try it with a finger of yours? It is deleted afterwards. [y/N] ").strip().lower() != "y":
        return
    try:
        if subprocess.call(stage.command("enroll", "--user", USER)) == 0:
            subprocess.call(stage.command("verify", "--user", USER))
    finally:
        subprocess.call(stage.command("delete", "--all", "--user", USER))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True, help="the folder with the programs")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    needs_root()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    with Stage(arguments.build.resolve(), USER, PASSWORD) as stage:
        try:
            show(stage)
            # A namespace's root reaches no device.
            if not arguments.inside:
                offer_real_reader(stage)
        except Failed as failure:
            print(f"\nFAILED: {failure}\n{stage.log()}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("\nStopped.", file=sys.stderr)
            return 130
    print("\nAll steps did what they should; nothing of them is left on this machine.")
    return 0


sys.exit(main())
