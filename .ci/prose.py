"""The prose of the tree: comments, docstrings, pages, scenarios' titles, texts of errors and names of tests, as passages."""

import ast
import io
import re
import tokenize
from dataclasses import dataclass, field
from pathlib import Path

CODE = re.compile(
    r'"""(?P<long>.*?)"""|R"\w*\(.*?\)\w*"|#"[^\n]*?"#|"(?P<text>(?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])\''
    r"|/\*(?P<block>.*?)\*/|//(?P<line>[^\n]*)",
    re.S,
)
PYTHON = re.compile(r'"""(?:\\.|[^\\])*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*', re.S)
TYPE = {
    ".swift": re.compile(
        r"(?:@\w+(?:\([^)]*\))?|public|package|private|fileprivate|internal|final|indirect|open|nonisolated|\s)*"
        r"\b(?:struct|enum|protocol|actor|typealias|extension|class(?!\s+(?:func|var|let)\b))\b"
    ),
    ".c": re.compile(r"(?:template\s*<[^{;]*>\s*)?(?:typedef\b|(?:struct|enum|union|class)\b[^;(=]*\{)"),
}
C_LIKE = {".c", ".h", ".cpp", ".hpp", ".swift"}
HASHED = {"", ".sh", ".mk", ".yml", ".yaml", ".toml"}
TEST_NAME = {
    ".c": re.compile(r"^static void (\w+)\(void\)", re.M),
    ".py": re.compile(r"^\s*(?:async )?def test_(\w+)", re.M),
    ".swift": re.compile(r"^\s*(?:@Test[^\n]*\n?\s*)func (\w+)", re.M),
}


@dataclass
class Passage:
    """A paragraph: text, a list of statuses (`list`), a text of the program (`string`), or a name (`name`)."""

    kind: str
    lines: list = field(default_factory=list)  # of (number, text)
    of_type: bool = False

    def __post_init__(self):
        self.text = " ".join(text for _, text in self.lines)

    def line(self, offset):
        for number, text in self.lines:
            if offset <= len(text):
                return number
            offset -= len(text) + 1
        return self.lines[-1][0]


def hide_code(text):
    """The text with code in backquotes and addresses replaced by as many letters, so that they count as one word."""
    text = re.sub(r"``[^`]*``|`[^`]*`", lambda m: "X" * len(m[0]), text)
    return re.sub(r"\]\([^)]*\)", lambda m: " " * len(m[0]), text).replace("[", " ")


def paragraphs(lines, of_type=False, doxygen=False):
    """Splits numbered lines at blank ones, list items, code blocks and Doxygen's commands."""
    found, now, kind, fenced = [], [], "text", False

    def flush():
        nonlocal now
        if any(text for _, text in now):
            found.append(Passage(kind, [(n, hide_code(t)) for n, t in now], of_type and not found))
        now = []

    for number, text in lines:
        text = text.strip()
        if text.startswith(("```", "~~~")):
            flush()
            fenced = not fenced
            continue
        if fenced:
            continue
        if not text:
            flush()
            kind = "text"
            continue
        command = re.match(r"[@\\](par|return|param|p?since|defgroup|file|code|endcode|ingroup|name)\b(\[\w+\])?\s*", text) if doxygen else None
        if command:
            flush()
            word, text = command[1], text[command.end() :]
            kind = "list" if word == "return" or (word == "par" and text.startswith("Errors")) else "text"
            if word == "code":
                fenced = True
            if word in ("par", "defgroup", "since", "file", "ingroup", "name"):
                continue
            if word == "endcode":
                fenced = False
                continue
        bullet = re.match(r'(?:[-*+]|\d+[.)])\s+|["*\w]+(?:, ["*\w]+)*\s{2,}(?=\S)', text)  # or a row of a docstring's table
        if bullet:
            flush()
            text = text[bullet.end() :]
        now.append((number, re.sub(r"\s*@since [\d.]+$", "", text)))
    flush()
    return found


def comment_lines(number, text):
    for offset, line in enumerate(text.split("\n")):
        yield number + offset, re.sub(r"^\s*(?:[*!/]+<?|<)?(?=\s|$|\w)\s?", "", line).rstrip()


def c_like(path, text):
    kind = TYPE[".swift" if path.suffix == ".swift" else ".c"]
    blocks = []  # of (lines, end)
    last_whole = None
    for m in CODE.finditer(text):
        number = text.count("\n", 0, m.start()) + 1
        whole = not text[text.rfind("\n", 0, m.start()) + 1 : m.start()].strip()
        if m["line"] is not None:
            lines = list(comment_lines(number, m["line"]))
            if whole and last_whole == number - 1 and blocks:
                blocks[-1] = (blocks[-1][0] + lines, m.end())
            else:
                blocks.append((lines, m.end()))
            last_whole = number if whole else None
        elif m["block"] is not None:
            if not re.match(r"\s*-{3}", m["block"]):
                blocks.append((list(comment_lines(number, m["block"])), m.end()))
        elif m["text"] and len(m["text"].split()) > 2:
            yield Passage("string", [(number, re.sub(r"\\[nt]", " ", m["text"]))])
        elif m["long"]:
            yield Passage("string", list(enumerate(m["long"].split("\n"), number)))
    for lines, end in blocks:
        yield from paragraphs(lines, bool(kind.match(text[end : end + 400].lstrip())), doxygen=path.suffix != ".swift")


def python(path, text):
    hashed, last_whole, tree = [], None, ast.parse(text, str(path))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            number = token.start[0]
            whole = not token.line[: token.start[1]].strip()
            if whole and last_whole == number - 1:
                hashed[-1].append((number, token.string.lstrip("#:")))
            else:
                hashed.append([(number, token.string.lstrip("#:"))])
            last_whole = number if whole else None
    for lines in hashed:
        yield from paragraphs(lines)
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            lines = first.value.value.split("\n")
            lines = [line for line in lines if not re.match(r"\s*(>>>|\.\.\.)", line)]
            yield from paragraphs(list(enumerate(lines, first.lineno)), isinstance(node, ast.ClassDef))


def page(path, text):
    text = re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("|"):
            lines.append((number, ""))
            for cell in re.split(r"(?<!\\)\|", line)[1:-1]:
                lines += [(number, cell), (number, "")]
        else:
            lines.append((number, "" if line.startswith("#") or line.startswith("    ") and not lines[-1][1] else line))
    yield from paragraphs(lines)


def scenario(path, text):
    for number, line in enumerate(text.split("\n"), 1):
        for m in re.finditer(r'"(?:title|why|note)": "((?:\\.|[^"\\])*)"', line):
            yield Passage("text", [(number, m[1])])


def hashed(path, text):
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        comment = re.match(r"\s*#+(?!!)(.*)", line) or re.search(r"\s#\s(.*)", line)
        lines.append((number, comment[1] if comment else ""))
    yield from paragraphs(lines)


def names(path, text):
    yield Passage("name", [(1, re.sub(r"[_-]+", " ", path.stem))])
    pattern = TEST_NAME.get({".cpp": ".c"}.get(path.suffix, path.suffix))
    if pattern and "Tests" in path.parts:
        for m in pattern.finditer(text):
            words = re.sub(r"([a-z])([A-Z])", lambda k: f"{k[1]} {k[2].lower()}", m[1]).replace("_", " ")
            yield Passage("name", [(text.count("\n", 0, m.start(1)) + 1, words)])


def passages(path: Path):
    """Every passage of a file; none for a kind of file that has no prose."""
    text = path.read_text(errors="replace")
    yield from names(path, text)
    if path.suffix in C_LIKE:
        yield from c_like(path, text)
    elif path.suffix in (".py", ".pyi") or text.startswith("#!/usr/bin/python3"):
        yield from python(path, text)
    elif path.suffix == ".md":
        yield from page(path, text)
    elif path.suffix == ".json" and "Scenarios" in path.parts:
        yield from scenario(path, text)
    elif path.suffix in HASHED and (path.name == "Makefile" or path.suffix or text.startswith("#!")):
        yield from hashed(path, text)


def without_prose(path):
    """A program's text without comments and literals, on the same lines; empty for other files."""
    if path.suffix not in C_LIKE | {".py", ".pyi"}:
        return ""
    text = path.read_text()
    pattern = CODE if path.suffix in C_LIKE else PYTHON
    return pattern.sub(lambda m: "\n" * m[0].count("\n"), text)
