#!/usr/bin/python3
"""Draws the pictures of the pages: each .dot file beside this one becomes an .svg file, by Graphviz.

    docs/pictures/draw.py            draws all of them
    docs/pictures/draw.py --check    fails if one is not as its source says; the positions may differ, as fonts do

A picture has the colors of a light or a dark page. Its title, the name of the graph, says in words what it shows. The first line
of a label is plain, the others are dimmed. Classes: "host" is code of the application, "end" a good end, "bad" a refusal,
"store" a file or memory; an edge of the class "rare" is dashed."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
DRAW = ["dot", "-Tsvg", "-Gbgcolor=transparent", "-Gfontname=sans-serif", "-Gfontsize=13", "-Gnodesep=0.3", "-Granksep=0.45", "-Gpad=0.15"]
DRAW += ["-Nshape=box", "-Nstyle=rounded", "-Nfontname=sans-serif", "-Nfontsize=13", "-Nmargin=0.14,0.08", "-Nheight=0.45"]
DRAW += ["-Efontname=sans-serif", "-Efontsize=12", "-Earrowsize=0.7"]
STYLE = """
    .page { fill: #ffffff } text { fill: #1f2328 } .dim { fill: #59636e; font-size: 12px }
    .shape { fill: #f6f8fa; stroke: #59636e } .host .shape { fill: #ddf4ff; stroke: #0969da } .end .shape { fill: #dafbe1; stroke: #1a7f37 }
    .bad .shape { fill: #ffebe9; stroke: #cf222e } .store .shape { fill: #fff8c5; stroke: #9a6700 }
    .cluster .shape { fill: none; stroke: #afb8c1; stroke-dasharray: 4 3 }
    .line { stroke: #59636e; fill: none } .rare .line { stroke-dasharray: 5 3 } .head { fill: #59636e }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117 } text { fill: #f0f6fc } .dim { fill: #9198a1 }
      .shape { fill: #151b23; stroke: #9198a1 } .host .shape { fill: #121d2f; stroke: #4493f8 } .end .shape { fill: #12261e; stroke: #3fb950 }
      .bad .shape { fill: #25171c; stroke: #f85149 } .store .shape { fill: #272115; stroke: #d29922 }
      .cluster .shape { stroke: #3d444d } .line { stroke: #9198a1 } .head { fill: #9198a1 }
    }
  """
TEXT_OF_POSITION = re.compile(r' (?:x|y|d|points|viewBox|transform|width|height)="[^"]*"')


def tag(element):
    return element.tag.rpartition("}")[2]


def shape(element, kind):
    """A shape without Graphviz's colors, which the style has."""
    name = tag(element)
    kept = " ".join(f'{key}="{element.get(key)}"' for key in ("d", "points", "cx", "cy", "rx", "ry") if element.get(key))
    return f'<{name} class="{kind}" {kept}/>'


def text(element, kind):
    words = escape("".join(element.itertext()).rstrip(), quote=False)
    words = re.sub("^[ \u00a0]+", "\u00a0", words)  # the room between an edge and its label
    anchor = element.get("text-anchor", "start")
    return f'<text{kind} x="{element.get("x")}" y="{element.get("y")}" text-anchor="{anchor}">{words}</text>'


def group(element):
    """A node, an edge or a frame, as one line."""
    kinds = element.get("class")
    is_edge = kinds.startswith("edge")
    parts, lines = [], 0
    for child in element.iter():
        if tag(child) in ("path", "polygon", "polyline", "ellipse"):
            parts.append(shape(child, "head" if is_edge and tag(child) == "polygon" else "line" if is_edge else "shape"))
        elif tag(child) == "text":
            parts.append(text(child, ' class="dim"' if is_edge or lines else ""))
            lines += 1
    return f'    <g class="{kinds}">{"".join(parts)}</g>'


def drawn(source):
    """The picture of a source."""
    result = subprocess.run([*DRAW, source], capture_output=True, text=True)
    if result.returncode or result.stderr:
        raise SystemExit(f"{source.name}: {result.stderr.strip() or 'dot fails'}")
    root = ET.fromstring(result.stdout)
    box = root.get("viewBox")
    width, height = box.split()[2:]
    graph = next(child for child in root if tag(child) == "g")
    title = next(child for child in graph if tag(child) == "title")
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-labelledby="title" font-family="sans-serif" font-size="13">',
        f'  <title id="title">{escape(title.text, quote=False)}</title>',
        f"  <style>{STYLE}</style>",
        f'  <rect class="page" width="{width}" height="{height}" rx="6"/>',
        f'  <g transform="{graph.get("transform")}">',
        *(group(child) for child in graph if tag(child) == "g"),
        "  </g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def main(arguments):
    is_check = arguments == ["--check"]
    sources = sorted(FOLDER.glob("*.dot"))
    problems = []
    for source in sources:
        picture = source.with_suffix(".svg")
        new = drawn(source)
        if not is_check:
            picture.write_text(new)
        elif not picture.exists() or TEXT_OF_POSITION.sub("", picture.read_text()) != TEXT_OF_POSITION.sub("", new):
            problems.append(f"{picture.name} is not what {source.name} says; run: make pictures")
    print("\n".join(problems) or f"{len(sources)} pictures are as their sources say")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
