"""The Python host of the demo: routes on a bus of its own, and a wormhole to the other host.

It obeys one command a line (see demo.py) and answers each with one line.
"""

import json
import sys

import crosstie

bus = crosstie.Bus("python host")
wormhole = crosstie.Wormhole("demo", name="the Python host")


@bus.route("app://orders/:id", public=True)
def show_order(request, id: int):
    return {"order": id, "items": ["rails", "sleepers"]}


@bus.route("app://orders/:id/refund")
def refund(request, id: int):
    return f"order {id} refunded"


def as_json(value):
    return json.dumps(value, separators=(",", ":"))


def say(text):
    print(text, flush=True)


def say_message(message):
    if message.kind == "none":
        say("nothing yet")
    else:
        say(f"from {message.sender_name}: {as_json(message.value)}")


def open_url(url, origin):
    say(as_json(bus.open(url, origin=origin).value))


def pass_json(identifier, text):
    wormhole.send(identifier, json.loads(text))
    say("acknowledged")


def listen_to(identifier):
    wormhole.listen(identifier)(say_message)


def read_message(identifier):
    say_message(wormhole.message(identifier))


COMMANDS = {"open": open_url, "pass": pass_json, "listen": listen_to, "read": read_message}

say("ready")
for line in sys.stdin:
    verb, *arguments = line.rstrip("\n").split(" ", 2)
    try:
        COMMANDS[verb](*arguments)
    except crosstie.Error as error:
        say(f"{error.status.name}: {error}")
wormhole.close()
bus.close()
