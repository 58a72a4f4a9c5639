"""Seeds of the records in a wormhole's store, and of the memory that processes share beside it.

They are written down here byte by byte, as docs/wormhole.md has it, and not made by the library: so that the page, the
library and the seeds are held against each other. The fuzz targets take none of them that the library does not know.
"""

import struct

SEPARATOR = b"\xfe\xff"
VALUE, SIGNAL, DESTROYED = 1, 2, 3
NOBODY = 0
BOOT = 7  # what the targets say this boot is
TIME = 1_700_000_000_000_000_000
HELLO = b"\x81\xa5count\x03"  # {"count": 3} as MessagePack

META, TOKEN, CURRENT, LAST_SIGNAL, TOMBSTONE, INTEREST, CURSOR, LOG = 0x00, 0x01, 0x10, 0x11, 0x20, 0x30, 0x31, 0xF0
WAITING, DUE = 0x33, 0x34


def state(kind, sequence, name=b"seed", payload=b""):
    return struct.pack("<BBHiQq", 1, kind, len(name), 4711, sequence, TIME) + name + payload


def message(kind, identifier=b"", payload=b"", back=0):
    return struct.pack("<IIBB", back, len(payload), kind, len(identifier)) + identifier + payload


def block(index, total, *messages, name=b"seed"):
    header = struct.pack("<BBHiqQQ", 1, len(name), len(messages), 4711, TIME, index, total)
    return header + name + b"".join(messages)


def interest(logged, slots=0, durable_count=0, size=0):
    return struct.pack("<IIQ", 1, durable_count, logged) + slots.to_bytes(32, "little") + struct.pack("<Q", size)


def meta(
    last_signal=0, destroyed_all=0, forgotten=0, offset=0, dropped=0, counted=0, tombstones=0,
    purged=0, removed=(0, 0), sweep_place=0, sweep_due=(0, 0), swept_up_to=0, swept=0,
):
    record = struct.pack("<IIQQqiI", 3, tombstones, last_signal, destroyed_all, TIME, 4711, 0)
    record += struct.pack("<QQQQ", forgotten, offset, dropped, counted)
    return record + struct.pack("<QQQQQQQQ", purged, *removed, sweep_place, *sweep_due, swept_up_to, swept)


def cursor(
    identity, next_sequence, missed=0, outstanding=(), boot=BOOT, missed_owner=NOBODY, waiting=0, era=0, turn=0, shelf=0
):
    record = struct.pack("<IIQQQQQ", 1, len(outstanding), identity, next_sequence, missed, boot, missed_owner)
    record += struct.pack("<QII", waiting, era, turn)
    record += struct.pack("<QQQQqQ", len(outstanding), 16 * len(outstanding), 1, 0, TIME, shelf or identity)
    return record + b"".join(struct.pack("<QQIq", *delivery, TIME) for delivery in outstanding)


def waiting_key(identity, sequence):
    return struct.pack(">QQ", identity, sequence)


def due_key(identity, sequence, clock, era=0):
    return struct.pack(">QIQQ", identity, era, clock, sequence)


NAMESPACE = 4026531836


def opening(name=b"seed"):
    return struct.pack("<BBHiQqQQQQ", 1, len(name), 0, 4711, 12345, TIME, 3, 9, BOOT, NAMESPACE) + name


def wakeups_header(store_size=16 << 20, flags=0, largest=1 << 30, count=1 << 20, size=1 << 28):
    header = b"CTIEBELL" + struct.pack("<IIQQQIIQQQ", 2, flags, store_size, 1, 2, 0, 0, largest, count, size)
    return header + b"\0" * (128 - len(header))


def member(pid=4711, name=b"seed"):
    return struct.pack("<iIQq", pid, len(name), 12345, TIME) + name


def token(last=0):
    """The newest step of the member 2 on a host's transport."""
    return piece(TOKEN, struct.pack(">QQi", 2, 9, 4711), struct.pack("<B7x", 1) + bytes(range(15)) + bytes([last]))


def records():
    """Seeds of the target `records`."""
    for kind, payload in ((VALUE, HELLO), (SIGNAL, b""), (DESTROYED, b""), (VALUE, b"\xc1")):
        yield b"s" + state(kind, 9, payload=payload)
        for identifier in (b"jobs", b"jobs.a"):
            yield b"l" + struct.pack("<Q", 9) + block(3, 300, message(kind, identifier, payload))
    yield b"l" + struct.pack("<Q", 9) + block(3, 300, message(DESTROYED))
    several = [message(VALUE, b"jobs", HELLO, 2), message(SIGNAL, b"jobs.a", b"", 1), message(VALUE, b"jobs", HELLO)]
    yield b"l" + struct.pack("<Q", 9) + block(3, 300, *several)
    yield b"i" + interest(12, slots=5)
    yield b"i" + interest(12, durable_count=2, size=480)
    yield b"o" + opening()
    yield b"m" + meta()
    yield b"m" + meta(3, 4, 5, 6, 7, 8, 9, 10, (11, 12), 13, (14, 15), 16, 17)
    steps = SEPARATOR + bytes(range(0, 256, 5))
    given = [(3, 0x2200, 1), (5, NOBODY, 2), (8, 1, 1)]
    for boot in (BOOT, BOOT + 1):
        yield b"c" + cursor(2, 9, 1, given, boot) + steps
    yield b"c" + cursor(2, 0) + steps
    yield b"c" + cursor(2, 0, shelf=9) + steps
    yield b"c" + cursor(2, 9, 4, missed_owner=1) + steps
    yield b"c" + cursor(2, 40, 0, given, waiting=1 << 40, era=3, turn=1) + steps
    yield b"w" + due_key(2, 7, 12345, era=1) + struct.pack("<I", 3)
    parts = [(0, wakeups_header()), (384, b"\x03"), (4096, member()), (4096 + 128, member(2, b"x" * 64))]
    yield b"b" + SEPARATOR.join(place.to_bytes(3, "little") + part for place, part in parts)
    yield b"b" + SEPARATOR.join(place.to_bytes(3, "little") + b"\xff" * 32 for place in (384, 448, 512))


def piece(kind, name, record):
    """One record of the target `store`: the size of its key, the key, its content."""
    return bytes([1 + len(name), kind]) + name + record


def log(sequence, index, total, *messages):
    return piece(LOG, struct.pack(">Q", sequence), block(index, total, *messages))


def stores():
    """Seeds of the target `store`: the listeners, and the group's content."""
    plain = [
        piece(META, b"", meta(offset=20, last_signal=4)),
        token(),
        piece(CURRENT, b"jobs", state(VALUE, 3, payload=HELLO)),
        piece(CURRENT, b"jobs.a", state(DESTROYED, 5)),
        piece(LAST_SIGNAL, b"jobs", state(SIGNAL, 4)),
        piece(TOMBSTONE, struct.pack(">Q", 5), b"jobs.a"),
    ]
    queues = [
        piece(INTEREST, b"jobs.*", interest(4, durable_count=1)),
        piece(INTEREST, b"jobs", interest(4, slots=1)),
        piece(CURSOR, b"worker\0jobs.*", cursor(2, 9, 1, [(7, NOBODY, 1), (8, 0x2200, 2)], waiting=1)),
        piece(WAITING, waiting_key(2, 9), struct.pack("<QI", 12345, 0)),
        piece(DUE, due_key(2, 9, 12345), struct.pack("<I", 1)),
        log(8, 2, 110, message(VALUE, b"jobs.a", HELLO, 1), message(SIGNAL, b"jobs.b")),
        log(9, 3, 170, message(VALUE, b"jobs", b"\xc1")),
        log(10, 4, 200, message(DESTROYED)),
        log(12, 6, 260, message(VALUE, b"jobs.a", HELLO, 1), message(VALUE, b"jobs.b", HELLO)),
    ]
    counts = piece(META, b"", meta(offset=20, dropped=10, counted=9, destroyed_all=10, forgotten=9, purged=9))
    swept = piece(META, b"", meta(offset=20, purged=11, removed=(3, 170), sweep_place=9, sweep_due=(1, 1)))
    dropping = piece(META, b"", meta(offset=20, removed=(9, 900), sweep_place=(1 << 64) - 1))
    for listening in range(9):
        for contents in (plain, queues, plain + queues, [*queues, counts], [*queues, swept], [*queues, dropping]):
            yield bytes([listening]) + SEPARATOR.join(contents)
