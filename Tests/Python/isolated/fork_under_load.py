"""Forks while threads open, register and wait: the child's handles are refused and new ones work, the parent goes on."""

import os
import sys
import threading
import warnings

import crosstie

# From 3.12 on Python warns of what is tried here.
warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)

FORKS = int(sys.argv[1])

bus = crosstie.Bus("load", max_workers=4)
bus.routes.add("app://a/:x", lambda x: x)
is_over = threading.Event()


def load() -> None:
    while not is_over.is_set():
        assert bus.open("app://a/1").value == "1"
        bus.open_async("app://a/2").result()
        bus.routes.add("app://b", lambda: None, replace=True)


def child() -> None:
    try:
        bus.open("app://a/1")
        os._exit(1)
    except crosstie.ForkedError:
        pass
    with crosstie.Bus("child") as new:
        new.routes.add("app://a/:x", lambda x: x)
        assert new.open("app://a/3").value == "3"
        assert new.open_async("app://a/4").result().value == "4"
    os._exit(0)


threads = [threading.Thread(target=load) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(FORKS):
    pid = os.fork()
    if pid == 0:
        try:
            child()
        finally:
            os._exit(2)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, status
is_over.set()
for thread in threads:
    thread.join()
