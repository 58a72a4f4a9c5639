"""Copies the repository's pages for Sphinx. Links among them work as on a code host; a link to a header becomes one to
its reference, and a link to another file of the repository becomes that file's name."""

import re
import shutil
from pathlib import Path, PurePosixPath

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"^(?:```|~~~).*?^(?:```|~~~)\s*$", re.M | re.S)
EXTERNAL = re.compile(r"(?:https?|mailto):|#")
PICTURES = {".svg", ".png"}


class Pages:
    """The pages of the site, by their paths in the repository."""

    def __init__(self, root, source, navigation):
        self.root, self.source = root, source
        listed = {page for section in navigation for page in section["pages"] if not page.startswith("reference/")}
        folder = {str(path.relative_to(root)) for path in (root / "docs").rglob("*.md") if "site" not in path.parts[len(root.parts) :]}
        self.paths = sorted({"README.md"} | listed | folder)
        self.problems = []

    def staged(self, path):
        """The path of a file on the site, or None."""
        if path == "README.md":
            return "index.md"
        if path in self.paths or PurePosixPath(path).suffix in PICTURES:
            return path
        header = re.fullmatch(r"include/crosstie/(?:(cpp)/)?(\w+)\.(?:h|hpp)", path)
        return f"reference/{header[1] or 'c'}/{header[2]}.rst" if header else None

    def link(self, page, match):
        mark, text, target = match.groups()
        if EXTERNAL.match(target):
            return match[0]
        file, hash_mark, anchor = target.partition("#")
        found = (self.root / page).parent / file
        path = str(Path(*found.resolve().parts[len(self.root.parts) :]))
        if not found.exists() or not found.resolve().is_relative_to(self.root):
            self.problems.append(f"{page}: there is no {target}")
            return match[0]
        staged = self.staged(path)
        if staged is None:
            return text if path in text else f"{text} (`{path}`)"
        here = PurePosixPath(self.staged(page)).parent
        up = "../" * len(here.parts)
        return f"{mark}[{text}]({up}{staged}{hash_mark}{anchor})"

    def translated(self, page, text):
        """The text with its links translated, but nothing inside code."""
        parts, end = [], 0
        for fence in FENCE.finditer(text):
            parts += [LINK.sub(lambda match: self.link(page, match), text[end : fence.start()]), fence[0]]
            end = fence.end()
        return "".join([*parts, LINK.sub(lambda match: self.link(page, match), text[end:])])

    def write(self):
        for page in self.paths:
            if not (self.root / page).is_file():
                self.problems.append(f"navigation.toml: there is no {page}")
                continue
            path = self.source / self.staged(page)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.translated(page, (self.root / page).read_text()))
        for picture in (self.root / "docs").rglob("*.svg"):
            copy = self.source / picture.relative_to(self.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(picture, copy)
