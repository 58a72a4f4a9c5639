#!/usr/bin/python3
"""Everything that the C interface can do can be done in C++.

Each function of the headers is named in one of the C++ headers, and each field of a struct that says its size is set
there. A comment does not count."""

import re
import sys
from pathlib import Path

import headers

ROOT = Path(__file__).resolve().parent.parent
CPP = ROOT / "include/crosstie/cpp"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)

# Structs that C++ does not fill in.
ELSEWHERE = {
    "ctie_declaration": "its macros of declare.h are for C++, too",
    "ctie_engine_server": "the library fills it in for an engine in a library of its own, which is C",
    "ctie_engine_plugin": "an engine in a library of its own is C",
    "ctie_engine_host": "the library fills it in; crosstie::engine_host calls its functions",
    "ctie_runtime": "of bindings for languages with a lock of their own",
}


def texts():
    paths = [*sorted(CPP.glob("*.hpp")), ROOT / "include/crosstie.hpp"]
    return [COMMENT.sub("", path.read_text()) for path in paths]


def field_name(declaration):
    """The name in a field's declaration; of a function pointer, the word after the star."""
    pointer = re.search(r"\(\s*\*\s*(?:CTIE_\w+\s+)?(\w+)\s*\)", declaration)
    return pointer[1] if pointer else re.findall(r"\w+", re.sub(r"\[.*?\]", "", declaration))[-1]


def fields_set(struct, files):
    """The fields that are named behind a variable of the struct's type, up to the next variable of that name."""
    found = set()
    for text in files:
        for declared in re.finditer(rf"\b{struct} (?:\*\s*)?(\w+)\s*(?:[=;{{,)])", text):
            variable = declared[1]
            rest = text if variable.endswith("_") else text[declared.end() :]  # a member is seen in the whole file
            if not variable.endswith("_"):
                again = re.search(rf"\bctie_\w+ (?:\*\s*)?{variable}\s*[=;{{]", rest)
                rest = rest[: again.start()] if again else rest
            found |= set(re.findall(rf"\b{variable}(?:\.|->)(\w+)", rest))
    return found


def main():
    files = texts()
    interface = headers.parse()
    functions = {function.name for function in interface.functions}
    named = set(re.findall(r"\bctie_\w+", "".join(files)))
    problems = [f"no C++ header names {name}" for name in sorted(functions - named)]
    count = 0
    for struct in interface.sized:
        if struct in ELSEWHERE:
            continue
        names = [field_name(field) for field in interface.structs[struct][1:]]
        count += len(names)
        missing = sorted(set(names) - fields_set(struct, files) - {"reserved"})
        problems += [f"no C++ header sets {struct}.{name}" for name in missing]
    print("\n".join(problems) or f"{len(functions)} functions, {count} fields: each has its place in C++")
    return bool(problems)


sys.exit(main())
