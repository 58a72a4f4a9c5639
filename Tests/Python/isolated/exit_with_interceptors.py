"""Ends while requests are held by interceptors, and others go on in daemon threads; also on a bus that C may share."""

import contextlib
import queue
import threading
import time

import crosstie

held: queue.SimpleQueue[crosstie.Request] = queue.SimpleQueue()
kept: list[crosstie.Request] = []
started = threading.Semaphore(0)


def later(request: crosstie.Request) -> None:
    held.put(request.defer())


def keep(request: crosstie.Request) -> None:
    kept.append(request.defer())
    started.release()


def slow() -> None:
    started.release()
    for _ in range(20):
        time.sleep(0.001)


def let_go_on() -> None:
    while True:
        with contextlib.suppress(crosstie.Error):  # it may have ended with its bus
            held.get().proceed()


calls = []
for bus in (crosstie.Bus("exit"), crosstie.Bus.shared("exit-shared")):
    bus.routes.add("app://slow", slow)
    bus.routes.unmatched(slow)
    bus.rules.navigator(slow)
    bus.system_opener(slow)
    bus.interceptors.add(lambda request, proceed: proceed())
    for url in ("app://slow", "app://nobody", "https://example.com"):
        calls.append(bus.open_async(url, interceptors=[later]))
    calls.append(bus.open_async("app://slow", interceptors=[keep]))
for _ in range(3):
    threading.Thread(target=let_go_on, daemon=True).start()
for _ in range(5):
    started.acquire()
