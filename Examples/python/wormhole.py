"""A message that outlives its sender: sent, read by a later process, delivered to a listener.

In real life the two wormholes below are opened by two processes.
"""

import threading

import crosstie

received = threading.Semaphore(0)

# [listen]
with crosstie.Wormhole("com.example.first") as sender:
    sender["unread"] = {"count": 3}

    with crosstie.Wormhole("com.example.first") as badge:

        @badge.listen("unread")
        def show(message: crosstie.Message) -> None:
            print("badge:", message.value)
            received.release()

        received.acquire()  # the message was waiting
        sender["unread"] = {"count": 4}
        received.acquire()  # and the next one comes by itself
        print("stored:", badge["unread"])

    del sender["unread"]
# [end]
