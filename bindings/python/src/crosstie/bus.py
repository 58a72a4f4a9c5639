"""The bus."""

import os
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

from . import _crosstie
from .components import join_static
from .decorating import check_function, check_text
from .doors import Doors, RequestOptions
from .errors import not_found
from .hosting import HostingBus
from .performer import PerformingBus
from .providing import ProvidingBus
from .registry import ComponentBus
from .rules import HandlerT, Interceptors, RuledBus
from .signature import read_signature

if TYPE_CHECKING:
    from ._crosstie import _Door


class Route(NamedTuple):
    """One line of `Bus.routes()`."""

    pattern: str
    remark: str
    public: bool
    name: str = ""
    worker_only: bool = False
    hits: int | None = None  # None on a bus that does not count
    rule: str | None = None


class Stat(NamedTuple):
    """One line of `Bus.stats()`."""

    kind: str
    name: str  # a pattern, "component.action", or a prefix; empty for requests that no handler got
    count: int  # type: ignore[assignment]  # requests that have ended
    failures: int
    nanoseconds: int  # from the handler's start to the request's end, all together
    longest: int  # nanoseconds


class Bus(RuledBus, ComponentBus, PerformingBus, ProvidingBus, HostingBus, Doors):
    """Where handlers register and requests find them.

    name            for the log and for people.
    default_scheme  the scheme of patterns and URLs that begin with "/".
    max_workers     threads for asynchronous requests at most; 0: 64.
    max_queued      asynchronous requests that may wait; 0: 65,536.
    match           "exact", or "nearest": a URL that no route takes as a whole goes to the one that takes its
                    longest leading part, unless an open asks otherwise.
    count_hits      whether `routes()` tells how often each route's handler was started.
    stats           whether it counts and times requests, for `stats()`.
    static          whether it has the process's static components: those of `crosstie.component` and of C and Swift.

    Every method may be called from any thread. As a context manager it is closed at the end. A bus
    that nobody refers to any more is closed too, and all are when the interpreter ends.
    """

    _shared_buses: ClassVar[dict[str, "Bus"]] = {}
    _shared_lock: ClassVar[threading.RLock] = threading.RLock()

    @classmethod
    def shared(cls, name: str) -> "Bus":
        """The process's bus of a name, which C and Swift reach by that name too. It has the static components.

        It is the same object each time, until it is closed. Its log is left to whoever made it.
        """
        with cls._shared_lock:
            bus = cls._shared_buses.get(name)
            is_new = bus is None or bus.closed
            if bus is None or is_new:
                for closed in [name for name, other in cls._shared_buses.items() if other.closed]:
                    del cls._shared_buses[closed]
                bus = cls._shared_buses[name] = cls._shared(name)
        if is_new:
            join_static(bus)
        return bus

    def close(self) -> None:
        """Close the bus: wait for the handlers that run and remove what is registered.

        Doing it again does nothing, nor does doing it in a forked child; any other use afterwards raises ClosedError.
        """
        try:
            super().close()
        finally:
            with self._shared_lock:
                if self._shared_buses.get(self.name) is self:
                    del self._shared_buses[self.name]

    def route(
        self,
        pattern: str,
        *,
        name: str | None = None,
        rule: str | None = None,
        public: bool = False,
        worker_only: bool = False,
        replace: bool = False,
        remark: str = "",
        interceptors: Interceptors = (),
    ) -> Callable[[HandlerT], HandlerT]:
        """Register the decorated function for the URLs that match a pattern, and return it.

        Arguments and parameters are those of `add_route()`.
        """
        check_text(pattern, "@bus.route", "pattern")

        def decorate(handler: HandlerT) -> HandlerT:
            self.add_route(
                pattern,
                handler,
                name=name,
                rule=rule,
                public=public,
                worker_only=worker_only,
                replace=replace,
                remark=remark,
                interceptors=interceptors,
            )
            return handler

        return decorate

    def add_route(
        self,
        pattern: str,
        handler: Callable[..., object],
        *,
        name: str | None = None,
        rule: str | None = None,
        public: bool = False,
        worker_only: bool = False,
        replace: bool = False,
        remark: str = "",
        interceptors: Interceptors = (),
    ) -> _crosstie.Registration:
        """Register a handler for the URLs that match a pattern, and return its Registration.

        name          for `url_for()`.
        rule          the id of the rule that it is for: in a table that has such a rule, which has to have the
                      pattern's shape, the rule says who may open it, and this handles it.
        public        whether URLs of remote origin may reach it.
        worker_only   whether it always runs on a worker of the bus, for synchronous callers too.
        replace       whether it may take the place of a route of the same shape; else that is a ConflictError.
        remark        for listings.
        interceptors  functions that see its requests, after the bus's interceptors (see `interceptor()`).

        A parameter that is named `request` or annotated so gets the Request, one that the pattern names that part of
        the path, and one with an annotation (`str`, `int`, `float`, `bool`) what the query has by its name. They are
        converted by annotation or by their types in the pattern; a missing or malformed one fails the request with
        ParamError. No URL changes a default without an annotation, or what functools.partial has bound. `**params`
        gets the names that are left. What the handler returns is the reply; what it raises, the failure. An
        `async def` runs on a loop: see `attach()`.

        Raises PatternError, ConflictError, or TypeError for a handler that cannot be called so.
        """
        return self._add_route(
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

    @overload
    def interceptor(
        self,
        interceptor: HandlerT,
        /,
        *,
        order: int = 0,
        kinds: "Collection[_Door] | None" = None,
        dispatcher: str = "",
    ) -> HandlerT: ...

    @overload
    def interceptor(
        self,
        interceptor: None = None,
        /,
        *,
        order: int = 0,
        kinds: "Collection[_Door] | None" = None,
        dispatcher: str = "",
    ) -> Callable[[HandlerT], HandlerT]: ...

    def interceptor(
        self,
        interceptor: HandlerT | None = None,
        /,
        *,
        order: int = 0,
        kinds: "Collection[_Door] | None" = None,
        dispatcher: str = "",
    ) -> object:
        """Register the decorated function to see every request of the bus on its way, and return it.

        order       lower ones see a request first; of equal ones, the elder.
        kinds       those whose requests it sees: "open", "call", "event", "perform", "share", "oauth", "launch",
                    "activity"; None: all.
        dispatcher  whose requests it sees, by name; empty: those of all.

        It takes the request, and, if it has a second parameter of that name or without a default, the request's
        method `proceed`:

            @bus.interceptor
            def log(request, proceed):
                print(request.url)
                proceed()

            @bus.interceptor(order=10, kinds=["open"])
            def check(request): ...

        `proceed()` lets the request go on and `request.rewrite(url)` lets it go on elsewhere, once the function
        has returned; or later, after `request.defer()`. `request.deny(message)`, raising, and returning a value
        end it. One that does nothing of this ends the request with NO_REPLY.
        """

        def decorate(interceptor: HandlerT) -> HandlerT:
            check_function(interceptor, "@bus.interceptor")
            self.add_interceptor(interceptor, order=order, kinds=kinds, dispatcher=dispatcher)
            return interceptor

        return decorate if interceptor is None else decorate(interceptor)

    @overload
    def unmatched(self, handler: HandlerT, /) -> HandlerT: ...

    @overload
    def unmatched(
        self,
        handler: None = None,
        /,
        *,
        public: bool = False,
        worker_only: bool = False,
        interceptors: Interceptors = (),
    ) -> Callable[[HandlerT], HandlerT]: ...

    def unmatched(
        self,
        handler: HandlerT | None = None,
        /,
        *,
        public: bool = False,
        worker_only: bool = False,
        interceptors: Interceptors = (),
    ) -> object:
        """Make the decorated function the handler of what nobody else takes, and return it.

        public        whether it sees what remote origins open, too.
        worker_only   as for `add_route()`.
        interceptors  as for `add_route()`.

        It may decline. The one before it is removed; `unregister()` takes it away.
        """

        def decorate(handler: HandlerT) -> HandlerT:
            check_function(handler, "@bus.unmatched")
            plan = read_signature(handler, worker_only=worker_only)
            self._set_unmatched(
                handler, plan, public=public, worker_only=worker_only, interceptors=tuple(interceptors)
            )
            return handler

        return decorate if handler is None else decorate(handler)

    @overload
    def system_opener(
        self,
        handler: HandlerT,
        /,
        *,
        schemes: Sequence[str] = (),
        remote: bool = False,
        enabled: bool = True,
        program: str = "",
    ) -> HandlerT: ...

    @overload
    def system_opener(
        self,
        handler: None = None,
        /,
        *,
        schemes: Sequence[str] = (),
        remote: bool = False,
        enabled: bool = True,
        program: str = "",
    ) -> Callable[[HandlerT], HandlerT]: ...

    def system_opener(
        self,
        handler: HandlerT | None = None,
        /,
        *,
        schemes: Sequence[str] = (),
        remote: bool = False,
        enabled: bool = True,
        program: str = "",
    ) -> object:
        """Set where URLs go that are none of the bus's business: http, https, and schemes that are named here.

        schemes  what it opens besides http and https; schemes that routes or rules use never go there.
        remote   whether it opens for remote origins, too.
        enabled  whether it opens anything at all.
        program  what is started with the URL as its argument; empty: "xdg-open".

        With a function, as a decorator or called with it, the function opens instead of the program: it is a
        handler without a pattern. Without one this sets the program at once. Where `unregister()` has taken a
        function away nothing is opened.
        """

        def set_opener(opener: Callable[..., object] | None) -> None:
            if opener is not None:
                check_function(opener, "@bus.system_opener")
            plan = None if opener is None else read_signature(opener)
            self._set_opener(opener, plan, schemes, remote=remote, enabled=enabled, program=program)

        def decorate(opener: HandlerT) -> HandlerT:
            set_opener(opener)
            return opener

        set_opener(handler)
        return decorate if handler is None else handler

    def unregister(self, what: object) -> None:
        """Remove what was registered.

        what  the name of a component, whoever registered it; or an instance, a class, a Registration, or a handler,
              with everything that was registered with it.

        Raises NoComponentError for a name, NotFoundError for anything else that is not registered.
        """
        if isinstance(what, str):
            self._remove_component(what)
            return
        if isinstance(what, _crosstie.Registration):
            what.remove()
            return
        registrations = [item for item in self._registrations() if item.active and _is_of(item.handler, what)]
        if not registrations:
            raise not_found(f"{what!r} is not registered")
        for registration in registrations:
            registration.remove()

    def stats(self) -> list[Stat]:
        """What a bus that was made with `stats=True` has counted, by kind and by name."""
        return [Stat(**item) for item in self._stats()]

    def _door(self) -> tuple[_crosstie.Bus, RequestOptions]:
        return self, {}

    def generate(
        self, pattern: str, params: Mapping[str, Any] | Sequence[Any] | None = None, /, **named: Any
    ) -> str:
        """The URL that a pattern matches with these parameters; opening it gives the same back.

        Parameters go by name, as keywords or in a mapping, or by position in a sequence.
        Raises ParamError for one that is missing, surplus, or cannot stand there, and PatternError.
        """
        return self._generate(pattern, _parameters(params, named))

    def url_for(
        self,
        name: str,
        params: Mapping[str, Any] | Sequence[Any] | None = None,
        /,
        *,
        query: Mapping[str, Any] | None = None,
        **named: Any,
    ) -> str:
        """The URL of a route by its name, with these parameters and this query; opening it gives them back.

        params  as for `generate()`.
        query   texts, numbers, booleans, or lists of them for keys that stand there several times.

        Raises NotFoundError, or ParamError for a parameter that is missing, surplus, or cannot stand there.
        """
        return self._generate_named(name, _parameters(params, named), dict(query or {}))

    def routes(self) -> list[Route]:
        """The routes, in the order of their patterns."""
        return [Route(**item) for item in self._routes()]


def _is_of(registered: object, what: object) -> bool:
    """Whether it was registered with that, or is an instance of it."""
    return registered is what or registered == what or (isinstance(what, type) and type(registered) is what)


def _parameters(
    params: Mapping[str, Any] | Sequence[Any] | None, named: dict[str, Any]
) -> dict[str, Any] | list[Any]:
    if params is None or isinstance(params, Mapping):
        return {**(params or {}), **named}
    if named:
        raise TypeError("parameters go either by position or by name")
    if isinstance(params, (str, bytes, bytearray)):
        raise TypeError("parameters are a mapping or a sequence, not one text")
    return list(params)


def _renew_lock() -> None:
    """In a forked child the lock may be one that a thread of the parent held."""
    Bus._shared_lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)
