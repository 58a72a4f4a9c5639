"""The comments of headers, from Doxygen's XML, in the markup of Sphinx's pages."""

import re

from text import code, code_block, escape, indent, spaced

BLOCKS = {"parameterlist", "simplesect", "verbatim", "programlisting", "itemizedlist", "orderedlist", "para"}


def inline(element):
    """The text of a paragraph, on one line, without the blocks inside it."""
    parts = [escape(element.text or "")]
    for child in element:
        if child.tag == "computeroutput":
            parts.append(code("".join(child.itertext())))
        elif child.tag == "ref":
            parts.append(code("".join(child.itertext())))
        elif child.tag not in BLOCKS:
            parts.append(inline(child))
        parts.append(escape(child.tail or ""))
    return re.sub(r"\s+", " ", "".join(parts)).strip()


def field(name, element):
    return f":{name}: " + spaced(" ".join(filter(None, map(inline, element.iter("para")))))


def parameters(element):
    for item in element.findall("parameteritem"):
        for name in item.iter("parametername"):
            yield field(f"param {''.join(name.itertext())}", item.find("parameterdescription"))


def items(element):
    mark = "#." if element.tag == "orderedlist" else "*"
    return "\n".join(f"{mark} " + spaced(" ".join(map(inline, item.iter("para")))) for item in element.findall("listitem"))


def block(child, fields):
    """The text of a block inside a paragraph. Parameters, statuses and versions go into the list of fields."""
    if child.tag == "parameterlist":
        fields += parameters(child)
    elif child.tag == "simplesect":
        name = {"return": "returns", "since": "Since", "par": child.findtext("title")}.get(child.get("kind"), "Note")
        fields.append(field(name, child))
    elif child.tag in ("verbatim", "programlisting"):
        return code_block("".join(child.itertext()))
    elif child.tag in ("itemizedlist", "orderedlist"):
        return items(child)
    return ""


def paragraph(element, fields):
    parts = [spaced(inline(element))]
    parts += [block(child, fields) for child in element if child.tag in BLOCKS]
    return "\n\n".join(filter(None, parts))


def comment(entity):
    """The whole comment of a declaration: its paragraphs, then its parameters, statuses and version."""
    fields, parts = [], []
    for kind in ("briefdescription", "detaileddescription"):
        for element in entity.findall(kind):
            parts += [paragraph(para, fields) for para in element.findall("para")]
    return "\n\n".join(filter(None, parts)) + ("\n\n" + "\n".join(fields) if fields else "")


def described(directive, entity, *inner):
    """A directive with the comment of its declaration, and with further directives inside."""
    body = "\n\n".join(filter(None, [comment(entity), *inner]))
    return f".. {directive}\n\n{indent(body)}\n" if body else f".. {directive}\n"
