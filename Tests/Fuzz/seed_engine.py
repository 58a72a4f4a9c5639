"""Seeds of the engine target: deliveries to its listeners, and what these do."""

import itertools

BREAK = b"\xfe\xff"
VALUE, SIGNAL, DESTROYED, MISSED = 1, 2, 3, 4


def delivery(listener, kind, sequence, identifier=b"q.a", value=b"", flags=0, claim=0, count=1, tail=0):
    """A message for one of the listeners: the states 0 and 1, the queue 2, the durable consumer 3."""
    fields = bytes([kind, flags, sequence & 255, sequence >> 8, claim, count, tail, len(identifier)])
    return bytes([0x80 | listener]) + fields + identifier + value


def seeds():
    for listener, kind in itertools.product(range(4), range(8)):
        value = b"\x01" if kind == VALUE else b""
        some = [delivery(listener, kind, n, value=value, claim=n) for n in (1, 2, 2, 3)]
        yield BREAK.join([*some, bytes([listener]), b"\x40", b"\x41", bytes([listener])])
    for identifier in (b"q.b", b"q", b"", b"*", b"q.*", b"other.x"):
        for listener in range(4):
            yield BREAK.join([delivery(listener, DESTROYED, 7, identifier, claim=7), bytes([listener])])
    stored = [delivery(1, VALUE, 9 - n, b"q." + name, b"\x01", flags=1) for n, name in enumerate((b"a", b"b", b"c"))]
    yield BREAK.join([*stored, b"\x01", delivery(1, VALUE, 20, b"q.a", b"\xa1x"), b"\x01"])
    queued = [delivery(2, VALUE, n, b"q.a", b"\x01") for n in range(1, 70)]
    yield BREAK.join([*queued, delivery(2, DESTROYED, 70), b"\x02"])
