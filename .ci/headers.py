"""Reads the public headers: functions, their parameters and documentation, and structs that say their size.

Run by itself it prints the interface in a normal form, one declaration per line, as in packaging/abi-0.1.txt.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

INCLUDE = Path(__file__).resolve().parent.parent / "include"
ANNOTATIONS = re.compile(r"\b(CTIE_NULLABLE|CTIE_NONNULL|CTIE_API)\b")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
FUNCTION = re.compile(r"(?:/\*\*((?:(?!\*/).)*)\*/\s*)?CTIE_API\s+([^;{]*?)\s*\(([^;{]*)\);", re.S)
STRUCT = re.compile(r"typedef struct (\w+) \{(.*?)\} \1;", re.S)
CALLBACK = re.compile(r"typedef\s+[^;{]*?\(\s*\*\s*(\w+)\s*\)\s*\([^;]*\);", re.S)
TYPEDEF = re.compile(r"typedef (u?int\d+_t) (\w+);")
POINTER = re.compile(r"typedef (\w+ \*+)(\w+);")
CONSTANT = re.compile(r"^\s*(CTIE_[A-Z0-9_]+)\s*=\s*([^,/\n]+)", re.M)
STATUS = re.compile(r"X\((\w+),\s*(-?\d+),")


@dataclass
class Parameter:
    type: str  # normal form, without annotations: "const ctie_value *"
    name: str
    doc: str = ""


@dataclass
class Function:
    name: str
    result: str
    parameters: list
    header: str
    doc: str


@dataclass
class Interface:
    functions: list = field(default_factory=list)
    structs: dict = field(default_factory=dict)  # name: [field declaration]
    callbacks: dict = field(default_factory=dict)  # name: declaration
    integers: dict = field(default_factory=dict)  # typedef name: integer type
    pointers: dict = field(default_factory=dict)  # typedef name: pointer type
    constants: dict = field(default_factory=dict)  # name: value as written

    @property
    def sized(self):
        """The structs whose first field is their size."""
        return [name for name, fields in self.structs.items() if fields and fields[0] == "size_t size"]


def squeeze(text):
    """One space between words, none around stars and brackets but before a run of stars."""
    text = re.sub(r"\s+", " ", ANNOTATIONS.sub("", text)).strip()
    text = re.sub(r"\s*\*\s*", " *", text)
    text = re.sub(r"\* (?=\*)", "*", text)
    text = re.sub(r"\*(const\b)", r"*\1", text)
    return re.sub(r"\s*([(),])\s*", lambda m: m[1] + (" " if m[1] == "," else ""), text)


def split_declaration(text):
    """ "const ctie_value *params" -> ("const ctie_value *", "params")"""
    match = re.fullmatch(r"(.*?)(\w+)", squeeze(text))
    return match[1].strip(), match[2]


def parameter_doc(doc, name):
    """The words of @param for one parameter; several may share them ("fn, user_data, destroy")."""
    for match in re.finditer(r"@param ([\w, ]+?) (?=[^,])(.*?)(?=@param|@return|@par |@since|$)", doc, re.S):
        words = re.match(r"(\w+(?:, \w+)*)\s(.*)", match[1] + " " + match[2], re.S)
        if name in words[1].split(", "):
            return words[2].strip()
    return ""


def parse_function(match, header):
    doc = re.sub(r"^\s*\* ?", "", match[1] or "", flags=re.M)
    doc = re.sub(r"\s+", " ", doc).strip()
    result, name = split_declaration(match[2])
    parameters = []
    if match[3].strip() != "void":
        for declaration in match[3].split(","):
            kind, parameter = split_declaration(declaration)
            parameters.append(Parameter(kind, parameter, parameter_doc(doc, parameter)))
    return Function(name, result, parameters, header, doc)


def parse_header(path, interface):
    text = path.read_text()
    name = str(path.relative_to(INCLUDE))
    interface.functions += [parse_function(match, name) for match in FUNCTION.finditer(text)]
    bare = COMMENT.sub("", text)
    if bare.count("CTIE_API ") - bare.count("define CTIE_API ") != len(FUNCTION.findall(text)):
        sys.exit(f"{name}: a CTIE_API declaration is not understood")
    for match in STRUCT.finditer(bare):
        interface.structs[match[1]] = [squeeze(part) for part in match[2].split(";") if part.strip()]
    for match in CALLBACK.finditer(bare):
        interface.callbacks[match[1]] = squeeze(match[0])
    for match in TYPEDEF.finditer(bare):
        interface.integers[match[2]] = match[1]
    for match in POINTER.finditer(bare):
        interface.pointers[match[2]] = squeeze(match[1])
    for match in list(CONSTANT.finditer(bare)) + list(STATUS.finditer(bare)):
        interface.constants[match[1]] = match[2].strip()


def parse(include=INCLUDE):
    interface = Interface()
    for path in sorted(include.glob("crosstie/*.h")):
        parse_header(path, interface)
    return interface


def lines(interface):
    """The interface in a normal form that a change of comments or layout leaves alone."""
    for name, value in sorted(interface.constants.items()):
        if not name.endswith("_"):
            yield f"constant {name} = {value}"
    for name, kind in sorted(interface.integers.items()):
        yield f"integer {name} {kind}"
    for name, kind in sorted(interface.pointers.items()):
        yield f"pointer {name} {kind}"
    for name, fields in sorted(interface.structs.items()):
        yield f"struct {name} {{ {'; '.join(fields)}; }}"
    for name, declaration in sorted(interface.callbacks.items()):
        yield f"callback {declaration}"
    for function in sorted(interface.functions, key=lambda f: f.name):
        arguments = ", ".join(f"{p.type}{'' if p.type.endswith('*') else ' '}{p.name}" for p in function.parameters)
        space = "" if function.result.endswith("*") else " "
        yield f"function {function.result}{space}{function.name}({arguments or 'void'})"


if __name__ == "__main__":
    print("\n".join(lines(parse())))
