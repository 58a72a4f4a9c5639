"""Curves as SVG: both axes logarithmic, so that what is flat lies flat and what is in proportion rises by one square."""

import math
import pathlib
from html import escape

from curves import CURVES, amount, quantity

WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 78, 18, 44, 96  # around the plot
LINE_HEIGHT = 18

STYLE = """
    .page { fill: #ffffff } text { fill: #1f2328 } .dim { fill: #59636e } .grid { stroke: #d1d9e0 } .line { fill: none; stroke-width: 2 }
    .c0 { stroke: #0969da } .c1 { stroke: #bc4c00 } .c2 { stroke: #1a7f37 } .c3 { stroke: #8250df }
    .d0 { fill: #0969da } .d1 { fill: #bc4c00 } .d2 { fill: #1a7f37 } .d3 { fill: #8250df }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117 } text { fill: #f0f6fc } .dim { fill: #9198a1 } .grid { stroke: #3d444d }
      .c0 { stroke: #4493f8 } .c1 { stroke: #f0883e } .c2 { stroke: #3fb950 } .c3 { stroke: #ab7df8 }
      .d0 { fill: #4493f8 } .d1 { fill: #f0883e } .d2 { fill: #3fb950 } .d3 { fill: #ab7df8 }
    }
"""


class Axis:
    """A logarithmic scale from one number to another, between two places of the picture."""

    def __init__(self, low, high, begin, end):
        self.low, self.begin = math.log10(low), begin
        self.scale = (end - begin) / max(math.log10(high) - self.low, 1e-9)

    def at(self, number):
        return self.begin + (math.log10(number) - self.low) * self.scale


def decades(low, high):
    """The powers of ten around an interval, three at least, so that a nearly flat curve looks flat."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return [10.0**power for power in range(first, max(last, first + 2) + 1)]


def shown(place):
    """The position of a point: 0 has none on such an axis, so it gets that of one half."""
    return max(place, 0.5)


def text(x, y, content, kind="dim", anchor="start"):
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(content)}</text>'


def grid(across, up, places, levels):
    """The lines behind the curves, with what they stand for."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for level in levels:
        y = up.at(level)
        yield f'<path class="grid" d="M{LEFT} {y:.1f}H{right}"/>'
        yield text(LEFT - 8, y + 4, quantity(level).replace(".0 ", " "), anchor="end")
    for place in places:
        x = across.at(shown(place))
        yield f'<path class="grid" d="M{x:.1f} {TOP}V{bottom}"/>'
        yield text(x, bottom + 18, amount(place), anchor="middle")


def lines(across, up, points):
    for number, all in enumerate(points.values()):
        spots = [(across.at(shown(place)), up.at(figure)) for place, figure in all]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in spots)
        yield f'<path class="line c{number % 4}" d="M{path}"/>'
        yield from (f'<circle class="d{number % 4}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in spots)


def legend(labels):
    for number, label in enumerate(labels):
        x, y = LEFT + number % 2 * 320, HEIGHT - 34 + number // 2 * LINE_HEIGHT
        yield f'<path class="line c{number % 4}" d="M{x} {y - 4}h20"/>'
        yield text(x + 28, y, label, "label")


def picture(curve, points):
    places = sorted({place for all in points.values() for place, _ in all})
    found = [figure for all in points.values() for _, figure in all]
    levels = decades(min(found), max(found))
    across = Axis(shown(places[0]), max(shown(places[-1]), shown(places[0]) * 2), LEFT, WIDTH - RIGHT - 12)
    up = Axis(levels[0], levels[-1], HEIGHT - BOTTOM, TOP)
    parts = [
        text(WIDTH / 2, 24, curve.title, "title", "middle"),
        *grid(across, up, places, levels),
        text(WIDTH / 2, HEIGHT - BOTTOM + 38, curve.across, anchor="middle"),
        *lines(across, up, points),
        *legend(points),
    ]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'aria-labelledby="title" font-family="sans-serif" font-size="13">\n'
        f'  <title id="title">{escape(curve.title)}, by {escape(curve.across)}</title>\n  <style>{STYLE}  </style>\n'
        f'  <rect class="page" width="{WIDTH}" height="{HEIGHT}" rx="6"/>\n'
    )
    return head + "".join(f"  {part}\n" for part in parts) + "</svg>\n"


def write(figures, folder):
    """Writes a picture of each curve that was measured."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for curve in CURVES:
        points = curve.points(figures)
        if points:
            (folder / f"{curve.name}.svg").write_text(picture(curve, points))
