# SPDX-License-Identifier: Apache-2.0
"""What is measured. In each, the contestants take turns: A B C A B C ..."""

import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import common
import service
from contestants import Bare, Fprintd, Thumbturn
from figures import Facts, Figure

# The virtual reader takes 100 ms to open; the rest is well after any settle time.
ARMED_FOR = 0.7
# Debian keeps modules in a folder named after the machine.
MODULES = Path("/lib", sysconfig.get_config_var("MULTIARCH") or "", "security")
MILLI = 1000.0


def say(text: str):
    """Progress goes to standard error; the table goes to standard output."""
    print(text, file=sys.stderr, flush=True)


def rounds(title: str, count: int, contestants, once):
    """Calls once(contestant, number) in turns; a failed attempt is reported and counted by `once`'s figures."""
    say(f"bench: {title}, {count} rounds")
    for number in range(count):
        if sys.stderr.isatty():
            print(f"\r  round {number + 1} of {count} ", end="", file=sys.stderr, flush=True)
        for contestant in contestants:
            once(contestant, number)
    if sys.stderr.isatty():
        say("")


def _guarded(contestant, figures, attempt):
    """Runs one attempt with what must come before and after it."""
    try:
        contestant.ready()
        return attempt()
    except common.Failed as failure:
        say(f"\n  {contestant.title}: {failure}")
        for figure in figures:
            figure.fail(contestant.title)
        return None
    finally:
        contestant.rest()
        time.sleep(common.REST)


def waiting_finger(place, contestants, count: int):
    """Start to success, the finger offered as soon as the reader listens; and start to prompt."""
    success = Figure("Start to success, the finger already there", base=Bare.title)
    prompt = Figure("Start to prompt (pam_fprintd: its first message)")

    def once(contestant, number):
        times = _guarded(contestant, [success], lambda: contestant.attempt(scan(place, number), None))
        if times:
            success.add(contestant.title, (times["done"] - times["start"]) * MILLI)
            if "prompt" in times:
                prompt.add(contestant.title, (times["prompt"] - times["start"]) * MILLI)
    rounds("start to success, the finger already there (settle time 0)", count, contestants, once)
    return [success, prompt]


def later_touch(place, contestants, count: int):
    """Touch to success well after the settle time; and the memory held meanwhile."""
    success = Figure("Touch to success, the reader armed for long", base=Bare.title)
    shared = Figure("Memory while armed, shared pages divided (PSS)", "MiB")
    resident = Figure("Memory while armed, resident (RSS)", "MiB")
    for contestant in contestants:
        if isinstance(contestant, Thumbturn):
            contestant.settle(250)

    def once(contestant, number):
        def armed(processes):
            pss, rss = common.memory(processes)
            shared.add(contestant.title, pss)
            resident.add(contestant.title, rss)
        extra = {} if isinstance(contestant, Bare) else {"armed": armed}
        times = _guarded(contestant, [success],
                         lambda: contestant.attempt(scan(place, number), ARMED_FOR, **extra))
        if times:
            success.add(contestant.title, (times["done"] - times["touch"]) * MILLI)
    rounds("touch to success, after the settle time (250 ms)", count, contestants, once)
    return [success, shared, resident]


def typed_password(place, thumbturn, count: int):
    """Enter to success of a password typed while the reader is armed, beside pam_unix alone."""
    figure = Figure("Enter to success, a right password (a cheap hash, so that the rest shows)", decimals=2)
    names = {"unix": "pam_unix alone"} | ({thumbturn.name: thumbturn.title + ", armed"} if thumbturn else {})

    def once(name, number):
        armed = name != "unix"
        if armed:
            thumbturn.ready()
        try:
            with place.attempt(name, place.person) as attempt:
                attempt.wait("prompt")
                if armed:
                    thumbturn.reader.wait_listening()
                time.sleep(ARMED_FOR)
                typed = attempt.type(place.password)
                figure.add(names[name], (attempt.succeed() - typed) * MILLI)
        except common.Failed as failure:
            say(f"\n  {names[name]}: {failure}")
            figure.fail(names[name])
        time.sleep(common.REST)
    rounds("Enter to success of a typed password", count, list(names), once)
    return [figure]


def nothing_enrolled(place, contestants, count: int):
    """What a module costs a person who has nothing enrolled: with it, less without it."""
    whole = Figure("whole")
    inside = Figure("inside")
    names = {"permit": "permit"} | {f"{each.name}-permit": each.title for each in contestants}
    environments = {f"{each.name}-permit": each.environment for each in contestants}

    def once(name, number):
        try:
            with place.attempt(name, place.stranger, environments.get(name)) as attempt:
                end = attempt.succeed()
                inside.add(names[name], (end - attempt.times["authenticate"]) * MILLI)
                whole.add(names[name], (end - attempt.times["start"]) * MILLI)
        except common.Failed as failure:
            say(f"\n  {names[name]}: {failure}")
            inside.fail(names[name])
    rounds("a person with nothing enrolled", count, list(names), once)
    return [
        inside.less("permit", "Nothing enrolled: what the module adds to pam_authenticate"),
        whole.less("permit", "Nothing enrolled: the same with loading the module (from pam_start)"),
    ]


def loading(place, ours: bool, count: int):
    """Load time, size and libraries of the modules."""
    modules = {"pam_unix": MODULES / "pam_unix.so", "pam_fprintd": MODULES / "pam_fprintd.so"}
    if ours:
        modules["pam_thumbturn"] = service.MODULE
    times = Figure("dlopen of the module, libpam already loaded, a process each", "µs", 0)
    facts = Facts("The modules", ["stripped, KiB", "libraries named (NEEDED)", "objects loaded, itself included"])

    def once(name, _number):
        taken, brought = subprocess.run([place.programs / "loadtime", modules[name]], capture_output=True, text=True,
                                        check=True).stdout.split()
        times.add(name, float(taken))
        if name not in facts.rows:
            facts.rows[name] = [*_size_and_needs(place, modules[name]), brought]
    rounds("loading the modules", count, list(modules), once)
    return [times, facts]


def _size_and_needs(place, module: Path):
    copy = place.folder / "stripped.so"
    subprocess.run(["strip", "-o", copy, module], check=True)
    dynamic = subprocess.run(["readelf", "-d", module], capture_output=True, text=True, check=True).stdout
    return f"{copy.stat().st_size / 1024:.1f}", str(dynamic.count("(NEEDED)"))


def scan(place, number: int) -> bytes:
    """The scan of a round, the same for all contestants."""
    return place.touches[number % len(place.touches)]


def choose_touches(place, bare: Bare):
    """Keeps the impressions that libfprint itself matches; a mismatch is no figure."""
    place.touches = []
    for impression in place.scans[5:]:
        bare.ready()
        try:
            bare.attempt(impression, None)
            place.touches.append(impression)
        except common.Failed:
            pass
    say(f"bench: {len(place.touches)} of {len(place.scans) - 5} impressions match; these are offered")
    if not place.touches:
        raise SystemExit("bench: libfprint matches none of the synthetic touches")
