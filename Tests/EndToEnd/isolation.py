# SPDX-License-Identifier: Apache-2.0
"""Gives the test process a copy of /etc of its own.

Users, PAM services and sudoers entries of the tests live in a private mount
namespace, over a copy of /etc. Nothing is restored afterwards because nothing
was changed: even a killed test run leaves the machine as it was.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile

CLONE_NEWNS = 0x00020000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
MARK = "/etc/.thumbturn-tests"


def enter() -> None:
    """Moves this process, and all it starts, into a namespace with its own /etc."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "unshare: a private mount namespace needs root")
    if libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) != 0:
        raise OSError(ctypes.get_errno(), "mount --make-rprivate /")
    holder = tempfile.mkdtemp(prefix="thumbturn-etc-")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", holder], check=True)
    shutil.copytree("/etc", f"{holder}/etc", symlinks=True, copy_function=_copy_owned)
    _own_folders("/etc", f"{holder}/etc")
    subprocess.run(["mount", "--bind", f"{holder}/etc", "/etc"], check=True)
    # The bind mount keeps the tmpfs; its first place is not needed any more.
    subprocess.run(["umount", "-l", holder], check=True)
    os.rmdir(holder)
    # Else sudo says that it cannot resolve the machine's name, where nobody wrote that down.
    with open("/etc/hosts", "a") as hosts:
        hosts.write(f"\n127.0.1.1 {os.uname().nodename}\n")
    open(MARK, "w").close()


def entered() -> bool:
    """Whether /etc is the tests' own."""
    return os.path.exists(MARK)


def _copy_owned(source: str, target: str) -> None:
    try:
        status = os.lstat(source)
        shutil.copy2(source, target, follow_symlinks=False)
    except FileNotFoundError:
        # Somebody else's lock file, gone since the folder was listed.
        return
    os.chown(target, status.st_uid, status.st_gid, follow_symlinks=False)
    if not os.path.islink(target):
        os.chmod(target, status.st_mode & 0o7777)


def _own_folders(source: str, target: str) -> None:
    for folder, _, _ in os.walk(source):
        status = os.lstat(folder)
        copy = target + folder[len(source):]
        os.chown(copy, status.st_uid, status.st_gid)
        os.chmod(copy, status.st_mode & 0o7777)
