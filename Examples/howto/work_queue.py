"""A queue of jobs whose failures are tried again, and then kept aside with their reason."""

import sys
import tempfile
import threading

import crosstie

failures: list[object] = []
sys.unraisablehook = lambda failure: failures.append(failure.exc_value)  # by default, standard error has each
printer_works = False


def declare(wormhole: crosstie.Wormhole) -> None:
    # Each process may do this at its start. Three deliveries, a hundredth of a second between them at first.
    wormhole.declare("jobs.*", "workers", max_deliveries=3, backoff=(0.01,), max_messages=10_000, when_full="refuse")


def work(message: crosstie.Message) -> None:
    job = message.value  # returning acknowledges the message, raising rejects it
    if job["kind"] == "print" and not printer_works:
        raise RuntimeError("the printer is out of paper")
    print("done:", job["kind"], job["text"], f"(delivery {message.delivery_count})")
    done.release()


with tempfile.TemporaryDirectory() as folder, crosstie.Wormhole("com.example.jobs", directory=folder) as wormhole:
    done = threading.Semaphore(0)
    dead = threading.Semaphore(0)
    declare(wormhole)
    wormhole.add_listener("jobs.printing.dead", lambda message: dead.release(), initial_delivery=False)
    wormhole.send("jobs.printing", {"kind": "print", "text": "the bill"})
    wormhole.send("jobs.mail", {"kind": "mail", "text": "to Ada"})

    # Usually in other processes, each with its own wormhole.
    with wormhole.add_queue("jobs.*", work, durable="workers", max_unacknowledged=1):
        done.acquire()  # the mail does not wait for the bill
        dead.acquire()  # the third delivery has failed

        for letter in wormhole.dead_letters("jobs.*", "workers"):
            print("dead:", letter.identifier, letter.deliveries, letter.reason)
        printer_works = True
        again = wormhole.retry("jobs.*", "workers")
        done.acquire()
        print("again:", again)
        print("dead letters left:", len(wormhole.dead_letters("jobs.*", "workers")))
