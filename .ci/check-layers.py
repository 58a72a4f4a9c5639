#!/usr/bin/python3
"""Each layer imports only what CONTRIBUTING.md and docs/decisions.md allow it; some constructs stay in a few files."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
C_MODULES = {"CCrosstie", "CPlatform", "CLMDB", "CJansson"}
MAY_IMPORT = {
    "Sources/Crosstie": {"Synchronization", "Glibc"} | C_MODULES - {"CLMDB"},
    "Sources/CrosstieWormhole": {"Crosstie", "Synchronization", "Glibc"} | C_MODULES - {"CJansson"},
    "Sources/CrosstieJoin": {"Crosstie", "CrosstieWormhole", "CPlatform", "Glibc", "Synchronization"},
    "Sources/CrosstieInstance": {"Crosstie", "CrosstieWormhole", "CPlatform", "Glibc"},
    "Sources/CrosstieABI": {
        "Crosstie", "CrosstieWormhole", "CrosstieJoin", "CrosstieInstance", "CCrosstie", "Synchronization", "Glibc",
    },
    "Sources/CrosstieCodable": {"Crosstie", "CrosstieWormhole"},
    "Sources/CrosstieConcurrency": {"Crosstie", "CrosstieWormhole", "CrosstieCodable", "Synchronization"},
    "Sources/CrosstieTool": {"Crosstie", "CrosstieWormhole", "CrosstieJoin", "CrosstieInstance", "ArgumentParser", "Synchronization", "Glibc"},
}
MAY_INCLUDE = {
    "include": r"<(stdbool|stddef|stdint|string)\.h>",
    "include/crosstie/convenience_value.h": r"<(limits|stdarg|stdio|stdlib)\.h>|<initializer_list>",
    "Sources/CPlatform": r'<.*>|"platform_\w+\.h"',
    "bindings/python": r'<(?!lmdb|jansson)[\w/]+\.h>|"(Python|crosstie|docstrings)\.h"',
}
# Swift's own concurrency, and what would bring Foundation or Dispatch in.
BANNED = re.compile(r"\b(await|async|actor|Task|TaskGroup|DispatchQueue|NSLock)\b(?=\s*[.({<:]|\s+\w)")
# The layers that a program gets its interface from: what they import must not leak into it.
CORE = ("Sources/Crosstie", "Sources/CrosstieWormhole", "Sources/CrosstieJoin", "Sources/CrosstieInstance")
RAW = re.compile(r"\bUnmanaged\b|@convention\(c\)")
# The files where the core calls a host's functions, and where Swift is itself the host.
RAW_ALLOWED = {
    "Sources/Crosstie/Request/Callback.swift",
    "Sources/Crosstie/Request/CallbackContext.swift",
    "Sources/Crosstie/Request/RuntimeLock.swift",
    "Sources/Crosstie/System/LibraryThread.swift",
    "Sources/Crosstie/Values/ForeignHooks.swift",
    "Sources/Crosstie/Values/ForeignObject.swift",
}
# The floors of the core and of the wormhole, the lowest first. A file uses the types of its own folder and of those above
# it in this list; "." is the folder itself.
FLOORS = {
    "Sources/Crosstie": [
        "System", "Values", "URL", "Routing/Pattern", "Routing/Table", "Routing/Search", "Rules", "Request", "Bus",
        "SystemOpener", "Components", "Performer", "Providers",
        "Kinds/Call", "Kinds/Event", "Kinds/Perform", "Kinds/HandOff", "Kinds/Open", "Kinds",
    ],
    "Sources/CrosstieWormhole": [
        "Base", "Host", "Options", "Server", "Files", "Wakeups", "Store/Pages", "Store", "Records", "Store/Host", "Log", "Messages",
        "Group", "Feeds", "Queue", "Sending", "Engine", "Core", ".", "Care",
    ],
}
# Types that name the interface's types (`Wormhole.Member`): such a name is no use of the type itself.
NAMESPACES = re.compile(r"\bWormhole\.(?=[A-Z])")
# The greatest number of files of which each uses, by way of others, all the others. It only goes down.
GREATEST_CYCLE = {"Sources/Crosstie": 11, "Sources/CrosstieWormhole": 5}
TYPE = re.compile(r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate|final|indirect)\s+)*"
                  r"(?:struct|class|enum|protocol|typealias)\s+(\w+)", re.M)
# A type that its file does not hide, which the listing must show.
VISIBLE = re.compile(r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|final|indirect)\s+)*"
                     r"(?:struct|class|enum|protocol|actor)\s+(\w+)", re.M)
TRAPS = re.compile(r"\b(fatalError|precondition|preconditionFailure|assertionFailure)\s*\(|\btry!|\bas!")

problems = []


def swift_code(path):
    """The lines of a Swift file without comments and string literals."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), path.read_text(), flags=re.S)
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
        yield number, re.sub(r"//.*", "", line)


def report(path, number, text):
    problems.append(f"{path.relative_to(ROOT)}:{number}: {text}")


def check_import(layer, path, number, line, allowed):
    match = re.match(r"\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(\w+)\s+)?import\s+(?:(?:func|struct|class|enum|protocol|typealias|var|let)\s+)?(\w+)", line)
    if not match:
        return
    access, module = match.groups()
    if module not in allowed:
        report(path, number, f"this layer may not import {module}")
    if layer in CORE and module in C_MODULES | {"Glibc"} and access in (None, "public"):
        report(path, number, f"write 'internal import {module}' (or 'package'), so that it does not leak into the Swift interface")


def check_swift(layer, allowed):
    for path in sorted((ROOT / layer).rglob("*.swift")):
        name = str(path.relative_to(ROOT))
        check_names(path)
        for number, line in swift_code(path):
            check_import(layer, path, number, line, allowed)
            if layer != "Sources/CrosstieConcurrency" and BANNED.search(line):
                report(path, number, "Swift concurrency and Dispatch stay out of the core")
            if layer in CORE and name not in RAW_ALLOWED and RAW.search(line):
                report(path, number, "Unmanaged and C callbacks belong into CrosstieABI")
            if TRAPS.search(line):
                report(path, number, "a trap would end the host's process: answer with an error")


def check_names(path):
    """A type is in the file of its name, `Name.swift` or `Name+aspect.swift`, even a small one."""
    for number, line in swift_code(path):
        match = VISIBLE.match(line)
        if match and match[1] != path.stem.split("+")[0]:
            report(path, number, f"{match[1]} belongs into {match[1]}.swift")


def floor(path, floors):
    """The number of a file's floor: of the longest folder in the list that holds it."""
    folder = f"{path.parent}/"
    held = [name for name in floors if folder.startswith(name + "/")]
    return floors.index(max(held, key=len)) if held else None


def uses_of_types(folder):
    """For each file below a folder the files whose types it uses, with one such type."""
    texts = {path.relative_to(folder): "\n".join(line for _, line in swift_code(path)) for path in folder.rglob("*.swift")}
    texts = {path: NAMESPACES.sub("", text) for path, text in texts.items()}
    home = {name: path for path in sorted(texts) for name in TYPE.findall(texts[path])}
    uses = {}
    for path, text in texts.items():
        own = set(re.findall(r"\b(?:struct|class|enum|protocol|typealias|case)\s+(\w+)", text))
        names = set(re.findall(r"\b[A-Z]\w*", text)) - own
        uses[path] = {home[name]: name for name in sorted(names) if home.get(name, path) != path}
    return uses


def greatest_cycle(uses):
    """The greatest set of files that all reach one another."""
    def reached(start):
        seen, left = set(), [start]
        while left:
            for path in uses[left.pop()].keys() - seen:
                seen.add(path)
                left.append(path)
        return seen
    reach = {path: reached(path) for path in uses}
    return max(([other for other in reach[path] if path in reach[other]] for path in uses), key=len)


def check_floors(layer):
    folder, floors = ROOT / layer, FLOORS[layer]
    uses = uses_of_types(folder)
    for path in sorted(uses):
        own = floor(path, floors)
        if own is None:
            report(folder / path, 1, "this folder is on no floor: FLOORS in .ci/check-layers.py has them")
            continue
        for other, name in sorted(uses[path].items()):
            used = floor(other, floors)
            if used is not None and used > own:
                report(folder / path, 1, f"{path.parent} uses {name} of a higher floor, {other.parent}")
    cycle = greatest_cycle(uses)
    print(f"the greatest cycle of files in {layer}: {len(cycle)}")
    if len(cycle) > GREATEST_CYCLE[layer]:
        problems.append(f"{len(cycle)} files form a cycle, {GREATEST_CYCLE[layer]} are allowed: {', '.join(map(str, sorted(cycle)))}")


def check_c(layer, pattern):
    allowed = re.compile(pattern)
    for path in sorted((ROOT / layer).rglob("*.[ch]")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s+(["<][^">]+[">])', line)
            if not include or allowed.fullmatch(include[1]):
                continue
            if re.fullmatch(MAY_INCLUDE.get(str(path.relative_to(ROOT)), ""), include[1]):
                continue
            if include[1][0] == '"' and (path.parent / include[1].strip('"')).exists():
                continue
            report(path, number, f"{layer} may not include {include[1]}")


def check_extension_folders():
    """The folders of Python's extension, each of which uses only those before it; module.c and its like are above them."""
    order = ["base", "value", "request", "handler", "bus", "wormhole", "ext"]
    root = ROOT / "bindings/python/ext"
    for path in sorted(root.rglob("*.[ch]")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            used = (path.parent / include[1]).resolve() if include else None
            if used and used.exists() and order.index(used.parent.name) > order.index(path.parent.name):
                report(path, number, f"{path.parent.name} comes before {used.parent.name}, and may not use it")


def check_links():
    """Archives and file systems without symbolic links turn them into files, which breaks a build in obscure ways."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in (".git", ".build")]
        for path in (Path(folder) / name for name in folders + files):
            if path.is_symlink():
                problems.append(f"{path.relative_to(ROOT)}: a symbolic link does not outlast every way of copying a tree")


check_links()
for layer, allowed in MAY_IMPORT.items():
    check_swift(layer, allowed)
for layer, pattern in MAY_INCLUDE.items():
    check_c(layer, pattern)
for layer in FLOORS:
    check_floors(layer)
check_extension_folders()
print("\n".join(problems) or "every layer keeps to itself")
sys.exit(bool(problems))
