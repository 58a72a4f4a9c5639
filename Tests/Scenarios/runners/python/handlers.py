"""What a handler of a scenario does: a list of actions, each with the status it expects."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import crosstie
from data import Step, Unexpected, status_of, text, value

if TYPE_CHECKING:
    from things import Things


class Handler:
    """What is done for one route or rule, by one interceptor, ..."""

    def __init__(self, player: Things, bus: crosstie.Bus, step: Step, otherwise: str = "") -> None:
        actions = step.get("handler", {"do": "reply", "value": otherwise})
        self.player = player
        self.bus = bus
        self.actions: list[Step] = actions if isinstance(actions, list) else [actions]

    def __call__(self, request: crosstie.Request) -> None:
        for action in self.actions:
            self.act(request, action)

    def act(self, request: crosstie.Request, action: Step) -> None:
        if not concerns(request, action):
            return
        status = "OK"
        try:
            getattr(self, "do_" + action["do"])(request, action)
        except crosstie.Error as error:
            status = status_of(error)
        if status != action.get("status", "OK"):
            self.player.fail(Unexpected(f"in the handler: {status} of {action}"))

    def do_reply(self, request: crosstie.Request, action: Step) -> None:
        request.reply(value(action.get("value")))

    def do_echo(self, request: crosstie.Request, action: Step) -> None:
        parts = {part: part_of(request, part) for part in action["parts"]}
        request.reply(parts if len(parts) > 1 else parts[action["parts"][0]])

    def do_param(self, request: crosstie.Request, action: Step) -> None:
        request.reply(answer(lambda: request.param(action["name"])))

    def do_all(self, request: crosstie.Request, action: Step) -> None:
        request.reply(request.query_all(action["name"]))

    def do_open(self, request: crosstie.Request, action: Step) -> None:
        bus = self.player.find(crosstie.Bus, action["bus"]) if "bus" in action else self.bus
        origin, info = action.get("origin", "local"), value(action.get("user_info"))
        request.reply(answer(lambda: bus.open(text(action["url"]), origin=origin, user_info=info).value))

    def do_fail(self, request: crosstie.Request, action: Step) -> None:
        request.fail(action.get("message", ""), code=action["code"], value=value(action.get("value")))

    def do_deny(self, request: crosstie.Request, action: Step) -> None:
        request.deny(action.get("message", ""))

    def do_proceed(self, request: crosstie.Request, action: Step) -> None:
        request.proceed()

    def do_rewrite(self, request: crosstie.Request, action: Step) -> None:
        request.rewrite(text(action["url"]))

    def do_note(self, request: crosstie.Request, action: Step) -> None:
        note = part_of(request, action["part"]) if "part" in action else action["text"]
        with self.player.changed:
            self.player.notes.append(note)

    def do_rules(self, request: crosstie.Request, action: Step) -> None:
        from rules import load_rules

        load_rules(self.bus, action)

    def do_decline(self, request: crosstie.Request, action: Step) -> None:
        request.decline()

    def do_nothing(self, request: crosstie.Request, action: Step) -> None:
        pass

    def do_keep(self, request: crosstie.Request, action: Step) -> None:
        self.player.add(action["as"], request.defer())

    def do_drop(self, request: crosstie.Request, action: Step) -> None:
        request.defer()

    def do_later(self, request: crosstie.Request, action: Step) -> None:
        thread = threading.Thread(target=self.act, args=(request.defer(), action["then"]))
        self.player.threads.append(thread)
        thread.start()

    def do_remove(self, request: crosstie.Request, action: Step) -> None:
        self.player.find(crosstie.Registration, action["registration"]).remove()


def interceptors_of(player: Things, bus: crosstie.Bus, step: Step) -> list[Handler]:
    return [Handler(player, bus, {"handler": actions}) for actions in step.get("interceptors", [])]


def concerns(request: crosstie.Request, action: Step) -> bool:
    if "when" in action:
        return request.url == text(action["when"])
    return "unless" not in action or request.url != text(action["unless"])


def answer(ask: Callable[[], Any]) -> Any:
    """What came of it, or the status of what it failed for."""
    try:
        return ask()
    except crosstie.Error as error:
        return {"error": status_of(error)}


def part_of(request: crosstie.Request, part: str) -> Any:
    match part:
        case "params":  # the path's alone, as text
            names = re.findall(r"[:*]([A-Za-z_]\w*)", request.pattern, re.ASCII)
            return {name: request.param(name) for name in names}
        case "pairs":
            return [list(pair) for pair in request.query]
        case "converted":
            values = {name: request.params.all(name) for name in request.params}
            return {name: found[0] if len(found) == 1 else found for name, found in values.items()}
        case "query":
            return request.query_string if "?" in request.url.partition("#")[0] else None
        case "fragment":
            return request.fragment if "#" in request.url else None
    return getattr(request, part)
