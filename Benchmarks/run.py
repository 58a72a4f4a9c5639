"""Measures this project and its peers in one run on the same data, and prints one table, the ratio last.

Needs `make lib python`. Programs report lines of `work <tab> who <tab> figure`; a program that cannot
be built or run is skipped with a line that says so (Benchmarks/setup.sh installs the peers).
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import build
import chart
import curves
import datasets
import messages
import servers
from build import BUILD, DIST, HERE, ROOT, say, skip
from commands import on_all, on_core, on_one_and_all
from figures import Figure, figure_of
from table import print_table

DATA = BUILD / "data"
LIBRARY = DIST / "lib" / "libcrosstie.so.0.1"
SETS = ["github", "deep10k", "siblings10k", "overlap10k", "layers10k", "deep100k"]
BULK = ["deep1k", "deep10k", "deep100k", "siblings1k", "siblings10k", "siblings100k"]
TREES = [name for name in SETS if name.startswith(("github", "overlap", "layers")) or name == "deep10k"]
TURNS = 5  # every program takes its turn so often
GROWTH_TURNS = 3  # of the growth alone


def routing():
    """Routes and URLs: ours beside the peers' of the same work."""
    python = [str(ROOT / ".build" / "venv" / "bin" / "python")]
    return [
        *on_core(1, build.product("CrosstieBench"), DATA, *SETS),
        *on_core(1, build.go("peers/httprouter.go"), DATA, *SETS),
        *on_core(1, build.aside("matchit"), DATA, *SETS),
        *on_core(1, build.aside("wayfind"), DATA, *SETS),
        *on_core(1, build.aside("uwebsockets"), DATA, *SETS),
        *on_core(1, build.aside("hummingbird"), DATA, *TREES),
        *on_core(1, build.on_crosstie("c/routes.c"), DATA, *SETS),
        *on_core(1, build.on_crosstie("c/reading.c")),
        *on_core(1, build.c("peers/http_parser.c", "-lhttp_parser"), DATA),
        *on_core(1, build.aside("ada"), DATA),
        *on_core(1, build.swift("peers/foundation.swift"), DATA),
        *on_core(1, build.on_crosstie("c/allocations.c"), DATA),
        *on_core(1, build.on_crosstie("c/bulk.c"), DATA, *BULK),
        *on_core(1, build.on_crosstie("c/rules.c")),
        *on_all(build.on_crosstie("c/beside.c"), DATA, "deep10k"),
        *on_core(1, python, HERE / "python" / "open.py", DATA),
    ]


def calls():
    """Calls by names, and work for other threads: ours beside the peers'."""
    python = str(ROOT / ".build" / "venv" / "bin" / "python")
    glib = build.package_flags("gobject-2.0", "-lgobject-2.0")
    by_name, trips = str(HERE / "python" / "calls.py"), str(HERE / "python" / "trips.py")
    return [
        *on_all(build.on_crosstie("c/calls.c")),
        *on_all(build.c("peers/gobject.c", *glib)),
        *on_all(build.c("peers/names.c")),
        *on_core(1, build.on_crosstie("c/events.c")),
        *on_core(1, build.c("peers/gobject_events.c", *glib)),
        *on_one_and_all(build.on_crosstie("c/trips.c")),
        *on_one_and_all(build.c("peers/futex_threads.c")),
        *on_one_and_all(build.c("peers/condition.c")),
        *on_one_and_all(build.c("peers/gthreadpool.c", *glib)),
        *on_core(1, [python], by_name, *build.object_on_crosstie("c/native.c")),
        *on_core(1, [python], HERE / "python" / "events.py"),
        *on_one_and_all([python, trips]),
    ]


def loading():
    return on_core(1, build.c("c/load.c", "-ldl"), LIBRARY, "ctie_version") * 7


def measure(command, figures):
    """Runs one program and adds what it reports. Whether it could; what it could not it says once."""
    environment = os.environ | {"PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=180)
    except subprocess.TimeoutExpired:
        return skip(" ".join(command), "no end after three minutes")
    if done.returncode != 0:
        return skip(" ".join(command), (done.stderr.strip().splitlines() or [done.returncode])[-1])
    for line in done.stdout.splitlines():
        if line.startswith("# "):
            say(line.removeprefix("# "))
        elif line.count("\t") == 2:
            work, who, figure = line.split("\t")
            figures[work][who].append(float(figure))
    return True


def take_turns(commands, figures, turns=TURNS):
    for turn in range(turns):
        print(f"turn {turn + 1} of {turns}", file=sys.stderr)
        commands = [command for command in commands if measure(command, figures)]


@contextlib.contextmanager
def memory_folder():
    """A folder in memory, where there is such a file system."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="crosstie-bench-", dir=memory) as folder:
        yield folder


def measure_all(figures, is_quick):
    datasets.write(DATA)
    with contextlib.ExitStack() as entered:
        store = entered.enter_context(memory_folder())
        disk = entered.enter_context(tempfile.TemporaryDirectory(prefix="disk-", dir=BUILD))
        running = entered.enter_context(servers.servers(store))
        for command in [] if is_quick else [*messages.idle(store, running), *messages.growth(store)]:
            measure(command, figures)
        commands = [*routing(), *calls(), *messages.commands(store, disk, running), *loading()]
        take_turns(commands, figures, 1 if is_quick else TURNS)
    figures["load.size"]["crosstie"] = [LIBRARY.stat().st_size]


def measure_joined(figures, is_quick):
    with contextlib.ExitStack() as entered:
        store = entered.enter_context(memory_folder())
        running = entered.enter_context(servers.servers(store))
        take_turns(messages.joined(store, running), figures, 1 if is_quick else TURNS)


def measure_served(figures, is_quick):
    with contextlib.ExitStack() as entered:
        store = entered.enter_context(memory_folder())
        running = entered.enter_context(servers.servers(store))
        take_turns(messages.served(running), figures, 1 if is_quick else TURNS)


def measure_growth(figures, is_quick):
    with memory_folder() as store:
        take_turns(messages.growth(store), figures, 1 if is_quick else GROWTH_TURNS)


PARTS = {"growth": measure_growth, "join": measure_joined, "nats": measure_served}


def options(arguments):
    parser = argparse.ArgumentParser(description="Measures this project and its peers.")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="keep the figures there")
    parser.add_argument("--quick", action="store_true", help="take one turn, and leave idleness and growth out")
    parser.add_argument("--only", choices=list(PARTS), help="measure that alone")
    parser.add_argument("--svg", metavar="FOLDER", type=pathlib.Path, help="draw the curves of growth there")
    parser.add_argument("--from", metavar="FILE", type=pathlib.Path, dest="kept", help="take figures from there")
    return parser.parse_args(arguments)


def figures_of(chosen):
    """The measurements of this run, or those kept of another one."""
    if chosen.kept:
        kept = json.loads(chosen.kept.read_text())
        return {work: {who: Figure(**one) for who, one in those.items()} for work, those in kept.items()}
    BUILD.mkdir(parents=True, exist_ok=True)
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    if chosen.only:
        PARTS[chosen.only](found, chosen.quick)
    else:
        measure_all(found, chosen.quick)
    return {work: {who: figure_of(work, all) for who, all in those.items()} for work, those in found.items()}


def main(arguments):
    chosen = options(arguments)
    figures = figures_of(chosen)
    if chosen.only != "growth":
        print_table(figures)
    growth = {work: {who: one.value for who, one in those.items()} for work, those in figures.items()}
    curves.print_curves(growth)
    if chosen.json:
        kept = {work: {who: one._asdict() for who, one in those.items()} for work, those in figures.items()}
        chosen.json.write_text(json.dumps(kept, indent=2))
    if chosen.svg:
        chart.write(growth, chosen.svg)


if __name__ == "__main__":
    main(sys.argv[1:])
