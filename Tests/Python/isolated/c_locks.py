"""The GIL is released around handlers in C; locks of C and the GIL may be taken in either order."""

import ctypes
import sys
import threading

import crosstie

host = ctypes.CDLL(sys.argv[1])
bus = crosstie.Bus.shared("locks")
assert host.host_register(b"locks") == 0

# The handler in C blocks; this thread can only go on to notify it because the GIL is free.
opener = threading.Thread(target=lambda: bus.open("c://wait"))
opener.start()
host.host_notify()
opener.join()
call = bus.open_async("c://wait")
host.host_notify()
call.result()

# One thread holds a lock of C and wants the GIL, the other the other way round.
bus.routes.add("app://python", lambda: sum(range(100)))
results: list[int] = []
locked = threading.Thread(target=lambda: results.append(host.host_open_locked(b"locks", b"app://python", 2000)))
locked.start()
for _ in range(2000):
    assert bus.open("c://lock").value == 1
locked.join()
assert results == [2000]

# Python to C to Python, and back.
bus.routes.add("app://there-and-back", lambda: host.host_open_locked(b"locks", b"app://python", 1))
assert bus.open("app://there-and-back").value == 1
