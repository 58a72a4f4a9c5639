"""An event stream: all events in their order, also for consumers that start later."""

import threading

import crosstie

received = threading.Semaphore(0)

# [follow]
with crosstie.Wormhole("com.example.orders", retain=7 * 24 * 3600) as wormhole:
    wormhole.send("orders.new", {"order": 1})
    paid = wormhole.send("orders.paid", {"order": 1})
    wormhole.send("orders.sent", {"order": 1})

    @wormhole.queue("orders.*", from_oldest=True)
    def follow(message: crosstie.Message) -> None:
        if message.kind == "missed":
            print("too slow for", message.missed, "messages")
        else:
            print(message.identifier, message.value)
        received.release()

    # [end]
    for _ in range(3):
        received.acquire()
    wormhole.listeners.remove(follow)

    # [again]
    @wormhole.queue("orders.*", from_sequence=paid.sequence)
    def again(message: crosstie.Message) -> None:
        print("again:", message.identifier)
        received.release()

    # [end]
    for _ in range(2):
        received.acquire()
