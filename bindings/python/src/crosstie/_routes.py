"""The routes of a bus: patterns of URLs and their handlers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from . import _crosstie
from ._bus_view import Listing
from ._decorators import check_function
from ._homes import publish
from ._signature import read_signature
from ._typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from typing import Any, TypeVar

    from ._interceptors import InterceptorList

    _HandlerT = TypeVar("_HandlerT", bound=Callable[..., object])


class Route(NamedTuple):
    """One of `bus.routes`."""

    pattern: str
    remark: str
    public: bool
    name: str = ""
    worker_only: bool = False
    hits: int | None = None  # None on a bus that does not count
    rule: str | None = None


class Routes(Listing[Route]):
    """The routes of a bus in every language, in the order of their patterns: `bus.routes`.

        for route in bus.routes: ...
        bus.routes["app://users/:id"].public
        bus.routes.remove("app://users/:id")

    A route is found by its pattern as it was written. `@bus.route(pattern)` is the usual way to add one.
    """

    __slots__ = ()
    _kinds = ("route", "unmatched")

    def _list(self) -> list[Route]:
        return [Route(**item) for item in self._bus._routes()]

    def _name_of(self, info: Route) -> str:
        return info.pattern

    def add(
        self,
        pattern: str,
        handler: Callable[..., object],
        /,
        *,
        name: str | None = None,
        rule: str | None = None,
        public: bool = False,
        worker_only: bool = False,
        replace: bool = False,
        remark: str = "",
        interceptors: InterceptorList = (),
    ) -> _crosstie.Registration:
        """Register a handler for the URLs that match a pattern, and return its Registration.

        name          for `Bus.url_for()`.
        rule          the id of the rule that it handles. In a table that has such a rule, the rule must have the
                      pattern's shape, and decides which origins may open the route.
        public        whether URLs of remote origin may reach it.
        worker_only   whether it always runs on a worker of the bus, for synchronous callers too.
        replace       whether it may replace a route of the same shape, which otherwise raises ConflictError.
        remark        for listings.
        interceptors  functions that see its requests, after the bus's interceptors (see `Bus.interceptor()`).

        A parameter that is named `request`, or annotated with Request, gets the Request; one that the pattern names gets
        that part of the path; one with an annotation (`str`, `int`, `float`, `bool`) gets the query's value of its name.
        Values are converted by the annotation or by the type in the pattern; a missing or malformed one fails the request
        with ParamError. No URL changes a default without an annotation, or an argument that functools.partial has
        bound. `**params` gets the remaining names. The handler replies by its result, and fails by raising. An `async
        def` runs on a loop: see `Bus.attach()`.

        Raises PatternError, ConflictError, or TypeError for a handler with a parameter that nothing can fill.
        """
        return self._bus._add_route(
            pattern,
            handler,
            read_signature(handler, pattern, by_rule=rule is not None, worker_only=worker_only),
            name=name or "",
            rule=rule,
            public=public,
            worker_only=worker_only,
            replace=replace,
            remark=remark,
            interceptors=tuple(interceptors),
        )

    def remove(self, what: str | _crosstie.Registration | Callable[..., object], /) -> None:
        """Remove a route by its pattern, in any language; or by its Registration.

        A function is removed from all routes that it handles, and from `unmatched()`. Raises NotFoundError.
        """
        if isinstance(what, str):
            self._bus._remove_route(what)
        else:
            self._remove(what)

    def clear(self) -> None:
        """Remove all routes, in every language. Rules, interceptors and handlers without a pattern remain."""
        self._bus._clear_routes()

    @overload
    def unmatched(self, handler: _HandlerT, /) -> _HandlerT: ...

    @overload
    def unmatched(
        self,
        handler: None = None,
        /,
        *,
        public: bool = False,
        worker_only: bool = False,
        interceptors: InterceptorList = (),
    ) -> Callable[[_HandlerT], _HandlerT]: ...

    def unmatched(
        self,
        handler: _HandlerT | None = None,
        /,
        *,
        public: bool = False,
        worker_only: bool = False,
        interceptors: InterceptorList = (),
    ) -> object:
        """Make the decorated function the handler of unmatched URLs, and return it.

        public        whether it gets the URLs of remote origins, too.
        worker_only   as for `add()`.
        interceptors  as for `add()`.

        It may decline. It replaces the previous handler; `remove(function)` removes it.
        """

        def decorate(handler: _HandlerT) -> _HandlerT:
            check_function(handler, "@bus.routes.unmatched")
            plan = read_signature(handler, worker_only=worker_only)
            self._bus._set_unmatched(
                handler, plan, public=public, worker_only=worker_only, interceptors=tuple(interceptors)
            )
            return handler

        return decorate if handler is None else decorate(handler)

    def generate(
        self, pattern: str, params: Mapping[str, Any] | Sequence[Any] | None = None, /, **named: Any
    ) -> str:
        """Return a URL that matches a pattern and has these parameters.

        The pattern need not be registered; `Bus.url_for()` makes the URL of a route by its name. Parameters are passed
        by name, as keywords or in a mapping, or by position in a sequence.

        Raises ParamError for a parameter that is missing, surplus, or not allowed there, and PatternError.
        """
        return self._bus._generate(pattern, url_parameters(params, named))


def url_parameters(
    params: Mapping[str, Any] | Sequence[Any] | None, named: dict[str, Any]
) -> dict[str, Any] | list[Any]:
    """Return the parameters of a URL by name, or by position."""
    if params is None or isinstance(params, Mapping):
        return {**(params or {}), **named}
    if named:
        raise TypeError("parameters must be passed either by position or by name")
    if isinstance(params, (str, bytes, bytearray)):
        raise TypeError("parameters must be a mapping or a sequence, not one text")
    return list(params)


publish(__name__, globals())
