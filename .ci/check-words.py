#!/usr/bin/python3
"""The prose is plain: short sentences with a noun as subject, and the terms of docs/glossary.md.

    .ci/check-words.py            lists the problems everywhere, and fails if there is one
    .ci/check-words.py PATH…      does the same for these files and folders
    .ci/check-words.py --count    counts them, folder by folder
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
from prose import passages, without_prose  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = re.compile(r"^(packaging/(licenses/|.*\.txt$)|LICENSE|NOTICE|Benchmarks/data/|Tests/Fuzz/(crashers|seeds|dictionaries)/)|\.ci/check-words\.py$")
MOST_WORDS = {"comment": 45, "page": 40}  # in one sentence

LISTED = re.compile(r'(?:\bCTIE_\w+|"\w+"|\bX+(?=, X|,$|$)),?(?: \((?:[^()]|\([^()]*\))*\))?[;,.]?(?: (?:and|or)\b)?')  # statuses, keys and functions in a list, each with its gloss

NOUN_FIRST = r"(?i:what|who|how|where|whether|when|why|which|whose|whoever|whatever)\b"
HEADLESS = r"(?:What(?:ever(?! (?:its|the|their|a|an|order|happens)\b))?|Who|Whose|Whom) "

# what is refused, and what to write instead
TERMS = [
    (r"durable names?", "durable consumer"),
    (r"first fires?", "initial delivery"),
    (r"wormhole pass|pass(?:es|ed|ing)? (?:a |the |its |no |each |every |of )?(?:messages?|signals?)|passed under", "send, sent"),
    (r"(?:is|are|was|were|be|been|being|gets?) told", "is notified, receives, or the actor and an active verb"),
    (r"stands?(?! (?:for|by|out)\b)|stood|standing", "is, applies"),
    (r"hears?|heard|hearing", "receives, is delivered"),
    (r"gone(?! to\b)", "removed, ended, released, closed"),
    (r"let(?:s|ting)? go", "release, drop, continue"),
    (r"bells?|rung|rang|rings (?:the|a|its|every|each)", "wakeup, notify"),
    (r"intent locks?", "wake lock"),
    (r"doors?", "request kind"),
    (r"(?:an?|the|its|their|each|first|second|one|no|every|whose) endings?", "completion"),
    (r"passages?", "gate"),
    (r"detours?", "extras"),
    (r"participants?|occupants?", "member"),
    (r"(?<!system )(?<!system-)(?<!system_)openers?", "member, the process that opens it, or system opener"),
    (r"(?:another|each|every|an|one|two|first|last|no) openings?", "member, handle, or 'opening …' as a verb"),
    (r"settles?|settled|settling", "reconcile, acknowledge, decide"),
    (r"whoever|whomever|whosoever|whom it concerns", "a noun: the caller, a process that …"),
    (r"(?:for|to|by|from|with|than|unless|if|where|when|because|that|so|while|until|before|after) who", "a noun: the caller, a process that …"),
    (r"(?<!copy )of itself", "(leave it out)"),
    (r"lies?(?= (?:in|at|on|behind|under|before|between|there|beside|below|with)\b)|lay in|lying in", "is"),
    (r"anew", "again, or a verb: recreates"),
    (r"(?<=, )for one(?=[.,:;)]|$)", "for example"),
    (r"thereof|therein|hereby|whilst|amongst|upon", "of it, in it, while, among, on"),
]
SPELLING = [
    (r"\w*(?:behaviou|colou|honou|neighbou|favou|flavou)r\w*", "-or: American spelling"),
    (r"\w*licence\w*", "license"),
    (r"(?:re)?(?:initial|recogn|organ|serial|normal|synchron|optim|minim|maxim|final|summar|emphas|author|capital|special|general|material)is(?:e[ds]?|ing|ation)", "-ize: American spelling"),
    (r"centres?|grey|artefacts?|judgement|catalogues?|metres?|labell\w+|modell\w+|travell\w+|signall\w+", "American spelling"),
]
# Words that no name of a function, variable, type or test has, and what to write instead.
NAMES = {
    "receive, received": "hear hears heard hearing",
    "report, notify, reported": "tell tells told telling teller",
    "conclude, result, resolve": "settle settles settled settling",
    "ended, removed, released": "gone",
    "wait, is": "stand stands standing stood",
    "member": "participant participants occupant occupants",
    "request kind": "door doors",
    "notify, wakeup": "bell bells ring rings ringing rang rung",
    "extras": "detour detours",
}
# Public names, a test double, "stands for", and names of Python and C++.
NAMES_ALLOWED = re.compile(r"\w*PEER_?GONE|\w*peer_?gone\w*|\w*stand_?ins?|\w*stands_?for_?\w*|\w*InPlace", re.I)

# What is refused in the code and the pages alone: tests and benchmarks may put things into places.
INSIDE = [
    (r"(?<!in )(?<!into )places?(?! of\b)", "location, position, index, slot, executor, or the verb 'replace'"),
]
INSIDE_NAMES = {"location, position, index, slot": "place places placed"}
NAME_OF = {word: instead for instead, words in NAMES.items() for word in words.split()}
INSIDE_NAME_OF = NAME_OF | {word: instead for instead, words in INSIDE_NAMES.items() for word in words.split()}
INSIDE_WHERE = re.compile(r"(?:Sources|bindings|include|docs)/|(?:README|CONTRIBUTING)\.md$")

RULES = [(re.compile(rf"(?<![\w/.-])(?:{words})\b", re.I), instead) for words, instead in TERMS + SPELLING]
INSIDE_RULES = [(re.compile(rf"(?<![\w/.-])(?:{words})\b", re.I), instead) for words, instead in INSIDE]

# A path or its beginning, and the words that are right there.
ALLOWED = [
    ("", r"MIT licence|rings? buffer", "names of things"),
    (".ci/prose.py", r"[Pp]assages?", "a part of a text"),
]


def sentences(passage):
    """(offset, text) of each; in a list of statuses each entry is one."""
    ends = r"[.!?;]" if passage.kind == "list" else r"[.!?]"
    start = 0
    for m in re.finditer(rf"{ends}[\"')\]*_]*\s+(?=[\"'(*_]*(?:[A-Z0-9]|ctie_))", passage.text):
        if re.search(r"\b(?:e\.g|i\.e|etc|vs|St|No)\.\s*$", passage.text[: m.end()]):
            continue
        yield start, passage.text[start : m.end()]
        start = m.end()
    yield start, passage.text[start:]


def problems(path):
    name = str(path.relative_to(ROOT))
    limit = MOST_WORDS["page" if path.suffix == ".md" else "comment"]
    for passage in passages(path):
        def found(offset, words, instead):
            text = f"{name}:{passage.line(offset)}: {words.strip()[:70]!r}: {instead}"
            if not any(name.startswith(where) and re.search(right, words) for where, right, _ in ALLOWED):
                yield text

        for rule, instead in RULES + INSIDE_RULES * bool(INSIDE_WHERE.match(name)):
            for m in rule.finditer(passage.text):
                yield from found(m.start(), m[0], f"write {instead}")
        if passage.kind == "string":
            continue
        if passage.of_type and re.match(NOUN_FIRST, passage.text):
            yield from found(0, passage.text[:40], "a type's comment begins with a noun")
            continue
        for offset, text in sentences(passage):
            if re.match(HEADLESS if passage.kind != "name" else r"(?:what|who|whoever|whose) ", text.lstrip("*_\"'(")) and not text.rstrip().endswith("?"):
                yield from found(offset, text[:40], "begin with a noun or a verb")
            if passage.kind == "name":
                continue
            for m in re.finditer(r"[;:] (?:who|what) (?!(?:it|they|the|a|an|this|that|each|its|every|kind|to)\b)", text):
                yield from found(offset + m.start(), text[m.start() : m.start() + 40], "begin the clause with a noun")
            count = len(re.findall(r"\S*\w\S*", LISTED.sub(" ", text)))
            if count > limit:
                yield from found(offset, text[:40], f"{count} words in a sentence: at most {limit}")


def names(path):
    """The problems of a file's name and of a program's names: their words, split at underscores and capitals."""
    file = path.relative_to(ROOT)
    refused = INSIDE_NAME_OF if INSIDE_WHERE.match(str(file)) else NAME_OF
    for number, line in enumerate([path.stem, *without_prose(path).splitlines()]):
        for name in re.findall(r"[A-Za-z_]\w*", line):
            for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name):
                instead = refused.get(word.lower())
                if instead and not NAMES_ALLOWED.fullmatch(name):
                    yield f"{file}:{number}: {name}: a name says {instead}"


def subfolder(name):
    return "/".join(name.split("/")[:-1][:3]) or "."


def files(wanted):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *wanted], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split("\n") if name and not SKIPPED.search(name) and (ROOT / name).is_file()]


def main(arguments):
    paths = [str(Path(a).resolve().relative_to(ROOT)) for a in arguments if not a.startswith("--")]
    found = {name: [*problems(ROOT / name), *names(ROOT / name)] for name in files(paths)}
    if "--count" in arguments:
        count = Counter()
        for name, texts in found.items():
            count[subfolder(name)] += len(texts)
        print("\n".join(f"{number:5} {name}" for name, number in sorted(count.items()) if number))
        return 0
    texts = [text for name in found for text in found[name]]
    print("\n".join(texts + [f"{len(texts)} problems"]) if texts else "the words are plain")
    return bool(texts)


sys.exit(main(sys.argv[1:]))
