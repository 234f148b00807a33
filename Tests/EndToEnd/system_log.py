# SPDX-License-Identifier: Apache-2.0
"""What programs write to the system log while a test looks."""

import os
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

from service import LIMIT


class SystemLog:
    """Stands at /dev/log, in the tests' own mount namespace where a real one is there."""

    def __enter__(self):
        self._lines, self._changed = [], threading.Condition()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._place = os.path.realpath("/dev/log")
        self._folder = tempfile.TemporaryDirectory(prefix="thumbturn-log-")
        self._covers = os.path.exists(self._place)
        path = f"{self._folder.name}/log" if self._covers else self._place
        self._socket.bind(path)
        os.chmod(path, 0o666)
        if self._covers:
            os.chmod(self._folder.name, 0o755)
            subprocess.run(["mount", "--bind", path, self._place], check=True)
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        if self._covers:
            subprocess.run(["umount", self._place], check=True)
        else:
            Path(self._place).unlink()
        self._folder.cleanup()

    def _read(self):
        while True:
            try:
                line = self._socket.recv(8192)
            except OSError:
                return
            if not line:
                return
            with self._changed:
                self._lines.append(line.decode(errors="replace"))
                self._changed.notify_all()

    def wait(self, words: str):
        """Waits for a line that has `words`."""
        with self._changed:
            found = self._changed.wait_for(lambda: [line for line in self._lines if words in line], LIMIT)
            assert found, f"{words!r} is not in {self._lines}"
            return found[0]

    def lines(self, words: str):
        """The lines so far that have `words`. What a program has written before it ends is there once it ended."""
        with self._changed:
            return [line for line in self._lines if words in line]
