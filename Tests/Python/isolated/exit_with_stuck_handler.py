"""Ends while one handler never returns and wants the GIL again and again."""

import threading
import time

import crosstie

bus = crosstie.Bus("stuck")
started = threading.Event()


@bus.route("app://stuck")
def stuck() -> None:
    started.set()
    while True:
        time.sleep(0.0001)


call = bus.open_async("app://stuck")
started.wait()
