"""The home component of CBus's document."""

import threading
from typing import Any

import crosstie


# [port]
@crosstie.component("home")
class Home:
    @crosstie.action("testAction")
    def test_action(self, **params: object) -> dict[str, str]:
        return {"status": "success", "message": "from testAction"}

    @crosstie.action("asyncAction")
    def async_action(self, request: crosstie.Request) -> object:
        threading.Thread(target=request.defer().reply, args=[{"status": "success"}]).start()
        return request


def show(result: dict[str, Any]) -> None:
    print(f"{result['status']}: {result.get('message', 'no message')}")


def show_later(call: crosstie.Call[dict[str, str]]) -> None:
    show(call.result())
    done.set()


bus = crosstie.Bus(static=True)
show(bus.call("home", "testAction", name="cbus"))
done = threading.Event()
bus.call_async("home", "asyncAction").add_done_callback(show_later)
done.wait()
# [end]
