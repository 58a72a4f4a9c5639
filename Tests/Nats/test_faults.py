"""Servers that die, lose their files or stop, and connections that are cut or lose bytes."""

import threading

import crosstie
import pytest
from child import Child
from nats_server import free_port
from waiting import Inbox, eventually, state_of, until

UNSURE = (crosstie.UnavailableError, crosstie.UncertainError)


def send_all(wormhole, identifier: str, values, unsure: list) -> None:
    """Sends each value until it is sure that it is there; a token makes it one message."""
    for value in values:
        token = value.to_bytes(16, "big")
        while True:
            try:
                wormhole.send(identifier, value, token=token)
                break
            except UNSURE as error:
                unsure.append(error)


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_listeners_go_on_after_a_restart(server, opened, how):
    shop, till = opened(server.address), opened(server.address)
    state, queue, durable = Inbox(), Inbox(), Inbox()
    till.add_listener("x", state)
    till.add_queue("x", queue)
    till.add_queue("x", durable, durable="workers")
    shop.send("x", 0)
    queue.wait_values([0])
    for round in range(1, 4):
        getattr(server, how)()
        until(shop, "reconnecting")
        server.start()
        send_all(shop, "x", [round], [])
        queue.wait_values(list(range(round + 1)))
        durable.wait_values(list(range(round + 1)))
        state.wait(lambda all: all[-1].value == round, "the newest")  # noqa: B023
    assert state_of(shop) == state_of(till) == "connected"


def test_messages_of_others_meanwhile_are_received(server, opened, proxy, observer):
    """The listener's connection is away; another process goes on sending."""
    far, near = opened(proxy.address), opened(server.address)
    state, queue, durable = Inbox(), Inbox(), Inbox()
    far.add_listener("*", state, initial_delivery=False)
    far.add_queue("*", queue)
    far.add_queue("*", durable, durable="workers")
    near.send("x", 0)
    queue.wait_values([0])
    durable.wait_values([0])
    proxy.refuse()
    until(far, "reconnecting")
    for number in range(1, 500):
        near.send("x", number)
    proxy.heal()
    queue.wait_values(list(range(500)))
    durable.wait_values(list(range(500)))
    state.wait(lambda all: all[-1].value == 499)


def test_sending_while_the_server_is_away(server, opened):
    shop = opened(server.address, timeout=0.5)
    server.kill()
    until(shop, "reconnecting")
    with pytest.raises(crosstie.UnavailableError):
        shop.send("x", 1)
    server.start()
    until(shop, "connected")
    assert shop.message("x") is None
    assert shop.send("x", 2).sequence == 1


def test_a_send_waits_for_the_server(server, opened):
    shop = opened(server.address, timeout=60)
    server.kill()
    until(shop, "reconnecting")
    sent = []
    thread = threading.Thread(target=lambda: sent.append(shop.send("x", 1).sequence))
    thread.start()
    server.start()
    thread.join()
    assert sent == [1] and shop["x"] == 1


def test_an_answer_that_is_lost(server, opened, proxy):
    """The server has stored the message. The sender repeats it, and it is there once."""
    far, inbox = opened(proxy.address, timeout=60), Inbox()
    near = opened(server.address)
    near.add_queue("x", inbox)
    far.send("x", 0)
    proxy.swallow_answers()
    sent = []
    thread = threading.Thread(target=lambda: sent.append(far.send("x", 1).sequence))
    thread.start()
    inbox.wait_values([0, 1])
    proxy.heal()
    thread.join()
    assert sent == [2]
    far.send("x", 2)
    inbox.wait_values([0, 1, 2])


def test_an_answer_that_is_lost_until_the_deadline(server, opened, proxy):
    far, near, inbox = opened(proxy.address, timeout=1.5), opened(server.address), Inbox()
    near.add_queue("x", inbox)
    far.send("x", 0)
    proxy.swallow_answers()
    with pytest.raises(crosstie.UncertainError):
        far.send("x", 1, token=b"0123456789abcdef")
    inbox.wait_values([0, 1])
    proxy.heal()
    until(far, "connected")
    assert far.send("x", 1, token=b"0123456789abcdef").sequence == 2
    near.send("x", 2)
    inbox.wait_values([0, 1, 2])


def test_a_black_hole(server, opened, proxy):
    """Nothing resets the connection: the pings find out."""
    far, near, queue = opened(proxy.address, timeout=1), opened(server.address), Inbox()
    far.add_queue("x", queue)
    far.send("x", 0)
    queue.wait_values([0])
    proxy.black_hole()
    until(far, "reconnecting")
    near.send("x", 1)
    proxy.heal()
    until(far, "connected")
    queue.wait_values([0, 1])
    send_all(far, "x", [2], [])
    queue.wait_values([0, 1, 2])


def test_a_paused_server(server, opened):
    shop, inbox = opened(server.address, timeout=1), Inbox()
    shop.add_queue("x", inbox)
    shop.send("x", 0)
    server.pause()
    with pytest.raises(UNSURE + (crosstie.TimeoutError,)):
        shop.send("x", 1, token=(1).to_bytes(16, "big"))
    until(shop, "reconnecting")
    server.resume()
    until(shop, "connected")
    send_all(shop, "x", [1, 2], [])
    inbox.wait_values([0, 1, 2])


def test_a_slow_connection(server, opened, proxy):
    proxy.delay = 0.05
    far, inbox = opened(proxy.address), Inbox()
    far.add_queue("x", inbox)
    for number in range(20):
        far.send("x", number)
    inbox.wait_values(list(range(20)))
    assert far["x"] == 19


def test_many_cuts(server, opened, proxy):
    far, near, queue, durable = opened(proxy.address), opened(server.address), Inbox(), Inbox()
    far.add_queue("x", queue)
    near.add_queue("x", durable, durable="workers")
    stop = threading.Event()

    def cut() -> None:
        while not stop.wait(0.3):
            proxy.cut()

    thread = threading.Thread(target=cut)
    thread.start()
    try:
        send_all(far, "x", range(2000), [])
    finally:
        stop.set()
        thread.join()
    queue.wait_values(list(range(2000)))
    durable.wait_values(list(range(2000)))


def test_no_server_at_opening():
    with pytest.raises(crosstie.UnavailableError):
        crosstie.Wormhole(f"nats://127.0.0.1:{free_port()}/shop", timeout=0.5)


def test_a_server_that_comes_later(server, opened):
    server.kill()
    shop, inbox = opened(server.address, offline=True, timeout=1), Inbox()
    assert state_of(shop) == "reconnecting"
    with pytest.raises(crosstie.UnavailableError):
        shop.send("x", 1)
    server.start()
    until(shop, "connected")
    shop.add_queue("x", inbox)
    send_all(shop, "x", [2], [])
    inbox.wait_values([2])


def test_lost_files(server, opened):
    """The server has lost its messages: everything goes on, with higher numbers."""
    shop, till = opened(server.address), opened(server.address)
    state, queue, durable = Inbox(), Inbox(), Inbox()
    till.add_listener("x", state)
    till.add_queue("x", queue)
    till.add_queue("x", durable, durable="workers")
    for number in range(10):
        last = shop.send("x", number).sequence
    queue.wait_values(list(range(10)))
    durable.wait_values(list(range(10)))
    server.restart(keep_files=False)
    until(shop, "connected")
    until(till, "connected")
    for inbox in (queue, durable):
        missed = inbox.wait(lambda all: [each for each in all if each.kind == "missed"], "the loss")
        assert [each.missed for each in missed if each.kind == "missed"] == [0]
    assert shop.message("x") is None
    assert shop.send("x", 10).sequence > last
    for inbox in (queue, durable):
        inbox.wait_values(list(range(11)))
    state.wait(lambda all: all[-1].value == 10)
    numbers = [each.sequence for each in queue.messages]
    assert numbers == sorted(set(numbers))


def test_closing_while_the_server_is_away(server, opened):
    shop = opened(server.address)
    shop.add_queue("x", print)
    server.pause()
    shop.close()
    server.resume()


@pytest.mark.parametrize("away", ["kill", "pause", "not"])
def test_a_process_that_ends_with_a_live_connection(server, away):
    code = """
wormhole = crosstie.Wormhole(ARGUMENTS[0], timeout=30)
wormhole.add_queue("x", print)
wormhole.add_queue("x", print, durable="workers")
report("ready")
sys.stdin.read()
"""
    with Child(code, f"{server.address}/shop") as child:
        child.expect("ready")
        if away != "not":
            getattr(server, away)()
        assert child.finish() == 0


def test_a_forked_child_does_not_touch_the_connection(server):
    """Nor can it open a group: the threads of libnats are in its parent."""
    code = """
import warnings
warnings.simplefilter("ignore")
wormhole = crosstie.Wormhole(ARGUMENTS[0], timeout=30)
wormhole.add_queue("x", lambda message: report("received", message.value))
pid = os.fork()
if pid == 0:
    for call in (
        lambda: wormhole.send("x", 1),
        lambda: wormhole.message("x"),
        lambda: wormhole.members(),
        lambda: crosstie.Wormhole(ARGUMENTS[0], timeout=30),
    ):
        try:
            call()
            os._exit(1)
        except crosstie.ForkedError:
            pass
    wormhole.close()
    os._exit(0)
report("child", os.waitpid(pid, 0)[1])
wormhole.send("x", "of the parent")
until_told()
"""
    with Child(code, f"{server.address}/shop") as child:
        assert child.next() == ["child", 0]
        assert child.next() == ["received", "of the parent"]
        assert child.finish() == 0


def test_a_listener_that_removes_itself_and_closes(server, opened):
    shop, inbox = opened(server.address), Inbox()

    def once(message):
        inbox(message)
        listener.remove()

    listener = shop.add_queue("x", once)
    shop.send("x", 1)
    shop.send("x", 2)
    inbox.wait_values([1])
    assert not listener.active
    shop.close()
    assert inbox.values() == [1]


def test_the_work_of_a_paused_process_goes_to_others(server, opened):
    work = """
wormhole = crosstie.Wormhole(ARGUMENTS[0], timeout=30)
def hold(message):
    report("holds", message.value)
wormhole.add_queue("job", hold, durable="workers", manual=True)
report("ready")
until_told()
"""
    shop, inbox = opened(server.address), Inbox()
    with Child(work, f"{server.address}/shop") as child:
        child.expect("ready")
        shop.send("job", 7)
        child.expect("holds", 7)
        child.pause()
        shop.add_queue("job", inbox, durable="workers")
        inbox.wait_values([7])
        child.resume()


def test_slow_listeners_do_not_cost_memory(server, opened):
    """Credit bounds what is pulled: the rest waits on the server, and the connection stays."""
    code = """
import resource
wormhole = crosstie.Wormhole(ARGUMENTS[0], timeout=30)
gate = threading.Event()
seen = []
def slow(message):
    gate.wait()
    seen.append(message.value[0])
wormhole.add_queue("x", slow)
wormhole.add_queue("x", slow, durable="workers")
report("ready")
sys.stdin.readline()
report("memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, wormhole.connection.since)
gate.set()
while len(seen) < 2 * ARGUMENTS[1]:
    time.sleep(0.01)
report("done", seen.count(0), sorted(seen) == sorted(list(range(ARGUMENTS[1])) * 2), wormhole.connection.since)
until_told()
"""
    count = 3000
    shop = opened(server.address)
    with Child(code, f"{server.address}/shop", count) as child:
        child.expect("ready")
        for number in range(count):
            shop.send("x", [number, "x" * 50_000])
        child.process.stdin.write("\n")
        child.process.stdin.flush()
        _, kilobytes, since = child.expect("memory")
        assert kilobytes < 130_000, "150 MB wait on the server"
        assert child.expect("done")[1:] == [2, True, since]


def test_one_of_two_servers(tmp_path, make_server, opened):
    """The address names two hosts: the second one is used when the first is away."""
    second = make_server()
    address = f"nats://127.0.0.1:{free_port()},127.0.0.1:{second.port}"
    shop = opened(address)
    shop.send("x", 1)
    assert opened(second.address)["x"] == 1
    eventually(lambda: state_of(shop) == "connected")
