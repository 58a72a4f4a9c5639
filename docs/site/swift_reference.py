"""The reference of the Swift modules, a page for each, from the recorded interfaces in packaging/."""

import re
from collections import defaultdict

from text import code_block, title, toctree

ORDER = ["Crosstie", "CrosstieWormhole", "CrosstieJoin", "CrosstieInstance", "CrosstieCodable", "CrosstieConcurrency"]


def wrapped(declaration):
    """A long declaration with a line for each parameter."""
    declaration = re.sub(r"\( ", "(", re.sub(r" \)", ")", declaration))
    if len(declaration) <= 90:
        return declaration
    return re.sub(r", (?=\w+(?: \w+)?: |_ \w+: )", ",\n    ", declaration)


def page(module, lines):
    types = defaultdict(list)
    for line in lines:
        owner, _, declaration = line.partition(": ") if re.match(r"[\w.]+: ", line) else ("", "", line)
        types[owner].append(wrapped(declaration))
    parts = [title(module)]
    for owner in sorted(types):
        parts.append(title(owner or "Types and functions", "-") + "\n" + code_block("\n".join(types[owner]), "swift"))
    return "\n".join(parts)


def write(root, pages):
    pages.mkdir(parents=True)
    recorded = sorted(path.stem.removeprefix("swift-") for path in (root / "packaging").glob("swift-*.txt"))
    modules = sorted(recorded, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))
    for module in modules:
        lines = (root / f"packaging/swift-{module}.txt").read_text().splitlines()
        (pages / f"{module}.rst").write_text(page(module, [line for line in lines if line.strip()]))
    words = "The public declarations of each module. ``Crosstie`` is the bus; the page on Swift says which product has which module."
    (pages / "index.rst").write_text(f"{title('Swift')}\n{words}\n\n{toctree(modules)}")
