#!/usr/bin/python3
"""The library exports exactly the functions that the headers declare, each is implemented under the compiler's
check against its declaration, each takes few parameters in one order, and each is called in a C test."""

import re
import subprocess
import sys
from pathlib import Path

import headers

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / ".build/dist/lib/libcrosstie.so"
NODE = "CTIE_0.1"
MOST_PARAMETERS = 7  # more than that nobody reads at a call
CALLBACKS = {"ctie_handler", "ctie_completion", "ctie_receiver", "ctie_logger", "ctie_provider_logger", "ctie_factory"}


def exported():
    """name: version node, of every defined dynamic symbol."""
    listing = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], check=True, capture_output=True, text=True)
    symbols = {}
    for line in listing.stdout.splitlines():
        name, _, version = line.split()[-1].partition("@")
        if name != version.lstrip("@"):  # the node itself is listed, too
            symbols[name] = version.lstrip("@")
    return symbols


def unchecked_exports():
    """Lines with @_cdecl but no @implementation, whose declarations the compiler does not compare."""
    for path in sorted((ROOT / "Sources").rglob("*.swift")):
        text = path.read_text()
        for match in re.finditer(r'@_cdecl\("(\w+)"\)', text):
            if not re.match(r"\s*@implementation\b", text[match.end():]):
                yield f"{path.relative_to(ROOT)}: {match[1]} is @_cdecl without @implementation"


def crowded(functions):
    for function in functions:
        if len(function.parameters) > MOST_PARAMETERS:
            yield f"{function.name} takes {len(function.parameters)} parameters; {MOST_PARAMETERS} are allowed"


def misplaced(functions):
    """`error` is the last parameter, and no input follows the options."""
    for function in functions:
        names = [p.name for p in function.parameters]
        kinds = [p.type for p in function.parameters]
        if "ctie_error_out" in kinds[:-1] or ("error" in names and kinds[-1] != "ctie_error_out" and len(names) > 1):
            yield f"{function.name}: `ctie_error_out error` has to come last"
        if "options" in names and any(kind in CALLBACKS for kind in kinds[names.index("options") + 1:]):
            yield f"{function.name}: a callback comes before the options"


def marks():
    """Parameters of functions have no nullability annotation; the pointers passed to a callback have one."""
    for path in sorted(headers.INCLUDE.glob("crosstie/*.h")):
        text = headers.COMMENT.sub("", path.read_text())
        for match in re.finditer(r"(?:CTIE_API|static inline)[^;{(]*?(\w+)\(([^;{]*?)\)\s*(?:[;{]|CTIE_FORMAT_)", text):
            if re.search(r"CTIE_(NULLABLE|NONNULL)", match[2]):
                yield f"{path.name}: a parameter of {match[1]} carries a mark"
        for match in re.finditer(r"\(\s*\*(?:\s*CTIE_NULLABLE)?\s*(\w+)\)\(([^;{]*?)\);", text):
            for parameter in match[2].split(","):
                unmarked = "*" in parameter or "_fn " in parameter
                if unmarked and "CTIE_N" not in parameter and not re.search(r"\*(user_data|context|token)$", parameter):
                    yield f"{path.name}: a parameter of the callback {match[1]} carries no mark: {parameter.strip()}"


def words_of(directory):
    return set(re.findall(r"\bctie_\w+", "".join(path.read_text() for path in directory.rglob("*.[ch]"))))


def main():
    functions = headers.parse().functions
    declared = {function.name for function in functions}
    symbols = exported()
    problems = [f"declared, but not exported: {name}" for name in sorted(declared - symbols.keys())]
    problems += [f"exported, but not declared: {name}" for name in sorted(symbols.keys() - declared)]
    problems += [f"{name} has the version '{node}', not {NODE}" for name, node in sorted(symbols.items()) if node != NODE]
    problems += unchecked_exports()
    problems += [*crowded(functions), *misplaced(functions), *marks()]
    problems += [f"no C test names {name}" for name in sorted(declared - words_of(ROOT / "Tests/C"))]
    print("\n".join(problems) or f"{len(symbols)} functions: declared, exported as {NODE}, implemented and tested")
    return bool(problems)


sys.exit(main())
