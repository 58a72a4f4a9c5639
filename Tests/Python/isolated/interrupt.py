"""Ctrl-C ends a wait for a call."""

import os
import signal
import threading
import time

import crosstie

bus = crosstie.Bus("interrupt")
kept: list[crosstie.Request] = []
bus.add_route("app://never", lambda request: kept.append(request.defer()))
call = bus.open_async("app://never")


def interrupt() -> None:
    time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)


threading.Thread(target=interrupt).start()
try:
    call.wait()
except KeyboardInterrupt:
    print("interrupted")
