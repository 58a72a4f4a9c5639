"""The tests' own tools: the server and the proxy do what the other tests rely on. nats-py is the client."""

import asyncio

import nats.errors
import pytest
from nats_server import cluster
from observer import Observer
from proxy import Proxy
from waiting import eventually


def with_stream(observer: Observer) -> Observer:
    observer.run(observer.jetstream.add_stream(name="S", subjects=["s.>"]))
    return observer


def test_a_killed_server_keeps_its_files(server, observer):
    with_stream(observer)
    assert observer.store("s.a", b"one") == 1
    server.restart()
    eventually(lambda: observer.connection.is_connected)
    assert observer.message("S", 1).data == b"one"
    assert observer.store("s.a", b"two") == 2


def test_a_server_without_its_files_has_lost_its_streams(server, observer):
    with_stream(observer)
    server.restart(keep_files=False)
    eventually(lambda: observer.connection.is_connected)
    with pytest.raises(nats.js.errors.NotFoundError):
        observer.stream("S")


def test_a_paused_server_answers_later(server, observer):
    server.pause()
    request = asyncio.run_coroutine_threadsafe(observer.connection.request("$JS.API.INFO", timeout=60), observer._loop)
    assert not request.done()
    server.resume()
    assert b"streams" in request.result(60).data


def test_the_proxy_forwards_and_cuts(server, proxy):
    with Observer(proxy.address) as observer:
        with_stream(observer)
        assert observer.store("s.a") == 1
        before = proxy.accepted
        proxy.cut()
        eventually(lambda: proxy.accepted > before and observer.connection.is_connected, "it connects again")
        assert observer.store("s.a") == 2


def test_the_proxy_swallows_answers(server, proxy, observer):
    with_stream(observer)
    with Observer(proxy.address) as behind:
        proxy.swallow_answers()
        asyncio.run_coroutine_threadsafe(behind.connection.request("s.a", b"its answer is lost"), behind._loop)
        eventually(lambda: observer.stream("S").state.messages == 1 and proxy.lost > 0, "only its answer is lost")
        proxy.heal()
        eventually(lambda: proxy.accepted == 2 and behind.connection.is_connected)


def test_the_proxy_is_a_black_hole(server, proxy, observer):
    with_stream(observer)
    with Observer(proxy.address) as behind:
        proxy.black_hole()
        asyncio.run_coroutine_threadsafe(behind.connection.publish("s.a"), behind._loop).result(10)
        with pytest.raises(nats.errors.TimeoutError):
            behind.run(behind.connection.request("$JS.API.INFO", timeout=0.2))
        assert proxy.lost > 0 and observer.stream("S").state.messages == 0
        proxy.heal()
        eventually(lambda: behind.connection.is_connected and proxy.accepted == 2)


def test_a_cluster_has_a_leader(tmp_path):
    servers = cluster(tmp_path)
    try:
        with Observer(servers[0].address) as observer:
            impatient = observer.connection.jetstream(timeout=2)

            def made() -> bool:
                try:
                    observer.run(impatient.add_stream(name="S", subjects=["s"], num_replicas=3))
                except nats.errors.Error:  # the servers are not all there yet
                    return False
                return True

            eventually(made, "a stream in three places")
            assert observer.stream("S").cluster.leader in {"n0", "n1", "n2"}
    finally:
        for server in servers:
            server.kill()
