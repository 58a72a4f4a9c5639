"""Requests that are under way when their loop of asyncio is closed leave nothing behind: closed_loops.py [<loops>]."""

import asyncio
import collections
import gc
import logging
import os
import sys
import threading
import warnings
from collections.abc import Callable

import uvloop

import crosstie

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
LONG = 60
KINDS = ("Task", "Call", "Future", "Response", "Request", "_UnixSelectorEventLoop", "coroutine")

logging.disable()  # asyncio tells of each task that was pending
sys.unraisablehook = lambda _: None  # each answer that comes to a closed loop is reported
warnings.simplefilter("ignore")
bus = crosstie.Bus("loops")
kept: list[crosstie.Request] = []
arrived = threading.Semaphore(0)


@bus.component("home")
class Home:
    @crosstie.action
    def keep(self, request: crosstie.Request) -> None:
        kept.append(request.defer())
        arrived.release()

    @crosstie.action
    def quick(self) -> None:
        arrived.release()


def left_over() -> dict[str, int]:
    """Count the objects of requests and loops, and the descriptors."""
    for _ in range(3):
        gc.collect()
    found = collections.Counter(type(thing).__name__ for thing in gc.get_objects())
    return {kind: found[kind] for kind in KINDS} | {"descriptors": len(os.listdir("/proc/self/fd"))}


def leave(make: Callable[[], asyncio.AbstractEventLoop], action: str) -> None:
    """As tests, notebooks and hosts with windows do."""
    loop = make()
    loop.create_task(bus.aio.call("home", action))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def answer() -> None:
    """Let the kept requests end, and wait for the objects that their completions release."""
    for request in kept:
        request.reply(None)
    kept.clear()


def flat(make: Callable[[], asyncio.AbstractEventLoop], action: str) -> None:
    for _ in range(COUNT):
        leave(make, action)
        assert arrived.acquire(timeout=LONG)
    answer()
    nap = threading.Event()
    for _ in range(6000):
        if left_over() == before:
            return
        nap.wait(0.01)  # the last completion may be on its way still
    raise AssertionError((make, action, before, left_over()))


leave(uvloop.new_event_loop, "quick")  # what is made once
assert arrived.acquire(timeout=LONG)
bus.call_async("home", "quick").result(LONG)
assert arrived.acquire(timeout=LONG)
before = left_over()
assert not any(before[kind] for kind in KINDS), before
flat(asyncio.new_event_loop, "quick")
flat(asyncio.new_event_loop, "keep")
flat(uvloop.new_event_loop, "keep")
