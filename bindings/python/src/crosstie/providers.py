"""Providers: what hands off to outside applications and services."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from . import _crosstie
from .door_numbers import ACTIVITY, LAUNCH, OAUTH, OPEN, SHARE
from .signature import Plan, read_given

Capability = tuple[int, Callable[[_crosstie.Request], object], Plan]
Claims = Callable[[_crosstie.Request], bool]
#: Provider, name, capabilities, whether it can, endpoints with their kinds, platform, app_id, universal_link, public.
Description = tuple[
    "Provider",
    str,
    tuple[Capability, ...],
    Claims | None,
    tuple[tuple[str, tuple[str, ...]], ...],
    str,
    str,
    str,
    bool,
]
LogFunction = Callable[[str, str, str, int], object]


class Provider:
    """Serves some capabilities of one outside application or service; `Bus.add_provider()` puts one on a bus.

        class Clipboard(crosstie.Provider):
            name = "clipboard"
            endpoints = [crosstie.Endpoint.SYSTEM_ACTIVITY]

            def share(self, request, message, endpoint, options):
                copy(message["text"])

    name            unique on a bus: a letter or "_", then letters, digits, "_", "." and "-".
    public          whether URLs and activities of remote origin reach it.
    platform        what `oauth` and `launch` serve: of `Platform`, or the application's own.
    endpoints       where `share` shares to: a mapping from endpoints to the kinds of message that go there, or only the
                    endpoints, for the kinds that are usual there.
    app_id          the scheme of the URLs for `open_url`.
    universal_link  an http or https URL: the web pages there and below are those for `open_activity`.

    A capability exists where the class defines the method, which may be an `async def`:

        share(request, message, endpoint, options)
        oauth(request, params, options)      answers a mapping of texts, of which the empty ones are dropped
        launch(request, program, options)
        open_url(request, url)
        open_activity(request, activity)

    It answers as handlers do: by what it returns or raises, by the methods of the Request, or later from any thread
    after `request.defer()`. `request.refuse(Status.USER_CANCELLED)` says that the user did not want to,
    `request.refuse(Status.UNKNOWN)` that the service's answer could not be understood; `request.decline()` lets the next
    provider try. What is installed and supported, and the message, are checked before. Methods run on any thread,
    several at a time.

    Instead of comparing endpoint, platform, scheme or link, a class may define `can_share(endpoint)`,
    `can_oauth(platform)`, `can_launch(platform)`, `can_open_url(url)` and `can_open_activity(activity)`. What one of
    these, `is_installed()` or `is_supported()` raises goes to `sys.unraisablehook`, and means no.
    """

    name: str = ""
    public: bool = False
    platform: str = ""
    endpoints: Mapping[str, Collection[str]] | Collection[str] = ()
    app_id: str = ""
    universal_link: str = ""

    _registrations: tuple[_crosstie.Registration, ...] = ()

    def is_installed(self) -> bool:
        """Whether what it needs is there; asked before it shares, signs in or launches."""
        return True

    def is_supported(self) -> bool:
        """Whether what is installed is new enough; asked likewise."""
        return True

    def log(self, message: str) -> None:
        """Log on every bus that it stands on: to where `Bus.set_provider_log()` sends it, else to the bus's log.

        message  at most 65,536 bytes.
        """
        caller = sys._getframe(1)
        code = caller.f_code
        for registration in self._registrations:
            registration._log(message, _printable(code.co_filename), code.co_qualname, caller.f_lineno)

    def _join(self, registration: _crosstie.Registration) -> None:
        """Learns where it will stand."""
        with _lock:
            self._registrations = (*filter(_is_left, self._registrations), registration)


_lock = threading.Lock()


def _is_left(registration: _crosstie.Registration) -> bool:
    return registration._known


def _printable(path: str) -> str:
    return path.encode(errors="backslashreplace").decode()


# ---- What the extension is told of one ---------------------------------------------------------------------

#: The methods of capabilities by their doors, and how they are called.
_CALLS: tuple[tuple[int, str, Callable[[Any, _crosstie.Request], object]], ...] = (
    (OPEN, "open_url", lambda method, request: method(request, request.url)),
    (
        SHARE,
        "share",
        lambda method, request: method(request, request.params, request.target, request.user_info or {}),
    ),
    (OAUTH, "oauth", lambda method, request: method(request, request.params, request.user_info or {})),
    (LAUNCH, "launch", lambda method, request: method(request, request.params, request.user_info or {})),
    (ACTIVITY, "open_activity", lambda method, request: method(request, request.params)),
)

#: What a class may define in place of a comparison, by the door's name; what it is asked; and the comparison.
_CLAIMS: dict[str, tuple[str, Callable[[_crosstie.Request], Any], Callable[[Provider, _crosstie.Request], bool]]] = {
    "open": ("can_open_url", lambda request: request.url, lambda provider, request: request.scheme == provider.app_id.lower()),
    "share": ("can_share", lambda request: request.target, lambda provider, request: request.target in provider.endpoints),
    "oauth": ("can_oauth", lambda request: request.target, lambda provider, request: request.target == provider.platform),
    "launch": ("can_launch", lambda request: request.target, lambda provider, request: request.target == provider.platform),
    "activity": ("can_open_activity", lambda request: request.params, lambda provider, request: False),
}


def describe(provider: Provider) -> Description:
    """What the extension registers for a provider. Raises TypeError for what cannot be one."""
    if not isinstance(provider, Provider):
        raise TypeError(f"a provider is an instance of a class that derives from Provider, not {provider!r}")
    return (
        provider,
        provider.name,
        tuple(_capabilities(provider)),
        _claims(provider),
        _endpoints(provider),
        provider.platform,
        provider.app_id,
        provider.universal_link,
        provider.public,
    )


def _capabilities(provider: Provider) -> Iterable[Capability]:
    for door, name, call in _CALLS:
        method = getattr(provider, name, None)
        if method is not None:
            is_async = read_given(method)[-1]
            yield door, functools.partial(call, method), (True, False, (), (), is_async)


def _claims(provider: Provider) -> Claims | None:
    """None where all is decided by comparing."""
    names = [name for name, _, _ in _CLAIMS.values() if getattr(provider, name, None) is not None]
    for name in (*names, "is_installed", "is_supported"):
        if inspect.iscoroutinefunction(getattr(provider, name)):
            raise TypeError(f"{name}() is asked while somebody waits: it cannot be async")
    if not names:
        return None
    if hasattr(provider, "open_activity") and "can_open_activity" not in names:
        raise TypeError(f"a class that defines {names[0]}() defines can_open_activity(), too")
    return functools.partial(_can, provider)


def _can(provider: Provider, request: _crosstie.Request) -> bool:
    name, subject, compare = _CLAIMS[request.door]
    method = getattr(provider, name, None)
    return compare(provider, request) if method is None else bool(method(subject(request)))


def _endpoints(provider: Provider) -> tuple[tuple[str, tuple[str, ...]], ...]:
    endpoints = provider.endpoints
    if isinstance(endpoints, str):
        raise TypeError("endpoints are several texts, not one")
    if not isinstance(endpoints, Mapping):
        return tuple((endpoint, ()) for endpoint in endpoints)
    if any(isinstance(kinds, str) for kinds in endpoints.values()):
        raise TypeError("an endpoint's kinds are several texts, not one")
    return tuple((endpoint, tuple(kinds)) for endpoint, kinds in endpoints.items())


# ---- The bus -----------------------------------------------------------------------------------------------


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

        What it offers is read now. Raises ArgumentError for a capability that serves nothing, or a name that is none;
        ConflictError for the second of a name; UrlError for an app_id that is no scheme, and a universal_link that is no
        web address.
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
