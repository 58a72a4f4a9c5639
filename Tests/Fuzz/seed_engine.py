"""Seeds of the engine target: deliveries to its listeners, and what these do."""

import itertools

BREAK = b"\xfe\xff"
VALUE, DESTROYED = 1, 3
KINDS = 8  # of which an engine delivers five
EXPIRED = 1  # a moment after 1970 began


def delivery(listener, kind, sequence, identifier=b"q.a", value=b"", flags=0, claim=0, count=1, expires=0):
    """A message for one of the listeners: the states 0 and 1, the queue 2, the durable consumer 3."""
    fields = bytes([kind, flags, sequence & 255, sequence >> 8, claim, count, expires, len(identifier)])
    return bytes([0x80 | listener]) + fields + identifier + value


def collect(listener):
    """Has a listener take what was delivered to it."""
    return bytes([listener])


ACKNOWLEDGE, REJECT = b"\x40", b"\x41"


def seeds():
    for listener, kind in itertools.product(range(4), range(KINDS)):
        value = b"\x01" if kind == VALUE else b""
        some = [delivery(listener, kind, n, value=value, claim=n) for n in (1, 2, 2, 3)]
        yield BREAK.join([*some, collect(listener), ACKNOWLEDGE, REJECT, collect(listener)])
    for identifier in (b"q.b", b"q", b"", b"*", b"q.*", b"other.x"):
        for listener in range(4):
            yield BREAK.join([delivery(listener, DESTROYED, 7, identifier, claim=7), collect(listener)])
    stored = [delivery(1, VALUE, 9 - n, b"q." + name, b"\x01", flags=1) for n, name in enumerate((b"a", b"b", b"c"))]
    yield BREAK.join([*stored, collect(1), delivery(1, VALUE, 20, b"q.a", b"\xa1x"), collect(1)])
    queued = [delivery(2, VALUE, n, b"q.a", b"\x01") for n in range(1, 70)]
    yield BREAK.join([*queued, collect(2), delivery(2, DESTROYED, 70), collect(2)])
    for listener in range(4):
        expired = delivery(listener, VALUE, 1, value=b"\x01", claim=1, expires=EXPIRED)
        later = delivery(listener, VALUE, 2, value=b"\x01", claim=2)
        yield BREAK.join([expired, collect(listener), later, collect(listener)])
    again = [delivery(3, VALUE, 1, value=b"\x01", claim=n, count=n) for n in (1, 2, 3)]
    destroyed = delivery(3, DESTROYED, 2, claim=4)
    yield BREAK.join([*again, collect(3), REJECT, ACKNOWLEDGE, collect(3), destroyed, collect(3)])
