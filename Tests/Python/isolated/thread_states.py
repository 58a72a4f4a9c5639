"""Threads that have run Python leave nothing of Python behind: thread_states.py [<bursts>].

Threads of Crosstie end with their bus or wormhole, again and again; the test counts Python's thread states, the
process's threads, and what a context variable of each of them held.
"""

import ctypes
import gc
import itertools
import os
import sys
import tempfile
import threading
import time

import crosstie

BURSTS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
WORKERS = 32
LONG = 60

api = ctypes.pythonapi
api.PyInterpreterState_Get.restype = ctypes.c_void_p
api.PyInterpreterState_ThreadHead.restype = ctypes.c_void_p
api.PyInterpreterState_ThreadHead.argtypes = [ctypes.c_void_p]
api.PyThreadState_Next.restype = ctypes.c_void_p
api.PyThreadState_Next.argtypes = [ctypes.c_void_p]

local = threading.local()
alive: set[int] = set()
ended = itertools.count()


class Kept:
    """An object in the state that Python keeps for a thread."""

    def __init__(self) -> None:
        alive.add(id(self))

    def __del__(self) -> None:
        # Code of Python runs while a thread's state goes.
        alive.discard(id(self))
        next(ended)


def states() -> int:
    count = 0
    state = api.PyInterpreterState_ThreadHead(api.PyInterpreterState_Get())
    while state:
        count += 1
        state = api.PyThreadState_Next(state)
    return count


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def burst() -> None:
    barrier = threading.Barrier(WORKERS)

    def handle() -> None:
        local.kept = Kept()
        barrier.wait(LONG)

    def receive(message: crosstie.Message) -> None:
        local.kept = Kept()
        received.set()

    received = threading.Event()
    with crosstie.Bus(max_workers=WORKERS) as bus:
        bus.routes.add("app://a", handle)
        for call in [bus.open_async("app://a") for _ in range(WORKERS)]:
            call.result(LONG)
    with crosstie.Wormhole("states", directory=directory) as wormhole:
        wormhole.add_listener("a", receive)
        wormhole["a"] = 1
        assert received.wait(LONG)


directory = tempfile.mkdtemp() + "/group"
seen = []
blocks = []
for _ in range(BURSTS):
    burst()
    gc.collect()
    deadline = time.monotonic() + LONG
    while threads() > 1 and time.monotonic() < deadline:
        time.sleep(0.001)  # one that has ended may be listed for a moment
    seen.append((states(), threads(), len(alive)))
    blocks.append(sys.getallocatedblocks())
assert set(seen) == {(1, 1, 0)}, seen
# Pools come to their size within a few bursts. One block for each thread would be WORKERS for each burst.
grown = blocks[-1] - blocks[BURSTS // 2 - 1]
assert grown < WORKERS * (BURSTS // 2) // 2, blocks
assert next(ended) >= BURSTS * (WORKERS + 1), ended
