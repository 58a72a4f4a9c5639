"""Measures this project and its peers in one run on the same data, and prints one table, the ratio last.

Needs `make lib python`. Programs report lines of `work <tab> who <tab> figure`; what cannot be built or run is
skipped with a line that says so (Benchmarks/setup.sh installs the peers). Usage: run.py [--json FILE]
"""

import collections
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

import datasets
from table import print_table

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
BUILD = ROOT / ".build" / "bench"
DATA = BUILD / "data"
DIST = ROOT / ".build" / "dist"
LIBRARY = DIST / "lib" / "libcrosstie.so.0"
SETS = ["github", "deep10k", "siblings10k", "deep100k"]
TURNS = 3  # every program takes its turn so often; the figures are medians


said = set()


def say(line):
    """Prints a line, once in a run."""
    if line not in said:
        print(line, flush=True)
    said.add(line)


def skip(what, why):
    say(f"skipped: {what} ({why})")


def build(what, command, **options):
    """Runs a build command; a peer that cannot be built is skipped."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        reason = next((line for line in done.stderr.splitlines() if "error" in line), "see Benchmarks/setup.sh")
        skip(what, reason.strip())
    return done.returncode == 0


def compile_c(source, *flags):
    name = "-".join(pathlib.Path(source).with_suffix("").parts)
    command = ["cc", "-O2", "-std=gnu11", "-D_GNU_SOURCE", "-o", str(BUILD / name), str(HERE / source), *flags]
    return [str(BUILD / name)] if build(source, command) else None


def crosstie_flags():
    return [f"-I{DIST}/include", f"-L{DIST}/lib", "-lcrosstie", f"-Wl,-rpath,{DIST}/lib"]


def compile_go(source):
    if shutil.which("go") is None:
        return skip(source, "Go is not installed")
    path = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": str(BUILD / "go")}
    command = ["go", "build", "-o", str(BUILD / "httprouter"), str(HERE / source)]
    return [str(BUILD / "httprouter")] if build(source, command, env=os.environ | path) else None


def compile_swift(product):
    scratch = ROOT / ".build" / "bench" / "swift"
    command = ["swift", "build", "-c", "release", "--product", product, "--scratch-path", str(scratch), "-j", "2"]
    return [str(scratch / "release" / product)] if build(product, command, cwd=ROOT) else None


def dbus_flags():
    found = subprocess.run(["pkg-config", "--cflags", "--libs", "dbus-1"], capture_output=True, text=True)
    return found.stdout.split() or ["-ldbus-1"]


def on_core(core, command, *arguments):
    """The command with its arguments, kept on one core; nothing when it was not built."""
    return [["taskset", "-c", str(core), *command, *map(str, arguments)]] if command else []


def on_all(command, *arguments):
    return [[*command, *map(str, arguments)]] if command else []


def programs(store):
    """The command lines to measure, ours beside the peers' of the same work."""
    loader = compile_c("c/load.c", "-ldl")
    python = [str(ROOT / ".build" / "venv" / "bin" / "python")]
    session = ["dbus-run-session", "--", *(compile_c("peers/dbus.c", *dbus_flags()) or [])]
    redis = compile_c("peers/redis.c")
    return [
        *on_core(1, compile_swift("CrosstieBench"), DATA, *SETS),
        *on_core(1, compile_go("peers/httprouter.go"), DATA, *SETS),
        *on_core(1, compile_c("c/routes.c", *crosstie_flags()), DATA, *SETS),
        *on_core(1, compile_c("peers/http_parser.c", "-lhttp_parser"), DATA, "github"),
        *on_core(1, python, HERE / "python" / "open.py", DATA),
        *on_all(compile_c("c/wormhole.c", *crosstie_flags()), store),
        *on_all(compile_c("peers/futex.c")),
        *on_all(compile_c("peers/zeromq.c", "-lzmq"), store),
        *on_core(1, compile_c("peers/lmdb.c", "-llmdb"), store),
        *on_core(1, compile_c("peers/sqlite.c", "-lsqlite3"), store),
        *(on_all(redis, store / "redis.socket") if shutil.which("redis-server") else []),
        *(on_all(session) if len(session) == 3 and shutil.which(session[0]) else []),
        *(on_core(1, loader, LIBRARY, "ctie_version") * 7),
    ]


def start_redis(store):
    """A Redis server of our own, writing nothing to disk; None when there is no Redis."""
    if shutil.which("redis-server") is None:
        return skip("peers/redis.c", "redis-server is not installed")
    options = ["--port", "0", "--unixsocket", "redis.socket", "--save", "", "--appendonly", "no"]
    return subprocess.Popen(["redis-server", *options], cwd=store, stdout=subprocess.DEVNULL)


def measure(command, figures):
    """Runs one program and adds what it reports. Whether it could; what it could not it says once."""
    environment = os.environ | {"PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    except subprocess.TimeoutExpired:
        return skip(" ".join(command), "no end after a minute")
    if done.returncode != 0:
        return skip(" ".join(command), (done.stderr.strip().splitlines() or [done.returncode])[-1])
    for line in done.stdout.splitlines():
        if line.startswith("# "):
            say(line.removeprefix("# "))
        elif line.count("\t") == 2:
            work, who, figure = line.split("\t")
            figures[work][who].append(float(figure))
    return True


def measure_all():
    figures = collections.defaultdict(lambda: collections.defaultdict(list))
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="crosstie-bench-", dir=memory) as store:
        commands = programs(pathlib.Path(store))
        redis = start_redis(store)
        for turn in range(TURNS):
            print(f"turn {turn + 1} of {TURNS}", file=sys.stderr)
            commands = [command for command in commands if measure(command, figures)]
        if redis is not None:
            redis.terminate()
            redis.wait()
    figures["load.size"]["crosstie"] = [LIBRARY.stat().st_size]
    return {work: {who: statistics.median(all) for who, all in found.items()} for work, found in figures.items()}


def main(arguments):
    BUILD.mkdir(parents=True, exist_ok=True)
    datasets.write(DATA)
    figures = measure_all()
    print_table(figures)
    if arguments[:1] == ["--json"]:
        pathlib.Path(arguments[1]).write_text(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main(sys.argv[1:])
