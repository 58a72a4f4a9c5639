"""Interceptors in Python before handlers in C: the GIL and locks of C may be taken in either order, now and later."""

import ctypes
import queue
import sys
import threading

import crosstie

host = ctypes.CDLL(sys.argv[1])
bus = crosstie.Bus.shared("interceptors")
assert host.host_register(b"interceptors") == 0
deferred: queue.SimpleQueue[crosstie.Request | None] = queue.SimpleQueue()


@bus.interceptor()
def see(request: crosstie.Request) -> None:
    assert request.url
    request.proceed()


def later(request: crosstie.Request) -> None:
    deferred.put(request.defer())


def let_go_on() -> None:
    while (request := deferred.get()) is not None:
        request.proceed()


bus.routes.add("app://python", lambda: sum(range(100)), interceptors=[see])
for _ in range(2):
    threading.Thread(target=let_go_on, daemon=True).start()

# The handler in C blocks inside proceed(); this thread can only go on to notify it because the GIL is free.
opener = threading.Thread(target=lambda: bus.open("c://wait", interceptors=[later], timeout=None), daemon=True)
opener.start()
host.host_notify()
opener.join()

# One thread holds a lock of C and wants the GIL, the others the other way round.
results: list[int] = []
locked = threading.Thread(
    target=lambda: results.append(host.host_open_locked(b"interceptors", b"app://python", 2000)),
    daemon=True,
)
locked.start()
while locked.is_alive():
    assert bus.open("c://lock").value == 1
    assert bus.open("c://lock", interceptors=[later], timeout=None).value == 1
    assert bus.open_async("c://lock", interceptors=[see, later]).result().value == 1
locked.join()
deferred.put(None)
deferred.put(None)
assert results == [2000]
