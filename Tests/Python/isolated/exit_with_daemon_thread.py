"""Ends while a daemon thread opens URLs without pause, and another waits inside an open."""

import contextlib
import threading
import time

import crosstie

bus = crosstie.Bus("daemon")
kept: list[crosstie.Request] = []
running = threading.Event()


@bus.route("app://a/:x")
def handler(x: int) -> int:
    running.set()
    time.sleep(0)
    return x


def work() -> None:
    while True:
        try:
            bus.open("app://a/1")
        except crosstie.ClosedError:
            time.sleep(0)


def wait() -> None:
    with contextlib.suppress(crosstie.ClosedError):
        bus.open("app://never", timeout=None)


bus.routes.add("app://never", lambda request: kept.append(request.defer()))
threading.Thread(target=work, daemon=True).start()
threading.Thread(target=wait, daemon=True).start()
running.wait()
while not kept:
    time.sleep(0.001)
