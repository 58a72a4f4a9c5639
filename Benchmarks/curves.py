"""The block *growth* of `make bench`: costs that must hold at any size, as curves with their goals."""

from typing import NamedTuple


class Line(NamedTuple):
    """Figures of one kind of work by how much there was of something."""

    label: str
    work: str
    who: str = "crosstie"

    def points(self, figures):
        """Pairs of a place and its figure, by place."""
        prefix = f"growth.{self.work}."
        found = ((work.removeprefix(prefix), who) for work, who in figures.items() if work.startswith(prefix))
        return sorted((float(place), who[self.who]) for place, who in found if place.isdigit() and self.who in who)


class Flat(NamedTuple):
    """No figure of a line is above so many times the first one, from a place on."""

    work: str
    times: float
    begin: float = 0

    def __str__(self):
        return f"{self.work}: at most {self.times:g} × its first" + since(self.begin)

    def excess(self, points):
        own = [pair for pair in points[self.work] if pair[0] >= self.begin]
        return max(figure for _, figure in own) / (self.times * own[0][1])


class Below(NamedTuple):
    """No figure of a line is above a limit, from a place on."""

    work: str
    limit: float
    begin: float = 0

    def __str__(self):
        return f"{self.work}: at most {quantity(self.limit)}" + since(self.begin)

    def excess(self, points):
        return max(figure for place, figure in points[self.work] if place >= self.begin) / self.limit


class Beside(NamedTuple):
    """From a point on, no figure of a line is above this multiple of another one."""

    work: str
    times: float
    other: str
    begin: float = 0

    def __str__(self):
        return f"{self.work}: at most {self.times:g} × {self.other}" + since(self.begin)

    def excess(self, points):
        other = dict(points[self.other])
        pairs = [(figure, other.get(place)) for place, figure in points[self.work] if place >= self.begin]
        return max(figure / (self.times * beside) for figure, beside in pairs if beside)


class Proportional(NamedTuple):
    """The last figure of a line is at most so many times what it would be in proportion to the first one."""

    work: str
    times: float

    def __str__(self):
        return f"{self.work}: at most {self.times:g} × in proportion"

    def excess(self, points):
        (first, low), (last, high) = points[self.work][0], points[self.work][-1]
        return high / (self.times * low * last / first)


class Level(NamedTuple):
    """From a place on, the highest figure of a line is at most so many times its lowest."""

    work: str
    times: float
    begin: float = 0

    def __str__(self):
        return f"{self.work}: the highest at most {self.times:g} × the lowest" + since(self.begin)

    def excess(self, points):
        own = [figure for place, figure in points[self.work] if place >= self.begin]
        return max(own) / (self.times * min(own))


class Atop(NamedTuple):
    """No figure of a line is above its first one and this multiple of another line, together."""

    work: str
    times: float
    other: str

    def __str__(self):
        return f"{self.work}: at most its first and {self.times:g} × {self.other}"

    def excess(self, points):
        own, other = points[self.work], dict(points[self.other])
        return max(figure / (own[0][1] + self.times * other[place]) for place, figure in own if place in other)


class Rate(NamedTuple):
    """No figure of a line, by MiB, is above what a rate in GB/s allows."""

    work: str
    rate: float

    def __str__(self):
        return f"{self.work}: at least {self.rate:g} GB/s"

    def excess(self, points):
        return max(figure * self.rate / (place * (1 << 20)) for place, figure in points[self.work])


class Curve(NamedTuple):
    name: str
    title: str
    across: str
    lines: list
    goals: list

    def points(self, figures):
        """The measurements of each line, by its label; lines without any are left out."""
        all = {line.label: line.points(figures) for line in self.lines}
        return {label: points for label, points in all.items() if points}


def flat(lines, times, begin=0):
    """The goal that each of some lines is flat."""
    return [Flat(line.label, times, begin) for line in lines]


BINDING = [Line("bind one", "bind"), Line("remove one by its name", "remove")]
LENGTHS = [Line("send one", "queued"), Line("acknowledge one, claim one", "claim"), Line("declare one", "declare")]
LENGTHS_OF_LMDB = [
    Line("send one, in LMDB alone", "queued", "LMDB alone"),
    Line("claim one, in LMDB alone", "claim", "LMDB alone"),
]
NAMES = [
    Line("send, each has its identifier", "apart"),
    Line("acknowledge and claim", "apart-claim"),
    Line("send, all want the same", "shared"),
    Line("acknowledge and claim of the same", "shared-claim"),
]

CURVES = [
    Curve(
        "prefix",
        "Messages, each under a different identifier",
        "identifiers in the group",
        [
            Line("sent", "pass"),
            Line("to a listener on their prefix", "prefix"),
            Line("to listeners on themselves", "exact"),
            Line("to a neighbor of the prefix's listener", "neighbour"),
        ],
        [
            Beside("to a listener on their prefix", 1.2, "to listeners on themselves"),
            Flat("to a neighbor of the prefix's listener", 1.2),
        ],
    ),
    Curve(
        "binding",
        "Named listeners on one identifier",
        "listeners",
        BINDING,
        flat(BINDING, 5),
    ),
    Curve(
        "audience",
        "One message to listeners in so many processes, all asleep",
        "listening processes",
        [
            Line("until the last has received it", "last"),
            Line("the same, for each process", "each"),
            Line("a bare futex, for each process", "each", "bare futex"),
        ],
        [Below("the same, for each process", 12e3, begin=2)],
    ),
    Curve(
        "length",
        "A queue of jobs for one durable consumer",
        "messages that wait",
        LENGTHS + LENGTHS_OF_LMDB,
        [Level(line.label, 1.3, begin=10) for line in LENGTHS],
    ),
    Curve(
        "names",
        "Durable consumers in a group, one of which has a worker",
        "durable consumers",
        NAMES,
        flat(NAMES, 1.3),
    ),
    Curve(
        "destroy",
        "Destroying an identifier with so many messages of 1 kB",
        "messages that are destroyed",
        [Line("until it returns", "destroy"), Line("longest send of another process meanwhile", "beside")],
        [Proportional("until it returns", 1.5), Below("longest send of another process meanwhile", 5e6)],
    ),
    Curve(
        "pick",
        "Destroying an identifier with 100 messages of 1 kB",
        "messages in the queue",
        [Line("until it returns", "pick"), Line("longest send of another process meanwhile", "beside-pick")],
        [Flat("until it returns", 3), Below("longest send of another process meanwhile", 5e6)],
    ),
    Curve(
        "size",
        "Sending a message of so many bytes",
        "bytes",
        [
            Line("send one", "size"),
            Line("send the first of its size", "first-size"),
            Line("copy the bytes into a new file", "first-size", "new file"),
            Line("copy the bytes twice", "size", "two copies"),
        ],
        [
            Beside("send one", 1.6, "copy the bytes twice", begin=1 << 20),
            Atop("send one", 2, "copy the bytes twice"),
            Beside("send the first of its size", 4, "copy the bytes twice", begin=1 << 20),
        ],
    ),
    Curve(
        "after",
        "A message of 64 bytes after large ones that were destroyed",
        "MiB of each of those (0: there were none)",
        [Line("send one", "after")],
        [Flat("send one", 1.3)],
    ),
    Curve(
        "check",
        "Opening a closed store of so many MiB, which is checked",
        "MiB of the store",
        [Line("open and check", "check"), Line("copy as many bytes in memory", "check", "memcpy")],
        [Rate("open and check", 1)],
    ),
]

SCALES = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns")]


def quantity(nanoseconds):
    """Two digits or three: 41 ns, 3.9 µs, 125 µs."""
    scale, unit = next((pair for pair in SCALES if nanoseconds >= pair[0]), SCALES[-1])
    figure = nanoseconds / scale
    return f"{figure:.0f} {unit}" if figure >= 100 or unit == "ns" else f"{figure:.1f} {unit}"


def amount(place):
    """A place in as few letters: 64, 16 k, 1 M."""
    for scale, letter in ((1 << 20, "Mi"), (1 << 10, "Ki")):
        if place >= scale and place % scale == 0:
            return f"{place // scale:.0f} {letter}"
    for scale, letter in ((1e6, "M"), (1e3, "k")):
        if place >= scale:
            return f"{place / scale:g} {letter}"
    return f"{place:g}"


def since(place):
    return f" from {amount(place)} on" if place else ""


def judge(goal, points):
    """A line that says whether a goal is met; nothing where its figures are missing."""
    try:
        excess = goal.excess(points)
    except (KeyError, ValueError, ZeroDivisionError):
        return f"    {goal}: not measured"
    return f"    {goal}: {'yes' if excess <= 1 else 'NO'} ({excess:.0%} of that)"


def print_curve(curve, figures):
    points = curve.points(figures)
    if not points:
        return
    places = sorted({place for all in points.values() for place, _ in all})
    print(f"\n{curve.title}, by {curve.across}")
    print("    " + "".ljust(44) + "".join(amount(place).rjust(10) for place in places))
    for label, all in points.items():
        known = dict(all)
        cells = (quantity(known[place]) if place in known else "–" for place in places)
        print("    " + label.ljust(44) + "".join(cell.rjust(10) for cell in cells))
    for goal in curve.goals:
        print(judge(goal, points))


def print_curves(figures):
    for curve in CURVES:
        print_curve(curve, figures)
