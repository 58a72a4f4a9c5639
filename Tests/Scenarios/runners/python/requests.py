"""Steps that make requests, at whichever kind."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import crosstie
from data import Step, Unexpected, expect, expect_named, text, value
from handlers import Handler, interceptors_of
from things import WATCHDOG, Things

PRIORITIES = {-1: "low", 0: "normal", 1: "high"}


def ask(bus: crosstie.Bus, step: Step, options: dict[str, Any], **more: Any) -> Any:
    """Makes the request of a step: its value, or its response for a URL; asynchronously its call."""
    view = bus.with_options(**options)
    match step["do"].split("_"):
        case ["open", *later]:
            make = view.open_async if later else view.open
            return make(text(step["url"]), mode=step.get("mode"), **more)
        case ["call", *later]:
            make = view.call_async if later else view.call
            return make(text(step["component"]), text(step["action"]), value(step.get("params")))
        case ["broadcast", *_]:
            return view.broadcast_async(text(step["event"]), value(step.get("params")))
        case [("share" | "oauth" | "launch"), *_]:
            return hand_off(view, step)
        case [_, *later]:
            make = view.perform_async if later else view.perform
            params = value(step.get("params"))
            return make(text(step["target"]), text(step["selector"]), params, cache=step.get("cached", False))


def hand_off(view: Any, step: Step) -> Any:
    """Makes the request of a step that providers serve. A step without a message shares a text."""
    make = getattr(view, step["do"])
    match step["do"].split("_")[0]:
        case "share":
            hello = {"identifier": str(crosstie.ShareKind.TEXT), "text": "hello"}
            return make(text(step["endpoint"]), value(step.get("content", hello)))
        case kind:
            return make(text(step["platform"]), value(step.get("params" if kind == "oauth" else "program")))


class Pending:
    """An asynchronous request, how often it was completed, and the progress that it reported."""

    def __init__(self) -> None:
        self.completions = 0
        self.completed = threading.Event()
        self.reported: list[Any] = []

    def start(self, bus: crosstie.Bus, step: Step, options: dict[str, Any]) -> None:
        if "progress" in step:
            options["progress"] = self.reported.append
        if step["do"] == "open_async":
            self.call = ask(bus, step, options, completion=self.complete)
        else:
            self.call = ask(bus, step, options)
            self.call.add_done_callback(self.complete)

    def complete(self, _: object) -> None:
        self.completions += 1
        self.completed.set()

    def result(self) -> Any:
        """The result, as a synchronous request would have returned or raised it."""
        if not self.call.wait(WATCHDOG) or not self.completed.wait(WATCHDOG):
            raise Unexpected("the request did not end")
        expect("completions", self.completions, 1)
        result = self.call.result()
        return plain(result) if isinstance(result, crosstie.Broadcast) else result


def plain(result: crosstie.Broadcast) -> dict[str, Any]:
    """The result of an event in the form of the other languages."""
    failures = [{**failure._asdict(), "status": int(failure.status)} for failure in result.failures]
    for failure in failures:
        if not failure["peer"]:
            del failure["peer"]
    return {"count": result.count, "any": result.any, "failures": failures}


def expect_reported(step: Step, reported: list[Any]) -> None:
    if "progress" in step:
        expect("progress", reported, value(step["progress"]))


class RequestSteps(Things):
    def request_options(self, bus: crosstie.Bus, step: Step) -> dict[str, Any]:
        """The options of requests of every kind."""
        options: dict[str, Any] = {
            "origin": step.get("origin", "local"),
            "user_info": value(step.get("user_info")),
            "interceptors": interceptors_of(self, bus, step),
            "dispatcher": step.get("dispatcher", ""),
            "priority": PRIORITIES[step.get("priority", 0)],
            "peer": step.get("peer"),
            "reach": step.get("reach", "any"),
        }
        milliseconds = step.get("timeout_ms", WATCHDOG * 1000)
        if milliseconds != 0:
            options["timeout"] = None if milliseconds < 0 else milliseconds / 1000
        return options

    def nested(self, bus: crosstie.Bus, action: Step) -> Any:
        """The value of a request that a handler makes."""
        result = ask(bus, action, self.request_options(bus, action))
        return result.value if isinstance(result, crosstie.Response) else result

    def awaited(self, name: str) -> Any:
        """The result of a call, for a handler that waits for it."""
        return self.find(Pending, name).call.result(WATCHDOG)

    def step_open(self, step: Step) -> str:
        bus, reported = self.bus(step), []
        options = self.request_options(bus, step)
        if "progress" in step:
            options["progress"] = reported.append
        return self.expect_outcome(step, lambda: ask(bus, step, options), reported)

    step_call = step_perform = step_share = step_oauth = step_launch = step_open

    def expect_outcome(self, step: Step, request: Callable[[], Any], reported: list[Any]) -> str:
        """The response, or the value of a request that succeeded; or the error."""
        try:
            result = request()
        except crosstie.Error as error:
            expect_named(step, code=error.code, message=error.message)
            expect("value", error.value, value(step.get("value")))
            expect_reported(step, reported)
            raise
        except TypeError:  # what is of a wrong type in Python need not be an error of Crosstie's own
            return "TYPE"
        if isinstance(result, crosstie.Response):
            expect_named(step, code=result.code, message=result.message)
            result = result.value
        else:
            expect_named(step, code=1, message="")
        expect("value", result, value(step.get("value")))
        expect_reported(step, reported)
        return "OK"

    def step_open_async(self, step: Step) -> str | None:
        pending, bus = Pending(), self.bus(step)
        options = self.request_options(bus, step)
        if step.get("refused"):
            return self.expect_refused(lambda: pending.start(bus, step, options))
        try:
            pending.start(bus, step, options)
        except crosstie.Error as error:
            raise Unexpected(f"refused: {error}") from error
        self.add(step.get("as", ""), pending)
        return None if "as" in step else self.finish(step, pending)

    step_call_async = step_perform_async = step_open_async
    step_share_async = step_oauth_async = step_launch_async = step_broadcast_async = step_open_async

    def expect_refused(self, start: Callable[[], None]) -> str:
        try:
            start()
        except TypeError:
            return "TYPE"
        raise Unexpected("it was not refused")

    def finish(self, step: Step, pending: Pending) -> str:
        return self.expect_outcome(step, pending.result, pending.reported)

    def step_wait(self, step: Step) -> str | None:
        pending = self.find(Pending, step["call"])
        if not step.get("given_up"):
            return self.finish(step, pending)
        expect("waiting", pending.call.wait(step["timeout_ms"] / 1000), False)
        return None

    def step_cancel(self, step: Step) -> str:
        return "OK" if self.find(Pending, step["call"]).call.cancel() else "ALREADY"

    def step_act(self, step: Step) -> None:
        request = self.find(crosstie.Request, step["request"])
        Handler(self, self.bus({}), {}).act_each(request, step["then"])
