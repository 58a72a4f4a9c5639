"""Reconnects under load: memory, threads and descriptors stay the same.

CROSSTIE_RECONNECTS sets how often, CROSSTIE_RECONNECT_SECONDS how long it runs in between.
"""

import os
import time

from child import Child
from proxy import Proxy


RECONNECTS = int(os.environ.get("CROSSTIE_RECONNECTS", "12"))
SECONDS = float(os.environ.get("CROSSTIE_RECONNECT_SECONDS", "1"))

CODE = """
def used():
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return [int(fields["RssAnon"].split()[0]), int(fields["Threads"]), len(os.listdir("/proc/self/fd"))]
wormhole = crosstie.Wormhole(ARGUMENTS[0], timeout=30)
seen = [0, 0, 0]
def count(index):
    def receive(message):
        seen[index] += 1
    return receive
wormhole.add_listener("x.*", count(0))
wormhole.add_queue("x.*", count(1))
wormhole.add_queue("x.*", count(2), durable="workers")
over = threading.Event()
sent = 0
def send():
    global sent
    while not over.is_set():
        try:
            wormhole.send(f"x.n{sent % 50}", "x" * 200, token=b"%16d" % sent)
            sent += 1
        except (crosstie.UnavailableError, crosstie.UncertainError):
            pass
thread = threading.Thread(target=send)
thread.start()
report("ready")
for line in sys.stdin:
    if line.strip() == "over":
        break
    report("used", *used())
over.set()
thread.join()
end = time.monotonic() + 60
while (seen[1] < sent or seen[2] < sent) and time.monotonic() < end:
    time.sleep(0.01)
report("over", sent, seen[1], seen[2])
"""


def ask(child: Child, what: str) -> list:
    child.process.stdin.write(what + "\n")
    child.process.stdin.flush()
    return child.next()


def test_reconnects(server):
    with Proxy(server.port) as proxy, Child(CODE, f"{proxy.address}/shop") as child:
        child.expect("ready")
        used = []
        for _ in range(RECONNECTS):
            time.sleep(SECONDS)
            used.append(ask(child, "used")[1:])
            proxy.cut()
        _, sent, queued, done = ask(child, "over")
        assert queued == sent and done >= sent > 0
        memory, threads, descriptors = zip(*used, strict=True)
        third = max(1, len(used) // 3)
        assert max(memory[-third:]) < max(memory[:third]) + 8_000, memory  # kilobytes
        assert max(threads) <= min(threads) + 3, threads
        assert max(descriptors) <= min(descriptors) + 3, descriptors


def test_opening_and_closing(server):
    code = """
def used():
    with open("/proc/self/status") as status:
        fields = dict(line.split(":", 1) for line in status)
    return [int(fields["RssAnon"].split()[0]), int(fields["Threads"]), len(os.listdir("/proc/self/fd"))]
found = []
for number in range(60):
    with crosstie.Wormhole(ARGUMENTS[0], timeout=30) as wormhole:
        wormhole.add_queue("x", print, name="q")
        wormhole.send("x", number)
    found.append(used())
report(*found)
"""
    with Child(code.replace("print, ", "lambda message: None, "), f"{server.address}/shop") as child:
        found = child.next()
    memory, threads, descriptors = zip(*found, strict=True)
    assert max(memory[-10:]) < max(memory[10:20]) + 2_000, memory
    assert threads[-1] <= threads[10] + 1, threads
    assert descriptors[-1] <= descriptors[10] + 1, descriptors
