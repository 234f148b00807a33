# SPDX-License-Identifier: Apache-2.0
"""Speaks thumbturnd's protocol, version 1, as a client.

One packet of a SOCK_SEQPACKET connection is one frame: "TT", version, kind, a
two-byte length, the body. Numbers are big-endian; a text is one byte of length
and as many bytes; a secret has two bytes of length; a nonce is 16 bytes.

    with Client("/run/thumbturn/socket") as client:
        client.begin("ada", service="sudo")
        client.expect("accepted")
        ...
        nonce = client.expect("matched").nonce
        client.confirm(nonce)
        client.expect("granted")
"""

import socket
import struct
from types import SimpleNamespace

MAGIC = b"TT"
VERSION = 1
HEADER = 6
MAXIMUM_FRAME = HEADER + 2048
NO_LOGIN_USER = 0xFFFFFFFF

FINGERS = [
    "left-thumb", "left-index", "left-middle", "left-ring", "left-little",
    "right-thumb", "right-index", "right-middle", "right-ring", "right-little",
]
SCANS = ["press", "swipe"]
RETRIES = ["general", "too-short", "not-centred", "lift-finger"]
DOUBTS = ["new", "moved", "exchangeable"]
STATES = ["good", "damaged", "foreign"]
REFUSALS = {
    1: "no-reader", 2: "unknown-reader", 3: "busy", 4: "too-hot", 5: "nothing-enrolled", 6: "no-match",
    7: "poor-scan", 8: "locked-out", 9: "remote", 10: "lid-closed", 11: "timed-out", 12: "cancelled",
    13: "daemon-missing", 14: "reader-failed", 15: "malformed", 16: "unknown-version",
    17: "not-permitted", 18: "unknown-user", 19: "overloaded", 20: "storage-failed",
    21: "wrong-password", 22: "duplicate", 23: "not-found", 24: "malfunction", 25: "wrong-pattern",
    26: "no-pattern", 27: "pattern-invalid", 28: "pattern-common", 29: "pattern-locked", 30: "reader-full",
    31: "kept-by-reader", 32: "password-after-start", 33: "password-due", 34: "lockdown", 35: "home-closed",
    36: "not-at-seat", 37: "factor-off",
}
EVENTS = {
    1: "accepted", 2: "waiting", 3: "armed", 4: "mismatch", 5: "retry", 6: "matched", 7: "voided",
    8: "granted", 9: "refused", 10: "passed-on", 11: "pattern-offered", 12: "finger-ended", 13: "announced",
    32: "proof-wanted", 33: "enrolling", 34: "stage",
    35: "listed", 36: "reader", 37: "status", 38: "done", 39: "pattern-wanted",
    40: "locked-for", 41: "left-on-reader", 42: "untrusted-reader",
}
LAST = {"granted", "refused", "done"}


class Ended(Exception):
    """The daemon closed the connection."""


class Unexpected(AssertionError):
    """The daemon sent another event than the expected one."""


def frame(kind, body=b"", version=VERSION, magic=MAGIC):
    """Encodes one frame; version and magic can be wrong on purpose."""
    return magic + struct.pack(">BBH", version, kind, len(body)) + body


def text(value):
    """Encodes a text of at most 255 bytes."""
    raw = value.encode() if isinstance(value, str) else value
    return bytes([len(raw)]) + raw


class Body:
    """Reads the fields of one frame, one after another."""

    def __init__(self, raw):
        self.raw = raw
        self.offset = 0

    def take(self, count):
        part = self.raw[self.offset:self.offset + count]
        assert len(part) == count, f"frame too short: {self.raw.hex()}"
        self.offset += count
        return part

    def byte(self):
        return self.take(1)[0]

    def number(self, size):
        return int.from_bytes(self.take(size), "big")

    def text(self):
        return self.take(self.byte()).decode(errors="replace")

    def finger(self):
        code = self.byte()
        return FINGERS[code - 1] if code else None

    def fingers(self):
        bits = self.number(2)
        return [name for number, name in enumerate(FINGERS, 1) if bits >> number & 1]

    def retry(self):
        return RETRIES[self.byte()] if self.byte() else None


def decode(packet):
    """Decodes one frame of the daemon into a namespace whose `kind` is a word."""
    magic, version, code, length = packet[:2], packet[2], packet[3], int.from_bytes(packet[4:6], "big")
    assert magic == MAGIC and version == VERSION and length == len(packet) - HEADER, packet.hex()
    body = Body(packet[HEADER:])
    event = SimpleNamespace(kind=EVENTS[code])
    if event.kind == "accepted":
        event.reader, event.scan, event.fingers = body.text(), SCANS[body.byte()], body.fingers()
    elif event.kind == "waiting":
        event.service, event.terminal = body.text(), body.text()
    elif event.kind == "mismatch":
        event.tries_left = body.byte()
    elif event.kind == "retry":
        event.reason = RETRIES[body.byte()]
    elif event.kind == "matched":
        event.nonce = body.take(16)
    elif event.kind in ("refused", "finger-ended"):
        event.refusal = REFUSALS[body.byte()]
    elif event.kind == "announced":
        event.finger, event.when = body.finger(), body.number(8)
    elif event.kind == "locked-for":
        event.seconds = body.number(8)
    elif event.kind in ("proof-wanted", "pattern-wanted"):
        event.user = body.text()
    elif event.kind == "enrolling":
        event.reader, event.scan, event.stages = body.text(), SCANS[body.byte()], body.byte()
    elif event.kind == "stage":
        event.done, event.retry = body.byte(), body.retry()
    elif event.kind == "listed":
        event.finger, event.reader = body.finger(), body.text()
        event.created, event.state = body.number(8), STATES[body.byte()]
    elif event.kind == "reader":
        event.name, event.driver, event.scan = body.text(), body.text(), SCANS[body.byte()]
    elif event.kind == "untrusted-reader":
        event.name, event.driver, event.scan = body.text(), body.text(), SCANS[body.byte()]
        event.doubt, event.place = DOUBTS[body.byte()], body.text()
    elif event.kind == "left-on-reader":
        event.reader, event.reason = body.text(), REFUSALS[body.byte()]
    elif event.kind == "status":
        event.key, event.value = body.text(), body.text()
    assert body.offset == len(body.raw), f"bytes left over: {packet.hex()}"
    return event


class Client:
    """One connection to the daemon."""

    def __init__(self, path, limit=10.0):
        """Connects; no wait is longer than `limit` seconds unless told otherwise."""
        self.limit = limit
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(limit)
        self.socket.connect(path)

    @classmethod
    def blocking(cls, path, limit=10.0):
        """Connects, waiting for a place in the queue; Python's own limit would not wait for one."""
        client = cls.__new__(cls)
        client.limit = limit
        client.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        client.socket.connect(path)
        return client

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def fileno(self):
        """For select and poll."""
        return self.socket.fileno()

    def close(self):
        """Hangs up."""
        self.socket.close()

    # Messages

    def send(self, kind, body=b""):
        """Sends one frame."""
        self.send_raw(frame(kind, body))

    def send_raw(self, packet):
        """Sends one packet as it is, frame or not."""
        self.socket.send(packet)

    def begin(self, user, service="sudo", terminal="", remote_host="", real_user=0,
              login_user=NO_LOGIN_USER, tries=0, timeout=0, requester=0):
        """Asks to recognise a person; 0 tries or seconds stand for the configured number."""
        body = text(service) + text(user) + text(terminal) + text(remote_host)
        self.send(1, body + struct.pack(">IIBHI", real_user, login_user, tries, timeout, requester))

    def foreground(self, in_front):
        """Says whether the host is in front on its terminal."""
        self.send(2, bytes([in_front]))

    def confirm(self, nonce):
        """Takes the match with this nonce."""
        self.send(3, nonce)

    def hold(self):
        """Asks to keep the match for some seconds."""
        self.send(4)

    def cancel(self):
        """Takes the request back."""
        self.send(5)

    def answer(self, secret):
        """Offers what was typed, bytes."""
        self.send(6, struct.pack(">H", len(secret)) + secret)

    def enroll(self, user, finger):
        """Asks to enrol a finger, named as in FINGERS."""
        self.send(16, text(user) + bytes([FINGERS.index(finger) + 1]))

    def list(self, user):
        """Asks for a person's prints."""
        self.send(17, text(user))

    def delete(self, user, finger=None):
        """Asks to delete a finger's prints, or all."""
        self.send(18, text(user) + bytes([FINGERS.index(finger) + 1 if finger else 0]))

    def status(self):
        """Asks how the service is."""
        self.send(19)

    def readers(self):
        """Asks for the attached readers."""
        self.send(20)

    def trust_readers(self):
        """Asks to trust them."""
        self.send(29)

    def proof(self, password):
        """Gives the password, bytes, that was asked for."""
        self.send(21, struct.pack(">H", len(password)) + password)

    def learn(self, user, service, password):
        """Hands over what was typed as a password, bytes."""
        self.send(7, text(user) + text(service) + struct.pack(">H", len(password)) + password)

    def unlock(self, user):
        """Asks to forget a person's failed tries."""
        self.send(26, text(user))

    def lockdown(self, user=""):
        """Asks to let only the password count, of one or of all."""
        self.send(27, text(user))

    def policy(self, service, user):
        """Asks what would be allowed."""
        self.send(28, text(service) + text(user))

    def set_pattern(self, user):
        """Asks to set a person's pattern."""
        self.send(22, text(user))

    def delete_pattern(self, user):
        """Asks to delete it."""
        self.send(23, text(user))

    def check_pattern(self, user):
        """Asks to try it."""
        self.send(24, text(user))

    # Events

    def event(self, limit=None):
        """The next event; raises Ended at the end and TimeoutError after `limit` seconds."""
        self.socket.settimeout(self.limit if limit is None else limit)
        try:
            packet = self.socket.recv(MAXIMUM_FRAME + 1)
        except ConnectionResetError:
            # The daemon closed with something of ours unread; what it said is still there.
            packet = self.socket.recv(MAXIMUM_FRAME + 1)
        if not packet:
            raise Ended
        return decode(packet)

    def expect(self, kind, limit=None):
        """The next event, which must be of this kind."""
        event = self.event(limit)
        if event.kind != kind:
            raise Unexpected(f"expected {kind}, got {event}")
        return event

    def refusal(self, limit=None):
        """The reason of the refusal that must come next."""
        return self.expect("refused", limit).refusal

    def until(self, *kinds, limit=None):
        """Takes events up to the first of these kinds; the end of the request raises unless wanted."""
        while True:
            event = self.event(limit)
            if event.kind in kinds:
                return event
            if event.kind in LAST:
                raise Unexpected(f"expected one of {kinds}, got {event}")

    def rest(self, limit=None):
        """All events up to the end of the connection."""
        events = []
        try:
            while True:
                events.append(self.event(limit))
        except Ended:
            return events
