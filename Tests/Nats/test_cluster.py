"""Three servers, each message on all of them; the leader is killed again and again."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import crosstie
import nats.errors
import pytest
from nats_server import cluster
from observer import Observer
from waiting import Inbox, eventually

KILLS = int(os.environ.get("CROSSTIE_LEADER_KILLS", "5"))
UNSURE = (crosstie.UnavailableError, crosstie.UncertainError, crosstie.TimeoutError)


@pytest.fixture
def servers(tmp_path):
    servers = cluster(tmp_path)
    yield servers
    for server in servers:
        server.kill()


def leader_of(servers, stream: str) -> int:
    """The number of the server that leads a stream; waits for all three to follow."""

    def found() -> int | None:
        for server in servers:
            if server.process is None:
                continue
            try:
                with Observer(server.address, connect_timeout=5) as observer:
                    cluster = observer.run(observer.connection.jetstream(timeout=2).stream_info(stream)).cluster
            except (nats.errors.Error, OSError, TimeoutError):
                continue
            if cluster.leader and len(cluster.replicas) == 2 and all(each.current for each in cluster.replicas):
                return int(cluster.leader[1:]) + 1
        return None

    return eventually(found, "a leader", 180) - 1


def address(servers) -> str:
    return "nats://" + ",".join(f"127.0.0.1:{server.port}" for server in servers)


def test_the_leader_is_killed(servers, opened):
    shop = opened(address(servers), replicas=3, timeout=60)
    queue, state, durable = Inbox(), Inbox(), Inbox()
    till = opened(address(list(reversed(servers))), replicas=3, timeout=60)
    till.add_queue("x", queue)
    till.add_listener("x", state)
    till.add_queue("x", durable, durable="workers")
    stop, sent = threading.Event(), []

    def send() -> None:
        while not stop.is_set() or len(sent) < 100:
            number = len(sent)
            try:
                shop.send("x", number, token=number.to_bytes(16, "big"))
            except UNSURE:
                continue
            sent.append(number)
            stop.wait(0.005)

    with ThreadPoolExecutor() as threads:
        sending = threads.submit(send)
        try:
            for _ in range(KILLS):
                leader = leader_of(servers, "CTIE_shop")
                enough = len(sent) + 20
                servers[leader].kill()
                eventually(lambda enough=enough: sending.done() or len(sent) > enough, "the others go on", 180)
                servers[leader].start()
        finally:
            stop.set()
        sending.result()
    queue.wait(lambda _: len(queue.values()) >= len(sent), "every message", 180)
    assert queue.values() == sent
    state.wait(lambda all: all[-1].value == sent[-1])
    durable.wait(lambda _: set(durable.values()) == set(sent), "every message is done", 180)


def test_the_number_of_replicas(servers, opened):
    opened(address(servers), "three", replicas=3, timeout=60).send("x", 1)
    with Observer(servers[0].address) as observer:
        assert observer.stream("CTIE_three").config.num_replicas == 3
        assert observer.stream("CTIE_three=now").config.num_replicas == 3


def test_more_replicas_than_servers(server):
    with pytest.raises(crosstie.Error) as caught:
        crosstie.Wormhole(f"{server.address}/shop", replicas=3, timeout=10)
    assert "eplica" in str(caught.value)
