#!/usr/bin/python3
"""Each piece of code in README.md and docs/ that says where it is from equals that file, or the region of it
between "[name]" and "[end]" comments: <!-- from Examples/c/first.c --> or <!-- from Examples/c/first.c#name -->.
With --write the pages are brought up to date."""

import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SNIPPET = re.compile(r"<!-- from (\S+?)(?:#(\w+))? -->\n```(\w*)\n(.*?)```", re.S)
CODE = re.compile(r"^```(c|cpp|python|swift)$", re.M)

problems = []


def region(path, name):
    lines = path.read_text().splitlines()
    if name:
        begin = next(i for i, line in enumerate(lines) if f"[{name}]" in line) + 1
        end = next(i for i in range(begin, len(lines)) if "[end]" in lines[i])
        lines = lines[begin:end]
    return textwrap.dedent("\n".join(lines)).strip() + "\n"


def renewed(page, match):
    """A snippet with the code that its file has now."""
    path, name, language, code = match.groups()
    source = path + (f"#{name}" if name else "")
    try:
        now = region(ROOT / path, name)
    except (OSError, StopIteration):
        problems.append(f"{page.name}: there is no {source}")
        return match[0]
    if now != code:
        problems.append(f"{page.name}: the code from {source} is not what stands there")
    return f"<!-- from {source} -->\n```{language}\n{now}```"


def check(page, write):
    text = page.read_text()
    if page.name == "README.md" and len(CODE.findall(text)) != len(SNIPPET.findall(text)):
        problems.append(f"{page.name}: code that does not say which tested file it is from")
    new = SNIPPET.sub(lambda match: renewed(page, match), text)
    if write and new != text:
        page.write_text(new)


for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
    check(page, "--write" in sys.argv)
print("\n".join(problems) or "the code on the pages is as in its files")
sys.exit(bool(problems) and "--write" not in sys.argv)
