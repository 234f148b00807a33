# SPDX-License-Identifier: Apache-2.0
"""Runs the small PAM host on a pseudo-terminal of its own."""

import os
import pty
import select

import common

PAM_SUCCESS = 0


class Attempt:
    """One pam_authenticate; its events, each in seconds on CLOCK_MONOTONIC."""

    def __init__(self, program, folder, service: str, user: str, environment=None):
        self._terminal, terminal = pty.openpty()
        self._events, events = os.pipe()
        self.times = {}
        self.code = None
        self._pending = b""
        try:
            # setsid makes the pseudo-terminal the host's controlling terminal.
            self._process = common.start(
                ["setsid", "--ctty", program, folder, service, user, events], stdin=terminal, stdout=terminal,
                stderr=terminal, pass_fds=(events,), env={"PATH": os.environ["PATH"]} | (environment or {}))
        finally:
            os.close(terminal)
            os.close(events)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        common.stop(self._process)
        os.close(self._events)
        os.close(self._terminal)

    def wait(self, name: str) -> float:
        """Waits for an event and answers its time."""
        end = common.now() + common.LIMIT
        while name not in self.times:
            left = end - common.now()
            ready = select.select([self._events, self._terminal], [], [], max(left, 0))[0]
            if self._terminal in ready:
                self._drain()
            if self._events in ready:
                self._read_events(name)
            if not ready:
                raise common.Failed(f"the host did not report {name!r}")
        return self.times[name]

    def succeed(self) -> float:
        """Waits for the end, which must be PAM_SUCCESS; answers its time."""
        when = self.wait("done")
        if self.code != PAM_SUCCESS:
            raise common.Failed(f"PAM answered {self.code}")
        return when

    def type(self, text: str) -> float:
        """Types a line; answers when."""
        when = common.now()
        os.write(self._terminal, text.encode() + b"\n")
        return when

    def _drain(self):
        try:
            os.read(self._terminal, 65536)
        except OSError:
            # The host has gone and its terminal with it; the events decide.
            select.select([self._events], [], [], common.LIMIT)

    def _read_events(self, wanted: str):
        data = os.read(self._events, 4096)
        if not data:
            raise common.Failed(f"the host ended before {wanted!r}")
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            name, when, code = line.decode().split()
            self.times[name] = float(when)
            if name == "done":
                self.code = int(code)
