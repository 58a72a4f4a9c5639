"""Does jobs, beside others that do: worker.py <directory> <journal>

The workers share the durable consumer "workers": each job goes to one of them, and to another if that one dies.
Messages sent while none of them runs wait.
"""

import os
import signal
import sys
import time

import crosstie

directory, journal = sys.argv[1:]
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # waited for below


def note(line: str) -> None:
    with open(journal, "a") as file:
        file.write(line + "\n")


# [worker]
with crosstie.Wormhole("com.example.workers", directory=directory) as wormhole:

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
