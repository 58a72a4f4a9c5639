"""A function that the program registered with atexit may still use its bus; code that runs later is refused."""

import atexit
import sys

import crosstie

bus = crosstie.Bus("exit")
bus.routes.add("app://a", lambda: "answer")


class Late:
    """An object that is freed at the interpreter's end, when most modules have been cleared."""

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
