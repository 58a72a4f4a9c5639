#!/usr/bin/python3
"""The public declarations of the Swift modules are those that are written down in packaging/swift-<module>.txt. A difference
is either a mistake or a change that is meant, which is accepted with: .ci/check-interface.py --accept

It reads the sources, so nothing has to be built. A line has where a declaration is, and how it is written."""

import difflib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = ["Crosstie", "CrosstieWormhole", "CrosstieJoin", "CrosstieInstance", "CrosstieCodable", "CrosstieConcurrency"]
TYPE = re.compile(r"\b(?:class|struct|enum|protocol|actor|extension)\s+([\w.]+)")
WORD = re.compile(r"(?:@\w+(?:\([^)]*\))?\s+)*public\s")


def code(text):
    """The text without comments, and with string literals emptied."""
    text = re.sub(r'"""(.*?)"""', '""', text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def statements(text):
    """(scope, head) of everything that begins with a word and ends with a brace, a line or a semicolon."""
    scopes, head, depth = [], "", 0
    for token in re.finditer(r"[{}()\[\]\n]|[^{}()\[\]\n]+", text):
        part = token[0]
        if part in "([":
            depth += 1
        elif part in ")]":
            depth -= 1
        if part == "{" and depth == 0:
            yield list(scopes), head
            scopes.append(head)
            head = ""
        elif part == "}" and depth == 0:
            yield list(scopes), head
            if scopes:
                scopes.pop()
            head = ""
        elif part == "\n" and depth == 0 and not goes_on(head):
            yield list(scopes), head
            head = ""
        else:
            head += part
    yield scopes, head


def goes_on(head):
    return not head.strip() or head.rstrip().endswith((",", "->", "=", ":")) or re.fullmatch(r"\s*@.*", head) is not None


def declarations(folder):
    lines = set()
    for path in sorted(Path(folder).rglob("*.swift")):
        for scopes, head in statements(code(path.read_text())):
            names = [match[1] for scope in scopes if (match := TYPE.search(scope))]
            if len(names) != len(scopes):
                continue  # inside a body
            text = " ".join(head.split())
            is_public = WORD.match(text) or re.match(r"extension [^{]*:", text)
            outer = scopes[-1] if scopes else ""
            inherited = re.search(r"\bpublic\b[^{]*\bprotocol\b", outer) and re.match(
                r"(static |mutating )?(func|var|init)\b", text)
            case = re.search(r"\bpublic\b[^{]*\benum\b", outer) and re.match(r"(indirect )?case\b", text)
            if is_public or inherited or case:
                lines.add(f"{'.'.join(names)}: {re.sub(r'^public |(?<= )public ', '', text)}".removeprefix(": "))
    return sorted(lines)


def main():
    problems = []
    for module in MODULES:
        known = ROOT / "packaging" / f"swift-{module}.txt"
        now = declarations(ROOT / "Sources" / module)
        if "--accept" in sys.argv:
            known.write_text("\n".join(now) + "\n")
        before = known.read_text().splitlines() if known.exists() else []
        problems += difflib.unified_diff(before, now, f"packaging/{known.name}", f"Sources/{module}", lineterm="", n=0)
        print(f"{module}: {len(now)} public declarations")
    print("\n".join(problems) or "as written down in packaging/")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
