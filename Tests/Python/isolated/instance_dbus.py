"""An application that the session bus starts: it prints its process, and each URL that it opens."""

import os
import sys
import time

import crosstie

bus = crosstie.Bus("service")
print(os.getpid(), flush=True)


@bus.route("app://items/:number", public=True)
def item(number: str) -> None:
    print(f"opens {number}", flush=True)


instance = bus.claim_instance("com.example.app", directory=sys.argv[1])
instance.hand()
if instance.is_first:
    instance.ready()
    while True:
        time.sleep(60)
