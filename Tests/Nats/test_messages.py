"""Wormholes over a server: what they do as in a local group."""

import math

import crosstie
import pytest
from child import Child
from waiting import Inbox, eventually, state_of


def test_a_message_is_stored_and_read(server, opened):
    shop, till = opened(server.address), opened(server.address, name="till")
    assert shop.send("price", 3).sequence == 1
    assert shop["price"] == 3
    assert till["price"] == 3
    assert till.send("price", 4).sequence == 2
    message = shop.message("price")
    assert (message.value, message.sequence, message.sender_name) == (4, 2, "till")
    assert shop.message("other") is None


def test_it_outlives_its_sender(server, opened):
    with crosstie.Wormhole(f"{server.address}/shop", timeout=30) as shop:
        shop.send("price", {"euro": 3})
    assert opened(server.address)["price"] == {"euro": 3}


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -(2**63), 2**63 - 1, 1.5, math.inf, "", "ä" * 1000, b"", b"\0" * 100_000, [], [1, ["2"]], {"a": {}}],
    ids=lambda value: repr(value)[:20],
)
def test_a_value_comes_back(server, opened, value):
    shop, till = opened(server.address), opened(server.address)
    shop.send("value", value)
    assert till.message("value").value == value
    assert type(till.message("value").value) is type(value)


def test_headers_and_times_come_back(server, opened):
    shop, inbox = opened(server.address, name="Käse, 1%"), Inbox()
    headers = {"trace": "a: b, c", "ä%\r\n": "\n", "traceparent": "00-1-2-01", "empty": ""}
    till = opened(server.address)
    till.add_queue("x", inbox)
    shop.send("x", 1, headers=headers, expires=1000)
    message = inbox.take()[0]
    assert message.headers == headers and message.sender_name == "Käse, 1%"
    assert message.time_ns == shop.message("x").time_ns > 0


def test_a_token_sends_once(server, opened):
    shop, till, inbox = opened(server.address), opened(server.address), Inbox()
    till.add_queue("*", inbox)
    assert {shop.send("x", number, token=b"0123456789abcdef").sequence for number in range(3)} == {1}
    shop.send("x", "last")
    inbox.wait_values([0, "last"])


def test_a_state_listener_receives_the_newest(server, opened):
    shop, till, inbox = opened(server.address), opened(server.address), Inbox()
    shop.send("a", 1)
    till.add_listener("a", inbox)
    inbox.wait_values([1])
    for number in range(2, 200):
        shop.send("a", number)
    inbox.wait(lambda all: all[-1].value == 199, "the newest")
    assert inbox.values() == sorted(set(inbox.values()))


def test_the_initial_delivery_of_a_prefix_is_sorted(server, opened):
    shop, inbox = opened(server.address), Inbox()
    for name in ("chat.b", "chat.a.c", "chat.a", "other"):
        shop.send(name, name)
    shop.destroy("chat.b")
    opened(server.address).add_listener("chat.*", inbox)
    shop.send("chat.last", "last")
    messages = inbox.wait(lambda all: all[-1].value == "last" if all else False)
    assert [each.identifier for each in messages] == ["chat.a", "chat.a.c", "chat.last"]


def test_a_queue_receives_everything_once_in_order(server, opened):
    shop, first, second = opened(server.address), Inbox(), Inbox()
    till = opened(server.address)
    till.add_queue("job.*", first)
    opened(server.address).add_queue("job.*", second, from_oldest=True)
    for number in range(1000):
        shop.send(f"job.n{number % 7}", number)
    for inbox in (first, second):
        inbox.wait_values(list(range(1000)))


def test_workers_share_a_durable_consumer(server, opened):
    shop = opened(server.address)
    inboxes = [Inbox() for _ in range(3)]
    for inbox in inboxes:
        opened(server.address).add_queue("job", inbox, durable="workers")
    for number in range(600):
        shop.send("job", number)
    eventually(lambda: sum(len(inbox.messages) for inbox in inboxes) >= 600, "all are done")
    done = sorted(value for inbox in inboxes for value in inbox.values())
    assert done == list(range(600))
    assert {each.delivery_count for inbox in inboxes for each in inbox.messages} == {1}


def test_a_durable_consumer_keeps_messages_without_a_listener(server, opened):
    shop, inbox = opened(server.address), Inbox()
    shop.add_queue("job", print, durable="workers").remove()
    shop.send("job", 1)
    shop.send("job", 2)
    opened(server.address).add_queue("job", inbox, durable="workers")
    inbox.wait_values([1, 2])


def test_a_rejected_message_comes_again(server, opened):
    shop, seen = opened(server.address), Inbox()

    def work(message):
        seen(message)
        if message.delivery_count < 3:
            message.reject(0.01)
        else:
            message.acknowledge()

    shop.add_queue("job", work, durable="workers", manual=True)
    shop.send("job", "hard")
    assert [each.delivery_count for each in seen.take(3)] == [1, 2, 3]


def test_the_work_of_a_killed_process_goes_to_others(server, opened):
    work = """
wormhole = crosstie.Wormhole(ARGUMENTS[0], timeout=30)
def hold(message):
    report("holds", message.value)
    time.sleep(1000)
wormhole.add_queue("job", hold, durable="workers", manual=True)
report("ready")
until_told()
"""
    shop, inbox = opened(server.address), Inbox()
    with Child(work, f"{server.address}/shop") as child:
        child.expect("ready")
        shop.send("job", 7)
        child.expect("holds", 7)
        shop.add_queue("job", inbox, durable="workers")
        child.kill()
        message = inbox.take()[0]
        assert (message.value, message.delivery_count) == (7, 2)


def test_a_held_message_stays_with_its_worker(server, opened):
    """The server's own limit for an acknowledgement passes several times."""
    shop, holder, others = opened(server.address), Inbox(), Inbox()
    shop.add_queue("job", holder, durable="workers", manual=True)
    shop.send("job", 1)
    held = holder.take()[0]
    opened(server.address).add_queue("job", others, durable="workers")
    with pytest.raises(AssertionError):
        others.wait(lambda all: all, "nothing", limit=7)
    held.acknowledge()
    shop.send("job", 2)
    eventually(lambda: 2 in holder.values() + others.values())
    assert 1 not in others.values()


def test_signals_and_destroying(server, opened):
    shop, till, state, queue = opened(server.address), opened(server.address), Inbox(), Inbox()
    till.add_listener("x", state, initial_delivery=False)
    till.add_queue("x", queue)
    shop.send("x", 1)
    queue.take(1)
    shop.signal("x")
    queue.take(2)
    assert shop["x"] == 1
    shop.destroy("x")
    assert [each.kind for each in queue.take(3)] == ["value", "signal", "destroyed"]
    assert state.wait(lambda all: all[-1].kind == "destroyed" if all else False)
    assert "x" not in shop and "x" not in till
    assert till.identifiers() == []


def test_destroying_everything(server, opened):
    shop, till, inbox = opened(server.address), opened(server.address), Inbox()
    for name in ("a", "b", "c.d"):
        shop.send(name, 1)
    assert till.identifiers() == ["a", "b", "c.d"] and till.identifiers("c.*") == ["c.d"]
    till.add_queue("*", inbox)
    shop.destroy_all()
    assert inbox.take()[0].kind == "destroyed"
    assert till.identifiers() == [] == shop.identifiers()
    shop.send("a", 2)
    assert till["a"] == 2


def test_an_expired_message_is_not_read(server, opened):
    shop = opened(server.address)
    shop.send("x", 1, expires=0.001)
    eventually(lambda: shop.message("x") is None)
    assert opened(server.address).message("x") is None


def test_ten_thousand_identifiers(server, opened):
    shop, inbox = opened(server.address), Inbox()
    from concurrent.futures import ThreadPoolExecutor

    names = [f"n{number:05}" for number in range(10_000)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda name: shop.send(name, name), names))
    till = opened(server.address)
    assert till.identifiers() == names
    till.add_listener("*", inbox)
    inbox.take(10_000)
    assert inbox.values() == names


def test_members_come_and_leave(server, opened):
    shop, inbox = opened(server.address, name="shop"), Inbox()
    shop.add_members_listener(inbox)
    with crosstie.Wormhole(f"{server.address}/shop", name="till", timeout=30):
        inbox.wait(lambda all: [each.sender_name for each in all if each.kind == "joined"].count("till") == 1)
        assert [each.name for each in shop.members()] == ["shop", "till"]
    inbox.wait(lambda all: [(each.kind, each.sender_name) for each in all][-1] == ("left", "till"))
    assert [each.name for each in shop.members()] == ["shop"]


def test_a_killed_member_leaves(server, opened):
    shop, inbox = opened(server.address, name="shop"), Inbox()
    code = "wormhole = crosstie.Wormhole(ARGUMENTS[0], name='till', timeout=30)\nreport('ready')\nuntil_told()"
    with Child(code, f"{server.address}/shop") as child:
        child.expect("ready")
        shop.add_members_listener(inbox)
        inbox.wait(lambda all: ("joined", child.pid) in [(each.kind, each.sender_pid) for each in all])
        child.kill()
        inbox.wait(lambda all: ("left", child.pid) in [(each.kind, each.sender_pid) for each in all])


def test_groups_and_their_names_are_apart(server, opened):
    for number, name in enumerate(("a.b", "a", "A", "a-b_c", "com.example.shop")):
        assert opened(server.address, name).send("x", number).sequence == 1
    assert opened(server.address, "a.b")["x"] == 0


def test_the_abilities(server, opened):
    abilities = opened(server.address).abilities
    assert crosstie.Abilities.TOKENS in abilities and crosstie.Abilities.FORGETS in abilities
    for lacking in ("ATOMIC_BATCHES", "COUNTS_LISTENERS", "EXACT_MISSED", "SCHEDULES", "LISTS_SCHEDULED"):
        assert crosstie.Abilities[lacking] not in abilities


def test_the_connection(server, opened):
    shop = opened(server.address)
    assert state_of(shop) == "connected"
    assert shop.connection.since > 0 and not shop.connection.reason


def test_durable_consumers_are_listed_and_forgotten(server, opened):
    shop = opened(server.address)
    held: list[crosstie.Message] = []
    listener = shop.add_queue("job.*", held.append, durable="wörkers", manual=True, max_unacknowledged=1)
    for number in range(3):
        shop.send("job.a", number)
    eventually(lambda: len(held) == 1 and [each.waiting for each in shop.durables()] == [2])
    [durable] = shop.durables()
    assert (durable.name, durable.identifier, durable.deliveries) == ("wörkers", "job.*", 1)
    listener.remove()
    shop.forget("job.*", "wörkers")
    assert shop.durables() == []
    with pytest.raises(crosstie.NotFoundError):
        shop.forget("job.*", "wörkers")
