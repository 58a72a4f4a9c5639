"""Ends while workers run handlers, completions and listeners; all that were running have ended by then."""

import sys
import tempfile
import threading
import time

import crosstie

bus = crosstie.Bus("exit")
shared = crosstie.Bus.shared("exit-shared")
started = threading.Semaphore(0)


def slow(request: crosstie.Request, x: int) -> int:
    started.release()
    for _ in range(20):
        time.sleep(0.001)
    return x


bus.routes.add("app://slow/:x", slow)
shared.routes.add("app://slow/:x", slow)
calls = [
    one.open_async(f"app://slow/{x}", completion=lambda response: None) for x in range(16) for one in (bus, shared)
]
kept: list[crosstie.Request] = []
bus.routes.add("app://never", lambda request: kept.append(request.defer()))
calls.append(bus.open_async("app://never"))
wormhole = crosstie.Wormhole("exit", directory=tempfile.mkdtemp() + "/group")
wormhole.add_listener("*", lambda message: time.sleep(0.001))
for i in range(100):
    wormhole[f"a{i % 7}"] = i
for _ in range(4):
    started.acquire()
if sys.argv[1:] == ["raise"]:
    raise SystemExit(3)
