"""Docstrings of the Python package in the markup of Sphinx's pages: paragraphs, programs, and lists of names with text."""

import re

from text import code_block, escape, indent, spaced

ENTRY = re.compile(r"(\S+(?:, \S+)*)\s{2,}(\S.*)")


def words(text):
    """A paragraph, with code between backquotes."""
    parts = re.split(r"`+([^`]+)`+", re.sub(r"\s+", " ", text).strip())
    marked = [f"``{part.strip()}``" if number % 2 else escape(part) for number, part in enumerate(parts)]
    return spaced("".join(marked))


def entries(lines):
    """A list of names, each with a text that may go on in indented lines."""
    found = []
    for line in lines:
        match = ENTRY.fullmatch(line)
        if match:
            found.append([match[1], match[2]])
        else:
            found[-1][1] += " " + line.strip()
    return "\n".join(f"``{name}``\n{indent(words(text))}" for name, text in found)


def block(text):
    lines = text.split("\n")
    if all(line.startswith("    ") for line in lines):
        return code_block("\n".join(line[4:] for line in lines), "python")
    if ENTRY.fullmatch(lines[0]) and all(ENTRY.fullmatch(line) or line.startswith(" ") for line in lines):
        return entries(lines)
    return words(text)


def markup(docstring):
    return "\n\n".join(block(part.rstrip()) for part in re.split(r"\n\s*\n", docstring.strip("\n")) if part.strip())
