# SPDX-License-Identifier: Apache-2.0
"""Real lockers of an ordinary user, on displays that nobody sees."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

from service import LIMIT, children, name, wait_until

DESCRIPTOR = object()


class Session:
    """A user's folder and environment, and the processes started in it."""

    def __init__(self, user: str):
        self.user = user
        entry = pwd.getpwnam(user)
        self.folder = Path(tempfile.mkdtemp(prefix="thumbturn-session-"))
        os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        self.folder.chmod(0o700)
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(self.folder), "USER": user, "LOGNAME": user, "LC_ALL": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.folder),
        }
        self.log = open(self.folder / "log", "ab")
        self.processes = []

    def __enter__(self):
        try:
            return self.open()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_):
        for process in reversed(self.processes):
            end(process)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, *command, **options):
        """Starts a program as the user; it is ended with the session."""
        process = subprocess.Popen(
            ["setpriv", "--reuid", self.user, "--regid", self.user, "--init-groups", *command],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, cwd="/", **options)
        self.processes.append(process)
        return process

    def takes_keys(self) -> bool:
        """Whether what is typed counts again, after PAM was asked in vain: the stack's last line was reached."""
        return self.wrong.exists()

    def run(self, *command):
        """Runs a program as the user to its end."""
        assert self.start(*command).wait(LIMIT) == 0, f"{command}: {self.told()}"

    def told(self) -> str:
        """What all of them printed."""
        return (self.folder / "log").read_text(errors="replace")

    def start_until_told(self, *command, variable=None):
        """Starts a program and waits until it says that it is ready.

        It does so by writing a line to a descriptor, or by closing it. The
        descriptor takes the place of DESCRIPTOR, or stands in an environment variable.
        """
        reading, writing = os.pipe()
        try:
            if variable:
                self.environment[variable] = str(writing)
            words = [str(writing) if word is DESCRIPTOR else word for word in command]
            process = self.start(*words, pass_fds=[writing])
        finally:
            os.close(writing)
            self.environment.pop(variable, None)
        with open(reading, "rb") as told:
            line = told.readline()
        assert process.poll() is None, self.told()
        return process, line.decode().strip()


def end(process):
    """Ends a program and all it started."""
    started = children(process.pid) if process.poll() is None else []
    if process.poll() is None:
        process.kill()
        process.wait(LIMIT)
    for pid in started:
        try:
            os.kill(pid, 9)
        except ProcessLookupError:
            pass


class Screen(Session):
    """An X display with i3lock on it."""

    def open(self):
        _, number = self.start_until_told(
            "Xvfb", "-displayfd", DESCRIPTOR, "-screen", "0", "640x480x24", "-nolisten", "tcp")
        self.environment["DISPLAY"] = f":{number}"
        return self

    def lock(self):
        """Locks the screen; `locker` ends with status 0 when it opens."""
        self.locker, _ = self.start_until_told("i3lock", "--nofork", variable="XSS_SLEEP_LOCK_FD")
        return self

    def type(self, text: str, *keys: str):
        """Types, with Enter unless other keys are given."""
        if text:
            self.run("xdotool", "type", "--delay", "1", text)
        self.run("xdotool", "key", "--delay", "1", *(keys or ("Return",)))


class SecureScreen(Screen):
    """xsecurelock: a key wakes its dialog, and its helper asks PAM."""

    def lock(self):
        self.environment["XSECURELOCK_PAM_SERVICE"] = "xsecurelock"
        self.locker, _ = self.start_until_told("xsecurelock", variable="XSS_SLEEP_LOCK_FD")
        return self

    def type(self, text: str, *keys: str):
        if not self.asks():
            super().type("", "BackSpace")
            wait_until(self.asks, "the dialog to ask")
        super().type(text, *keys)

    def takes_keys(self) -> bool:
        return self.asks()

    def asks(self) -> bool:
        """Whether PAM's helper, or what asks in its place, waits in read(2) for an answer."""
        return any(map(reads_answer, self.helpers()))

    def helpers(self) -> list:
        """PAM's helper and what it started."""
        return [pid for pid in children(self.locker.pid) if name(pid) in ("authproto_pam", "thumbturn-speak")]


def reads_answer(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/syscall").read_text().split()[:2] == ["0", "0x0"]
    except OSError:
        return False


class Seat(Session):
    """A Wayland display with swaylock on it; sway takes no root."""

    def open(self):
        self.environment |= {"WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman", "LIBSEAT_BACKEND": "noop",
                             "WLR_LIBINPUT_NO_DEVICES": "1"}
        configuration = self.folder / "config"
        configuration.write_text("xwayland disable\n")
        configuration.chmod(0o644)
        self.start("sway", "--config", str(configuration))
        sockets = wait_until(lambda: [path for path in self.folder.glob("wayland-*") if path.suffix != ".lock"],
                             "sway to listen")
        self.environment["WAYLAND_DISPLAY"] = sockets[0].name
        return self

    def lock(self):
        # It tells nobody that it has locked; its side of the protocol does.
        self.environment["WAYLAND_DEBUG"] = "client"
        self.locker = self.start("swaylock", "--color", "202020")
        del self.environment["WAYLAND_DEBUG"]
        wait_until(lambda: ".ack_configure(" in self.told(), "swaylock to lock")
        return self

    def type(self, text: str, *keys: str):
        # A keyboard that is plugged in for the purpose: swaylock may not know it yet when its first key comes,
        # and must still know it when it hears of the last.
        words = [word for key in keys or ("Return",) for word in ("-k", key)]
        self.run("wtype", "-k", "Shift_L", "-s", "200", *([text] if text else []), *words, "-s", "100")
