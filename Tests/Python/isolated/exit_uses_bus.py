"""What the program itself registered with atexit may still use its bus; what runs later is refused."""

import atexit
import sys

import crosstie

bus = crosstie.Bus("exit")
bus.routes.add("app://a", lambda: "answer")


class Late:
    """Its end comes with the interpreter's, when most modules are gone."""

    def __init__(self) -> None:
        self.parts = (bus, sys.stdout.write, crosstie.ClosedError)

    def __del__(self) -> None:
        bus, write, error = self.parts
        try:
            bus.open("app://a")
        except error:
            write("refused\n")


sys.late = Late()  # type: ignore[attr-defined]
atexit.register(lambda: print(bus.open_async("app://a").result().value))
