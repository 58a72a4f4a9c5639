"""The Python part of a host: its routes on the shared bus, and a check that the other parts' are there."""

import crosstie
import crosstie._crosstie

bus = crosstie.Bus.shared("host")


@bus.route("app://python/greet/:name")
def greet(name):
    return f"python greets {name}"


@bus.route("app://python/relay/:language/:name")
def relay(language, name):
    return bus.open(f"app://{language}/greet/{name}").value


@bus.route("app://python/extension")
def extension():
    return crosstie._crosstie.__file__


def check(*languages):
    patterns = {route.pattern for route in bus.routes}
    for language in languages:
        assert f"app://{language}/greet/:name" in patterns, f"{language}: no route among {patterns}"
        answer = bus.open(f"app://{language}/greet/Ada").value
        assert answer == f"{language} greets Ada", f"{language}: {answer!r}"
    print("python opens", *languages)
