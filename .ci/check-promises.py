#!/usr/bin/python3
"""docs/errors.md names exactly the functions that Tests/C/test_no_memory.c holds to their promise. `--write` names them."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/errors.md"
BEGIN, END = "<!-- promised -->\n", "<!-- /promised -->"

table = re.search(r"promised\[\] = \{\n(.*?)\n\};", (ROOT / "Tests/C/test_no_memory.c").read_text(), re.S)[1]
names = sorted(set(re.findall(r'^\s*\{"(ctie_\w+)', table, re.M)))
lines, line = [], ""
for name in names:
    word = f"`{name}()`" + ("," if name != names[-1] else "")
    if len(line) + 1 + len(word) > 120:
        lines.append(line)
        line = ""
    line = f"{line} {word}".lstrip()
wanted = "\n".join([*lines, line]) + "\n"

before, rest = PAGE.read_text().split(BEGIN)
found, after = rest.split(END)
if "--write" in sys.argv:
    PAGE.write_text(before + BEGIN + wanted + END + after)
elif found != wanted:
    sys.exit("docs/errors.md does not name what Tests/C/test_no_memory.c promises: .ci/check-promises.py --write")
print(f"{len(names)} functions are promised to do without memory")
