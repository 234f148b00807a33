# SPDX-License-Identifier: Apache-2.0
"""A program that asks PAM who sits there, as sudo does: host.py CONFDIR SERVICE USER REPORT.

Runs on a terminal of its own. Writes "CODE MONOTONIC-SECONDS" to the descriptor
REPORT once PAM has answered.
"""

import ctypes
import os
import sys
import termios
import time

PAM_PROMPT_ECHO_OFF, PAM_PROMPT_ECHO_ON, PAM_TTY = 1, 2, 3
pam = ctypes.CDLL("libpam.so.0")
libc = ctypes.CDLL(None)
libc.calloc.restype = ctypes.c_void_p
libc.strdup.restype = ctypes.c_void_p


class Message(ctypes.Structure):
    _fields_ = [("style", ctypes.c_int), ("text", ctypes.c_char_p)]


class Response(ctypes.Structure):
    _fields_ = [("text", ctypes.c_void_p), ("code", ctypes.c_int)]


CONVERSE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Message)), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)


class Conversation(ctypes.Structure):
    _fields_ = [("converse", CONVERSE), ("data", ctypes.c_void_p)]


def ask(text):
    """Reads a line without showing it."""
    terminal = os.open("/dev/tty", os.O_RDWR)
    before = termios.tcgetattr(terminal)
    silent = list(before)
    silent[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSADRAIN, silent)
    os.write(terminal, text)
    try:
        return os.read(terminal, 512).rstrip(b"\n")
    finally:
        termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
        os.write(terminal, b"\n")
        os.close(terminal)


def converse(count, messages, responses, _):
    """PAM's conversation function."""
    answers = ctypes.cast(libc.calloc(count, ctypes.sizeof(Response)), ctypes.POINTER(Response))
    for index in range(count):
        message = messages[index].contents
        if message.style in (PAM_PROMPT_ECHO_OFF, PAM_PROMPT_ECHO_ON):
            answers[index].text = libc.strdup(ask(message.text))
        else:
            os.write(1, message.text + b"\n")
    responses[0] = ctypes.cast(answers, ctypes.c_void_p)
    return 0


def main():
    confdir, service, user = (word.encode() for word in sys.argv[1:4])
    conversation = Conversation(CONVERSE(converse), None)
    handle = ctypes.c_void_p()
    code = pam.pam_start_confdir(service, user, ctypes.byref(conversation), confdir, ctypes.byref(handle))
    assert code == 0, f"pam_start_confdir answered {code}"
    pam.pam_set_item(handle, PAM_TTY, os.ttyname(0).encode())
    code = pam.pam_authenticate(handle, 0)
    os.write(int(sys.argv[4]), f"{code} {time.monotonic()}".encode())
    pam.pam_end(handle, code)


main()
