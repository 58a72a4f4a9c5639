"""The providers of a bus."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from . import _crosstie
from .provider_description import describe
from .providers import Provider

LogFunction = Callable[[str, str, str, int], object]


class ProviderInfo(NamedTuple):
    """One line of `Bus.providers()`."""

    name: str
    public: bool
    capabilities: tuple[str, ...]  # of "share", "oauth", "launch", "open", "activity"
    endpoints: dict[str, tuple[str, ...]]  # with the kinds of message that go there
    platform: str
    app_id: str
    universal_link: str


class ProvidingBus(_crosstie.Bus):
    """The part of a Bus that has to do with providers."""

    def add_provider(self, provider: Provider, position: int | None = None, /) -> _crosstie.Registration:
        """Put a provider into the bus's list, and return its Registration.

        position  before which it stands, from 0; default: at the end.

        What it offers is read now. Raises ArgumentError for a name that is none, and a capability that serves nothing;
        ConflictError for the second provider of a name; UrlError for an app_id that is no scheme, or a universal_link
        that is no web address; TypeError for a method that cannot be called so.
        """
        return self._add_provider(describe(provider), position)

    def set_providers(self, providers: Iterable[Provider], /) -> None:
        """Put providers in the place of all that the bus has: an operation is asked of the ones or of the others.

        If one of them is refused nothing changes; they are refused as by `add_provider()`.
        """
        self._set_providers([describe(provider) for provider in providers])

    def move_provider(self, name: str, position: int | None = None, /) -> None:
        """Move a provider to another place in the list, from 0; default: to the end. Raises NotFoundError."""
        self._move_provider(name, position)

    def providers(self) -> list[ProviderInfo]:
        """The providers, in the order in which they are asked."""
        return [_info(item) for item in self._providers()]

    def set_provider_log(self, name: str, function: LogFunction | None, /) -> None:
        """Send what a provider logs to a function; None: to the bus's log. Raises NotFoundError.

        function  called with the message, and the file, the function and the line that it comes from; on any thread.
        """
        self._set_provider_log(name, function)


def _info(item: dict[str, Any]) -> ProviderInfo:
    endpoints = {endpoint: tuple(kinds) for endpoint, kinds in item["endpoints"].items()}
    return ProviderInfo(**{**item, "capabilities": tuple(item["capabilities"]), "endpoints": endpoints})
