"""The bus."""

import os
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar, Unpack, overload

from . import _crosstie
from ._asking import Asking
from ._components import ComponentOptions, Components
from ._decorating import check_function, check_text
from ._hosting import Hosting
from ._interceptors import InterceptorList, Interceptors
from ._performer import Performer
from ._requests import RequestOptions
from ._routes import Routes, url_parameters
from ._rules import Rules
from ._signature import read_signature
from ._statics import join_static

if TYPE_CHECKING:
    import asyncio

    from ._crosstie import _RequestKind

HandlerT = TypeVar("HandlerT", bound=Callable[..., object])
ClassT = TypeVar("ClassT", bound=type)
ComponentT = TypeVar("ComponentT")


class Stat(NamedTuple):
    """One line of `Bus.stats()`."""

    kind: str
    name: str  # a pattern, "component.action", or a prefix; empty for requests that no handler got
    count: int  # type: ignore[assignment]  # requests that have ended
    failures: int
    nanoseconds: int  # from the handler's start to the request's end, all together
    longest: int  # nanoseconds


class Bus(_crosstie.Bus, Asking):
    """Where handlers register and requests find them.

    name            for the log and for people.
    default_scheme  the scheme of patterns and URLs that begin with "/".
    max_workers     threads for asynchronous requests at most; 0: 64.
    max_queued      asynchronous requests that may wait; 0: 65,536.
    match           "exact", or "nearest": a URL that no route takes as a whole goes to the one that takes its
                    longest leading part, unless an open asks otherwise.
    count_hits      whether `routes` tells how often each route's handler was started.
    stats           whether it counts and times requests, for `stats()`.
    static          whether it has the process's static components: those of `crosstie.component` and of C and Swift.

    What belongs together is in views: `routes`, `rules`, `interceptors`, `components`, `providers` and `performer`. Each
    can be walked through, asked for what has a name, and has `add()` and `remove()`, where that makes sense.

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
        waits = False
        try:
            super().close()
            waits = True
        finally:
            self._hosting.stop(waits=waits)
            with self._shared_lock:
                if self._shared_buses.get(self.name) is self:
                    del self._shared_buses[self.name]

    def __exit__(self, *args: object) -> None:
        """Close the bus."""
        self.close()

    # ---- What is on it --------------------------------------------------------------------------------------

    @property
    def routes(self) -> Routes:
        """Which function handles the URLs of which pattern."""
        return Routes(self)

    @property
    def rules(self) -> Rules:
        """The rule table, which says what outsiders may open, and the handlers of its rules."""
        return Rules(self)

    @property
    def interceptors(self) -> Interceptors:
        """What sees requests on their way."""
        return Interceptors(self)

    @property
    def components(self) -> Components:
        """What is called by name, and hears events."""
        return Components(self)

    @property
    def performer(self) -> Performer:
        """What may be called by name though nobody has registered it."""
        return Performer(self)

    # ---- Registering ----------------------------------------------------------------------------------------

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
        interceptors: InterceptorList = (),
    ) -> Callable[[HandlerT], HandlerT]:
        """Register the decorated function for the URLs that match a pattern, and return it.

        Arguments and parameters are those of `Routes.add()`.
        """
        check_text(pattern, "@bus.route", "pattern")

        def decorate(handler: HandlerT) -> HandlerT:
            self.routes.add(
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

    def rule(
        self, id: str, /, *, worker_only: bool = False, interceptors: InterceptorList = ()
    ) -> Callable[[HandlerT], HandlerT]:
        """Register the decorated function as the handler of the rule of that id, and return it.

        Arguments and parameters are those of `Rules.add()`.
        """
        check_text(id, "@bus.rule", "id")

        def decorate(handler: HandlerT) -> HandlerT:
            self.rules.add(id, handler, worker_only=worker_only, interceptors=interceptors)
            return handler

        return decorate

    @overload
    def interceptor(
        self,
        interceptor: HandlerT,
        /,
        *,
        order: int = 0,
        kinds: "Collection[_RequestKind] | None" = None,
        dispatcher: str = "",
    ) -> HandlerT: ...

    @overload
    def interceptor(
        self,
        interceptor: None = None,
        /,
        *,
        order: int = 0,
        kinds: "Collection[_RequestKind] | None" = None,
        dispatcher: str = "",
    ) -> Callable[[HandlerT], HandlerT]: ...

    def interceptor(
        self,
        interceptor: HandlerT | None = None,
        /,
        *,
        order: int = 0,
        kinds: "Collection[_RequestKind] | None" = None,
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
            self.interceptors.add(interceptor, order=order, kinds=kinds, dispatcher=dispatcher)
            return interceptor

        return decorate if interceptor is None else decorate(interceptor)

    @overload
    def component(self, name: ClassT, /) -> ClassT: ...

    @overload
    def component(
        self, name: str | None = None, /, **options: Unpack[ComponentOptions]
    ) -> Callable[[ComponentT], ComponentT]: ...

    @overload
    def component(
        self, name: str | None, component: ComponentT, /, **options: Unpack[ComponentOptions]
    ) -> ComponentT: ...

    def component(
        self, name: object = None, component: object = None, /, **options: Unpack[ComponentOptions]
    ) -> object:
        """Register the decorated class, or an instance that is given, as a component, and return it.

            @bus.component("home")
            class Home: ...

            bus.component("clock", Clock())

        name     by default the name of the type.
        options  as for `Components.add()`.
        """

        def decorate(component: ComponentT) -> ComponentT:
            self.components.add(component, name if isinstance(name, str) else None, **options)
            return component

        if name is not None and not isinstance(name, str if component is not None else str | type):
            raise TypeError(f"@bus.component decorates a class, or is given a name, not {name!r}")
        if component is not None:
            return decorate(component)
        return decorate(name) if isinstance(name, type) else decorate

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
        handler without a pattern. Without one this sets the program at once, in the place of a function.
        """

        def set_opener(opener: Callable[..., object] | None) -> None:
            if opener is not None:
                check_function(opener, "@bus.system_opener")
            plan = None if opener is None else read_signature(opener)
            self._set_system_opener(opener, plan, schemes, remote=remote, enabled=enabled, program=program)

        def decorate(opener: HandlerT) -> HandlerT:
            set_opener(opener)
            return opener

        set_opener(handler)
        return decorate if handler is None else handler

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

        params  as for `Routes.generate()`.
        query   texts, numbers, booleans, or lists of them for keys that stand there several times.

        Raises NotFoundError, or ParamError for a parameter that is missing, surplus, or cannot stand there.
        """
        return self._generate_named(name, url_parameters(params, named), dict(query or {}))

    # ---- How it runs ----------------------------------------------------------------------------------------

    def attach(self, loop: "asyncio.AbstractEventLoop | None" = None) -> None:
        """Have async handlers run on a loop, by default the one that is running here.

        A handler that was registered while a loop was running stays with that one. Where there is neither, the bus
        starts a thread with a loop of its own, which ends when the bus is closed.
        """
        self._hosting.attach(loop)

    @property
    def _hosting(self) -> Hosting:
        """Which loop the async handlers run on; made once, by whichever thread asks first."""
        hosting: Hosting = vars(self).setdefault("_hosting", Hosting())
        return hosting

    def _handler_loop(self) -> "asyncio.AbstractEventLoop":
        return self._hosting.loop_for(self)

    def stats(self) -> list[Stat]:
        """What a bus that was made with `stats=True` has counted, by kind and by name."""
        return [Stat(**item) for item in self._stats()]

    def _door(self) -> tuple[_crosstie.Bus, RequestOptions]:
        return self, {}


def _renew_lock() -> None:
    """In a forked child the lock may be one that a thread of the parent held."""
    Bus._shared_lock = threading.RLock()


os.register_at_fork(after_in_child=_renew_lock)
