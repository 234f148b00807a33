# SPDX-License-Identifier: Apache-2.0
"""A daemon that answers what a test tells it to, right or wrong.

It speaks the frames of Sources/ThumbturnProtocol, written a second time here, so
that both readings of the protocol must agree.
"""

import os
import socket
import struct
import threading

ACCEPTED, WAITING, ARMED, MISMATCH, RETRY, MATCHED, VOIDED, GRANTED, REFUSED, PASSED_ON = range(1, 11)
PATTERN_OFFERED, FINGER_ENDED, ANNOUNCED, DONE = 11, 12, 13, 38
BEGIN, FOREGROUND, CONFIRM, HOLD, CANCEL, ANSWER, LEARN = range(1, 8)
NONCE = bytes(range(1, 17))


def frame(kind, body=b"", version=1, magic=b"TT"):
    return magic + bytes([version, kind]) + struct.pack(">H", len(body)) + body


def text(value):
    data = value.encode()
    return bytes([len(data)]) + data


def accepted(reader="Virtual reader", swipe=False, fingers=(7,)):
    bits = sum(1 << finger for finger in fingers)
    return frame(ACCEPTED, text(reader) + bytes([int(swipe)]) + struct.pack(">H", bits))


def waiting(service="sudo", terminal="pts/3"):
    return frame(WAITING, text(service) + text(terminal))


def armed():
    return frame(ARMED)


def mismatch(left):
    return frame(MISMATCH, bytes([left]))


def retry(reason):
    return frame(RETRY, bytes([reason]))


def matched(nonce=NONCE):
    return frame(MATCHED, nonce)


def voided():
    return frame(VOIDED)


def granted():
    return frame(GRANTED)


def refused(code):
    return frame(REFUSED, bytes([code]))


def passed_on():
    return frame(PASSED_ON)


def offered():
    return frame(PATTERN_OFFERED)


def finger_ended(code):
    return frame(FINGER_ENDED, bytes([code]))


def announced(finger, when):
    return frame(ANNOUNCED, struct.pack(">BQ", finger, when))


def done():
    return frame(DONE)


class Client:
    """One connection, seen from the daemon."""

    def __init__(self, connection):
        self.socket = connection
        connection.settimeout(15)

    def send(self, *frames):
        for data in frames:
            self.socket.send(data)

    def receive(self, limit=15):
        """The next message as (kind, body); (None, b"") at the end."""
        self.socket.settimeout(limit)
        try:
            data = self.socket.recv(4096)
        except ConnectionResetError:
            return None, b""
        if not data:
            return None, b""
        assert data[:3] == b"TT\x01", data
        assert struct.unpack(">H", data[4:6])[0] == len(data) - 6, data
        return data[3], data[6:]

    def expect(self, kind, limit=15):
        got, body = self.receive(limit)
        assert got == kind, f"wanted message {kind}, got {got} {body!r}"
        return body

    def answer(self):
        """The secret of the next message, which is an `answer`."""
        return secret(self.expect(ANSWER))

    def wait_for_end(self):
        while self.receive()[0] is not None:
            pass

    def grant(self):
        """From a match to its end, as the real daemon does it.

        A client that leaves meanwhile is what a password typed first looks like.
        """
        self.send(matched())
        kind, body = self.receive()
        while kind == HOLD:
            kind, body = self.receive()
        if kind is None:
            return
        assert (kind, body) == (CONFIRM, NONCE), (kind, body)
        self.send(granted())


def secret(body):
    """The secret at the end of a message's body."""
    count = struct.unpack(">H", body[:2])[0]
    assert len(body) == count + 2
    return body[2:].decode()


def learn_fields(body):
    """What a `learn` says: user, service, secret."""
    texts, place = [], 0
    for _ in range(2):
        count = body[place]
        texts.append(body[place + 1:place + 1 + count].decode())
        place += 1 + count
    return (*texts, secret(body[place:]))


def begin_fields(body):
    """The fields of a `begin`, as a dictionary."""
    fields, place = {}, 0
    for name in ("service", "user", "terminal", "remote_host"):
        count = body[place]
        fields[name] = body[place + 1:place + 1 + count].decode()
        place += 1 + count
    names = ("real_user", "login_user", "tries", "timeout", "requester")
    fields.update(zip(names, struct.unpack(">IIBHI", body[place:])))
    return fields


class FakeDaemon:
    """Runs `script(client)` for each connection, one after another, in a thread.

    `learning(client)`, if given, answers passwords that are handed over. What a script raises
    is raised again when the daemon is left.
    """

    def __init__(self, path, script, as_uid=0, learning=None):
        self.learning = learning
        self.path, self.script, self.errors, self.begins, self.learnt = path, script, [], [], []
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        os.chmod(path, 0o666)
        # SO_PEERCRED tells who called listen().
        os.seteuid(as_uid)
        try:
            self.listener.listen(64)
        finally:
            os.seteuid(0)
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, value, trace):
        # Wakes accept(); a mere close() would leave it asleep.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join(20)
        self.listener.close()
        os.unlink(self.path)
        if kind is None and self.errors:
            raise self.errors[0]

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                try:
                    client = Client(connection)
                    kind, body = client.receive()
                    if kind is None:
                        continue  # it looked at who listens, and left
                    if kind == LEARN:
                        self.learnt.append(learn_fields(body))
                        if self.learning:
                            self.learning(client)
                        continue
                    assert kind == BEGIN
                    self.begins.append(begin_fields(body))
                    self.script(client)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the client may leave whenever it likes
                except Exception as error:  # noqa: BLE001 - told by __exit__
                    self.errors.append(error)
