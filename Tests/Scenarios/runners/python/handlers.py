"""What a handler of a scenario does: a list of actions, each with the status it expects."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any

import crosstie
from data import Step, Unexpected, status_of, text, value

if TYPE_CHECKING:
    from player import Player


class Handler:
    """The handler of one route."""

    def __init__(self, player: Player, bus: crosstie.Bus, step: Step) -> None:
        actions = step.get("handler", {"do": "reply", "value": text(step["pattern"])})
        self.player = player
        self.bus = bus
        self.actions: list[Step] = actions if isinstance(actions, list) else [actions]

    def __call__(self, request: crosstie.Request) -> None:
        for action in self.actions:
            self.act(request, action)

    def act(self, request: crosstie.Request, action: Step) -> None:
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
        try:
            request.reply(request.params[action["name"]])
        except crosstie.ParamError as error:
            request.reply({"error": status_of(error)})
        except KeyError:
            request.reply({"error": "NOT_FOUND"})

    def do_open(self, request: crosstie.Request, action: Step) -> None:
        bus = self.player.find(crosstie.Bus, action["bus"]) if "bus" in action else self.bus
        origin, info = action.get("origin", "local"), value(action.get("user_info"))
        try:
            answer = bus.open(text(action["url"]), origin=origin, user_info=info).value
        except crosstie.Error as error:
            answer = {"error": status_of(error)}
        request.reply(answer)

    def do_fail(self, request: crosstie.Request, action: Step) -> None:
        request.fail(action.get("message", ""), code=action["code"], value=value(action.get("value")))

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


def part_of(request: crosstie.Request, part: str) -> Any:
    match part:
        case "params":  # the path's alone
            names = re.findall(r"[:*]([A-Za-z_]\w*)", request.pattern, re.ASCII)
            return {name: request.params.all(name)[0] for name in names}
        case "pairs":
            return [list(pair) for pair in request.query]
        case "query":
            _, mark, rest = request.url.partition("?")
            return rest.partition("#")[0] if mark else None
        case "fragment":
            return request.fragment if "#" in request.url else None
    return getattr(request, part)
