"""In a forked child what was made before is refused and may be dropped, and new things work."""

import gc
import os
import sys
import tempfile
import threading
import warnings

import crosstie

# From 3.12 on Python warns of what is tried here.
warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)

directory = tempfile.mkdtemp() + "/group"
bus = crosstie.Bus("parent")
shared = crosstie.Bus.shared("fork")
registration = bus.routes.add("app://a", lambda: "parent")
call = bus.open_async("app://a")
call.wait()
wormhole = crosstie.Wormhole("fork", directory=directory)
received = threading.Event()
listener = wormhole.add_listener("a", lambda message: received.set())
received.wait()
kept: list[crosstie.Request] = []
bus.routes.add("app://keep", lambda request: kept.append(request.defer()))
pending = bus.open_async("app://keep")
while not kept:
    pass


def refused(use: object) -> None:
    try:
        use()  # type: ignore[operator]
    except crosstie.ForkedError as error:
        assert error.status is crosstie.Status.FORKED
    else:
        raise AssertionError("not refused")


def child() -> None:
    global bus, call, wormhole, pending, shared
    for use in (
        lambda: bus.open("app://a"),
        lambda: bus.open_async("app://a"),
        lambda: bus.routes.add("app://b", lambda: None),
        lambda: pending.wait(0),
        lambda: kept[0].reply(1),
        lambda: wormhole.send("a", 1),
    ):
        refused(use)
    assert call.result().value == "parent"
    assert bus.closed
    registration.remove()
    listener.remove()
    bus.close()
    wormhole.close()
    del bus, call, wormhole, pending
    kept.clear()
    gc.collect()
    new = crosstie.Bus.shared("fork")
    assert new is not shared
    new.routes.add("app://a", lambda: "child")
    assert new.open("app://a").value == "child"
    assert new.open_async("app://a").result().value == "child"
    with crosstie.Wormhole("fork", directory=directory) as wormhole:
        received = threading.Event()
        wormhole.add_listener("a", lambda message: received.set())
        assert received.wait(20)
        wormhole["from"] = "child"


pid = os.fork()
if pid == 0:
    child()
    print("child ends")
    sys.exit(0)
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
assert bus.open("app://a").value == "parent"
assert wormhole["from"] == "child"
kept[0].reply("answered")
assert pending.result().value == "answered"
print("parent ends")
