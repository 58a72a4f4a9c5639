"""The bus."""

from __future__ import annotations

import os
from _thread import RLock
from collections.abc import Callable, Collection, Sequence

from . import _crosstie
from ._decorators import check_function, check_text
from ._homes import publish
from ._request_methods import RequestMethods
from ._typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    import asyncio
    from typing import TypeVar, Unpack

    from ._components import ComponentOptions, Components
    from ._crosstie import _RequestKind
    from ._handler_loops import HandlerLoops
    from ._instance import Instance
    from ._interceptors import InterceptorList, Interceptors
    from ._join import Join
    from ._performer import Performer
    from ._requests import RequestOptions
    from ._routes import Routes
    from ._rules import Rules

    _HandlerT = TypeVar("_HandlerT", bound=Callable[..., object])
    _ClassT = TypeVar("_ClassT", bound=type)
    _ComponentT = TypeVar("_ComponentT")


class Stat(NamedTuple):
    """The counts of one handler or kind, from `Bus.stats()`."""

    kind: str
    name: str  # a pattern, "component.action", or a prefix; empty for requests that reached no handler
    count: int  # type: ignore[assignment]  # requests that have ended
    failures: int
    nanoseconds: int  # the sum of the times from the handler's start to the request's end
    longest: int  # nanoseconds


class Bus(_crosstie.Bus, RequestMethods):
    """The object that connects the parts of a program: it has their handlers, and runs requests.

    name            for the log and for people.
    default_scheme  the scheme of patterns and URLs that begin with "/".
    max_workers     the most threads for asynchronous requests; 0: 64.
    max_queued      asynchronous requests that may wait; 0: 65,536.
    match           "exact", or "nearest": a URL that no route matches as a whole goes to the route that matches its
                    longest leading part. An open may set another mode.
    count_hits      whether `routes` counts the starts of each route's handler.
    stats           whether the bus counts and times requests, for `stats()`.
    static          whether it gets the process's static components: those of `crosstie.component` and of C and Swift.

    Its views are `routes`, `rules`, `interceptors`, `components`, `providers` and `performer`. Most views list their
    items, find them by name, and have `add()` and `remove()`.

    Every method may be called from any thread. As a context manager it is closed at the end. A bus without a reference
    is closed too, and every bus is closed when the interpreter ends.
    """

    @classmethod
    def shared(cls, name: str) -> Bus:
        """Return the process's bus of a name, which C and Swift reach by that name too. It has the static components.

        Each call returns the same object, until it is closed. The bus keeps the log that was set when it was made.
        """
        with _shared_lock:
            bus = _shared_buses.get(name)
            is_new = bus is None or bus.closed
            if bus is None or is_new:
                for closed in [name for name, other in _shared_buses.items() if other.closed]:
                    del _shared_buses[closed]
                bus = _shared_buses[name] = cls._shared(name)
        if is_new:
            from ._statics import join_static

            join_static(bus)
        return bus

    def close(self) -> None:
        """Close the bus: wait for running handlers and remove all registrations.

        A second call does nothing, nor does a call in a forked child. Any other use afterwards raises ClosedError.
        """
        waits = False
        try:
            super().close()
            waits = True
        finally:
            loops = vars(self).get("_handler_loops")
            if loops is not None:
                loops.stop(waits=waits)
            with _shared_lock:
                if _shared_buses.get(self.name) is self:
                    del _shared_buses[self.name]

    def __exit__(self, *args: object) -> None:
        """Close the bus."""
        self.close()

    # ---- Views ----------------------------------------------------------------------------------------------

    @property
    def routes(self) -> Routes:
        """The routes: patterns of URLs and their handlers."""
        from ._routes import Routes

        return Routes(self)

    @property
    def rules(self) -> Rules:
        """The rule table, which names the URLs that remote origins may open, and the handlers of its rules."""
        from ._rules import Rules

        return Rules(self)

    @property
    def interceptors(self) -> Interceptors:
        """The interceptors, which see requests before their handlers."""
        from ._interceptors import Interceptors

        return Interceptors(self)

    @property
    def components(self) -> Components:
        """The components: objects with actions that are called by name, and handlers of events."""
        from ._components import Components

        return Components(self)

    @property
    def performer(self) -> Performer:
        """The performer: targets that are called by name without being registered."""
        from ._performer import Performer

        return Performer(self)

    # ---- Other processes ------------------------------------------------------------------------------------

    def join(
        self,
        wormhole: _crosstie.Wormhole,
        *,
        name: str = "",
        exports: Sequence[str] = (),
        imports: Sequence[str] = (),
        dispatcher: str = "",
        trusted: bool = False,
        shared_memory: bool = True,
        max_calls: int = 0,
        max_frame_size: int = 0,
    ) -> Join:
        """Join the bus to the group that a wormhole has open, and return a Join, which is a context manager.

            with bus.join(wormhole, exports=["stock"], imports=["till"]):
                bus.call("till", "open")

        name            this process's name, for peers; default: the wormhole's.
        exports         the names that peers may use: a component, "component.action", "event:name", the URLs of a scheme
                        ("app://"), one URL ("app://items/new"), or the URLs below it ("app://items/*").
        imports         the names that this bus may use in peers, of the same form, or "*" for all. The bus's own
                        components, routes, rules and providers come first.
        dispatcher      the dispatcher that runs requests of peers; default: the component's, or the bus's own.
        trusted         whether requests of peers keep the origin that they have in the peer; otherwise all are "remote".
        shared_memory   whether requests travel by memory that two processes share, if the system allows that; otherwise
                        they travel by sockets.
        max_calls       requests of all peers at a time, at most; 0: 1,024. One beyond it raises BusyError in the peer.
        max_frame_size  bytes of one request or answer, at most; 0: 1 MiB.

        When the call returns, the present peers are known. Raises ArgumentError, NotFoundError for an unknown
        dispatcher, StoreError when another user could change the group's directory, UnsupportedError for an engine that joins
        no buses, UnavailableError if the wormhole's server is not there, or ClosedError.
        """
        from ._join import Join

        return Join(
            self,
            wormhole,
            name=name,
            exports=exports,
            imports=imports,
            dispatcher=dispatcher,
            trusted=trusted,
            shared_memory=shared_memory,
            max_calls=max_calls,
            max_frame_size=max_frame_size,
        )

    def claim_instance(
        self, application: str, *, directory: str = "", dispatcher: str = "", dbus: bool = True
    ) -> Instance:
        """Claim an application, and return an Instance: this process is the first if no other process of this user is.

            instance = bus.claim_instance("com.example.app")
            instance.hand(sys.argv[1:])
            if not instance.is_first:
                sys.exit()
            ...  # register routes
            instance.ready()

        application  letters, digits, ".", "-" and "_": by custom the reversed name of a domain.
        directory    an absolute path below which the processes meet; default: the directory of groups.
        dispatcher   the dispatcher that opens URLs of other processes; default: the bus's own.
        dbus         whether the first instance also asks the session bus, if there is one, for the application's name, and
                     answers org.freedesktop.Application there: see `Instance.dbus_status`.

        Raises ArgumentError, NotFoundError for an unknown dispatcher, StoreError when another user could change the
        directory, or ClosedError.
        """
        from ._instance import Instance

        return Instance(self, application, directory=directory, dispatcher=dispatcher, dbus=dbus)

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
    ) -> Callable[[_HandlerT], _HandlerT]:
        """Register the decorated function for the URLs that match a pattern, and return it.

        Arguments and parameters are those of `Routes.add()`.
        """
        check_text(pattern, "@bus.route", "pattern")

        def decorate(handler: _HandlerT) -> _HandlerT:
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
    ) -> Callable[[_HandlerT], _HandlerT]:
        """Register the decorated function as the handler of the rule of that id, and return it.

        Arguments and parameters are those of `Rules.add()`.
        """
        check_text(id, "@bus.rule", "id")

        def decorate(handler: _HandlerT) -> _HandlerT:
            self.rules.add(id, handler, worker_only=worker_only, interceptors=interceptors)
            return handler

        return decorate

    @overload
    def interceptor(
        self,
        interceptor: _HandlerT,
        /,
        *,
        order: int = 0,
        kinds: Collection[_RequestKind] | None = None,
        dispatcher: str = "",
    ) -> _HandlerT: ...

    @overload
    def interceptor(
        self,
        interceptor: None = None,
        /,
        *,
        order: int = 0,
        kinds: Collection[_RequestKind] | None = None,
        dispatcher: str = "",
    ) -> Callable[[_HandlerT], _HandlerT]: ...

    def interceptor(
        self,
        interceptor: _HandlerT | None = None,
        /,
        *,
        order: int = 0,
        kinds: Collection[_RequestKind] | None = None,
        dispatcher: str = "",
    ) -> object:
        """Register the decorated function as an interceptor of every request of the bus, and return it.

        order       interceptors with lower numbers see a request first; of equal ones, the one added first.
        kinds       the request kinds that it sees: "open", "call", "event", "perform", "share", "oauth", "launch",
                    "activity"; None: all.
        dispatcher  the name of the dispatcher whose requests it sees; empty: all.

        It takes the request, and `proceed`, a method of the request, if it has a second parameter that is named so or
        has no default:

            @bus.interceptor
            def log(request, proceed):
                print(request.url)
                proceed()

            @bus.interceptor(order=10, kinds=["open"])
            def check(request): ...

        `proceed()` lets the request continue, and `request.rewrite(url)` lets it continue with another URL: once the
        function has returned, or later after `request.defer()`. `request.deny(message)`, an exception, or a returned
        value ends it. An interceptor that does none of this ends the request with NO_REPLY.
        """

        def decorate(interceptor: _HandlerT) -> _HandlerT:
            check_function(interceptor, "@bus.interceptor")
            self.interceptors.add(interceptor, order=order, kinds=kinds, dispatcher=dispatcher)
            return interceptor

        return decorate if interceptor is None else decorate(interceptor)

    @overload
    def component(self, name: _ClassT, /) -> _ClassT: ...

    @overload
    def component(
        self, name: str | None = None, /, **options: Unpack[ComponentOptions]
    ) -> Callable[[_ComponentT], _ComponentT]: ...

    @overload
    def component(
        self, name: str | None, component: _ComponentT, /, **options: Unpack[ComponentOptions]
    ) -> _ComponentT: ...

    def component(
        self, name: object = None, component: object = None, /, **options: Unpack[ComponentOptions]
    ) -> object:
        """Register the decorated class, or an instance, as a component, and return it.

            @bus.component("home")
            class Home: ...

            bus.component("clock", Clock())

        name     by default the name of the type.
        options  as for `Components.add()`.
        """

        def decorate(component: _ComponentT) -> _ComponentT:
            self.components.add(component, name if isinstance(name, str) else None, **options)
            return component

        if name is not None and not isinstance(name, str if component is not None else str | type):
            raise TypeError(f"@bus.component decorates a class, or takes a name, not {name!r}")
        if component is not None:
            return decorate(component)
        return decorate(name) if isinstance(name, type) else decorate

    @overload
    def system_opener(
        self,
        handler: _HandlerT,
        /,
        *,
        schemes: Sequence[str] = (),
        remote: bool = False,
        enabled: bool = True,
        program: str = "",
    ) -> _HandlerT: ...

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
    ) -> Callable[[_HandlerT], _HandlerT]: ...

    def system_opener(
        self,
        handler: _HandlerT | None = None,
        /,
        *,
        schemes: Sequence[str] = (),
        remote: bool = False,
        enabled: bool = True,
        program: str = "",
    ) -> object:
        """Set the system opener, which gets the URLs of other programs: http, https, and the given schemes.

        schemes  the schemes that it opens besides http and https; it never gets those that routes or rules use.
        remote   whether it opens URLs for remote origins, too.
        enabled  whether it opens any URL.
        program  the program that is started with the URL as its argument; empty: "xdg-open".

        A function, decorated or passed, opens URLs instead of the program: it is a handler without a pattern. Without a
        function, the call sets the program at once, and removes the previous function.
        """

        def set_handler(handler: Callable[..., object] | None) -> None:
            if handler is not None:
                check_function(handler, "@bus.system_opener")
            from ._signature import read_signature

            plan = None if handler is None else read_signature(handler)
            self._set_system_opener(handler, plan, schemes, remote=remote, enabled=enabled, program=program)

        def decorate(handler: _HandlerT) -> _HandlerT:
            set_handler(handler)
            return handler

        set_handler(handler)
        return decorate if handler is None else handler

    # ---- Loops and counts -----------------------------------------------------------------------------------

    def attach(self, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Set the loop on which async handlers run; by default the running one.

        A handler that was registered while a loop was running stays on that loop. Without either, the bus starts a
        thread with a loop of its own, which ends when the bus is closed.
        """
        self._handler_loops.attach(loop)

    @property
    def _handler_loops(self) -> HandlerLoops:
        """The loops of the async handlers, made at the first use on any thread."""
        from ._handler_loops import HandlerLoops

        loops: HandlerLoops = vars(self).setdefault("_handler_loops", HandlerLoops())
        return loops

    def _handler_loop(self) -> asyncio.AbstractEventLoop:
        return self._handler_loops.loop_for(self)

    def stats(self) -> list[Stat]:
        """Return the counts of a bus that was made with `stats=True`, by kind and by name."""
        return [Stat(**item) for item in self._stats()]

    def _bus_and_options(self) -> tuple[_crosstie.Bus, RequestOptions]:
        return self, {}


#: The process's buses by name, and the lock of the dict.
_shared_buses: dict[str, Bus] = {}
_shared_lock = RLock()


def _renew_lock() -> None:
    """Replace the lock in a forked child: a thread of the parent may hold the old one."""
    global _shared_lock
    _shared_lock = RLock()


os.register_at_fork(after_in_child=_renew_lock)
publish(__name__, globals())
