#!/usr/bin/python3
"""Writes crosstie(1) from the tool's own declarations: crosstie --experimental-dump-help | manual.py <version> <date>"""

import json
import re
import sys

#: Options of every command.
COMMON = {"help", "version"}


def escaped(text):
    """A text in which roff finds no command."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def shown(items):
    return [item for item in items or [] if item["shouldDisplay"]]


def own_arguments(command):
    """Without those of every command."""
    return [each for each in shown(command.get("arguments")) if not names(each) & COMMON]


def names(argument):
    return {name["name"] for name in argument.get("names") or []}


def spelled(argument):
    """An argument as a reader types it, in bold and italic."""
    value = f"\\fI{escaped(argument['valueName'])}\\fR"
    if argument["kind"] == "positional":
        return value
    dashed = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"]]
    flag = ", ".join(f"\\fB{escaped(name)}\\fR" for name in dashed)
    return flag if argument["kind"] == "flag" else f"{flag} {value}"


def in_synopsis(argument):
    text = spelled(argument)
    if argument["isRepeating"]:
        text += " ..."
    return f"[{text}]" if argument["isOptional"] else text


def leaves(command, path):
    """Each command that has no subcommands, with its words."""
    below = [each for each in shown(command.get("subcommands")) if each["commandName"] != "help"]
    if not below:
        yield path, command
    for each in below:
        yield from leaves(each, [*path, each["commandName"]])


def section(path, command):
    arguments = own_arguments(command)
    words = escaped(" ".join(path))
    lines = [f".SS {words}", " ".join([f"\\fB{words}\\fR", *map(in_synopsis, arguments)]), ".PP"]
    lines += [escaped(command["abstract"])]
    if command.get("discussion"):
        lines += [".PP", escaped(command["discussion"])]
    for argument in arguments:
        text = argument.get("abstract", "")
        if argument.get("allValues"):
            text += f" ({', '.join(argument['allValues'])})"
        if argument.get("defaultValue"):
            text += f" Default: {argument['defaultValue']}."
        lines += [".TP", spelled(argument), escaped(text) or "\\&"]
    return lines


def main(version, date):
    root = json.load(sys.stdin)["command"]
    name = root["commandName"]
    lines = [f'.TH {name.upper()} 1 {date} "{name} {version}" "User Commands"', ".SH NAME"]
    lines += [f"{name} \\- {escaped(root['abstract']).rstrip('.')}", ".SH SYNOPSIS"]
    lines += [f"\\fB{name}\\fR \\fIsubcommand\\fR ...", ".SH DESCRIPTION", escaped(root.get("discussion", ""))]
    lines += [".PP", f"\\fB{name} help\\fR \\fIsubcommand\\fR prints these texts, too.", ".SH COMMANDS"]
    for path, command in leaves(root, [name]):
        lines += section(path, command)
    lines += [".SH SEE ALSO", ".BR crosstie (3)"]
    print("\n".join(lines))


main(*sys.argv[1:])
