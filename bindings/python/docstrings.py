"""Writes the docstrings of the extension, which `_crosstie.pyi` holds beside the signatures, as a header for its C files.

`DOC(Bus, open)` is there what `inspect.signature()` and `help()` read of `Bus.open`, `DOC_Bus` what they read of the type.
setup.py runs this at each build. A member without a docstring, one that no C file uses, and one that a C file uses and
the stub does not have end the build.
"""

from __future__ import annotations

import ast
import pathlib
import re

HEAD = """\
/* Made by docstrings.py from _crosstie.pyi. */
#ifndef CROSSTIE_DOCSTRINGS_H
#define CROSSTIE_DOCSTRINGS_H

#define DOC(type, member) DOC_##type##_##member

"""
#: Methods in a type's slots, whose docstrings CPython writes itself; the stub's are for editors.
SLOTS = {"__new__", "__init__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__iter__", "__len__"}


class DocstringError(Exception):
    """A mismatch between the stub and the C files."""


def write(stub: pathlib.Path, sources: list[pathlib.Path], header: pathlib.Path) -> None:
    """Writes the header, for C files that use all that it defines."""
    texts = read(ast.parse(stub.read_text(encoding="utf-8")))
    used = set().union(*(uses(path.read_text(encoding="utf-8")) for path in sources))
    problems = [f"{name}: no C file uses it" for name in sorted(texts.keys() - used)]
    problems += [f"{name}: {stub.name} does not have it" for name in sorted(used - texts.keys())]
    if problems:
        raise DocstringError("\n".join(problems))
    lines = [f"#define {name} {literal(text)}\n" for name, text in texts.items()]
    header.write_text(HEAD + "\n".join(lines) + "\n#endif\n", encoding="utf-8")


def read(module: ast.Module) -> dict[str, str]:
    """The text of every type, member and function, by the name of its macro."""
    texts = {}
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            texts[f"DOC_{node.name}"] = signature(node, "$module") + docstring(node, node.name)
        elif isinstance(node, ast.ClassDef):
            texts |= read_class(node)
    return texts


def read_class(node: ast.ClassDef) -> dict[str, str]:
    text = docstring(node, node.name)
    members = {}
    for member in node.body:
        if not isinstance(member, ast.FunctionDef):
            continue
        words = docstring(member, f"{node.name}.{member.name}")
        if member.name == "__new__":
            text = signature(member, "", node.name) + text
        elif member.name not in SLOTS:
            head = "" if is_marked(member, "property") else signature(member, owner(member))
            members[f"DOC_{node.name}_{member.name}"] = head + words
    return {f"DOC_{node.name}": text, **members}


def docstring(node: ast.FunctionDef | ast.ClassDef, name: str) -> str:
    text = ast.get_docstring(node) or ""
    if not text and node.name != "__new__":  # what that takes is in its class's docstring
        raise DocstringError(f"{name}, line {node.lineno}: has no docstring")
    return text


def owner(member: ast.FunctionDef) -> str:
    return "$type" if is_marked(member, "classmethod") else "$self"


def is_marked(member: ast.FunctionDef, decorator: str) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == decorator for mark in member.decorator_list)


def signature(node: ast.FunctionDef, owner: str, name: str = "") -> str:
    """The signature as CPython reads it from a docstring: without annotations, the owner first, by position."""
    arguments = node.args
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    if owner != "$module":  # self or cls
        del (arguments.posonlyargs or arguments.args)[0]
    if owner:
        arguments.posonlyargs.insert(0, ast.arg(owner))
    return f"{name or node.name}({ast.unparse(arguments)})\n--\n\n"


def literal(text: str) -> str:
    """A string literal of C, a line for each line."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("??", "?\\?")
    return " \\\n    ".join(f'"{line}"' for line in escaped.replace("\n", "\\n\n").split("\n") if line)


def uses(source: str) -> set[str]:
    """The macros that a C file uses."""
    members = {f"DOC_{kind}_{name}" for kind, name in re.findall(r"\bDOC\((\w+), (\w+)\)", source)}
    return members | set(re.findall(r"\bDOC_\w+", source))
