"""Messages are received exactly once while servers and clients are killed.

CROSSTIE_SERVER_KILLS and CROSSTIE_CLIENT_KILLS set the numbers.
"""

import os
import random
import threading
import time
from collections import Counter

import pytest
from child import Child
from waiting import WATCHDOG, Inbox, eventually

SERVER_KILLS = int(os.environ.get("CROSSTIE_SERVER_KILLS", "20"))
CLIENT_KILLS = int(os.environ.get("CROSSTIE_CLIENT_KILLS", "100"))
PATIENCE = 4 * WATCHDOG

# A sender numbers its messages, and repeats each with its token until it is sure. A later life of it goes on behind.
SENDER = """
sender, first, name = ARGUMENTS[1:]
wormhole = crosstie.Wormhole(ARGUMENTS[0], timeout=5, offline=True, name=name)
over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), over.set()), daemon=True).start()
report("ready")
number = first
while not over.is_set():
    token = b"%7d-%8d" % (sender, number)
    try:
        wormhole.send(f"job.s{sender}", [sender, number], token=token)
    except (crosstie.UnavailableError, crosstie.UncertainError):
        continue
    report("sent", number)
    number += 1
    time.sleep(0.002)
report("over")
"""
# It reports a message before it acknowledges it. The second report of a message has a higher count of deliveries.
WORKER = """
wormhole = crosstie.Wormhole(ARGUMENTS[0], timeout=5, offline=True)
def work(message):
    report("done", message.kind, message.value, message.delivery_count)
while True:
    try:
        wormhole.add_queue("job.*", work, durable="workers", from_oldest=True)
        break
    except (crosstie.UnavailableError, crosstie.UncertainError, crosstie.TimeoutError):
        pass
report("ready")
until_told()
"""


class Fleet:
    """Senders and workers, some of whom are killed and started again."""

    def __init__(self, address: str):
        self.address = address
        self.senders: dict[int, Child] = {}
        self.workers: list[Child] = []
        self.ended: list[Child] = []
        self.certain: set[tuple[int, int]] = set()  # the sender said so before it was killed
        self.next = Counter()

    def start_sender(self, number: int) -> None:
        self.senders[number] = Child(SENDER, self.address, number, self.next[number], f"sender {number}")

    def start_worker(self) -> None:
        self.workers.append(Child(WORKER, self.address))

    def _note(self, number: int, child: Child) -> None:
        sent = [line[1] for line in child.lines if line[0] == "sent"]
        self.certain |= {(number, each) for each in sent}
        # The message under way may be there or not: the next life begins behind it.
        self.next[number] = max([self.next[number], *[each + 2 for each in sent]]) + 1

    def kill_sender(self, number: int) -> None:
        child = self.senders.pop(number)
        child.kill()
        self._note(number, child)
        self.start_sender(number)

    def kill_worker(self, index: int) -> None:
        child = self.workers.pop(index)
        child.kill()
        self.ended.append(child)
        self.start_worker()

    def end_senders(self) -> None:
        for number, child in self.senders.items():
            assert child.finish() == 0
            self._note(number, child)

    def done(self) -> Counter:
        """How often each message was done, of those that were delivered for the first time."""
        found: Counter = Counter()
        for child in self.workers + self.ended:
            for line in list(child.lines):
                if line[0] == "done" and line[1] == "value":
                    found[tuple(line[2])] += 1
        return found

    def repeated_without_count(self) -> list:
        first = Counter(
            tuple(line[2])
            for child in self.workers + self.ended
            for line in list(child.lines)
            if line[0] == "done" and line[1] == "value" and line[3] == 1
        )
        return [key for key, count in first.items() if count > 1]

    def end(self) -> None:
        for child in [*self.senders.values(), *self.workers]:
            if child.process.poll() is None:
                child.kill()


@pytest.mark.parametrize("kills_servers", [True, False], ids=["servers", "clients"])
def test_exactly_once(server, opened, kills_servers):
    queues, states = [Inbox(), Inbox()], [Inbox(), Inbox()]
    for inbox in queues:
        opened(server.address).add_queue("job.*", inbox)
    for inbox in states:
        opened(server.address).add_listener("job.*", inbox)
    fleet = Fleet(f"{server.address}/shop")
    chance = random.Random(7)
    stop = threading.Event()

    def kill_servers() -> None:
        for _ in range(SERVER_KILLS if kills_servers else 0):
            if stop.wait(chance.uniform(0.3, 1.2)):
                break
            server.kill()
            time.sleep(chance.uniform(0, 0.3))
            server.start()

    killer = threading.Thread(target=kill_servers)
    try:
        for _ in range(4):
            fleet.start_worker()
        for number in range(4):
            fleet.start_sender(number)
        killer.start()
        for count in range(CLIENT_KILLS // 2):
            time.sleep(chance.uniform(0.05, 0.25))
            if count % 2:
                fleet.kill_sender(chance.randrange(4))
            else:
                fleet.kill_worker(chance.randrange(4))
        killer.join()
        fleet.end_senders()
        assert len(fleet.certain) > 200
        for inbox in queues:
            inbox.wait(
                lambda all: fleet.certain <= {tuple(each.value) for each in all if each.kind == "value"},
                f"all {len(fleet.certain)} messages",
                PATIENCE,
            )
        received = Counter(tuple(value) for value in queues[0].values())
        eventually(lambda: set(received) <= set(fleet.done()), "all are done", PATIENCE)
        for inbox in queues:
            assert [key for key, count in Counter(map(tuple, inbox.values())).items() if count > 1] == []
            numbers = [each.sequence for each in inbox.messages]
            assert numbers == sorted(set(numbers))
            assert [each.kind for each in inbox.messages if each.kind != "value"] == []
        assert set(map(tuple, queues[1].values())) == set(received)
        # A killed server has lost the latest counts and acknowledgements: it writes them later than the messages.
        assert kills_servers or fleet.repeated_without_count() == []
        last = {number: max(each for sender, each in received if sender == number) for number in range(4)}
        for inbox in states:
            for number in range(4):
                inbox.wait(lambda all, n=number: [n, last[n]] in [each.value for each in all], "the last values")
            numbers = [each.sequence for each in inbox.messages if each.kind == "value"]
            for number in range(4):
                own = [each.sequence for each in inbox.messages if each.identifier == f"job.s{number}"]
                assert own == sorted(set(own))
    finally:
        stop.set()
        fleet.end()
        killer.join()
