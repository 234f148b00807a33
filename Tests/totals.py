# SPDX-License-Identifier: Apache-2.0
"""Adds up what the unit tests (their logs: debug, optimised) and the end-to-end tests (JUnit's XML) ran."""

import re
import sys
import xml.etree.ElementTree as xml


def unit_tests(path):
    """(passed, failed, skipped) of Swift Testing's log."""
    with open(path, encoding="utf-8", errors="replace") as log:
        text = log.read()
    passed = len(re.findall(r"^✔ Test .* passed after", text, re.MULTILINE)) - len(
        re.findall(r"^✔ Test run with", text, re.MULTILINE))
    failed = len(re.findall(r"^✘ Test .* failed after", text, re.MULTILINE)) - len(
        re.findall(r"^✘ Test run with", text, re.MULTILINE))
    skipped = len(re.findall(r"^➜ Test .* skipped", text, re.MULTILINE))
    return passed, failed, skipped


def end_to_end_tests(path):
    """(passed, failed, skipped) of pytest."""
    counts = [0, 0, 0]
    for suite in xml.parse(path).getroot().iter("testsuite"):
        tests, skipped = int(suite.get("tests")), int(suite.get("skipped"))
        failed = int(suite.get("failures")) + int(suite.get("errors"))
        counts = [counts[0] + tests - failed - skipped, counts[1] + failed, counts[2] + skipped]
    return tuple(counts)


def main():
    debug, optimised, end_to_end = sys.argv[1:4]
    counts = {"Unit tests": unit_tests(debug), "Unit tests, optimised": unit_tests(optimised),
              "End-to-end tests": end_to_end_tests(end_to_end)}
    for name, (passed, failed, skipped) in counts.items():
        print(f"{name}: {passed} passed, {failed} failed, {skipped} skipped")
    passed, failed, skipped = (sum(numbers) for numbers in zip(*counts.values()))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    # A run that tested nothing has not succeeded.
    return 1 if failed or not all(numbers[0] for numbers in counts.values()) else 0


sys.exit(main())
