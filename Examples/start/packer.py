"""Packs two orders that another process has sent: packer.py <directory>"""

import sys
import threading

import crosstie

[directory] = sys.argv[1:]
packed = threading.Semaphore(0)

# [receive]
with crosstie.Wormhole("com.example.shop", directory=directory) as wormhole:

    @wormhole.queue("orders", durable="packers")
    def pack(message: crosstie.Message) -> None:
        print("packed order", message.value["order"])
        packed.release()

    packed.acquire()
    packed.acquire()
# [end]
