"""Servers and streams that cannot serve, limits, and bytes of strangers."""

import os

import crosstie
import msgpack
import pytest
from child import Child
from waiting import Inbox, eventually, until


def test_a_server_without_jetstream(make_server):
    server = make_server(jetstream=False)
    with pytest.raises(crosstie.UnsupportedError) as caught:
        crosstie.Wormhole(f"{server.address}/shop", timeout=60)
    assert "JetStream" in str(caught.value)


def test_an_account_without_jetstream(make_server):
    server = make_server("accounts { A { users: [ { user: a, password: p } ] } }")
    with pytest.raises(crosstie.UnsupportedError):
        crosstie.Wormhole(f"{server.address}/shop", timeout=60, user="a", password="p")


@pytest.mark.parametrize(
    "made",
    [
        {"name": "CTIE_shop", "subjects": ["other.>"]},
        {"name": "CTIE_shop", "subjects": ["ctie.shop.>"], "retention": "workqueue"},
        {"name": "OTHER", "subjects": ["ctie.shop.m.>"]},
    ],
    ids=lambda made: str(made.get("retention") or made["name"]),
)
def test_a_stream_of_other_making(server, observer, made):
    observer.run(observer.jetstream.add_stream(**made))
    with pytest.raises(crosstie.ConflictError) as caught:
        crosstie.Wormhole(f"{server.address}/shop", timeout=60)
    assert "CTIE_shop" in str(caught.value) or "overlap" in str(caught.value)


def test_a_full_account(make_server, opened):
    server = make_server(
        "accounts { A { jetstream: { max_file: 1000000, max_mem: 1000000 }, users: [ { user: a, password: p } ] } }"
    )
    shop = opened(server.address, user="a", password="p", max_value_size=100_000)
    with pytest.raises(crosstie.StoreError) as caught:
        for _ in range(100):
            shop.send("x", os.urandom(50_000))
    assert caught.value.status == crosstie.Status.NO_SPACE


def test_values_over_max_payload(make_server, opened):
    server = make_server("max_payload: 100000")
    with pytest.raises(crosstie.ArgumentError) as caught:
        crosstie.Wormhole(f"{server.address}/shop", timeout=60, max_value_size=200_000)
    assert caught.value.status == crosstie.Status.LIMIT
    assert "100000" in str(caught.value) and "200000" in str(caught.value)
    shop = opened(server.address, max_value_size=50_000)
    shop.send("x", b"x" * 49_000)
    with pytest.raises(crosstie.ArgumentError):
        shop.send("x", b"x" * 51_000)


def test_a_smaller_server_after_a_reconnect(make_server, opened):
    server = make_server("max_payload: 100000")
    shop = opened(server.address, max_value_size=50_000)
    shop.send("x", b"x" * 40_000)
    server.restart(config="max_payload: 20000")
    until(shop, "connected")
    with pytest.raises(crosstie.ArgumentError) as caught:
        for _ in range(1000):
            shop.send("x", b"x" * 40_000)
    assert caught.value.status == crosstie.Status.LIMIT
    assert shop.send("x", b"x" * 10_000).sequence >= 2


def test_the_group_has_a_limit(server, opened):
    """The oldest are dropped; a queue that has not received them is notified."""
    shop, inbox = opened(server.address, max_queued=10), Inbox()
    for number in range(30):
        shop.send("x", number)
    opened(server.address, max_queued=10).add_queue("x", inbox, from_oldest=True)
    inbox.wait(lambda _: len(inbox.values()) == 10)
    assert inbox.values() == list(range(20, 30))
    assert shop["x"] == 29


def test_old_messages_are_dropped(server, opened):
    shop = opened(server.address, max_age=1)
    shop.send("x", 1)
    eventually(lambda: shop.message("x") is None, "its age is over")


GARBAGE = {
    "no MessagePack": ("ctie.shop.m.v.x", b"\xc1", {}),
    "half a value": ("ctie.shop.m.v.x", b"\x92\x01", {}),
    "two values": ("ctie.shop.m.v.x", b"\x01\x02", {}),
    "nothing": ("ctie.shop.m.v.x", b"", {}),
    "a wrong identifier": ("ctie.shop.m.v.-.=", b"\x01", {}),
    "an unknown kind": ("ctie.shop.m.q.x", b"\x01", {}),
    "no identifier": ("ctie.shop.m.v", b"\x01", {}),
    "a newer format": ("ctie.shop.m.v.x", b"\x01", {"Ctie-Format": "2"}),
    "a wrong sender": ("ctie.shop.m.v.x", b"\x01", {"Ctie-From": "%ff%00 -1 %%%"}),
    "a wrong time": ("ctie.shop.m.v.x", b"\x01", {"Ctie-Time": "-99999999999999999999"}),
    "a wrong header": ("ctie.shop.m.v.x", b"\x01", {"Ctie-H-%zz": "%ff"}),
    "many headers": ("ctie.shop.m.v.x", b"\x01", {f"h{number}": "x" * 100 for number in range(500)}),
    "a long header": ("ctie.shop.m.v.x", b"\x01", {"h": "x" * 60_000}),
    "its own stream": ("ctie.shop.m.v.x", b"\x01", {"Nats-Stream-Source": "CTIE_shop 999999999999999999999 x"}),
    "a source": ("ctie.shop.m.v.x", b"\x01", {"Nats-Stream-Source": "nonsense"}),
    "a long identifier": ("ctie.shop.m.v." + "x" * 3000, b"\x01", {}),
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_in_the_group(server, opened, observer, name):
    """It is dropped, or delivered as damaged. Later messages are received."""
    shop, state, queue, durable = opened(server.address), Inbox(), Inbox(), Inbox()
    shop.add_listener("*", state)
    shop.add_queue("*", queue)
    shop.add_queue("*", durable, durable="workers")
    subject, body, headers = GARBAGE[name]
    observer.store(subject, body, headers)
    observer.store("ctie.shop.m.v.good", msgpack.packb(1))
    last = shop.send("last", 2).sequence
    for inbox in (state, queue, durable):
        inbox.wait(lambda all: all[-1].identifier == "last" if all else False)
        numbers = [each.sequence for each in inbox.messages]
        assert numbers == sorted(set(numbers)) and numbers[-1] == last
    shop.identifiers()
    try:
        shop.message("x")
    except crosstie.StoreError as error:
        assert error.status == crosstie.Status.CORRUPT
    assert opened(server.address)["good"] == 1
    late = Inbox()
    opened(server.address).add_queue("*", late, from_oldest=True)
    late.wait(lambda all: all[-1].identifier == "last" if all else False)


def test_garbage_among_the_members(server, opened, observer):
    shop = opened(server.address, name="shop")
    till = opened(server.address, name="till")
    for body in (b"", b"\xff" * 1000, b"{}", b"[]", b"null", os.urandom(5000), b'{"name":1,"pid":"x","member":[]}'):
        observer.publish("ctie.shop.p", body)
        observer.publish("ctie.shop.p", body, {"Ctie-From": "x", "Ctie-Format": "9"})
    assert [each.name for each in shop.members()] == ["shop", "till"]
    assert [each.name for each in till.members()] == ["shop", "till"]


def test_garbage_as_answers(server, opened, observer):
    """Somebody answers everything that is asked on the group's subjects."""
    shop = opened(server.address)
    shop.send("x", 1)

    async def answer(message) -> None:
        if message.reply:
            await observer.connection.publish(message.reply, b"\xff{")

    observer.run(observer.connection.subscribe("ctie.shop.p.>", cb=answer))
    observer.run(observer.connection.subscribe("ctie.shop.p", cb=answer))
    observer.run(observer.connection.flush())
    members = [each.name for each in shop.members()]
    assert len(members) == 1
    assert shop["x"] == 1


def test_deleted_consumers(server, opened, observer):
    """An administrator deletes our consumers: queues go on. A durable consumer is forgotten, and can be made again."""
    shop, queue, durable = opened(server.address), Inbox(), Inbox()
    shop.add_queue("x", queue)
    shop.add_queue("x", print, durable="workers")
    shop.send("x", 0)
    queue.wait_values([0])
    for consumer in observer.consumers("CTIE_shop"):
        observer.run(observer.jetstream.delete_consumer("CTIE_shop", consumer.name))
    shop.send("x", 1)
    queue.wait_values([0, 1])
    assert shop.durables() == []
    opened(server.address).add_queue("x", durable, durable="workers", from_oldest=True)
    durable.wait_values([0, 1])


def test_a_deleted_stream(server, opened, observer):
    """Deleted while everything is connected: it is made again."""
    shop, queue = opened(server.address), Inbox()
    shop.add_queue("x", queue)
    before = shop.send("x", 0).sequence
    queue.wait_values([0])
    observer.run(observer.jetstream.delete_stream("CTIE_shop"))
    assert shop.send("x", 1).sequence > before
    queue.wait_values([0, 1])


def test_it_is_closed_with_its_process(server, opened, observer):
    """Nothing of a killed process stays on the server but its durable consumers."""
    code = """
wormhole = crosstie.Wormhole(ARGUMENTS[0], timeout=30)
ignore = lambda message: None
wormhole.add_queue("x", ignore)
wormhole.add_listener("x", ignore)
wormhole.add_queue("x", ignore, durable="workers")
report("ready")
until_told()
"""
    opened(server.address)
    with Child(code, f"{server.address}/shop") as child:
        child.expect("ready")
        assert len(observer.consumers("CTIE_shop")) > 1
        child.kill()
    eventually(lambda: len(observer.consumers("CTIE_shop")) == 1, "the server drops the others", limit=120)
