"""What the extension is told of a provider, read when that is registered."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ._crosstie import Request
from .door import ACTIVITY, LAUNCH, OAUTH, OPEN, SHARE
from .providers import Provider
from .signature import Plan, read_given

#: The number of a door, what handles its requests, and how that is called.
Capability = tuple[int, Callable[[Request], object], Plan]
#: Endpoints with the kinds of message that go there.
Endpoints = tuple[tuple[str, tuple[str, ...]], ...]


class Description(NamedTuple):
    """What the extension registers."""

    provider: Provider
    name: str
    capabilities: tuple[Capability, ...]
    can: Callable[[Request], bool] | None
    endpoints: Endpoints
    platform: str
    app_id: str
    universal_link: str
    public: bool


class _Kind(NamedTuple):
    """A kind of capability."""

    door: int
    method: str
    arguments: tuple[Callable[[Request], Any], ...]  # what the method is given after the request
    can: str
    subject: Callable[[Request], Any]  # what that is given


def _url(request: Request) -> str:
    return request.url


def _target(request: Request) -> str:
    return request.target


def _params(request: Request) -> Any:
    return request.params


def _options(request: Request) -> dict[str, Any]:
    return request.user_info or {}


_KINDS = {
    "open": _Kind(OPEN, "open_url", (_url,), "can_open_url", _url),
    "share": _Kind(SHARE, "share", (_params, _target, _options), "can_share", _target),
    "oauth": _Kind(OAUTH, "oauth", (_params, _options), "can_oauth", _target),
    "launch": _Kind(LAUNCH, "launch", (_params, _options), "can_launch", _target),
    "activity": _Kind(ACTIVITY, "open_activity", (_params,), "can_open_activity", _params),
}


def describe(provider: Provider) -> Description:
    """What there is to know of a provider. Raises TypeError for what cannot be one."""
    if not isinstance(provider, Provider):
        raise TypeError(f"a provider is an instance of a class derived from Provider, not {provider!r}")
    endpoints = _endpoints(provider)
    return Description(
        provider,
        provider.name,
        tuple(_capabilities(provider)),
        _can(provider, endpoints),
        endpoints,
        provider.platform,
        provider.app_id,
        provider.universal_link,
        provider.public,
    )


def _endpoints(provider: Provider) -> Endpoints:
    endpoints = provider.endpoints
    if isinstance(endpoints, str):
        raise TypeError("endpoints are several texts, not one")
    if not isinstance(endpoints, Mapping):
        return tuple((endpoint, ()) for endpoint in endpoints)
    if any(isinstance(kinds, str) for kinds in endpoints.values()):
        raise TypeError("the kinds of an endpoint are several texts, not one")
    return tuple((endpoint, tuple(kinds)) for endpoint, kinds in endpoints.items())


# ---- Its capabilities ----------------------------------------------------------------------------------------


def _capabilities(provider: Provider) -> Iterator[Capability]:
    for kind in _KINDS.values():
        method = getattr(provider, kind.method, None)
        if method is not None:
            is_async = read_given(method)[-1]
            inspect.signature(method).bind(None, *kind.arguments)  # raises where it cannot be called so
            yield kind.door, functools.partial(_call, kind, method), (True, False, (), (), is_async)


def _call(kind: _Kind, method: Callable[..., object], request: Request) -> object:
    answer = method(request, *[read(request) for read in kind.arguments])
    if kind.door != OAUTH:
        return answer
    return _awaited(answer) if inspect.iscoroutine(answer) else _plain(answer)


async def _awaited(answer: Awaitable[object]) -> object:
    return _plain(await answer)


def _plain(info: object) -> object:
    """A sign-in may answer any mapping; the extension looks into dicts."""
    return dict(info) if isinstance(info, Mapping) else info


# ---- What it can -------------------------------------------------------------------------------------------


def _can(provider: Provider, endpoints: Endpoints) -> Callable[[Request], bool] | None:
    """None where all is decided by comparing."""
    methods = {door: getattr(provider, kind.can, None) for door, kind in _KINDS.items()}
    own = {door: method for door, method in methods.items() if method is not None}
    for question in (*own.values(), provider.is_installed, provider.is_supported):
        if read_given(question)[-1]:
            raise TypeError(f"{question.__qualname__} is async, and is asked while somebody waits")
    if not own:
        return None
    if "activity" not in own and getattr(provider, "open_activity", None) is not None:
        raise TypeError(f"{type(provider).__qualname__} has to define can_open_activity(), as it defines another")
    return _Claims(provider, endpoints, own)


class _Claims:
    """Whether a provider can do what a request asks for: by its own word, or else by the usual comparison."""

    def __init__(
        self, provider: Provider, endpoints: Endpoints, own: Mapping[str, Callable[[Any], bool]]
    ) -> None:
        self._own = own
        self._served = {
            "open": {provider.app_id.lower()},
            "share": {endpoint for endpoint, _ in endpoints},
            "oauth": {provider.platform},
            "launch": {provider.platform},
        }

    def __call__(self, request: Request) -> bool:
        door = request.door
        if door in self._own:
            return self._own[door](_KINDS[door].subject(request))
        return (request.scheme if door == "open" else request.target) in self._served[door]
