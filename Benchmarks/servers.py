"""The servers that peers need, each twice: one on any core, and one that is kept on the first core.

They listen in a folder of the run or on a free port of loopback, write nothing outside, and end with the run.
"""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
from typing import NamedTuple

from build import skip

PATIENCE = 10  # seconds for a server to begin, and to end


class Server(NamedTuple):
    """The name of its program, where the two listen, and the process id of the first one."""

    program: str
    free: str
    pinned: str
    pid: int


def redis(folder):
    place = folder / "socket"
    options = ["--port", "0", "--unixsocket", str(place), "--save", "", "--appendonly", "no"]
    return ["redis-server", *options], lambda _: listening(place)


def dbus(folder):
    place = folder / "socket"
    options = ["--session", "--nofork", "--nopidfile", f"--address=unix:path={place}"]
    return ["dbus-daemon", *options], lambda _: listening(place) and f"unix:path={place}"


def mosquitto(folder):
    place, settings = folder / "socket", folder / "settings"
    lines = [f"listener 0 {place}", "allow_anonymous true", "persistence false", "log_type none"]
    if os.getuid() == 0:
        lines.append("user root")  # another one could not enter the folder
    settings.write_text("\n".join(lines) + "\n")
    return ["mosquitto", "-c", str(settings)], lambda _: listening(place)


def nats(folder):
    settings = folder / "settings"
    settings.write_text(f'listen: "127.0.0.1:-1"\nmax_payload: 8MB\njetstream {{ store_dir: "{folder}" }}\n')
    command = ["nats-server", "-c", str(settings), "--ports_file_dir", str(folder)]

    def where(pid):
        ports = folder / f"nats-server_{pid}.ports"
        with contextlib.suppress(OSError, ValueError):
            return json.loads(ports.read_text())["nats"][0]

    return command, where


def listening(place):
    """The path of a socket when somebody listens on it."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(place))
        return str(place)


def run(command, folder, running):
    """Starts a server that ends with the run."""
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    running.callback(end, server)
    return server


def end(server):
    server.terminate()
    try:
        server.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


def await_place(server, where):
    """Where the server listens; nothing when it ends, or does not begin in time."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        if place := where(server.pid):
            return place
        time.sleep(0.05)
    return None


def start(kind, folder, running):
    """Both servers of a kind; nothing, and a line, when they cannot be had."""
    places, pids = [], []
    for core, prefix in ("free", []), ("pinned", ["taskset", "-c", "0"]):
        home = folder / f"{kind.__name__}-{core}"
        home.mkdir(mode=0o700)
        command, where = kind(home)
        if shutil.which(command[0]) is None:
            return skip(command[0], "not installed: see Benchmarks/setup.sh")
        server = run([*prefix, *command], home, running)
        places.append(await_place(server, where))
        pids.append(server.pid)
    return Server(command[0], *places, pids[0]) if all(places) else skip(kind.__name__, "the server does not start")


@contextlib.contextmanager
def servers(folder):
    """Every server that can be had, by the name of its kind, while this is entered."""
    with contextlib.ExitStack() as running:
        started = {kind.__name__: start(kind, pathlib.Path(folder), running) for kind in (redis, dbus, mosquitto, nats)}
        yield {name: server for name, server in started.items() if server is not None}
