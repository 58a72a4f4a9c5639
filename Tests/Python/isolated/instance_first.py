"""Claims an application below a directory, and prints each URL that it opens. At the end of its input it ends.

With "late" it is ready only when a line has come; with "never" it is not. Handlers print on several threads, so that each
line is one write.
"""

import os
import sys

import crosstie

directory, mode = sys.argv[1], sys.argv[2]
bus = crosstie.Bus("first")


def say(line: str) -> None:
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


@bus.route("app://items/:number", public=True)
def item(number: str, request: crosstie.Request) -> dict[str, object]:
    say(f"opens {number}")
    activation = request.user_info["activation"]
    return {"number": number, "origin": request.origin, "arguments": activation.get("arguments")}


@bus.route("app://fail", public=True)
def fail() -> None:
    raise ValueError("no such item")


@bus.route("app://die", public=True)
def die() -> None:
    os._exit(9)


@bus.component("window")
class Window:
    @crosstie.event("activate")
    def activate(self, request: crosstie.Request) -> None:
        say(f"activated with {sorted(request.user_info['activation'])}")


instance = bus.claim_instance("com.example.app", directory=directory)
say("first" if instance.is_first else "second")
if mode == "late":
    sys.stdin.readline()
if mode != "never":
    instance.ready()
    say("ready")
sys.stdin.read()
