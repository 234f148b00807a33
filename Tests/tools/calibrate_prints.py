#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures synthetic fingerprints with libfprint's own detection and matching.

Each finger is enrolled from impressions 1 to 5 on libfprint's virtual image reader; the next ones are probes.
A probe is verified against its own finger (a refusal or a retry is a false rejection) and identified among
all other fingers (a match is a false acceptance, counted once a probe). Needs gir1.2-fprint-2.0 and
python3-gi. Prints one JSON object; "milliseconds" is the generator's time for one image, start of the process
included.

The figures describe the images, never a product: real fingers differ.
"""
import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

ENROL = 5


class Reader:
    """libfprint's virtual image reader, fed through its socket: one connection a scan."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "reader.sock")
        os.environ["FP_VIRTUAL_IMAGE"] = self.path
        for name in ("FP_DRIVERS_WHITELIST", "FP_DRIVERS_ALLOWLIST"):
            os.environ[name] = "virtual_image"
        # The library reads its environment when it is loaded.
        import gi
        gi.require_version("FPrint", "2.0")
        from gi.repository import FPrint, GLib
        self.fprint, self.glib = FPrint, GLib
        self.open()

    def open(self):
        self.context = self.fprint.Context()
        self.device = self.context.get_devices()[0]
        self.device.open_sync()

    def close(self):
        self.device.close_sync()

    def renew(self):
        """A cold reader: libfprint shuts off one that has been at work for about three minutes."""
        self.close()
        self.open()

    def touch(self, scan):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            connection.connect(self.path)
            connection.sendall(scan)

    def minutiae(self, scan):
        self.touch(scan)
        return len(self.device.capture_sync(True, None).get_minutiae())

    def enrol(self, scans):
        """The print made of the first five scans; further ones replace those libfprint wants repeated."""
        rest = iter(scans)

        def on_progress(_device, done, _print, _data, _error):
            if done < ENROL:
                self.touch(next(rest))

        self.touch(next(rest))
        return self.device.enroll_sync(self.fprint.Print.new(self.device), None, on_progress, None)

    def matches(self, enrolled, scan):
        """Whether the scan matches; None where libfprint wants another one."""
        self.touch(scan)
        try:
            return self.device.verify_sync(enrolled, None, None, None).match
        except self.glib.Error as error:
            if error.matches(self.fprint.device_retry_quark(), self.fprint.DeviceRetry.GENERAL):
                return None
            raise

    def finds(self, gallery, scan):
        """Whether the scan matches any print of the gallery."""
        self.touch(scan)
        try:
            return self.device.identify_sync(gallery, None, None, None).match is not None
        except self.glib.Error as error:
            if error.matches(self.fprint.device_retry_quark(), self.fprint.DeviceRetry.GENERAL):
                return False
            raise


def scans(tool, directory, seed, last, preset):
    """Impressions 1 to last of one finger, and the milliseconds the tool took for each."""
    start = time.monotonic()
    subprocess.run([tool, "raw", "--finger", str(seed), "--impressions", f"1-{last}", "--preset", preset,
                    "--directory", directory], check=True)
    spent = (time.monotonic() - start) * 1000 / last
    found = []
    for number in range(1, last + 1):
        with open(os.path.join(directory, f"{seed}-{number}.raw"), "rb") as file:
            found.append(file.read())
    return found, spent


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def measure(reader, options, directory):
    prints, probes, counts, spent = [], [], [], []
    rejected = accepted = retried = strangers = 0
    for seed in range(options.first, options.first + options.fingers):
        found, milliseconds = scans(options.tool, directory, seed, ENROL + options.probes, options.preset)
        spent.append(milliseconds)
        reader.renew()
        counts += [reader.minutiae(scan) for scan in found]
        prints.append(reader.enrol(found))
        probes.append(found[ENROL:])
    for owner, touches in enumerate(probes):
        reader.renew()
        others = prints[:owner] + prints[owner + 1:]
        for scan in touches:
            verdict = reader.matches(prints[owner], scan)
            rejected += not verdict
            retried += verdict is None
            if others:
                accepted += reader.finds(others, scan)
                strangers += len(others)
    return {
        "preset": options.preset, "fingers": options.fingers, "images": len(counts),
        "minutiae": {f"{part:.0%}": percentile(counts, part) for part in (0, .01, .05, .25, .5, .95)},
        "with25": sum(count >= 25 for count in counts) / len(counts),
        "genuine": sum(map(len, probes)), "rejected": rejected, "ofWhichRetries": retried,
        "strangers": strangers, "accepted": accepted,
        "milliseconds": round(sum(spent) / len(spent), 1),
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="path of thumbturn-synth")
    parser.add_argument("--fingers", type=int, default=10)
    parser.add_argument("--probes", type=int, default=3, help="impressions a finger besides those enrolled")
    parser.add_argument("--first", type=int, default=1000, help="seed of the first finger")
    parser.add_argument("--preset", choices=("easy", "mixed"), default="easy")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        reader = Reader(directory)
        try:
            json.dump(measure(reader, options, directory), sys.stdout, indent=1)
        finally:
            reader.close()
    print()


if __name__ == "__main__":
    main()
