"""Calls of a Python function in another process, 64 bytes there and back: of joined buses and of what Python has itself.

Usage: joined.py <folder> [<kind of callee>]; with the kind it is the callee itself.
"""

import asyncio
import contextlib
import multiprocessing.managers
import os
import socket
import subprocess
import sys

from timing import measure_awaited, measure_trips, run_each

DATA = b"x" * 64
FOLDER = sys.argv[1]


def greet(data):
    """The function of the other process."""
    return data


# ---- Joined buses --------------------------------------------------------------------------------------------------


def joined(bus, **names):
    import crosstie

    return bus.join(crosstie.Wormhole("joined", directory=FOLDER), **names)


def serve_threads():
    import crosstie

    class Stock:
        @crosstie.action
        def greet(self, data):
            return data

    with crosstie.Bus() as bus:
        bus.component("stock")(Stock)
        with joined(bus, exports=["stock"]):
            print("ready", flush=True)
            sys.stdin.read()


def serve_loop():
    import crosstie

    class Stock:
        @crosstie.action
        async def greet(self, data):
            return data

    async def serve():
        with crosstie.Bus() as bus:
            bus.component("stock")(Stock)
            with joined(bus, exports=["stock"]):
                print("ready", flush=True)
                await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

    asyncio.run(serve())


@contextlib.contextmanager
def callee(kind):
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, __file__, FOLDER, kind], stdin=pipe, stdout=pipe) as process:
        process.stdout.readline()
        yield
        process.stdin.close()


def crosstie():
    import crosstie

    with callee("threads"), crosstie.Bus() as bus, joined(bus, imports=["stock"]):
        measure_trips("join.python", "crosstie", lambda: bus.call("stock", "greet", data=DATA))


def crosstie_asyncio():
    import crosstie

    with callee("loop"), crosstie.Bus() as bus, joined(bus, imports=["stock"]):
        measure_awaited("join.asyncio", "crosstie", lambda: bus.aio.call("stock", "greet", data=DATA))


# ---- Python's own --------------------------------------------------------------------------------------------------


class Greeter:
    greet = staticmethod(greet)


class Manager(multiprocessing.managers.BaseManager):
    """Serves an object of another process."""


Manager.register("Greeter", Greeter)


def managers():
    with Manager() as manager:
        greeter = manager.Greeter()
        measure_trips("join.python", "multiprocessing.managers", lambda: greeter.greet(DATA))


def socketpair():
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        while data := theirs.recv(4096):
            theirs.sendall(greet(data))
        os._exit(0)
    theirs.close()

    def trip():
        ours.sendall(DATA)
        ours.recv(4096)

    measure_trips("join.python", "socketpair", trip)
    ours.close()
    os.waitpid(child, 0)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        {"threads": serve_threads, "loop": serve_loop}[sys.argv[2]]()
    else:
        run_each(socketpair, crosstie, crosstie_asyncio, managers)
