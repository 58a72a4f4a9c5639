"""The table of `make bench`: a line for each piece of work, the peers beside us, the ratio last."""

# Our figure, the work whose peers it is held against, a title, and the unit.
ROWS = [
    ("match.github crosstie", "match.github", "match, 142 GitHub routes", "ns"),
    ("match.deep10k crosstie", "match.deep10k", "match, 10,000 deep links", "ns"),
    ("match.siblings10k crosstie", "match.siblings10k", "match, 10,000 siblings", "ns"),
    ("match.deep100k crosstie", "match.deep100k", "match, 100,000 deep links", "ns"),
    ("find.github crosstie", "match.github", "parse and match from C, 142 GitHub routes", "ns"),
    ("find.deep10k crosstie", "match.deep10k", "parse and match from C, 10,000 deep links", "ns"),
    ("find.siblings10k crosstie", "match.siblings10k", "parse and match from C, 10,000 siblings", "ns"),
    ("find.deep100k crosstie", "match.deep100k", "parse and match from C, 100,000 deep links", "ns"),
    ("parse.github crosstie", "parse.github", "parse a URL", "ns"),
    ("table.time crosstie", "build.time", "a route into the table, 10,000 deep links", "ns"),
    ("table.memory crosstie", "build.memory", "the table's memory for it", "B"),
    ("build.time crosstie", "build.time", "register a route from C, 10,000 deep links", "ns"),
    ("build.memory crosstie", "build.memory", "all memory for it", "B"),
    ("open.c crosstie", "parse.github", "whole open from C (peers: parse alone)", "ns"),
    ("open.python crosstie", "open.python", "whole open in Python, one route", "ns"),
    ("open.python.github crosstie", "open.python.github", "whole open in Python, 142 GitHub routes", "ns"),
    ("pass.safe crosstie", "pass.safe", "pass 64 B", "ns"),
    ("pass.fast crosstie", "pass.fast", "pass 64 B, fast map", "ns"),
    ("listener.two crosstie", "listener.two", "to a listener, other process, other core", "ns"),
    ("listener.two crosstie, fast", "listener.two", "the same, fast map", "ns"),
    ("listener.one crosstie", "listener.one", "to a listener, other process, same core", "ns"),
    ("listener.one crosstie, fast", "listener.one", "the same, fast map", "ns"),
    ("load.time crosstie", "load.time", "load the library, to the first call", "ns"),
    ("load.size crosstie", "load.size", "size of the library", "B"),
]

LINE = "{:<46}{:>12}   {:<26}{:>12}{:>8}"


def quantity(figure, unit):
    """Three digits or so: 41 ns, 3.9 µs, 6.2 MB."""
    if figure is None:
        return "–"
    for scale, name in {"ns": [(1e6, "ms"), (1e3, "µs")], "B": [(1e6, "MB"), (1e4, "kB")]}[unit]:
        if figure >= scale:
            return f"{figure / scale:.1f} {name}"
    return f"{figure:.0f} {unit}"


def rows(figures):
    """Each piece of work with its peers, the best first: (title, ours, [(peer, figure)], unit)."""
    for ours, against, title, unit in ROWS:
        work, who = ours.split(" ", 1)
        peers = {peer: figure for peer, figure in figures.get(against, {}).items() if not peer.startswith("crosstie")}
        yield title, figures.get(work, {}).get(who), sorted(peers.items(), key=lambda peer: peer[1]), unit


def print_table(figures):
    print(LINE.format("work", "Crosstie", "peer", "", "ratio"))
    for title, ours, peers, unit in rows(figures):
        for index, (peer, figure) in enumerate(peers or [("–", None)]):
            ratio = f"{ours / figure:.2f}" if ours and figure else "–"
            first = index == 0
            print(LINE.format(title if first else "", quantity(ours, unit) if first else "", peer,
                              quantity(figure, unit), ratio))
