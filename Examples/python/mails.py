"""A work queue with a limit, a job that always fails, and what becomes of it: a dead letter, which is put back."""

import sys
import threading

import crosstie

addresses = {"Ada", "Grace"}
done = threading.Semaphore(0)
sys.unraisablehook = lambda _: None  # what a listener raises goes there

with crosstie.Wormhole("com.example.mails") as wormhole:
    # [declare]
    wormhole.declare("mails", "postman", max_deliveries=3, backoff=(0.01,), max_messages=1000, when_full="refuse")
    for person in ("Ada", "Alan", "Grace"):
        wormhole.send("mails", person)  # crosstie.FullError, if 1,000 of them wait
    # [end]

    # [work]
    @wormhole.queue("mails", durable="postman")
    def deliver(message: crosstie.Message) -> None:
        if message.kind != "value":
            return  # a signal, a destroying, or a count of missed messages
        if message.value not in addresses:
            raise LookupError(f"{message.value} has no address")  # rejects the message
        print("delivered to", message.value)  # returning acknowledges it
        done.release()

    # [end]

    @wormhole.queue("mails.dead")
    def report(message: crosstie.Message) -> None:
        print("dead:", message.headers["dead_reason"])
        done.release()

    for _ in range(3):
        done.acquire()

    # [dead]
    for letter in wormhole.dead_letters("mails", "postman"):
        print(letter.identifier, letter.sequence, letter.deliveries, letter.reason)

    addresses.add("Alan")
    wormhole.retry("mails", "postman")  # all of them, or one by its sequence number
    # [end]
    done.acquire()
