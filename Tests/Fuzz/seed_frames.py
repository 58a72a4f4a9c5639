"""Seeds of the target `join`: frames between joined buses, and memory that they share (docs/join-format.md)."""

import struct


def text(value):
    return struct.pack("<H", len(value)) + value.encode()


def content(value):
    return struct.pack("<I", len(value)) + value


def names(*all):
    return struct.pack("<H", len(all)) + b"".join(text(name) for name in all)


def frames():
    greeting = b"\x01CTIEJOIN" + struct.pack("<HIQI", 1, 1 << 20, 515, 2) + text("till")
    yield greeting + names("stock", "app://", "app://items/*", "event:saved") + names("stock.count")
    yield b"\x02" + names("stock") + names("stock.count")
    yield b"\x02" + names() + names()
    one_key = b"\x81\xa1a\x01"
    call = b"\x03" + struct.pack("<QBBq", 7, 3, 2, 250) + text("stock") + text("count")
    yield call + content(one_key) + content(b"")
    yield call + content(b"\xc0") + content(one_key)
    yield b"\x04" + struct.pack("<Qii", 7, 0, 1) + content(b"no wheels left") + content(b"\x2a")
    yield b"\x04" + struct.pack("<Qii", 8, -3, 70) + content(b"") + content(b"")
    yield b"\x05" + struct.pack("<Q", 7) + b"\x2a"
    yield b"\x06" + struct.pack("<Q", 7)
    yield from (b"\x07", b"\x08", b"\x09")
    yield b"\x0a" + struct.pack("<QBBq", 8, 1, 1, -1) + text("app://items/5?a=b") + content(one_key)
    yield b"\x0b" + struct.pack("<QBBq", 9, 2, 1, 250) + text("saved") + content(one_key) + content(b"")


CONTROL, ENTRIES, ANSWERS, DATA = (4096, 8192), 384, 2048, 3 * 4096


def piece(offset, *words):
    return struct.pack("<I", offset)[:3] + b"".join(struct.pack("<I", word & 0xFFFFFFFF) for word in words)


def memories():
    """Pieces of memory, put together."""
    head = piece(CONTROL[0], 1)
    yield [head, piece(CONTROL[0] + ENTRIES, 5, 0, 1, 9), piece(CONTROL[0] + ANSWERS, 9 << 2 | 1), piece(DATA, 7)]
    yield [head, piece(CONTROL[0] + ENTRIES, 70000, 73, 0, 0)]
    yield [head, piece(CONTROL[0] + ENTRIES, 0, -1, 0, 0)]
    yield [piece(CONTROL[0], 64), piece(CONTROL[0] + ENTRIES, *[4096, 0, 0, 0] * 64)]
    yield [piece(CONTROL[1] + 128, 65)]
    yield [piece(CONTROL[1] + ANSWERS, 64 << 2 | 3, 4096), piece(CONTROL[1] + ANSWERS + 32, 63 << 2 | 2)]


def seeds():
    yield from (b"f" + frame for frame in frames())
    yield from (b"m" + b"\xfe\xff".join(pieces) for pieces in memories())
