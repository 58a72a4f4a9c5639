"""Declared durable consumers over a server: options, moves, and dead letters, while workers and servers are killed.

CROSSTIE_DEADLY_KILLS sets how often the server is killed.
"""

import os
import random
import threading
import time
from collections import Counter

import pytest
from child import Child
from waiting import WATCHDOG, Inbox, eventually

import crosstie

SERVER_KILLS = int(os.environ.get("CROSSTIE_DEADLY_KILLS", "6"))
PATIENCE = 4 * WATCHDOG
SOON = (0.001, 0.01)

# It fails at some messages, and some kill it.
WORKER = """
import signal
sys.unraisablehook = lambda _: None
wormhole = crosstie.Wormhole(ARGUMENTS[0], timeout=5, offline=True)
def work(message):
    report("got", message.kind, message.value, message.delivery_count)
    if message.kind == "value" and message.value % 10 == 3:
        raise ValueError(f"no customer {message.value}")
    if message.kind == "value" and message.value % 100 == 57:
        os.kill(os.getpid(), signal.SIGKILL)
    report("done", message.kind, message.value)
while True:
    try:
        wormhole.add_queue("job", work, durable="workers")
        break
    except (crosstie.UnavailableError, crosstie.UncertainError, crosstie.TimeoutError):
        pass
report("ready")
until_told()
"""


class Workers:
    """Worker processes, which are started again when they have died."""

    def __init__(self, address: str, count: int):
        self.address = address
        self.living = [Child(WORKER, address) for _ in range(count)]
        self.ended: list[Child] = []

    def tend(self) -> None:
        for index, child in enumerate(self.living):
            if child.process.poll() is not None:
                child.kill()
                self.ended.append(child)
                self.living[index] = Child(WORKER, self.address)

    def done(self) -> Counter:
        return Counter(
            line[2] for child in self.living + self.ended for line in list(child.lines) if line[:2] == ["done", "value"]
        )

    def end(self) -> None:
        for child in self.living:
            child.kill()


def send_surely(wormhole: crosstie.Wormhole, identifier: str, number: int) -> int:
    token = b"%16d" % number
    while True:
        try:
            return wormhole.send(identifier, number, token=token).sequence
        except (crosstie.UnavailableError, crosstie.UncertainError):
            pass


def surely(call):
    """Calls until the server answers."""
    while True:
        try:
            return call()
        except (crosstie.UnavailableError, crosstie.UncertainError, crosstie.TimeoutError):
            pass


@pytest.mark.parametrize("kills_servers", [False, True], ids=["workers", "servers"])
def test_poison_among_good_messages(server, opened, kills_servers):
    count = 200
    shop, copies = opened(server.address, timeout=5.0), Inbox()
    shop.declare("job", "workers", max_deliveries=3, backoff=SOON)
    opened(server.address).add_queue("job.dead", copies)
    workers = Workers(f"{server.address}/shop", 3)
    chance = random.Random(3)
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
        killer.start()
        numbers = {}
        for number in range(count):
            numbers[send_surely(shop, "job", number)] = number
            workers.tend()
        killer.join()
        bad = {number for number in range(count) if number % 10 == 3 or number % 100 == 57}

        def is_complete() -> bool:
            workers.tend()
            dead = {numbers[letter.sequence] for letter in surely(lambda: shop.dead_letters("job", "workers"))}
            return bad <= dead and dead | set(workers.done()) == set(range(count))

        eventually(is_complete, "all are done, or dead letters", PATIENCE)
    finally:
        stop.set()
        workers.end()
        killer.join()
    # A mended worker gets what is left over. It finishes what others have left in the middle.
    again, mended = opened(server.address), Inbox()
    again.add_queue("job", mended, durable="workers")
    letters: list[crosstie.DeadLetter] = []

    def has_all_copies() -> bool:
        letters[:] = again.dead_letters("job", "workers")
        sent = [each.sequence for each in copies.messages if each.kind == "value"]
        return len(sent) == len(letters) and sorted(sent) == sorted(each.sent_as for each in letters)

    eventually(has_all_copies, "each dead letter has one copy", PATIENCE)
    values = {again.dead_letter("job", "workers", each.sequence).value: each for each in letters}
    assert len(values) == len(letters) and bad <= set(values)
    assert set(workers.done()) & bad == set()
    for value in bad:
        letter = values[value]
        assert letter.deliveries >= (1 if kills_servers else 3)  # a killed server has lost the latest counts
        assert letter.reason in (f"ValueError: no customer {value}", "its process ended")
    for copy in copies.messages:
        assert values[copy.value].sequence == int(copy.headers["dead_sequence"])
        assert (copy.headers["dead_name"], copy.headers["dead_identifier"]) == ("workers", "job")
    # Nothing comes again but what is retried.
    assert again.retry("job", "workers") == len(letters)
    mended.wait(lambda _: set(values) <= set(mended.values()), "the retried ones", PATIENCE)
    assert again.dead_letters("job", "workers") == []
    retried = [each for each in mended.messages if each.value in values]
    assert len(retried) == len(letters) and {each.delivery_count for each in retried} == {1}


def test_many_are_listed_and_dropped(server, opened):
    count = 2_000  # test_letters.c has more
    shop = opened(server.address)
    shop.declare("job", "workers", max_deliveries=1)
    shop.add_queue("job", lambda message: message.reject(reason="no"), durable="workers", manual=True)
    for number in range(count):
        shop.send("job", number)
    eventually(lambda: shop.durables()[0].dead == count, "all are dead letters", PATIENCE)
    letters = shop.dead_letters("job", "workers", limit=count)
    assert [letter.size for letter in letters].count(1) == 128 and len(letters) == count
    assert [letter.sequence for letter in letters] == sorted({letter.sequence for letter in letters})
    pages, last = [], 0
    while page := shop.dead_letters("job", "workers", after=last, limit=600):
        pages.append(len(page))
        last = page[-1].sequence
    assert pages == [600, 600, 600, 200]
    assert shop.drop("job", "workers") == count
    assert shop.dead_letters("job", "workers") == []


def test_options_are_the_same_for_all(server, opened):
    shop, till = opened(server.address), opened(server.address)
    shop.declare("job.*", "workers", max_deliveries=3, dead_letter="grave", backoff=SOON, expires=3600.0)
    till.declare("job.*", "workers", max_deliveries=3, dead_letter="grave", backoff=SOON, expires=3600.0)
    with pytest.raises(crosstie.ConflictError, match="dead_letter"):
        till.declare("job.*", "workers", max_deliveries=3, backoff=SOON, expires=3600.0)
    for option in ({"max_messages": 3}, {"max_size": 3}, {"when_full": "refuse"}):
        with pytest.raises(crosstie.UnsupportedError, match=next(iter(option))):
            till.declare("job.*", "others", **option)
    found = till.durables()
    assert [(each.name, each.identifier) for each in found] == [("workers", "job.*")]
    assert (found[0].options["max_deliveries"], found[0].options["dead_letter"]) == (3, "grave")
    abilities = crosstie.Abilities
    assert abilities.DECLARES | abilities.SEEKS | abilities.DEAD_LETTERS in shop.abilities


def test_listeners_of_all_processes_follow_a_move(server, opened):
    shop = opened(server.address)
    inboxes = [Inbox(), Inbox()]
    for inbox in inboxes:
        opened(server.address).add_queue("job", inbox, durable="workers")
    first = shop.send("job", 0).sequence
    for number in range(1, 50):
        shop.send("job", number)
    for rounds in range(1, 6):
        eventually(lambda n=50 * rounds: sum(len(each.messages) for each in inboxes) == n, "all are done")
        if rounds < 5:
            shop.seek("job", "workers", sequence=first)
    assert Counter(value for inbox in inboxes for value in inbox.values()) == {number: 5 for number in range(50)}
    assert {each.delivery_count for inbox in inboxes for each in inbox.messages} == {1}


# It moves the consumer all the time.
MOVER = """
wormhole = crosstie.Wormhole(ARGUMENTS[0], timeout=5)
report("ready")
while True:
    wormhole.seek("job", "workers", sequence=2**64 - 1)
    report("moved")
"""


def test_a_killed_mover_loses_nothing(server, opened):
    shop, inbox = opened(server.address), Inbox()
    shop.add_queue("job", inbox, durable="workers")
    for number in range(20):
        with Child(MOVER, f"{server.address}/shop") as child:
            child.expect("moved")
            time.sleep(random.uniform(0, 0.02))
            child.kill()
        shop.send("job", number)
        inbox.wait(lambda _, n=number: n in inbox.values(), f"message {number}")
    late = Inbox()
    shop.add_queue("job", late, durable="workers")  # takes the place of the first one, and tidies up
    shop.send("job", "last")
    late.wait(lambda _: "last" in late.values(), "the last message")
    # The first listener may have been replaced in the callback of its last message: that comes again.
    assert late.values() in (["last"], [19, "last"])
    assert sorted(inbox.values()) == list(range(20))
