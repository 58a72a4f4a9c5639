"""Does jobs of a server, beside workers on other machines: worker.py <address> <journal>

The workers share the durable consumer "workers": each job goes to one of them, and to another if that one dies.
"""

import os
import signal
import sys
import time

import crosstie

address, journal = sys.argv[1:]
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # waited for below


def note(line: str) -> None:
    with open(journal, "a") as file:
        file.write(line + "\n")


# [worker]
with crosstie.Wormhole(address) as wormhole:

    @wormhole.queue("jobs", durable="workers", max_unacknowledged=1)
    def work(message: crosstie.Message) -> None:
        number = message.value["number"]
        if number == 13 and message.delivery_count == 1:  # some jobs are hard
            note(f"stuck {os.getpid()}")
            time.sleep(3600)
        note(f"done {number} delivery {message.delivery_count}")

    note(f"ready {os.getpid()}")
    signal.sigwait({signal.SIGTERM})
# [end]
