"""Builds the documentation as a site: build.py <version> <folder of all results>. The pages are in <folder>/html."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import header_reference
import python_reference
import swift_reference
from pages import Pages

SITE = Path(__file__).resolve().parent
ROOT = SITE.parent.parent
FETCHED = re.compile(r"""<(?:script|img|iframe|source)[^>]*\ssrc=["'](?:https?:)?//[^>]*>|<link[^>]*\shref=["'](?:https?:)?//[^>]*>""")
FETCHED_BY_STYLE = re.compile(r"""(?:url\(|@import)\s*["']?(?:https?:)?//[^;)]*""")


def add_navigation(index, navigation):
    """Appends the sections of the navigation to the front page."""
    parts = [index.read_text()]
    for section in filter(lambda section: section["pages"], navigation):
        lines = "\n".join(page.rpartition(".")[0] for page in section["pages"])
        parts.append(f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n:caption: {section['title']}\n\n{lines}\n```\n")
    index.write_text("\n".join(parts))


def run_sphinx(version, work):
    """Runs it with any warning as an error."""
    environment = dict(os.environ, CROSSTIE_VERSION=version, CROSSTIE_SITE=str(SITE))
    command = [sys.executable, "-m", "sphinx", "--builder", "html", "--conf-dir", str(SITE), "--fail-on-warning", "--quiet", "--fresh-env"]
    command += ["--doctree-dir", str(work / "doctrees"), str(work / "source"), str(work / "html")]
    return subprocess.run(command, env=environment).returncode


def fetched(html):
    """The links that would make a browser fetch something from elsewhere."""
    for path in sorted(html.rglob("*")):
        pattern = {".html": FETCHED, ".css": FETCHED_BY_STYLE}.get(path.suffix)
        for match in pattern.finditer(path.read_text()) if pattern else ():
            yield f"{path.relative_to(html)}: a browser would fetch {match[0][:100]}"


def main(version, work):
    for name in ("source", "c", "cpp", "doctrees", "html"):
        shutil.rmtree(work / name, ignore_errors=True)
    source = work / "source"
    navigation = tomllib.loads((SITE / "navigation.toml").read_text())["section"]
    pages = Pages(ROOT, source, navigation)
    pages.write()
    add_navigation(source / "index.md", navigation)
    reference = source / "reference"
    header_reference.write(ROOT, work, reference / "c", "c")
    header_reference.write(ROOT, work, reference / "cpp", "cpp")
    python_reference.write(ROOT, reference / "python")
    swift_reference.write(ROOT, reference / "swift")
    status = run_sphinx(version, work)
    problems = pages.problems + (list(fetched(work / "html")) if status == 0 else [])
    print("\n".join(problems) or ("" if status else f"{len(list((work / 'html').rglob('*.html')))} pages: {work / 'html/index.html'}"))
    return status or bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
