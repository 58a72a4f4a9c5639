"""The Python host of the demo: routes on a bus of its own, and a wormhole to the other host.

It obeys one command a line (see demo.py) and answers each with one line.
"""

import sys

import crosstie

bus = crosstie.Bus("python host")
wormhole = crosstie.Wormhole("demo", name="the Python host")


@bus.route("app://orders/:id", public=True)
def show_order(id: int):
    return {"order": id, "items": ["rails", "sleepers"]}


@bus.route("app://orders/:id/refund")
def refund(id: int):
    return f"order {id} refunded"


def say(text):
    print(text, flush=True)


def say_message(message):
    if message.kind == "none":
        say("nothing yet")
    else:
        say(f"from {message.sender_name}: {crosstie.to_json(message.value)}")


def open_url(url, origin):
    say(crosstie.to_json(bus.open(url, origin=origin).value))


def send_json(identifier, text):
    wormhole.send(identifier, crosstie.from_json(text))
    say("acknowledged")


def listen_to(identifier):
    wormhole.add_listener(identifier, say_message)


def read_message(identifier):
    say_message(wormhole.message(identifier))


COMMANDS = {"open": open_url, "send": send_json, "listen": listen_to, "read": read_message}

say("app://orders/:id (public), app://orders/:id/refund (private)")
for line in sys.stdin:
    verb, *arguments = line.rstrip("\n").split(" ", 2)
    try:
        COMMANDS[verb](*arguments)
    except crosstie.Error as error:
        say(f"CTIE_E_{error.status.name}: {error}")
wormhole.close()
bus.close()
