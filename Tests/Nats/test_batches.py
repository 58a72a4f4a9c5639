"""Several messages that are sent together over a server."""

import threading

import crosstie
import pytest
from test_logins import with_permissions
from waiting import Inbox, until

TOKEN = b"0123456789abcdef"


def batch(count: int, begin: int = 0) -> list[tuple[str, int]]:
    return [("job", number) for number in range(begin, begin + count)]


def test_it_must_be_asked_for(server, opened):
    shop = opened(server.address)
    assert crosstie.Abilities.BATCHES in shop.abilities
    with pytest.raises(crosstie.UnsupportedError) as caught:
        shop.send_many(batch(2))
    assert "CTIE_SEND_NOT_ATOMIC" in str(caught.value)
    assert "job" not in shop
    assert shop.send_many(batch(1)) == 1
    assert shop.send_many(batch(2), atomic=False) == 2


def test_they_come_in_order(server, opened):
    shop, till, queue, durable = opened(server.address), opened(server.address), Inbox(), Inbox()
    till.add_queue("*", queue)
    till.add_queue("job", durable, durable="workers")
    assert shop.send_many(batch(3000), atomic=False, headers={"k": "v"}) == 1
    assert shop.send_many([("a", 1), ("job", crosstie.SIGNAL), ("b", 2)], atomic=False) == 3001
    queue.wait_values([*range(3000), 1, 2])
    durable.wait_values(list(range(3000)))
    messages = queue.take(3003)
    assert {message.headers["k"] for message in messages[:3000]} == {"v"} and not messages[3000].headers
    assert [message.sequence for message in messages] == list(range(1, 3004))
    assert [message.kind for message in messages[3000:]] == ["value", "signal", "value"]


def test_a_mapping_is_updated(server, opened):
    shop = opened(server.address)
    shop.update({"a": 1, "b": [2]}, c=3)
    assert dict(shop) == {"a": 1, "b": [2], "c": 3}


def test_a_token_sends_once(server, opened):
    shop, queue = opened(server.address), Inbox()
    opened(server.address).add_queue("job", queue)
    for count in (10, 20, 20, 10):
        assert shop.send_many(batch(count), atomic=False, token=TOKEN) == 1
    shop.send("job", "last")
    queue.wait_values([*range(20), "last"])


def test_one_that_may_not_be_sent(make_server, opened):
    """Those before it are sent. The rest is not, but for messages that were on their way when the server refused."""
    server = with_permissions(make_server, publish='deny: "ctie.shop.m.v.secret"')
    some = opened(server.address, user="some", password="p", timeout=120)
    every = opened(server.address, user="all", password="p")
    messages: list[tuple[str, object]] = [("job", number) for number in range(20)]
    messages[7] = ("secret", 1)
    with pytest.raises(crosstie.DeniedError) as caught:
        some.send_many(messages, atomic=False, token=TOKEN)
    assert caught.value.location == "messages[7]" and "secret" in str(caught.value)
    queue = Inbox()
    every.add_queue("job", queue, from_oldest=True)
    every.send("job", "next")
    queue.wait(lambda all: all and all[-1].value == "next")
    assert queue.values()[:7] == list(range(7)) and "secret" not in every
    every.send_many(messages, atomic=False, token=TOKEN)
    queue.wait(lambda all: sorted(all_of(all)) == [*range(7), *range(8, 20)], "each of them once")
    assert every["secret"] == 1


def all_of(messages: list) -> list[int]:
    return [message.value for message in messages if isinstance(message.value, int)]


def test_values_over_max_payload(make_server, opened):
    server = make_server("max_payload: 100000")
    shop = opened(server.address, max_value_size=100_000)
    values: list[tuple[str, object]] = [("x", 1), ("x", 2), ("x", b"x" * 99_990), ("x", 3)]
    with pytest.raises(crosstie.ArgumentError) as caught:
        shop.send_many(values, atomic=False)
    assert (caught.value.status, caught.value.location) == (crosstie.Status.LIMIT, "messages[2]")
    assert shop["x"] == 2


def test_answers_that_are_lost(server, opened, proxy):
    """The server has stored some of them. The sender repeats them, and each is there once and in order."""
    far, inbox = opened(proxy.address, timeout=60), Inbox()
    opened(server.address).add_queue("job", inbox)
    far.send("job", "first")
    proxy.swallow_answers()
    sent = []
    thread = threading.Thread(target=lambda: sent.append(far.send_many(batch(500), atomic=False)))
    thread.start()
    inbox.wait(lambda all: len(all) > 50)
    proxy.heal()
    thread.join()
    inbox.wait_values(["first", *range(500)])
    assert sent == [2]


def test_a_repeat_after_the_deadline(server, opened, proxy):
    far, inbox = opened(proxy.address, timeout=1.5), Inbox()
    opened(server.address).add_queue("job", inbox)
    far.send("job", "first")
    proxy.swallow_answers()
    with pytest.raises(crosstie.UncertainError) as caught:
        far.send_many(batch(500), atomic=False, token=TOKEN)
    assert caught.value.location == "messages[0]"
    proxy.heal()
    until(far, "connected")
    assert far.send_many(batch(500), atomic=False, token=TOKEN) == 2
    inbox.wait_values(["first", *range(500)])


@pytest.mark.parametrize("how", ["killed", "cut"])
def test_many_losses_in_the_middle(server, opened, proxy, how):
    """Every batch is sent: nothing twice, nothing lost, all in order."""
    far, near = opened(proxy.address if how == "cut" else server.address, timeout=60), opened(server.address)
    queue, durable = Inbox(), Inbox()
    near.add_queue("job", queue)
    near.add_queue("job", durable, durable="workers")
    count = 0
    over = threading.Event()
    errors: list[Exception] = []

    def send() -> None:
        nonlocal count
        try:
            while not over.is_set():
                assert far.send_many(batch(700, count), atomic=False) == count + 1
                count += 700
        except Exception as error:  # noqa: BLE001 - the test reports it
            errors.append(error)

    thread = threading.Thread(target=send)
    thread.start()
    for _ in range(8):
        seen = len(queue.messages)
        queue.wait(lambda all, seen=seen: len(all) > seen)
        if how == "cut":
            proxy.cut()
        else:
            server.kill()
            server.start()
    over.set()
    thread.join()
    assert not errors
    queue.wait_values(list(range(count)))
    durable.wait(lambda all: len({message.value for message in all}) == count, f"{count} messages")
    once = [message.value for message in durable.messages if message.delivery_count == 1]
    assert sorted(once) == sorted(set(once))
