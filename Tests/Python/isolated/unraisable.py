"""Exceptions that no caller receives are printed by Python's own hook."""

import threading

import crosstie

bus = crosstie.Bus("unraisable")
started = threading.Event()


@bus.route("app://fail")
def fail() -> None:
    started.set()
    raise ValueError("nobody receives")


bus.open_async("app://fail")
started.wait()
bus.close()
