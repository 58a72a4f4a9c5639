"""A thread waits for a handler in C that another thread's Python has to finish, many at once, through both kinds; and the
host's own lock and the GIL are taken in either order meanwhile."""

import ctypes
import sys
import threading

import crosstie

ROUNDS = 200

host = ctypes.CDLL(sys.argv[1])
bus = crosstie.Bus.shared("nested")
assert host.host_register(b"nested") == 0
bus.routes.add("app://worker", lambda: sum(range(100)), worker_only=True)
bus.routes.add("app://python", lambda: sum(range(100)))


@bus.component("python")
class Asking:
    """Has C finish what it is asked for."""

    @crosstie.action
    def ask(self) -> object:
        return bus.open("c://nested?url=app://worker").value


results: list[object] = []


def wait_for_others() -> None:
    """From Python to C on this thread, and from there to Python on a worker."""
    for _ in range(ROUNDS):
        results.append(bus.open("c://nested?url=app://worker").value)
        results.append(bus.call("python", "ask"))
        results.append(bus.open_async("c://nested?url=app://worker").result().value)


def take_the_lock() -> None:
    for _ in range(ROUNDS):
        results.append(bus.open("c://lock").value)


threads = [threading.Thread(target=work) for work in (wait_for_others, wait_for_others, take_the_lock)]
for thread in threads:
    thread.start()
assert host.host_open_locked(b"nested", b"app://python", ROUNDS) == ROUNDS
for thread in threads:
    thread.join()
assert results.count(4950) == 6 * ROUNDS, results[:10]
assert results.count(1) == ROUNDS
