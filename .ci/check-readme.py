#!/usr/bin/python3
"""Each piece of code in README.md and docs/ that says where it is from equals that file, or the region of it
between "[name]" and "[end]" comments: <!-- from Examples/c/first.c --> or <!-- from Examples/c/first.c#name -->.
Each name of C on a page of docs/how-to and docs/coming-from is in a header. With --write the pages are brought up to date."""

import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SNIPPET = re.compile(r"<!-- from (\S+?)(?:#(\w+))? -->\n```(\w*)\n(.*?)```", re.S)
CODE = re.compile(r"^```(c|cpp|python|swift)$", re.M)

NAME = re.compile(r"\b(?:ctie|CTIE)_\w*[a-zA-Z0-9]\b")
FAMILY = re.compile(r"\b((?:ctie|CTIE)_\w*_)…")  # "CTIE_OPTION_…" is all names that begin so
HEADERS = "\n".join(path.read_text() for path in sorted((ROOT / "include").rglob("*.h")))
NAMES = set(NAME.findall(HEADERS))

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


def check_names(page, text):
    for name in sorted(set(NAME.findall(text)) - NAMES):
        problems.append(f"{page.name}: no header has {name}")
    for beginning in sorted(set(FAMILY.findall(text))):
        if not any(name.startswith(beginning) for name in NAMES):
            problems.append(f"{page.name}: no name begins with {beginning}")


def check(page, write):
    text = page.read_text()
    if page.name == "README.md" and len(CODE.findall(text)) != len(SNIPPET.findall(text)):
        problems.append(f"{page.name}: code that does not say which tested file it is from")
    if page.parent.name in ("how-to", "coming-from"):
        check_names(page, text)
    new = SNIPPET.sub(lambda match: renewed(page, match), text)
    if write and new != text:
        page.write_text(new)


for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
    check(page, "--write" in sys.argv)
print("\n".join(problems) or "the code on the pages is as in its files")
sys.exit(bool(problems) and "--write" not in sys.argv)
