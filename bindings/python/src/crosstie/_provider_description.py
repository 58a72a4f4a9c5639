"""The description of a provider for the extension, read when the provider is registered."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, NamedTuple

from . import _crosstie
from ._crosstie import Request
from ._callables import is_async
from ._provider import Provider
from ._signature import Plan, request_plan

#: A request kind, its handler, the handler's plan, and the function that decides whether it serves a request, or None.
Capability = tuple[int, Callable[[Request], object], Plan, Callable[[Request], object] | None]
#: Endpoints with the kinds of message that they take.
Endpoints = tuple[tuple[str, tuple[str, ...]], ...]


class Description(NamedTuple):
    """The arguments of the extension's function that registers a provider."""

    provider: Provider
    name: str
    capabilities: tuple[Capability, ...]
    endpoints: Endpoints
    platform: str
    app_id: str
    universal_link: str
    public: bool


class _Kind(NamedTuple):
    """A kind of capability."""

    kind: int
    method: str
    arguments: tuple[Callable[[Request], Any], ...]  # of the method, after the request
    can: str
    subject: Callable[[Request], Any]  # the argument of `can`


def _url(request: Request) -> str:
    return request.url


def _target(request: Request) -> str:
    return request.target


def _params(request: Request) -> Any:
    return request.params


def _options(request: Request) -> dict[str, Any]:
    return request.user_info


_KINDS = {
    "open": _Kind(_crosstie.CTIE_REQUEST_KIND_OPEN, "open_url", (_url,), "can_open_url", _url),
    "share": _Kind(_crosstie.CTIE_REQUEST_KIND_SHARE, "share", (_params, _target, _options), "can_share", _target),
    "oauth": _Kind(_crosstie.CTIE_REQUEST_KIND_OAUTH, "oauth", (_params, _options), "can_oauth", _target),
    "launch": _Kind(_crosstie.CTIE_REQUEST_KIND_LAUNCH, "launch", (_params, _options), "can_launch", _target),
    "activity": _Kind(_crosstie.CTIE_REQUEST_KIND_ACTIVITY, "open_activity", (_params,), "can_open_activity", _params),
}


def describe(provider: Provider) -> Description:
    """Describe a provider. Raises TypeError for an object that is not a provider."""
    if not isinstance(provider, Provider):
        raise TypeError(f"a provider must be an instance of a subclass of Provider, not {provider!r}")
    for question in (provider.is_installed, provider.is_supported):
        _check_question(question)
    return Description(
        provider,
        provider.name,
        tuple(_capabilities(provider)),
        _endpoints(provider),
        provider.platform,
        provider.app_id,
        provider.universal_link,
        provider.public,
    )


def _endpoints(provider: Provider) -> Endpoints:
    endpoints = provider.endpoints
    if isinstance(endpoints, str):
        raise TypeError("endpoints must be a collection of str, not one str")
    if not isinstance(endpoints, Mapping):
        return tuple((endpoint, ()) for endpoint in endpoints)
    if any(isinstance(kinds, str) for kinds in endpoints.values()):
        raise TypeError("the kinds of an endpoint must be a collection of str, not one str")
    return tuple((endpoint, tuple(kinds)) for endpoint, kinds in endpoints.items())


# ---- Capabilities --------------------------------------------------------------------------------------------


def _capabilities(provider: Provider) -> Iterator[Capability]:
    for kind in _KINDS.values():
        method = getattr(provider, kind.method, None)
        if method is not None:
            is_coroutine = is_async(method)
            inspect.signature(method).bind(None, *kind.arguments)  # raises TypeError if it cannot be called so
            plan = request_plan(is_async=is_coroutine)
            yield kind.kind, functools.partial(_call, kind, method), plan, _question(kind, provider)


def _call(kind: _Kind, method: Callable[..., object], request: Request) -> object:
    answer = method(request, *[read(request) for read in kind.arguments])
    if kind.kind != _crosstie.CTIE_REQUEST_KIND_OAUTH:
        return answer
    return _awaited(answer) if inspect.iscoroutine(answer) else _plain(answer)


async def _awaited(answer: Awaitable[object]) -> object:
    return _plain(await answer)


def _plain(info: object) -> object:
    """Convert the answer of a sign-in to a dict, which the extension reads; it may be any mapping."""
    return dict(info) if isinstance(info, Mapping) else info


# ---- Decisions ---------------------------------------------------------------------------------------------


def _question(kind: _Kind, provider: Provider) -> Callable[[Request], object] | None:
    """Return the function that decides whether a capability serves a request; None without one."""
    method = getattr(provider, kind.can, None)
    if method is None:
        return None
    _check_question(method)
    return lambda request: method(kind.subject(request))


def _check_question(method: Callable[..., object]) -> None:
    if is_async(method):
        raise TypeError(f"{method.__qualname__} must not be async, since a caller waits for its answer")
