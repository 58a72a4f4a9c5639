"""Steps of providers: their list, what they serve, and what is logged."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import crosstie
from data import Step, expect, text, value
from requests import RequestSteps
from handlers import Handler

CAPABILITIES = ("share", "oauth", "launch", "open_url", "open_activity")


class Described(crosstie.Provider):
    """A provider as a step describes it. Its capabilities are attributes, where the step has them."""

    def __init__(self, player: RequestSteps, bus: crosstie.Bus, step: Step) -> None:
        self.step = step
        self.name = text(step.get("name", ""))
        self.public = step.get("public", False)
        self.platform = text(step.get("platform", ""))
        self.endpoints = endpoints_of(step)
        self.app_id = text(step.get("app_id", ""))
        self.universal_link = text(step.get("universal_link", ""))
        for capability in CAPABILITIES:
            if capability in step:
                setattr(self, capability, self.capability(player, bus, capability))
                if "can" in step and capability in step.get("decides", CAPABILITIES):
                    setattr(self, f"can_{capability}", self.can)

    def capability(self, player: RequestSteps, bus: crosstie.Bus, name: str) -> Callable[..., object]:
        """A handler's actions; by default it replies its name."""
        if self.step[name] is True:
            return lambda request, *_: {"by": self.name} if name == "oauth" else self.name
        handler = Handler(player, bus, {"handler": self.step[name]})
        return lambda request, *_: handler(request)

    def can(self, asked: Any) -> bool:
        """Of an endpoint, a platform or a URL; or of the web page of an activity."""
        given = self.step["can"]
        about = asked.get("webpageURL", "") if isinstance(asked, dict) else asked
        return about in given if isinstance(given, list) else bool(given)

    def is_installed(self) -> bool:
        return bool(self.step.get("installed", True))

    def is_supported(self) -> bool:
        return bool(self.step.get("supported", True))


def endpoints_of(step: Step) -> dict[str, list[str]] | list[str]:
    """A map from each endpoint to its kinds, or a list of endpoints alone."""
    given = step.get("endpoints", [])
    if isinstance(given, list):
        return [text(endpoint) for endpoint in given]
    return {endpoint: [text(kind) for kind in kinds] for endpoint, kinds in given.items()}


class NotingLog(logging.Handler):
    """Notes what is logged."""

    def __init__(self, player: RequestSteps) -> None:
        super().__init__()
        self.player = player

    def emit(self, record: logging.LogRecord) -> None:
        self.player.note({"level": record.levelname.lower(), "message": record.getMessage()})


class ProviderSteps(RequestSteps):
    log: NotingLog | None = None

    def step_provider(self, step: Step) -> None:
        bus = self.bus(step)
        provider = Described(self, bus, step)
        registration = bus.providers.add(provider, step.get("position"))
        self.add(provider.name, provider)
        self.add(step.get("as", ""), registration)

    def step_set_providers(self, step: Step) -> None:
        bus = self.bus(step)
        bus.providers.replace([Described(self, bus, each) for each in step["providers"]])

    def step_move_provider(self, step: Step) -> None:
        self.bus(step).providers.move(text(step["name"]), step.get("position"))

    def step_remove_provider(self, step: Step) -> None:
        self.bus(step).providers.remove(text(step["name"]))

    def step_providers(self, step: Step) -> None:
        found = list(self.bus(step).providers)
        if "names" in step:
            expect("names", [provider.name for provider in found], step["names"])
        if "value" in step:
            expect("providers", [row_of(provider) for provider in found], step["value"])

    def step_provider_open_url(self, step: Step) -> str | None:
        view = self.view(step)
        return self.expect_claimed(step, lambda: view.providers.open_url(text(step["url"])))

    def step_provider_open_activity(self, step: Step) -> str | None:
        view = self.view(step)
        return self.expect_claimed(step, lambda: view.providers.open_activity(value(step["activity"])))

    def view(self, step: Step) -> Any:
        bus = self.bus(step)
        return bus.with_options(**self.request_options(bus, step))

    def expect_claimed(self, step: Step, claim: Callable[[], bool]) -> str | None:
        try:
            expect("claimed", claim(), step.get("value"))
        except TypeError:  # what is of a wrong type in Python need not be an error of Crosstie's own
            return "TYPE"
        return None

    # The log's lines

    def step_log(self, step: Step) -> None:
        """Every bus of Python's logs to one logger."""
        self.log = NotingLog(self)
        logger = logging.getLogger("crosstie")
        logger.setLevel(logging.DEBUG)
        logger.addHandler(self.log)

    def step_provider_log(self, step: Step) -> None:
        self.find(Described, step["provider"]).log(text(step["text"]))

    def step_redirect_log(self, step: Step) -> None:
        note = None if step.get("off") else lambda message, *_: self.note({"redirected": message})
        self.bus(step).providers.set_log(step["provider"], note)

    def end_providers(self) -> None:
        if self.log is not None:
            logging.getLogger("crosstie").removeHandler(self.log)


def row_of(provider: crosstie.ProviderInfo) -> dict[str, Any]:
    endpoints = {str(endpoint): [str(kind) for kind in kinds] for endpoint, kinds in provider.endpoints.items()}
    plain = {"capabilities": list(provider.capabilities), "endpoints": endpoints, "platform": str(provider.platform)}
    return provider._asdict() | plain
