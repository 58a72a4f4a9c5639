#!/usr/bin/python3
"""Everything that the C interface can do can be done in C++: each function of the headers is named in one of the C++
headers, and not in a comment alone."""

import re
import sys
from pathlib import Path

import headers

ROOT = Path(__file__).resolve().parent.parent
CPP = ROOT / "include/crosstie/cpp"
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def named():
    text = "".join(path.read_text() for path in [*CPP.glob("*.hpp"), ROOT / "include/crosstie.hpp"])
    return set(re.findall(r"\bctie_\w+", COMMENT.sub("", text)))


def main():
    functions = {function.name for function in headers.parse().functions}
    problems = [f"no C++ header names {name}" for name in sorted(functions - named())]
    print("\n".join(problems) or f"{len(functions)} functions: each has its place in C++")
    return bool(problems)


sys.exit(main())
