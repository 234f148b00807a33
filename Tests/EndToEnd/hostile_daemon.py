# SPDX-License-Identifier: Apache-2.0
"""Listens like thumbturnd and answers badly: hostile_daemon.py SOCKET BEHAVIOUR UID.

Prints one line once it listens.
"""

import os
import socket
import sys
import time

ACCEPTED = b"TT\x01\x01\x00\x05\x01r\x00\x00\x80"
MATCHED = b"TT\x01\x06\x00\x10" + bytes(range(1, 17))
GRANTED = b"TT\x01\x08\x00\x00"
ARMED = b"TT\x01\x03\x00\x00"

BEHAVIOURS = {
    "silent": [],
    "garbage": [os.urandom(64)],
    "truncated": [ACCEPTED[:-3]],
    "version": [b"TT\x09\x01\x00\x00"],
    "oversize": [b"TT\x01\x01\xff\xff" + b"x" * 60000],
    "empty": [b""],
    "hangup": None,
    "grant": [GRANTED],
    "grant-after-accept": [ACCEPTED, ARMED, GRANTED],
    "match-without-arming": [MATCHED],
    "match-then-garbage": [ACCEPTED, ARMED, MATCHED, b"nonsense"],
}


def main():
    path, behaviour, user = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.setresuid(user, user, user)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    os.chmod(path, 0o777)
    listener.listen(16)
    print("listening", flush=True)
    kept = []
    while True:
        client, _ = listener.accept()
        answers = BEHAVIOURS[behaviour]
        if answers is None:
            client.close()
            continue
        kept.append(client)
        try:
            client.recv(4096)
            for answer in answers:
                client.send(answer)
                time.sleep(0.01)
        except OSError:
            pass


if __name__ == "__main__":
    main()
