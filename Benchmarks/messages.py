"""Messages between processes: the programs that measure ours and the peers', and where each finds its server."""

import build
from build import DIST, HERE, ROOT
from commands import on_all, on_core

KINDS = ["safe", "fast"]
# To and fro on one core and on two; to one that has slept, on the same core and on another; to eight processes.
WAYS = ["one", "two", "paused-one", "paused-two", "eight"]


def commands(memory, disk, running):
    """Commands for every turn, with a folder in memory, one on a disk, and the servers that run."""
    return [
        *storing(memory, disk, running),
        *listeners(memory, running),
        *queues(memory, running),
        *joined(memory, running),
        *served(running),
    ]


def with_server(name, running, program, *arguments):
    """The program's command at its server; none without it."""
    return on_all(program, running[name].free, *arguments) if name in running else []


def storing(memory, disk, running):
    ours = build.on_crosstie("c/wormhole.c")
    lmdb, sqlite = build.c("peers/lmdb.c", "-llmdb"), build.c("peers/sqlite.c", "-lsqlite3")
    return [
        *(command for kind in KINDS for command in on_core(1, ours, memory, kind)),
        *on_core(1, lmdb, memory, "unsynced"),
        *on_core(1, sqlite, memory, "unsynced"),
        *with_server("redis", running, build.c("peers/redis_store.c", "-lhiredis")),
        *with_server("nats", running, build.c("peers/nats_store.c", "-lnats")),
        *on_all(build.on_crosstie("c/synced.c"), disk),
        *on_all(lmdb, disk, "synced"),
        *on_all(sqlite, disk, "synced"),
    ]


def carried(program, place, pinned=None):
    """A message in each way; on one core the server is there, too."""
    return [command for way in WAYS for command in on_all(program, pinned if pinned and way.endswith("one") else place, way)]


def listeners(memory, running):
    ours = build.on_crosstie("c/listeners.c")
    with_servers = {
        "dbus": build.package_flags("dbus-1", "-ldbus-1"),
        "redis": ["-lhiredis"],
        "mosquitto": ["-lmosquitto"],
        "nats": ["-lnats"],
    }
    return [
        *(command for kind in KINDS for way in WAYS for command in on_all(ours, memory, way, kind)),
        *carried(build.c("peers/futex.c"), memory),
        *carried(build.c("peers/zeromq.c", "-lzmq"), memory),
        *carried(build.c("peers/posix_mq.c", "-lrt"), memory),
        *carried(build.c("peers/unix_socket.c"), memory),
        *carried(build.c("peers/pipe.c"), memory),
        *(
            command
            for name, flags in with_servers.items()
            if name in running
            for command in carried(build.c(f"peers/{name}.c", *flags), running[name].free, running[name].pinned)
        ),
    ]


def queues(memory, running):
    ours, nats = build.on_crosstie("c/queues.c"), build.c("peers/nats_queue.c", "-lnats")
    return [
        *(command for kind in KINDS for command in on_all(ours, memory, kind)),
        *on_all(build.c("peers/zeromq_queue.c", "-lzmq"), memory),
        *on_all(build.c("peers/posix_queue.c", "-lrt")),
        *with_server("redis", running, build.c("peers/redis_queue.c", "-lhiredis")),
        *with_server("nats", running, nats, "stream"),
        *with_server("nats", running, nats, "plain"),
    ]


def joined(memory, running):
    """Calls between processes, each pinned to a core by itself, and URLs that new processes hand to an instance."""
    python, nothing = str(ROOT / ".build" / "venv" / "bin" / "python"), build.c("peers/nothing.c")
    ours, sdbus = build.on_crosstie("c/joined.c"), build.c("peers/sdbus.c", *build.package_flags("libsystemd", "-lsystemd"))
    return [
        *on_all(ours, memory, "memory"),
        *on_all(ours, memory, "sockets"),
        *on_all(build.c("peers/turns.c")),
        *on_all(sdbus),
        *with_server("dbus", running, sdbus),
        *on_all([python, str(HERE / "python" / "joined.py")], memory),
        *on_all(nothing and [python, str(HERE / "python" / "handing.py")], DIST / "bin" / "crosstie", *nothing, memory),
    ]


def served(running):
    """Groups over a nats-server, beside the same done with libnats or nats-py alone, at the same server."""
    python, works = str(ROOT / ".build" / "venv" / "bin" / "python"), ["send", "trip", "durable", "values"]
    if "nats" not in running:
        return []
    if not (DIST / "lib" / "libcrosstie-nats.so.0").exists():
        return build.skip("groups over a nats-server", "no libcrosstie-nats.so.0: make nats") or []
    ours, bare = build.on_crosstie("c/served.c"), build.c("peers/nats_served.c", "-lnats")
    return [
        *(command for work in works for program in (ours, bare) for command in on_all(program, running["nats"].free, work)),
        *on_all([python, str(HERE / "python" / "served.py")], running["nats"].free),
        *on_all(build.on_crosstie("c/joined.c"), running["nats"].free, "server"),
        *on_all(build.c("peers/nats_request.c", "-lnats"), running["nats"].free),
    ]


def growth(memory):
    """Measurements by the amount of something, in stores that take a while to fill."""
    on_one = ("growth", "lengths", "durables", "sizes", "checking")
    return [
        *(command for name in on_one for command in on_core(1, build.on_crosstie(f"c/{name}.c"), memory)),
        *on_core(1, build.c("peers/lmdb_lengths.c", "-llmdb"), memory),
        *on_all(build.on_crosstie("c/destroying.c"), memory),
        *on_all(build.on_crosstie("c/audience.c"), memory),
    ]


def idle(memory, running):
    """Measurements made once: the cost of idleness."""
    program = build.on_crosstie("c/idle.c")
    pids = [f"{server.program}={server.pid}" for server in running.values()]
    return on_all(program and ["python3", str(HERE / "idle.py"), *program], memory, *pids)
