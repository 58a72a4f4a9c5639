"""Crosstie and another client of the server read each other's messages."""

import msgpack
import pytest
from waiting import Inbox, eventually

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
VALUES = [None, True, -7, 2.5, "äß", b"\x00\xff", [1, "two", None], {"a": {"b": [b"c"]}}]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_nats_py_reads_what_crosstie_sends(server, opened, observer, value):
    shop = opened(server.address, name="till")
    number = shop.send("chat.room", value, headers={"traceparent": TRACE, "a key": "a %value"}).sequence
    message = observer.message("CTIE_shop", number)
    assert message.subject == "ctie.shop.m.v.chat.room"
    assert msgpack.unpackb(message.data) == value
    assert message.headers["Ctie-Format"] == "1"
    assert message.headers["traceparent"] == TRACE
    assert message.headers["Ctie-From"].split(" ")[2] == "till"
    assert int(message.headers["Ctie-Time"]) == shop.message("chat.room").time_ns


def test_nats_py_sees_signals_and_destroyings(server, opened, observer):
    shop = opened(server.address)
    first = shop.signal("a.b").sequence
    assert observer.message("CTIE_shop", first).subject == "ctie.shop.m.s.a.b"
    second = shop.destroy("a.b").sequence
    assert observer.message("CTIE_shop", second).subject == "ctie.shop.m.d.a.b"
    third = shop.destroy_all().sequence
    assert observer.message("CTIE_shop", third).subject == "ctie.shop.m.x"


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_crosstie_reads_what_nats_py_sends(server, opened, observer, value):
    shop, state, queue = opened(server.address), Inbox(), Inbox()
    shop.add_listener("chat.room", state, initial_delivery=False)
    shop.add_queue("chat.*", queue)
    number = observer.store("ctie.shop.m.v.chat.room", msgpack.packb(value), {"traceparent": TRACE})
    for inbox in (state, queue):
        message = inbox.take()[0]
        assert (message.kind, message.value, message.sequence) == ("value", value, number)
        assert message.headers == {"traceparent": TRACE}
        assert (message.sender_pid, message.sender_name) == (0, "")
    eventually(lambda: shop.message("chat.room") is not None, "the second stream has it")
    assert shop.message("chat.room").value == value


def test_a_worker_with_nats_py_and_one_with_crosstie(server, opened, observer):
    """A consumer that another client makes beside ours gets the same messages."""
    shop, inbox = opened(server.address), Inbox()
    shop.add_queue("job", inbox, durable="workers")
    other = observer.run(observer.jetstream.pull_subscribe("ctie.shop.m.*.job", durable="other", stream="CTIE_shop"))
    for number in range(20):
        shop.send("job", number)
    inbox.wait_values(list(range(20)))
    found = []
    while len(found) < 20:
        for message in observer.run(other.fetch(20 - len(found), timeout=10)):
            found.append(msgpack.unpackb(message.data))
            observer.run(message.ack())
    assert found == list(range(20))


def test_a_queue_from_nats_py_and_crosstie_keeps_the_order(server, opened, observer):
    shop, inbox = opened(server.address), Inbox()
    shop.add_queue("*", inbox)
    for number in range(50):
        if number % 2:
            shop.send("x", number)
        else:
            observer.store("ctie.shop.m.v.x", msgpack.packb(number))
    inbox.wait_values(list(range(50)))
