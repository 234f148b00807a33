#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures Thumbturn beside bare libfprint and pam_fprintd, in one run and in turns.

Prints a Markdown table. It says what was measured; it never passes or fails.
"""

import argparse
import contextlib
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("THUMBTURN_BUILD", str(ROOT / ".build/release"))
sys.path.insert(0, str(ROOT / "Tests/EndToEnd"))
sys.dont_write_bytecode = True

import common  # noqa: E402
import figures  # noqa: E402
import isolation  # noqa: E402
import measures  # noqa: E402
import service  # noqa: E402
from contestants import Bare, Fprintd, Place, Thumbturn  # noqa: E402

PERSON, STRANGER, PASSWORD = "ttbench", "ttbenchnone", "correct horse 7"
CFLAGS = ["-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-Wstrict-prototypes"]
NEEDS = {"dbus-daemon": "dbus-daemon", "fprintd-enroll": "fprintd", "gdbus": "libglib2.0-bin", "cc": "gcc",
         "pkg-config": "pkg-config", "readelf": "binutils", "systemd-socket-activate": "systemd"}


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="also put the table into docs/performance.md")
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="attempts of each contestant (15)")
    parser.add_argument("--without-ours", action="store_true", help="measure the others only")
    return parser.parse_args()


def check_needs(ours: bool):
    """Ends with a plain word if something is missing."""
    missing = {package for program, package in NEEDS.items() if not shutil.which(program)}
    if not (measures.MODULES / "pam_fprintd.so").exists():
        missing.add("libpam-fprintd")
    if os.geteuid() != 0:
        sys.exit("bench: needs root (a user and PAM services of its own): run `sudo make bench`")
    if missing:
        sys.exit(f"bench: missing packages: {' '.join(sorted(missing))}")
    if ours and not service.MODULE.exists():
        sys.exit("bench: build first: swift build -c release")


def compile_programs(folder: Path):
    """Compiles the C programs."""
    folder.mkdir()
    for source in sorted((Path(__file__).parent / "programs").glob("*.c")):
        flags = ["-lpam"]
        if source.stem == "bare":
            flags = shlex.split(subprocess.run(["pkg-config", "--cflags", "--libs", "libfprint-2"], check=True,
                                               capture_output=True, text=True).stdout)
        subprocess.run(["cc", *CFLAGS, source, "-o", folder / source.stem, *flags], check=True)


def make_users():
    """A person and a stranger, in the benchmark's own copy of /etc."""
    isolation.enter()
    for name in (PERSON, STRANGER):
        subprocess.run(["useradd", "--no-create-home", "--home-dir", "/", "--shell", "/bin/sh", name], check=True)
    # Few rounds of hashing: pam_unix's usual 80 ms would hide what the rest takes.
    subprocess.run(["chpasswd", "-c", "SHA512", "-s", "1000"], input=f"{PERSON}:{PASSWORD}\n", text=True, check=True)


def make_scans(folder: Path):
    """Twelve touches of one synthetic finger."""
    folder.mkdir()
    subprocess.run([service.program("thumbturn-synth"), "raw", "--finger", "1", "--impressions", "1-12",
                    "--directory", folder], check=True)
    return [(folder / f"1-{number}.raw").read_bytes() for number in range(1, 13)]


def machine() -> str:
    """What the figures were measured on."""
    model = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    system = platform.freedesktop_os_release()["PRETTY_NAME"]

    def version(package):
        return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True,
                              text=True).stdout or "?"
    return (f"{model}, {os.cpu_count()} processors, Linux {platform.release()}, {system}; "
            f"libfprint {version('libfprint-2-2')}, fprintd {version('fprintd')}, Linux-PAM {version('libpam0g')}; "
            f"{time.strftime('%Y-%m-%d')}; load average before: {os.getloadavg()[0]:.1f}.")


NOTES = """\
All on libfprint's virtual image reader, which waits 100 ms in open and in close, with the same synthetic touches, the
contestants taking turns within one run. "Start" is the call of pam_start (for bare libfprint: the first statement of its
main), "success" the return of pam_authenticate (for bare libfprint: its match callback, before the reader is closed).
Daemons are started without systemd's sandboxing; polkitd, which fprintd asks, is the real one, on a private bus.
"""


def measure(place, contestants, options):
    """All figures, in the order of the page."""
    bare, thumbturns = contestants[0], [each for each in contestants if isinstance(each, Thumbturn)]
    for contestant in contestants:
        measures.say(f"bench: enrolling a finger for {contestant.title}")
        contestant.prepare()
    measures.choose_touches(place, bare)
    result = measures.waiting_finger(place, contestants, options.rounds)
    running = [each for each in contestants if not getattr(each, "cold", False)]
    result += measures.later_touch(place, running, options.rounds)
    result += measures.typed_password(place, thumbturns[0] if thumbturns else None, options.rounds)
    result += measures.nothing_enrolled(place, running[1:], 2 * options.rounds)
    return result + measures.loading(place, bool(thumbturns), 200)


def run(folder: Path, options):
    """Sets everything up in the folder, measures and takes it down again."""
    make_users()
    compile_programs(folder / "programs")
    place = Place(folder, folder / "programs", make_scans(folder / "scans"), PERSON, STRANGER, PASSWORD)
    makers = [(Bare, {}), (Fprintd, {"cold": False}), (Fprintd, {"cold": True})]
    if not options.without_ours:
        makers += [(Thumbturn, {"cold": False}), (Thumbturn, {"cold": True})]
    with contextlib.ExitStack() as stack:
        contestants = []
        for maker, choice in makers:
            contestants.append(maker(place, **choice))
            stack.callback(contestants[-1].remove)
        return measure(place, contestants, options)


def main():
    options = arguments()
    check_needs(not options.without_ours)
    # A request to end still tidies up.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: ended"))
    # All that is measured inherits this, so other work on the machine weighs less in the figures.
    with contextlib.suppress(PermissionError):
        os.nice(-15)
    setting, began = machine(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="thumbturn-bench-") as name:
        # Polkitd, which gives up root, must reach the bus's socket.
        os.chmod(name, 0o711)
        try:
            found = run(Path(name), options)
        except common.Failed as failure:
            sys.exit(f"bench: {failure}")
    text = "\n".join([NOTES, setting, "", *(figure.markdown() for figure in found)])
    print(text)
    if options.write:
        figures.write(ROOT / "docs/performance.md", text)
    measures.say(f"bench: took {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
