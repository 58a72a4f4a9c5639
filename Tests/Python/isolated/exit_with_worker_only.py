"""Ends while workers run handlers for synchronous callers, which wait in daemon threads; and one never returns."""

import contextlib
import sys
import threading
import time

import crosstie

bus = crosstie.Bus("exit")
started = threading.Semaphore(0)


def slow() -> None:
    started.release()
    for _ in range(20):
        time.sleep(0.001)


def stuck() -> None:
    started.release()
    while True:
        time.sleep(0.0001)


def open_and_wait(url: str) -> None:
    with contextlib.suppress(crosstie.ClosedError):
        bus.open(url, timeout=None)


bus.routes.add("app://slow", slow, worker_only=True)
bus.routes.add("app://stuck", stuck, worker_only=True)
urls = ["app://slow"] * 4 + ["app://stuck"] * (sys.argv[1:] == ["stuck"])
for url in urls:
    threading.Thread(target=open_and_wait, args=(url,), daemon=True).start()
for _ in urls:
    started.acquire()
