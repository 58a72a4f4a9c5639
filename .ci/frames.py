#!/usr/bin/python3
"""Makes, from docs/join-format.json, all that says the format of frames between joined buses with numbers: the constants
of the library, those of the hostile peers in the C tests, and the tables of docs/join-format.md.

The files are checked in, so that a build needs no Python; check-frames.py compares them. The order of a frame's fields is
written in the library once more, where each field is checked as it is read; Tests/C/test_join_frames.c asserts it.
"""

import json
import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SIZES = {"magic": 8, "u8": 1, "u16": 2, "u32": 4, "i32": 4, "u64": 8, "i64": 8}
ORIGIN = "Made from docs/join-format.json by .ci/frames.py."


def camel(name):
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def grouped(value):
    """A number as Swift's formatter wants it."""
    return f"{value:_}" if isinstance(value, int) and value >= 10_000 else value


def offsets(fields):
    """The fields whose offset in a packet is the same in every frame: behind the packet's byte and the kind's."""
    at = 2
    for type_, *name in fields:
        if type_ not in SIZES:
            return
        yield (name[0] if name else type_), at
        at += SIZES[type_]


def direction_size(memory):
    blocks = sum(memory[f"{size}_blocks"] * memory[f"{size}_block_size"] for size in ("small", "large"))
    return 2 * memory["slots"] * memory["slot_size"] + blocks


def swift(table):
    """Sources/CrosstieJoin/FrameTable.swift"""

    def numbers(constants, type_="Int"):
        return "".join(f"    static var {camel(name)}: {type_} {{ {grouped(value)} }}\n" for name, value in constants)

    def block(head, *parts):
        return f"\n{head} {{\n" + "".join(parts) + "}\n"

    def nested(head, *parts):
        return textwrap.indent(block(head, *parts), "    ")

    memory = dict(table["memory"])
    magics = [table["magic"], memory.pop("magic")]
    memory_version = memory.pop("version")
    cases = "".join(f"        case {name} = {kind}\n" for kind, name, _ in table["kinds"])
    packet = dict(table["packet"])
    return f"// {ORIGIN}\n" + "".join([
        block("extension Frame",
              f"    enum Kind: UInt8 {{\n{cases}    }}\n\n",
              numbers([("version", table["version"])], "UInt16"),
              "    /// The beginning of every greeting.\n",
              numbers([("magic", f'"{magics[0]}"')], "StaticString"),
              nested("/// The most, or the least, that a frame may have.\nenum Limit", numbers(table["limits"].items())),
              nested("/// The flags of a request.\nenum Flag", numbers(table["flags"].items(), "UInt8")),
              nested("/// A packet: its size with the first byte, of which a socket's buffer holds several, and that byte.\n"
                     "enum Packet", numbers([("size", packet.pop("size"))]), numbers(packet.items(), "UInt8"))),
        block("extension SharedLayout",
              numbers([("magic", f'"{magics[1]}"')], "StaticString"), numbers([("version", memory_version)], "UInt32"),
              numbers(memory.items()),
              "\n    // Of a direction's control page.\n",
              numbers((name, offset) for offset, name, _ in table["control"])),
    ])


def c(table):
    """Tests/C/join_format.h"""

    def enum(constants):
        return "\nenum {\n" + "".join(f"    {name.upper().replace(' ', '_')} = {value},\n" for name, value in constants) + "};\n"

    memory = dict(table["memory"])
    magics = table["magic"], memory.pop("magic")
    size = direction_size(memory)
    return (
        f"/* The numbers of docs/join-format.md. {ORIGIN} */\n#ifndef JOIN_FORMAT_H\n#define JOIN_FORMAT_H\n\n"
        f'#define FRAME_MAGIC "{magics[0]}"\n#define MEMORY_MAGIC "{magics[1]}"\n'
        + enum([("frame_version", table["version"])] + [(f"frame_{name}", kind) for kind, name, _ in table["kinds"]])
        + enum((f"packet_{name}", value) for name, value in table["packet"].items())
        + enum((f"flag_{name}", value) for name, value in table["flags"].items())
        + enum((f"limit_{name}", value) for name, value in table["limits"].items())
        + "\n/* Offsets in a packet. */"
        + enum((f"{kind}_{name}_at", at) for _, kind, fields in table["kinds"] for name, at in offsets(fields))
        + "\n/* The shared memory, and offsets in a control page. */"
        + enum([(f"memory_{name}", value) for name, value in memory.items()]
               + [("direction_size", size), ("memory_size", 3 * memory["page_size"] + 2 * size)]
               + [(f"control_{name}", offset) for offset, name, _ in table["control"]])
        + "\n#endif\n")


def size_text(size):
    if size == 0:
        return "0"
    return f"{size >> 20} MiB" if size % (1 << 20) == 0 else f"{size >> 10:,} KiB"


def rows(table):
    """The tables of docs/join-format.md: the head of each, and its rows."""
    values = {"version": table["version"], **table["limits"], **table["flags"], **table["memory"]}
    said = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
    said["version"] = table["version"]

    def field(type_, name="", note=""):
        type_ = f"`{table['magic']}`" if type_ == "magic" else type_
        return f"{type_} {name}".strip() + note.format(**said)

    kinds = [(kind, name.upper(), "; ".join(field(*each) for each in fields)) for kind, name, fields in table["kinds"]]
    yield "| kind | name | fields |", kinds
    yield "| offset in the control page | content |", [(at, text.format(**said)) for at, _, text in table["control"]]
    m = table["memory"]
    slots, small, large = m["slots"], m["small_blocks"], m["large_blocks"]
    half, blocks = slots * m["slot_size"], 2 * slots * m["slot_size"]
    yield "| offset in the data | content |", [
        (0, f"{slots} slots of {size_text(m['slot_size'])}: locations 0 to {slots - 1}"),
        (size_text(half), f"{slots} answers of {size_text(m['slot_size'])}"),
        (size_text(blocks), f"{small} blocks of {size_text(m['small_block_size'])}, locations {slots} to {slots + small - 1}"),
        (size_text(blocks + small * m["small_block_size"]), f"{large} blocks of {size_text(m['large_block_size'])}, "
         f"locations {slots + small} and {slots + small + large - 1}")]


def page(table, text):
    """docs/join-format.md with its tables, and the size of the memory in its text."""
    for head, lines in rows(table):
        made = "".join("| " + " | ".join(map(str, line)).rstrip() + " |\n" for line in lines).replace("|  |", "| |")
        text, count = re.subn(rf"({re.escape(head)}\n\|[-|]+\n)(?:\|.*\n)*", lambda found: found[1] + made, text)
        assert count == 1, f"docs/join-format.md: {count} tables {head}"
    size = 3 * table["memory"]["page_size"] + 2 * direction_size(table["memory"])
    return re.sub(r"`memfd` of [\d,]+ bytes", f"`memfd` of {size:,} bytes", text)


def made():
    """Each file with the content that it has to have."""
    table = json.loads((ROOT / "docs/join-format.json").read_text())
    document = ROOT / "docs/join-format.md"
    return {ROOT / "Sources/CrosstieJoin/FrameTable.swift": swift(table), ROOT / "Tests/C/join_format.h": c(table),
            document: page(table, document.read_text())}


if __name__ == "__main__":
    for path, content in made().items():
        path.write_text(content)
