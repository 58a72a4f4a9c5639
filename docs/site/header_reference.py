"""The reference of the C and C++ headers, a page for each, from Doxygen's XML."""

import re
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import defaultdict

from comments import comment, described
from text import code, title, toctree

INTRODUCTION = {
    "c": ("C", "A page for each header of ``include/crosstie``. ``crosstie.h`` includes them all. The page on conventions says what "
          "holds for every function."),
    "cpp": ("C++", "A page for each header of ``include/crosstie/cpp``, in the namespace ``crosstie``. ``crosstie.hpp`` includes them "
            "all. A function ``try_name()`` returns a result; where exceptions are enabled, ``name()`` does the same and throws."),
}
SETTINGS = {
    "c": "",
    "cpp": "INPUT = include/crosstie/cpp\nFILE_PATTERNS = *.hpp\nOPTIMIZE_OUTPUT_FOR_C = NO\nEXTRACT_ALL = YES\n"
    "EXCLUDE_SYMBOLS = detail detail::* std CROSSTIE_* CTIE_*\n"
    'PREDEFINED += CROSSTIE_BEGIN= CROSSTIE_END= "CROSSTIE_THROWING(t,n,p,a)=" "CROSSTIE_THROWING_STATIC(t,n,p,a)="\n',
}


def run_doxygen(root, folder, language):
    folder.mkdir(parents=True)
    more = f"GENERATE_HTML = NO\nGENERATE_XML = YES\nXML_PROGRAMLISTING = NO\nOUTPUT_DIRECTORY = {folder}\n" + SETTINGS[language]
    settings = folder / "Doxyfile"
    settings.write_text((root / "packaging/Doxyfile").read_text() + more)
    done = subprocess.run(["doxygen", str(settings)], cwd=root, capture_output=True, text=True, check=True)
    if language == "c" and "warning" in done.stderr:
        raise SystemExit(done.stderr)
    return [ElementTree.parse(path).getroot() for path in sorted((folder / "xml").glob("*.xml")) if path.name != "Doxyfile.xml"]


def flat(element):
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip() if element is not None else ""


def template(entity):
    """The head of a template."""
    parameters = entity.find("templateparamlist")
    if parameters is None:
        return ""
    names = []
    for parameter in parameters:
        default = f" = {flat(parameter.find('defval'))}" if parameter.find("defval") is not None else ""
        kind = re.sub(r"&&(?=\S)", "&& ", flat(parameter.find("type")))
        names.append(f"{kind} {parameter.findtext('declname') or ''}".strip() + default)
    return f"template<{', '.join(names)}> "


def function(member, domain):
    words = "".join(f"{word} " for word in ("explicit", "static") if member.get(word) == "yes" and domain == "cpp")
    arguments = re.sub(r"\) CTIE_\w+ ?\(.*", ")", member.findtext("argsstring")).replace("=delete", " = delete").replace("=default", " = default")
    return described(f"{domain}:function:: {template(member)}{words}{flat(member.find('type'))} {member.findtext('name')}{arguments}", member)


def macro(member):
    names = [flat(p.find("defname")) for p in member.findall("param")]
    call = f"({', '.join(names)})" if names != [""] and names else "()" if names else ""
    return described(f"c:macro:: {member.findtext('name')}{call}", member)


def enum(member, domain):
    values = [described(f"{domain}:enumerator:: {value.findtext('name')}", value) for value in member.findall("enumvalue")]
    name = member.findtext("name")
    if not name or name.startswith("@"):
        return "\n\n".join([comment(member), *values])
    kind = "enum-class" if member.get("strong") == "yes" else "enum"
    return described(f"{domain}:{kind}:: {name}", member, *values)


def variable(member, domain):
    kind, name = flat(member.find("type")), member.findtext("name")
    return described(f"{domain}:member:: {kind} {name}{member.findtext('argsstring') or ''}", member)


def typedef(member, domain, structs):
    name, text = member.findtext("name"), member.findtext("definition").removeprefix("typedef ")
    if re.fullmatch(rf"struct {name} {name}", text):
        return "" if name in structs else described(f"{domain}:type:: {name}", member)
    if domain == "cpp":
        return described(f"cpp:type:: {template(member)}{name} = {flat(member.find('type'))}", member)
    return described(f"c:type:: {re.sub(r'[(][*] ', '(*', text)}", member)


def declaration(member, domain, structs):
    kind = member.get("kind")
    if member.get("prot") == "private" or kind == "friend" or flat(member.find("type")) in ("class", "struct"):
        return ""
    if kind == "define":
        return macro(member)
    if kind == "typedef":
        return typedef(member, domain, structs)
    return {"function": function, "enum": enum, "variable": variable}[kind](member, domain)


def compound(entity, domain, structs):
    """A struct or class with its members."""
    name = entity.findtext("compoundname")
    bases = [code(flat(base)) for base in entity.findall("basecompoundref") if "detail::" not in flat(base)]
    inherited = f"It has the members of {', '.join(bases)}, too." if bases else ""
    members = [declaration(member, domain, structs) for member in entity.iter("memberdef")]
    head = "template<> " if "<" in name and domain == "cpp" else template(entity)
    kind = "struct" if domain == "c" or entity.get("kind") == "struct" else "class"
    return described(f"{domain}:{kind}:: {head}{name}", entity, inherited, *members)


def line(entity):
    return int(entity.find("location").get("line"))


def collect(roots):
    """By header: (its file, its group or None, what it declares), with each declaration once."""
    files, groups, declared, structs, seen = {}, {}, defaultdict(list), set(), set()
    for root in roots:
        for entity in root.findall("compounddef"):
            if entity.get("kind") == "file":
                files[entity.find("location").get("file")] = entity
            elif entity.get("kind") in ("struct", "class"):
                structs.add(entity.findtext("compoundname"))
                declared[entity.find("location").get("file")].append(entity)
                continue
            for member in entity.iter("memberdef"):
                header = member.find("location").get("file")
                if member.get("id") not in seen:
                    declared[header].append(member)
                    seen.add(member.get("id"))
                if entity.get("kind") == "group":
                    groups.setdefault(header, entity)
    return files, groups, declared, structs


def summary(declared, domain):
    """A list of links to the functions or classes of a page."""
    kind = "func" if domain == "c" else "class"
    shown = [e for e in declared if (e.tag == "compounddef" if domain == "cpp" else e.get("kind") == "function")]
    names = [e.findtext("compoundname") or e.findtext("name") for e in shown]
    links = [f":{domain}:{kind}:`{name}`" for name in names if re.fullmatch(r"\w+", name)]
    return f"**{'Functions' if domain == 'c' else 'Types'}**: {', '.join(links)}" if links else ""


def page(header, file, group, declared, domain, structs):
    parts = [title(header.rpartition("/")[2]), comment(file)]
    if group is not None:
        parts.append(comment(group))
    if domain == "cpp":
        parts.append(".. cpp:namespace:: crosstie")
    declared = sorted(declared, key=line)
    parts.append(summary(declared, domain))
    for entity in declared:
        parts.append(compound(entity, domain, structs) if entity.tag == "compounddef" else declaration(entity, domain, structs))
    return "\n\n".join(filter(None, parts)) + "\n"


def write(root, work, pages, language):
    files, groups, declared, structs = collect(run_doxygen(root, work / language, language))
    pages.mkdir(parents=True)
    suffix = ".h" if language == "c" else ".hpp"
    names = []
    for header in sorted(files):
        if declared[header] and header.endswith(suffix):
            names.append(header.rpartition("/")[2].removesuffix(suffix))
            (pages / f"{names[-1]}.rst").write_text(page(header, files[header], groups.get(header), declared[header], language, structs))
    heading, words = INTRODUCTION[language]
    (pages / "index.rst").write_text(f"{title(heading)}\n{words}\n\n{toctree(names)}")
