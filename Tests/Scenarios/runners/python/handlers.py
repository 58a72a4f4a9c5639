"""The actions of a scenario's handler: a list, each with the status it expects."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import crosstie
from data import Step, Unexpected, status_of, text, value

if TYPE_CHECKING:
    from requests import RequestSteps


class Handler:
    """The handler of one route or rule, of one interceptor, ..."""

    def __init__(self, player: RequestSteps, bus: crosstie.Bus, step: Step, otherwise: str = "") -> None:
        actions = step.get("handler", {"do": "reply", "value": otherwise})
        self.player = player
        self.bus = bus
        self.actions: list[Step] = actions if isinstance(actions, list) else [actions]

    def __call__(self, request: crosstie.Request) -> None:
        self.act_each(request, self.actions)

    def act_each(self, request: crosstie.Request, actions: Step | list[Step]) -> None:
        for action in actions if isinstance(actions, list) else [actions]:
            self.act(request, action)

    def act(self, request: crosstie.Request, action: Step) -> None:
        if not concerns(request, action):
            return
        status = "OK"
        try:
            getattr(self, "do_" + action["do"])(request, action)
        except crosstie.Error as error:
            status = status_of(error)
        except TypeError:  # what is of a wrong type in Python need not be an error of Crosstie's own
            status = "TYPE"
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
        request.reply(answer(lambda: self.player.nested(self.bus_of(action), action), action))

    do_call = do_perform = do_share = do_oauth = do_launch = do_open

    def do_broadcast(self, request: crosstie.Request, action: Step) -> None:
        bus, params = self.bus_of(action), value(action.get("params"))
        request.reply(answer(lambda: bus.broadcast(text(action["event"]), params).count))

    def do_wait(self, request: crosstie.Request, action: Step) -> None:
        request.reply(answer(lambda: self.player.awaited(action["call"])))

    def bus_of(self, action: Step) -> crosstie.Bus:
        return self.player.find(crosstie.Bus, action["bus"]) if "bus" in action else self.bus

    def do_fail(self, request: crosstie.Request, action: Step) -> None:
        code = action.get("code", -1)
        request.fail(action.get("message", ""), code=code, value=value(action.get("value")))

    def do_deny(self, request: crosstie.Request, action: Step) -> None:
        request.deny(action.get("message", ""))

    def do_refuse(self, request: crosstie.Request, action: Step) -> None:
        name = request.param(action["param"]) if "param" in action else action["with"]
        request.refuse(crosstie.Status[name], action.get("message", ""))

    def do_progress(self, request: crosstie.Request, action: Step) -> None:
        request.progress(value(action.get("value")))

    def do_set_params(self, request: crosstie.Request, action: Step) -> None:
        request.set_params(value(action.get("value")))

    def do_set_user_info(self, request: crosstie.Request, action: Step) -> None:
        request.set_user_info(value(action.get("value")))

    def do_on_return(self, request: crosstie.Request, action: Step) -> None:
        request.on_return(lambda response: self.change(response, action["then"]))

    def do_on_cancel(self, request: crosstie.Request, action: Step) -> None:
        request.on_cancel(lambda: self.player.note(action["text"]))

    def change(self, response: crosstie.Response, action: Step) -> None:
        """The actions on a response on its way back."""
        match action["do"]:
            case "replace":
                response.replace(value(action.get("value")))
            case "fail":
                code = action.get("code", -1)
                response.fail(action.get("message", ""), code=code, value=value(action.get("value")))
            case "note":
                part = action.get("part")
                self.player.note(response_part(response, part) if part else action["text"])

    def do_block(self, request: crosstie.Request, action: Step) -> None:
        self.player.wait_there(action.get("gate", "gate"))

    def do_outlast(self, request: crosstie.Request, action: Step) -> None:
        while request.time_left != 0:
            time.sleep(0.001)

    def do_proceed(self, request: crosstie.Request, action: Step) -> None:
        request.proceed()

    def do_rewrite(self, request: crosstie.Request, action: Step) -> None:
        request.rewrite(text(action["url"]))

    def do_note(self, request: crosstie.Request, action: Step) -> None:
        self.player.note(part_of(request, action["part"]) if "part" in action else action["text"])

    def do_rules(self, request: crosstie.Request, action: Step) -> None:
        from rules import load_rules

        load_rules(self.bus, action)

    def do_unload_rules(self, request: crosstie.Request, action: Step) -> None:
        self.bus.rules.unload()

    def do_decline(self, request: crosstie.Request, action: Step) -> None:
        request.decline()

    def do_nothing(self, request: crosstie.Request, action: Step) -> None:
        if request.kind in ("call", "perform", "share", "oauth", "launch"):
            request.defer()  # or None, which the handler returns, would be the answer

    def do_keep(self, request: crosstie.Request, action: Step) -> None:
        self.player.add(action["as"], request.defer())

    def do_drop(self, request: crosstie.Request, action: Step) -> None:
        request.defer()

    def do_later(self, request: crosstie.Request, action: Step) -> None:
        thread = threading.Thread(target=self.act_each, args=(request.defer(), action["then"]))
        self.player.threads.append(thread)
        thread.start()

    def do_remove(self, request: crosstie.Request, action: Step) -> None:
        if "component" in action:
            self.bus_of(action).components.remove(action["component"])
        elif "provider" in action:
            self.bus_of(action).providers.remove(action["provider"])
        else:
            self.player.find(crosstie.Registration, action["registration"]).remove()


def interceptors_of(player: RequestSteps, bus: crosstie.Bus, step: Step) -> list[Handler]:
    return [Handler(player, bus, {"handler": actions}) for actions in step.get("interceptors", [])]


def concerns(request: crosstie.Request, action: Step) -> bool:
    if "when" in action:
        return request.url == text(action["when"])
    return "unless" not in action or request.url != text(action["unless"])


def answer(ask: Callable[[], Any], action: Step | None = None) -> Any:
    """The result, or the status of the failure; with its message if the action wants that."""
    try:
        return ask()
    except crosstie.Error as error:
        explanation = {"message": error.message} if action and action.get("explained") else {}
        return {"error": status_of(error), **explanation}


URL_PARTS = {"url", "scheme", "host", "path", "query", "fragment", "pattern", "unmatched"}


def part_of(request: crosstie.Request, part: str) -> Any:
    """A part of a request; None for what it does not have."""
    has_url = request.kind == "open"
    match part:
        case "arguments":
            return request.arguments
        case "timed":
            return request.time_left is not None
        case "minutes":
            return None if request.time_left is None else math.ceil(request.time_left / 60)
        case "peer":
            return request.peer and request.peer["name"]
        case "leaving":
            return request.is_leaving
        case "ended" | "cancelled":
            return request.is_ended if part == "ended" else request.is_cancelled
        case "cached" | "releasing":
            return bool(request._flags & (2 if part == "cached" else 4))
        case "target" | "action":
            return (getattr(request, part) or None) if has_url else getattr(request, part)
        case "rule":
            return request.rule
        case "user_info":  # an empty dict where others have nothing
            return request.user_info or None
        case "params" | "pairs" | "converted":
            return parameters(request, part)
    if part in URL_PARTS:
        return url_part(request, part) if has_url else None
    return getattr(request, part)


def url_part(request: crosstie.Request, part: str) -> Any:
    match part:
        case "query":
            return request.query_string if "?" in request.url.partition("#")[0] else None
        case "fragment":
            return request.fragment if "#" in request.url else None
    return getattr(request, part)


def parameters(request: crosstie.Request, part: str) -> Any:
    has_url = request.kind == "open"
    match part:
        case "params":  # the path's alone, as text
            names = re.findall(r"(?<=/)[:*]([A-Za-z_]\w*)", request.pattern, re.ASCII) if has_url else []
            return {name: request.param(name) for name in names}
        case "pairs":
            return [list(pair) for pair in request.query] if has_url else []
    if not has_url:
        return request.arguments
    values = {name: request.params.all(name) for name in request.params}
    return {name: found[0] if len(found) == 1 else found for name, found in values.items()}


def response_part(response: crosstie.Response, part: str) -> Any:
    return response.status.name if part == "status" else getattr(response, part)
