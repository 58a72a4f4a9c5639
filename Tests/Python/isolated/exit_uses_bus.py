"""What the program itself registered with atexit may still use its bus; what runs later is refused."""

import atexit
import sys

import crosstie

bus = crosstie.Bus("exit")
bus.add_route("app://a", lambda: "answer")


class Late:
    def __del__(self, bus: crosstie.Bus = bus, write=sys.stdout.write, error=crosstie.ClosedError) -> None:
        try:
            bus.open("app://a")
        except error:
            write("refused\n")


sys.late = Late()  # type: ignore[attr-defined]
atexit.register(lambda: print(bus.open_async("app://a").result().value))
