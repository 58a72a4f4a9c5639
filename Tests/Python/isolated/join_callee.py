"""Exports a component to the group in a directory until its standard input ends."""

import os
import sys

import crosstie

bus = crosstie.Bus("callee")


def say(line: str) -> None:
    """In one write: handlers and notices print on several threads."""
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


held: list[crosstie.Request] = []


@bus.component("stock")
class Stock:
    @crosstie.action
    def count(self, name: str, request: crosstie.Request) -> dict[str, object]:
        return {"name": name, "origin": request.origin, "peer": (request.peer or {}).get("name")}

    @crosstie.action
    def fail(self) -> None:
        raise ValueError("no wheels left")

    @crosstie.action
    def hang(self, request: crosstie.Request) -> None:
        request.on_cancel(lambda: say("cancelled"))
        held.append(request.defer())
        say("hangs")

    @crosstie.action
    def steps(self, request: crosstie.Request) -> str:
        for number in range(5):
            request.progress(number)
        return "done"

    @crosstie.action
    def read(self, files: list[crosstie.Descriptor]) -> list[bytes]:
        return [os.read(file.fileno(), 100) for file in files]

    @crosstie.action
    def give(self, text: str) -> crosstie.Descriptor:
        reading, writing = os.pipe()
        with os.fdopen(reading) as file, os.fdopen(writing, "w") as other:
            other.write(text)
            return crosstie.Descriptor(file)

    @crosstie.action
    def die(self) -> None:
        os._exit(9)


wormhole = crosstie.Wormhole("test", directory=sys.argv[1])
with bus.join(wormhole, name="callee", exports=["stock"], trusted="trusted" in sys.argv):
    say("ready")
    sys.stdin.read()
