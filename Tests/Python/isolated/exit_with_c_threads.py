"""The interpreter ends while threads of a C host open routes in Python, before and after its end."""

import ctypes
import sys
import threading

import crosstie

host = ctypes.CDLL(sys.argv[1])
bus = crosstie.Bus.shared("storm")
assert host.host_register(b"storm") == 0
running = threading.Event()


@bus.route("app://python")
def handler() -> None:
    running.set()


name = ctypes.create_string_buffer(b"storm")
for _ in range(2):
    assert host.host_storm(name) == 0
running.wait()
