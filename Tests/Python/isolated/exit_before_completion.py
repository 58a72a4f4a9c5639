"""Ends while the completion of a request that has ended waits for a listener: with "stuck" one that never returns."""

import sys
import threading

import crosstie

bus = crosstie.Bus("late")
kept, received, may_go_on = threading.Event(), threading.Event(), threading.Event()
requests: list[crosstie.Request] = []


@bus.route("app://go")
def go(request: crosstie.Request) -> None:
    requests.append(request.defer())
    kept.set()


def receive(_: object) -> None:
    received.set()
    may_go_on.wait()


def complete(response: crosstie.Response) -> None:
    print(f"completed with {response.value}", flush=True)


view = bus.with_options(progress=receive)
call = view.open_async("app://go", completion=complete)
kept.wait()
threading.Thread(target=requests[0].progress, args=(1,), daemon=True).start()
received.wait()
threading.Thread(target=requests[0].reply, args=(2,), daemon=True).start()
call.wait()
if "stuck" not in sys.argv:
    threading.Timer(0.05, may_go_on.set).start()  # by then a program that does not wait has ended
    if "close" in sys.argv:
        bus.close()
        print("closed", flush=True)
