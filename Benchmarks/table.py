"""The table of `make bench`: a line for each piece of work, what was to be reached, the peers, the ratio last."""

from typing import NamedTuple


class Ratio(NamedTuple):
    """A goal that another figure of the same run sets: at most `times` what `who` takes for `work`."""

    times: float
    work: str
    who: str
    label: str = ""

    def __str__(self):
        return f"{self.times:g} × {self.label or self.who}"


class Row(NamedTuple):
    work: str  # our figure of this name,
    against: str  # held against the peers' of that name
    title: str
    unit: str = "ns"
    goal: float = None  # at most
    ratio: Ratio = None
    who: str = "crosstie"
    best: bool = False  # only the best peer: the others are above


HTTPROUTER = Ratio(0.4, "match.deep10k", "httprouter")
ZEROMQ = Ratio(0.45, "listener.two", "ZeroMQ ipc", "ZeroMQ")
ZEROMQ_TO_ALL = Ratio(0.5, "fan", "ZeroMQ ipc", "ZeroMQ")
SYNCED = Ratio(1.3, "synced.one", "LMDB put, synced", "LMDB's own")
FAST = "crosstie, fast"
UNCHANGED = Ratio(1.15, "call.one", "crosstie", "one thread's")
WAKE_ONE = Ratio(1.3, "trip.c.one", "bare futex", "bare futex")
WAKE_TWO = Ratio(1.3, "trip.c.two", "bare futex", "bare futex")
QUEUE_ONE = Ratio(1.3, "trip.python.one", "two SimpleQueues", "SimpleQueues")
QUEUE_TWO = Ratio(1.3, "trip.python.two", "two SimpleQueues", "SimpleQueues")
LINEAR_DEEP = Ratio(2, "build.deep10k", "crosstie", "10,000's")
LINEAR_SIBLINGS = Ratio(2, "build.siblings10k", "crosstie", "10,000's")

ADA_ESCAPED = Ratio(0.9, "parse.escaped", "ada")
ADA_LONG = Ratio(1.3, "parse.long", "ada")
ADA_QUERY = Ratio(1.5, "parse.query", "ada")
FALCON_READ = Ratio(1.0, "read.python", "Falcon, find alone", "Falcon")
FALCON_MISS = Ratio(1.2, "miss.python", "Falcon, find alone", "Falcon")
WERKZEUG_BUILD = Ratio(0.35, "generate.python", "Werkzeug, build", "Werkzeug")
GOBJECT = {n: Ratio(0.9, f"event.{n}", "GObject signal, by name", "GObject") for n in (1, 10, 100)}
PYEE = {n: Ratio(0.9, f"event.python.{n}", "pyee") for n in (1, 10, 100)}
AMONG = Ratio(1.15, "event.1", "crosstie", "a bus of one")
TASK_ONE = Ratio(2.2, "async.one", "create_task")
TASK_TWO = Ratio(2.2, "async.two", "create_task")
SLEPT_TWO = Ratio(1.3, "paused.two", "Unix socket")
SLEPT_TWO_FAST = Ratio(1.1, "paused.two", "Unix socket")
SLEPT_ONE = Ratio(1.3, "paused.one", "Unix socket")
SLEPT_ONE_FAST = Ratio(1.1, "paused.one", "Unix socket")

FUTEX_TURN = Ratio(1.5, "join.call", "bare futex")
PACKET_TURN = Ratio(1.3, "join.call", "bare SEQPACKET", "SEQPACKET")
STREAM_TURN = Ratio(0.5, "join.large", "stream socket")
MANAGERS = Ratio(1.0, "join.python", "multiprocessing.managers", "managers")
PYTHON_TURN = Ratio(1.5, "join.python", "crosstie", "the above")
NOTHING = Ratio(3.0, "join.hand", "an empty program")
SERVER_CALL = Ratio(1.3, "server.call", "bare request")
SERVER_FLIGHT = Ratio(1.25, "server.flight", "bare request")
SERVER_LARGE = Ratio(1.3, "server.large", "bare request")
SOCKETS = "crosstie, sockets"

BARE_SEND = Ratio(1.1, "server.send", "libnats", "libnats's")
SHARED = Ratio(0.125, "server.send", "crosstie", "one thread's")
BARE_BATCH = Ratio(1.25, "server.batch", "libnats", "libnats's")
BARE_TRIP = Ratio(1.3, "server.trip", "libnats", "libnats's")
BARE_WORKER = Ratio(1.0, "server.durable.1", "libnats", "libnats's")
BARE_WORKERS = Ratio(1.11, "server.durable.4", "libnats", "libnats's")
BARE_VALUES = Ratio(1.5, "server.values", "libnats", "libnats's")

ROWS = [
    Row("match.github", "match.github", "match, 142 GitHub routes", goal=45),
    Row("match.deep10k", "match.deep10k", "match, 10,000 deep links", goal=52, ratio=HTTPROUTER),
    Row("match.siblings10k", "match.siblings10k", "match, 10,000 siblings", goal=28),
    Row("match.overlap10k", "match.overlap10k", "match, 10,000 overlapping: word, :id, *rest", goal=70),
    Row("match.layers10k", "match.layers10k", "match, 10,000 overlapping: word, :id or *rest", goal=70),
    Row("match.deep100k", "match.deep100k", "match, 100,000 deep links", goal=65),
    Row("find.github", "match.github", "parse and match from C, 142 GitHub routes", best=True),
    Row("find.deep10k", "match.deep10k", "the same, 10,000 deep links", best=True),
    Row("find.siblings10k", "match.siblings10k", "the same, 10,000 siblings", best=True),
    Row("find.overlap10k", "match.overlap10k", "the same, 10,000 overlapping", best=True),
    Row("find.deep100k", "match.deep100k", "the same, 100,000 deep links", best=True),
    Row("miss.github", "miss.github", "the same where no route matches, of 142"),
    Row("miss.siblings10k", "miss.siblings10k", "the same, of 10,000 siblings"),
    Row("table.time", "build.deep10k", "a route into the table, 10,000 deep links", goal=300),
    Row("table.memory", "memory.deep10k", "the table's memory for it", "B", goal=220),
    Row("build.deep1k", "", "register a route from C, of 1,000 deep links"),
    Row("build.deep10k", "build.deep10k", "the same, of 10,000", goal=300, best=True),
    Row("build.deep100k", "build.deep100k", "the same, of 100,000", ratio=LINEAR_DEEP),
    Row("build.siblings1k", "", "the same, of 1,000 siblings"),
    Row("build.siblings10k", "build.siblings10k", "the same, of 10,000", best=True),
    Row("build.siblings100k", "", "the same, of 100,000", ratio=LINEAR_SIBLINGS),
    Row("memory.deep10k", "memory.deep10k", "all memory for a route of 10,000 deep links", "B", goal=220, best=True),
    Row("parse.github", "parse.github", "parse a URL"),
    Row("open.github", "parse.github", "whole open from C (peers: parse alone)", goal=110, best=True),
    Row("open.escaped", "parse.escaped", "the same, an escape in each URL", ratio=ADA_ESCAPED),
    Row("open.long", "parse.long", "the same, 221 bytes with many escapes", ratio=ADA_LONG),
    Row("open.query", "parse.query", "the same, a query of ten, nine with escapes", ratio=ADA_QUERY),
    Row("open.deep10k", "", "whole open from C, no escapes, 10,000 deep links", goal=110),
    Row("open.rule", "", "the same from outside through one of 10,000 rules, two parameters checked"),
    Row("build.rules", "", "load a rule document: one of 10,000 rules"),
    Row("param.one", "", "a handler reads a parameter by its name"),
    Row("params.1", "params.1", "all parameters as a map: of one, each", goal=60),
    Row("params.3", "params.3", "the same, of three, each", goal=60),
    Row("params.128", "params.128", "the same, of 128, each", goal=60),
    Row("pairs.10", "", "all pairs of a query by position: of 10, each", goal=15),
    Row("pairs.64", "", "the same, of 64, each", goal=15),
    Row("pairs.128", "", "the same, of 128, each", goal=15),
    Row("generate", "", "generate the URL of a route", goal=150),
    Row("allocations.github", "", "allocations in an open", "", goal=0),
    Row("allocations.escaped", "", "the same, an escape in each URL", ""),
    Row("beside.find", "beside.find", "match: speed lost beside a writer", "%", goal=15),
    Row("beside.open", "beside.open", "open: speed lost beside a writer", "%", goal=15),
    Row("open.python", "open.python", "whole open in Python, one route", goal=200),
    Row("open.python.github", "open.python.github", "whole open in Python, 142 GitHub routes", goal=200),
    Row("read.python", "read.python", "the same, the handler reads all parameters", ratio=FALCON_READ),
    Row("miss.python", "miss.python", "the same where no route matches", ratio=FALCON_MISS),
    Row("generate.python", "generate.python", "generate the URL of a route in Python", ratio=WERKZEUG_BUILD),
    Row("call.one", "call.one", "call from C to C, by names, of 1,000 actions", goal=40),
    Row("call.two", "call.two", "the same, two threads at once", goal=40, ratio=UNCHANGED),
    Row("call.interceptor", "", "the same, through an interceptor"),
    Row("call.stats", "", "the same, counted and timed"),
    Row("event.1", "event.1", "an event of C to one listener", ratio=GOBJECT[1]),
    Row("event.10", "event.10", "the same to 10", ratio=GOBJECT[10]),
    Row("event.100", "event.100", "the same to 100", ratio=GOBJECT[100]),
    Row("event.among", "event.1", "the same to one, on a bus of 10,000 components", ratio=AMONG, best=True),
    Row("event.python.1", "event.python.1", "an event of Python to one listener", ratio=PYEE[1]),
    Row("event.python.10", "event.python.10", "the same to 10", ratio=PYEE[10]),
    Row("event.python.100", "event.python.100", "the same to 100", ratio=PYEE[100]),
    Row("call.perform", "", "perform a C function by name"),
    Row("call.python.dict", "call.python.dict", "call from Python to Python, a dict of 5 keys", goal=140),
    Row("call.python.keywords", "call.python.keywords", "the same, 5 keywords", goal=250),
    Row("call.python.c", "", "call from Python to C, a dict of 5 keys"),
    Row("call.c.python", "", "call from C to Python, no parameters"),
    Row("trip.c.one", "trip.c.one", "async call from C, to its end, one core", ratio=WAKE_ONE),
    Row("trip.c.two", "trip.c.two", "the same, two cores", ratio=WAKE_TWO),
    Row("jobs.c", "jobs.c", "async calls from C in one go, each", goal=150),
    Row("trip.python.one", "trip.python.one", "async call from Python, to its end, one core", ratio=QUEUE_ONE),
    Row("trip.python.two", "trip.python.two", "the same, two cores", ratio=QUEUE_TWO),
    Row("jobs.python", "jobs.python", "async calls from Python in one go, each"),
    Row("trip.asyncio.one", "trip.asyncio.one", "async call awaited in asyncio, one core"),
    Row("trip.asyncio.two", "trip.asyncio.two", "the same, two cores"),
    Row("async.one", "async.one", "an `async def` of the same loop awaited, one core", ratio=TASK_ONE),
    Row("async.two", "async.two", "the same, two cores", ratio=TASK_TWO),
    Row("pass.safe", "pass.safe", "send 64 B", goal=1200),
    Row("pass.fast", "pass.fast", "send 64 B, fast map", goal=500),
    Row("synced.one", "synced.one", "send 64 B, on the disk", ratio=SYNCED),
    Row("synced.many", "synced.many", "the same from 32 threads, each"),
    Row("big.safe", "big.safe", "send 1 MiB", goal=90e3),
    Row("big.fast", "big.fast", "send 1 MiB, fast map", goal=45e3),
    Row("listener.two", "listener.two", "to a listener, other process, other core", ratio=ZEROMQ),
    Row("listener.two", "listener.two", "the same, fast map", goal=3300, who=FAST, best=True),
    Row("listener.one", "listener.one", "to a listener, other process, same core"),
    Row("listener.one", "listener.one", "the same, fast map", goal=1700, who=FAST, best=True),
    Row("cpu.two", "cpu.two", "CPU of a message, on two cores"),
    Row("cpu.one", "cpu.one", "the same, on one"),
    Row("paused.two", "paused.two", "to a listener that slept 1 ms, other core", ratio=SLEPT_TWO),
    Row("paused.two", "paused.two", "the same, fast map", ratio=SLEPT_TWO_FAST, who=FAST, best=True),
    Row("paused.one", "paused.one", "to a listener that slept 1 ms, same core", ratio=SLEPT_ONE),
    Row("paused.one", "paused.one", "the same, fast map", ratio=SLEPT_ONE_FAST, who=FAST, best=True),
    Row("fan", "fan", "to listeners in 8 processes, the last", ratio=ZEROMQ_TO_ALL),
    Row("fan", "fan", "the same, fast map", ratio=ZEROMQ_TO_ALL, who=FAST, best=True),
    Row("queue.one", "queue.one", "queue to a durable consumer, one by one, each", goal=4000),
    Row("queue.one", "queue.one", "the same, fast map", goal=1667, who=FAST, best=True),
    Row("queue.batch", "queue.batch", "the same, in batches of 1,000, each", goal=333),
    Row("queue.batch", "queue.batch", "the same, fast map", goal=333, who=FAST, best=True),
    Row("join.call", "join.call", "joined: call to another process, 64 B", ratio=FUTEX_TURN),
    Row("join.call", "join.call", "the same by sockets", ratio=PACKET_TURN, who=SOCKETS, best=True),
    Row("join.callers", "", "joined: four threads call, each call", goal=7692),
    Row("join.flight", "", "joined: async calls, 16 in flight, each", goal=2000),
    Row("join.large", "join.large", "joined: a megabyte there and back", ratio=STREAM_TURN),
    Row("join.python", "join.python", "joined: Python calls Python, 64 B", ratio=MANAGERS),
    Row("join.asyncio", "", "joined: asyncio calls an `async def`, 64 B", ratio=PYTHON_TURN),
    Row("server.call", "server.call", "joined over a nats-server: a call, 64 B", ratio=SERVER_CALL),
    Row("server.flight", "server.flight", "the same, 16 in flight, each", ratio=SERVER_FLIGHT),
    Row("server.large", "server.large", "the same, a megabyte there and back", ratio=SERVER_LARGE),
    Row("join.hand", "join.hand", "a URL handed to the running instance, from exec", ratio=NOTHING),
    Row("server.send", "server.send", "over a nats-server: send 64 B", ratio=BARE_SEND),
    Row("server.threads", "server.threads", "the same from 32 threads, each", ratio=SHARED),
    Row("server.batch", "server.batch", "the same in batches of 1,000, each", ratio=BARE_BATCH),
    Row("server.trip", "server.trip", "over a nats-server: to a listener, 64 B", ratio=BARE_TRIP),
    Row("server.durable.1", "server.durable.1", "over a nats-server: a durable message done", ratio=BARE_WORKER),
    Row("server.durable.4", "server.durable.4", "the same by 4 workers", ratio=BARE_WORKERS),
    Row("server.values", "server.values", "over a nats-server: initial delivery of 10,000", ratio=BARE_VALUES),
    Row("server.python", "server.python", "over a nats-server: send 64 B from Python"),
    Row("server.python.batch", "server.python.batch", "the same in batches of 1,000, each"),
    Row("idle.wakes", "idle.wakes", "wakes a second of a listener without messages", "", goal=1),
    Row("idle.memory", "idle.memory", "memory of its whole process", "B"),
    Row("idle.first", "", "memory of a process's first open group", "B"),
    Row("idle.further.memory", "", "memory of each further one", "B"),
    Row("idle.further.descriptors", "", "descriptors of each", ""),
    Row("idle.further.threads", "", "threads of each, with a listener", ""),
    Row("idle.files", "", "files of an empty group", "B"),
    Row("load.time", "", "load the library, to the first call", goal=1.5e6),
    Row("load.size", "", "size of the library", "B", goal=7e6),
]

LINE = "{:<46}{:>9}{:>9}{:>6}  {:<26}{:<5}{:<26}{:>9}{:>9}{:>6}{:>7}"
SCALES = {"ns": [(1e6, "ms"), (1e3, "µs")], "B": [(1e6, "MB"), (1e3, "kB")]}


def quantity(figure, unit):
    """Three digits or so: 41 ns, 3.9 µs, 6.2 MB."""
    if figure is None:
        return "–"
    for scale, name in SCALES.get(unit, []):
        if figure >= scale:
            return f"{figure / scale:.1f} {name}"
    return f"{figure:.0f} {unit}".strip()


def columns(figure, unit):
    """A figure, the median of its turns, and their spread."""
    if figure is None:
        return "–", "", ""
    return quantity(figure.value, unit), quantity(figure.median, unit), f"{figure.spread:.0%}"


def goals(row, figures):
    """The goal as text, and the limits that follow from it: None if a figure is missing."""
    texts, limits = [], []
    if row.goal is not None:
        texts.append(quantity(row.goal, row.unit))
        limits.append(row.goal)
    if row.ratio is not None:
        other = figures.get(row.ratio.work, {}).get(row.ratio.who)
        texts.append(str(row.ratio))
        limits.append(row.ratio.times * other.value if other else None)
    return "≤ " + ", ".join(texts) if texts else "", limits


def verdict(ours, limits):
    """Whether every limit that is known is met; nothing without one."""
    known = [limit for limit in limits if limit is not None]
    if ours is None or not known:
        return ""
    return "yes" if all(ours.value <= limit for limit in known) else "NO"


def peers_of(row, figures):
    """The peers and what they take, the best first."""
    all = figures.get(row.against, {}).items()
    peers = sorted((pair for pair in all if not pair[0].startswith("crosstie")), key=lambda pair: pair[1].value)
    return (peers[:1] if row.best else peers) or [("–", None)]


def ratio(ours, peer, unit):
    return f"{ours.value / peer.value:.2f}" if ours and peer and ours.value and peer.value and unit != "%" else "–"


def print_row(row, figures):
    ours = figures.get(row.work, {}).get(row.who)
    goal, limits = goals(row, figures)
    head = (row.title, *columns(ours, row.unit), goal, verdict(ours, limits))
    for name, peer in peers_of(row, figures):
        print(LINE.format(*head, name, *columns(peer, row.unit), ratio(ours, peer, row.unit)))
        head = ("",) * 6


def print_table(figures):
    titles = ("work", "Crosstie", "median", "±", "to reach", "met", "peer", "", "median", "±", "ratio")
    print(LINE.format(*titles))
    for row in ROWS:
        if row.work in figures or row.against in figures:
            print_row(row, figures)
