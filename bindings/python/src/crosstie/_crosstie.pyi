from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from os import PathLike
from types import GenericAlias
from typing import Any, Final, Generic, Literal, Self, TypeAlias, TypeVar, final

from _typeshed import FileDescriptorLike, structseq
from typing_extensions import Buffer, disjoint_base

from ._bus import Bus as WholeBus
from ._marks import Action
from ._provider_description import Description
from ._requests import Broadcast, Params, RequestOptions
from ._signature import Plan
from ._status import Status

_Origin: TypeAlias = Literal["local", "remote"]
_Mode: TypeAlias = Literal["exact", "nearest"]
_Interceptors: TypeAlias = Sequence[Callable[..., object]]
_Priority: TypeAlias = Literal["low", "normal", "high"]
_RequestKind: TypeAlias = Literal["open", "call", "event", "perform", "share", "oauth", "launch", "activity"]
_T = TypeVar("_T")

_statuses: dict[str, int]
_names: dict[str, str]

CTIE_ACTION_EVENT: Final[int]
CTIE_ACTION_WORKER_ONLY: Final[int]
CTIE_ACTION_IDEMPOTENT: Final[int]
CTIE_REQUEST_KIND_ACTIVITY: Final[int]
CTIE_REQUEST_KIND_CALL: Final[int]
CTIE_REQUEST_KIND_EVENT: Final[int]
CTIE_REQUEST_KIND_LAUNCH: Final[int]
CTIE_REQUEST_KIND_OAUTH: Final[int]
CTIE_REQUEST_KIND_OPEN: Final[int]
CTIE_REQUEST_KIND_PERFORM: Final[int]
CTIE_REQUEST_KIND_SHARE: Final[int]
CTIE_DURABLE_CHANGE: Final[int]
CTIE_DURABLE_FROM_OLDEST: Final[int]
CTIE_ENGINE_ATOMIC_BATCHES: Final[int]
CTIE_ENGINE_CANCELS: Final[int]
CTIE_ENGINE_COUNTS_LISTENERS: Final[int]
CTIE_ENGINE_DEAD_LETTERS: Final[int]
CTIE_ENGINE_DECLARES: Final[int]
CTIE_ENGINE_EXACT_MISSED: Final[int]
CTIE_ENGINE_FORGETS: Final[int]
CTIE_ENGINE_JOINS_BUSES: Final[int]
CTIE_ENGINE_BATCHES: Final[int]
CTIE_ENGINE_LISTS_DURABLES: Final[int]
CTIE_ENGINE_LISTS_SCHEDULED: Final[int]
CTIE_ENGINE_SCHEDULES: Final[int]
CTIE_ENGINE_SEEKS: Final[int]
CTIE_ENGINE_SURVIVES_POWER: Final[int]
CTIE_ENGINE_TOKENS: Final[int]
CTIE_FULL_DROP_OLDEST: Final[int]
CTIE_FULL_REFUSE: Final[int]
CTIE_FULL_WAIT: Final[int]
CTIE_LISTEN_DURABLE: Final[int]
CTIE_LISTEN_FROM_OLDEST: Final[int]
CTIE_LISTEN_MANUAL: Final[int]
CTIE_LISTEN_NO_INITIAL_DELIVERY: Final[int]
CTIE_LISTEN_QUEUE: Final[int]
CTIE_REQUEST_CACHED: Final[int]
CTIE_REQUEST_RELEASE: Final[int]
EXT_ANY: Final[int]
EXT_BOOL: Final[int]
EXT_FLOAT: Final[int]
EXT_INT: Final[int]
EXT_IS_ASYNC: Final[int]
EXT_MAX_ARGUMENTS: Final[int]
EXT_OPTIONAL: Final[int]
EXT_REQUEST: Final[int]
EXT_TEXT: Final[int]
EXT_WANTS_PROCEED: Final[int]

def _error_text(unread: object, /) -> str:
    """Return the message of an error that has not been read yet."""

def _status_code(status: int, /) -> int:
    """The integer code of a status."""

def _set_parts(parts: dict[str, Any], /) -> None:
    """Take the objects of the package that the extension uses."""

def to_json(value: object, /, *, pretty: bool = False) -> str:
    """Write a value as JSON text.

    value   None, a bool, int (64 bits), float, str, or a list, tuple or dict (with str keys) of them; or Params.
    pretty  whether each entry has an indented line of its own.

    Raises KindError for bytes, NaN, infinities and objects of other types, ArgumentError for text that is not valid
    Unicode. Since 0.1.
    """

def from_json(text: str | Buffer, /) -> Any:
    """Read one value from JSON.

    text  a str, or bytes in UTF-8. Duplicate keys, integers beyond 64 bits and lone surrogates are errors.

    Raises FormatError, ParamError for a duplicate key, or ArgumentError for bytes that are not UTF-8. Since 0.1.
    """

def to_msgpack(value: object, /) -> bytes:
    """Write a value as MessagePack.

    value  as for `to_json()`; bytes, NaN and infinities are allowed.

    Raises KindError for objects of other types, ArgumentError for text that is not valid Unicode and integers beyond
    64 bits. Since 0.1.
    """

def from_msgpack(message: Buffer, /) -> Any:
    """Read one value from MessagePack.

    message  bytes or another buffer with one value of the standard types: nil, booleans, integers, floats, strings,
             binary, arrays, and maps with string keys.

    Raises FormatError, ParamError for a duplicate key, or ArgumentError for text that is not UTF-8. Since 0.1.
    """

def _convert_rules(
    json: str | Buffer | None,
    path: str | None,
    /,
    *,
    platform: str = "",
    public_schemes: Sequence[str] = (),
    private_schemes: Sequence[str] = (),
    route_hosts: Sequence[str] = (),
    web_hosts: Sequence[str] = (),
) -> str:
    """Convert a rule document of either form, by its JSON or its path, to the current one; the other is None."""

def _report(exception: BaseException, where: object, /) -> None:
    """Report an exception through sys.unraisablehook."""

def _watch_signals() -> None:
    """Make this thread the one that signal handlers interrupt; called in a forked child."""

def _load_library(path: str, /) -> None:
    """Load a shared library that libcrosstie finds by its soname. Raises UnavailableError."""

def _stop() -> None:
    """Close all buses and wormholes. It is registered with atexit."""

@disjoint_base
class Bus:
    """The C part of crosstie.Bus."""

    def __new__(
        cls,
        name: str = "",
        *,
        default_scheme: str = "",
        max_workers: int = 0,
        max_queued: int = 0,
        match: _Mode = "exact",
        count_hits: bool = False,
        stats: bool = False,
        static: bool = False,
    ) -> Self: ...

    @property
    def name(self) -> str:
        """The name of the bus."""

    @property
    def closed(self) -> bool:
        """Whether the bus has been closed, or was made before a fork."""

    def open(
        self,
        url: str,
        /,
        *,
        origin: _Origin = "local",
        user_info: dict[str, Any] | None = None,
        timeout: float | None = 2.5,
        parent: Request | None = None,
        mode: _Mode | None = None,
        interceptors: _Interceptors = (),
        dispatcher: str = "",
        priority: _Priority = "normal",
        progress: Callable[[Any], object] | None = None,
        loop: Loop | None = None,
        peer: str | None = None,
        reach: Literal["any", "here", "elsewhere"] = "any",
    ) -> Response:
        """Open a URL on this thread and return the Response.

        The handler of the most specific route or rule runs, usually on this thread.

        url           absolute, or a path on a bus with a default scheme.
        origin        "local", or "remote" for a URL that came from outside: it reaches only public routes and actions.
        user_info     a dict for the handler beside the URL.
        timeout       seconds until the request ends with a TimeoutError; None or 0: never.
        parent        the Request on whose behalf this one is made; default: the one that this thread handles.
        mode          "exact" or "nearest"; default: the bus's.
        interceptors  functions that see this request alone, before the bus's interceptors.
        dispatcher    the name of the dispatcher for a handler that runs on a worker; default: the bus's own.
        priority      "low", "normal" or "high": the order in a dispatcher's queue.
        progress      a function that is called with each value that the handler reports as progress.
        loop          the Loop that calls `progress`; default: the thread that reports it.

        A URL that the handler of a remote request opens is remote too, on its thread and wherever Python's context goes
        from there (tasks of asyncio, asyncio.to_thread(), contextvars.copy_context()).

        Raises the handler's exception, or an Error: NoRouteError, DeniedError, UrlError, ParamError, TimeoutError…
        """

    def open_async(
        self,
        url: str,
        /,
        *,
        origin: _Origin = "local",
        user_info: dict[str, Any] | None = None,
        timeout: float | None = 60,
        parent: Request | None = None,
        mode: _Mode | None = None,
        interceptors: _Interceptors = (),
        completion: Callable[[Response], object] | None = None,
        dispatcher: str = "",
        priority: _Priority = "normal",
        progress: Callable[[Any], object] | None = None,
        loop: Loop | None = None,
        peer: str | None = None,
        reach: Literal["any", "here", "elsewhere"] = "any",
    ) -> Call[Response]:
        """Open a URL on a worker thread of the bus and return a Call at once.

        completion  a function that is called with the Response, also after a failure.
        loop        the Loop that calls `completion` and `progress`; default: a worker thread.

        The other arguments are those of `open()`, with a timeout of 60 seconds by default.

        Raises UrlError, BusyError when the queue is full, or ClosedError; the Call's `result()` raises every later
        failure. A failure that no `result()`, `exception()` or `completion` receives goes to sys.unraisablehook.
        """

    def call(
        self, component: str, action: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Any:
        """Call an action of a component and return its answer.

        The action runs on this thread, unless it is marked worker-only.

        component  the component's name.
        action     the action's name.
        params     a mapping. An action in Python receives a dict as the same object.
        keywords   the parameters as keywords, instead of `params`.

        Timeout, origin and other options are set by `with_options()`: `bus.with_options(timeout=1).call(…)`. The
        default timeout is 2.5 seconds.

        Raises the action's exception, or a CallError: NoComponentError, NoActionError, DeniedError, TimeoutError…
        """

    def call_async(
        self, component: str, action: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Call[Any]:
        """Call an action on a worker thread of the bus and return a Call at once.

        The arguments are those of `call()`. The default timeout is 60 seconds.

        Raises BusyError when the queue is full, or ClosedError; the Call's `result()` raises every later failure.
        """

    def broadcast(self, event: str, params: Mapping[str, Any] | None = None, /, **keywords: Any) -> Broadcast:
        """Call every component that has a handler for an event, one after the other, by priority, then by name.

        A component that fails does not stop the rest. The parameters are those of `call()`.
        """

    def _make_request(
        self,
        kind: int,
        is_async: bool,
        target: str,
        action: str,
        params: Mapping[str, Any] | None,
        options: RequestOptions,
        flags: int,
        /,
    ) -> Any:
        """Make a request of any kind with a dict of options."""

    def _add_provider(self, description: Description, position: int | None, /) -> Registration:
        """Register a provider."""

    def _add_system_provider(
        self,
        position: int | None = None,
        /,
        *,
        name: str = "",
        mail: str = "",
        opener: str = "",
        clipboard: str = "",
        launcher: str = "",
        directory: str = "",
        keep_files: bool = False,
    ) -> None:
        """Register the system's provider."""

    def _set_providers(self, descriptions: Iterable[Description], /) -> None:
        """Register providers in place of all others."""

    def _move_provider(self, name: str, position: int | None, /) -> None:
        """Move a provider to a position; None: to the end."""

    def _remove_provider(self, name: str, /) -> None:
        """Remove a provider by its name."""

    def _providers(self) -> list[dict[str, Any]]:
        """List the providers as dicts."""

    def _set_provider_log(
        self, name: str, function: Callable[[str, str, str, int], object] | None, /
    ) -> None:
        """Send a provider's log to a function; None: to the bus's log."""

    def _provider_open_url(self, url: str, options: RequestOptions, /) -> bool:
        """Offer a URL to the providers."""

    def _provider_open_activity(self, activity: Mapping[str, Any], options: RequestOptions, /) -> bool:
        """Offer a user activity to the providers."""

    def _broadcast(
        self, event: str, params: Mapping[str, Any] | None, options: RequestOptions, /
    ) -> Broadcast:
        """Call every component that has a handler for an event, with options."""

    def _add_component(
        self,
        name: str,
        handler: object,
        actions: tuple[Action, ...],
        /,
        *,
        factory: Callable[[], tuple[Callable[..., object], ...]] | None = None,
        replace: bool = False,
        static: bool = False,
        exported: bool = False,
        priority: int = 0,
        doc: str = "",
        type: str = "",
        dispatcher: str = "",
        interceptors: _Interceptors = (),
    ) -> Registration:
        """Register a component with its actions."""

    def _remove_component(self, name: str, /) -> None:
        """Remove a component by its name."""

    def _components(self) -> list[dict[str, Any]]:
        """List the components as dicts."""

    def _components_anywhere(self) -> list[dict[str, Any]]:
        """List the components as dicts, and those of peers."""

    def _set_fallback(
        self,
        handler: Callable[..., object],
        plan: Plan,
        /,
        *,
        public: bool = False,
        worker_only: bool = False,
        interceptors: _Interceptors = (),
    ) -> Registration:
        """Set the handler of performed targets that are not found."""

    def _set_resolver(
        self,
        handler: Callable[[Request], None],
        plan: Plan,
        /,
        *,
        public: bool = False,
        worker_only: bool = False,
        interceptors: _Interceptors = (),
    ) -> Registration:
        """Set the resolver of `python:`."""

    def _selector(self, function: Callable[..., object], plan: Plan, /) -> Registration:
        """Make a registration for a function that a resolver has found."""

    def _allow(self, target: str, /) -> None:
        """Put a target on the allow-list."""

    def _release_target(self, target: str, /) -> None:
        """Release the kept instance of a target."""

    def add_dispatcher(self, name: str, /, *, workers: int = 0, queued: int = 0) -> None:
        """Add a dispatcher: worker threads with a queue of their own, for as long as the bus lives.

        name     for `with_options(dispatcher=…)` and for components.
        workers  threads at most; 0: 64.
        queued   requests that may wait; 0: 65,536.

        A request runs there if its options or its component name the dispatcher. Raises ConflictError for a name that
        is taken.
        """

    def cancel_all(self, dispatcher: str = "") -> int:
        """Cancel every asynchronous request of a dispatcher, queued or running, and return their number.

        dispatcher  its name; empty: the bus's own.

        Raises NotFoundError.
        """

    def _stats(self) -> list[dict[str, Any]]:
        """List the counts of requests as dicts."""

    def _load_plugin(self, path: str, /) -> int:
        """Load a plug-in."""

    def _unload_plugin(self, path: str, /) -> None:
        """Unload a plug-in."""

    def can_open(
        self, url: str, /, *, origin: _Origin = "local", mode: _Mode | None = None, anywhere: bool = False
    ) -> Literal["route", "provider", "system", "peer"] | None:
        """Return the kind of part that would open a URL: "route" (or a rule), "provider", "system" (the system opener), or None.

        url       as for `open()`; for a malformed one None is returned.
        origin    as for `open()`.
        mode      as for `open()`.
        anywhere  whether "peer" is an answer, too, for a URL that goes to another process that exports it; see `join()`.

        No handler and no interceptor runs; a rule's parameters are checked.
        """

    def _remove_route(self, pattern: str, /) -> None:
        """Remove the route of that pattern."""

    def _clear_routes(self) -> None:
        """Remove all routes."""

    def _add_interceptor(
        self,
        interceptor: Callable[..., object],
        /,
        *,
        order: int = 0,
        kinds: Collection[_RequestKind] | None = None,
        dispatcher: str = "",
    ) -> Registration:
        """Register an interceptor."""

    def close(self) -> None:
        """Close the bus: wait for running handlers and remove all registrations.

        A second call does nothing, nor does a call in a forked child. Any other use afterwards raises ClosedError.
        """

    def __enter__(self) -> Self:
        """Return the bus."""

    def __exit__(self, *args: object) -> None:
        """Close the bus."""

    @classmethod
    def _shared(cls, name: str, /) -> Self:
        """Make a new object for the process's bus of a name."""

    def _add_route(
        self,
        pattern: str,
        handler: Callable[..., object],
        plan: Plan,
        /,
        *,
        name: str = "",
        rule: str | None = None,
        public: bool = False,
        worker_only: bool = False,
        replace: bool = False,
        remark: str = "",
        interceptors: _Interceptors = (),
    ) -> Registration:
        """Register a handler for a pattern, to be called by a plan of crosstie._signature."""

    def _handle_rule(
        self,
        id: str,
        handler: Callable[..., object],
        plan: Plan,
        /,
        *,
        worker_only: bool = False,
        interceptors: _Interceptors = (),
    ) -> Registration:
        """Register the handler of a rule."""

    def _set_unmatched(
        self,
        handler: Callable[..., object],
        plan: Plan,
        /,
        *,
        public: bool = False,
        worker_only: bool = False,
        interceptors: _Interceptors = (),
    ) -> Registration:
        """Set the handler of URLs that no route and no rule takes."""

    def _set_navigator(
        self,
        handler: Callable[..., object],
        plan: Plan,
        /,
        *,
        public: bool = False,
        worker_only: bool = False,
        interceptors: _Interceptors = (),
    ) -> Registration:
        """Set the handler of every rule that has none of its own."""

    def _set_system_opener(
        self,
        handler: Callable[..., object] | None,
        plan: Plan | None,
        schemes: Sequence[str],
        /,
        *,
        remote: bool = False,
        enabled: bool = True,
        program: str = "",
    ) -> Registration | None:
        """Set the system opener; if the handler is None, a program opens the URLs."""

    def _load_rules(
        self,
        json: str | Buffer | None,
        path: str | None,
        /,
        *,
        platform: str = "",
        public_schemes: Sequence[str] = (),
        private_schemes: Sequence[str] = (),
        route_hosts: Sequence[str] = (),
        web_hosts: Sequence[str] = (),
        rollback: bool = False,
    ) -> None:
        """Load a rule table by its JSON or its path; the other is None."""

    def _unload_rules(self) -> None:
        """Remove the rule table."""

    def _rules(self) -> dict[str, Any] | None:
        """Return the rule table, or None."""

    def url_for(
        self,
        name: str,
        params: Mapping[str, Any] | Sequence[Any] | None = None,
        /,
        *,
        query: Mapping[str, Any] | None = None,
        **named: Any,
    ) -> str:
        """Return the URL of a route by its name, with parameters and a query. Its handler receives the same parameters.

        params  as for `Routes.generate()`.
        query   texts, numbers, booleans, or lists of them for keys that occur several times.

        Raises NotFoundError, or ParamError for a parameter that is missing, surplus, or not allowed there.
        """

    def _generate_for_rule(
        self, name: str, params: dict[str, Any], web: bool, private: bool, by_target: bool, /
    ) -> str:
        """Make the URL of a rule."""

    def _generate(self, pattern: str, params: dict[str, Any] | list[Any], /) -> str:
        """Make the URL of a pattern with a dict or a list of parameters."""

    def _routes(self) -> list[dict[str, Any]]:
        """List the routes as dicts."""

    def _registrations(self) -> list[Registration]:
        """List the registrations from Python."""

@final
class Registration:
    """A handler, component or provider on a bus, from `bus.routes.add()` and its like.

    As a context manager it is removed at the end. Without a reference to the object the registration remains until
    `remove()`, or until the bus closes. Since 0.1.
    """

    @property
    def active(self) -> bool:
        """Whether the bus still uses the registration."""

    @property
    def kind(
        self,
    ) -> Literal[
        "route",
        "rule",
        "interceptor",
        "unmatched",
        "navigator",
        "system_opener",
        "component",
        "resolver",
        "fallback",
        "provider",
    ]:
        """The kind of the registration, such as "route" or "component"."""

    @property
    def name(self) -> str:
        """The name of the route, component or provider, or the rule's id; empty without one."""

    @property
    def handler(self) -> Any:
        """The function or object that was registered."""

    @property
    def pattern(self) -> str:
        """The pattern of a route; else empty."""

    def remove(self) -> None:
        """Remove the registration; a second call does nothing.

        Afterwards no call of the handler runs or begins. Inside a handler `remove()` does not wait: a call that runs
        already may go on.
        """

    def _handle(self, request: Request, /) -> None:
        """Run the handler for a request, inside another handler."""

    def _log(self, message: str, file: str, function: str, line: int, /) -> bool:
        """Write a line to the log of a provider; return False if nothing receives it."""

    def __enter__(self) -> Self:
        """Return the registration."""

    def __exit__(self, *args: object) -> None:
        """Remove the registration."""

@final
class Request:
    """A URL to open, an action to call, or another request, as a handler or interceptor receives it.

    It is valid until the handler returns or, after `defer()`, until it has been answered. Later use raises
    ClosedError. Since 0.1.
    """

    @property
    def url(self) -> str:
        """The whole URL in normal form; empty for a request without one."""

    @property
    def scheme(self) -> str:
        """The URL's scheme, in lower case."""

    @property
    def host(self) -> str:
        """The URL's host, in lower case; empty without one."""

    @property
    def path(self) -> str:
        """The URL's path, percent-encoded as in the normal form."""

    @property
    def query(self) -> tuple[tuple[str, str], ...]:
        """The pairs of the URL's query, decoded, in the URL's order."""

    @property
    def query_string(self) -> str:
        """The URL's query, percent-encoded, without "?"; empty without one."""

    @property
    def fragment(self) -> str:
        """The URL's fragment, percent-encoded; empty without one."""

    @property
    def params(self) -> Params | dict[str, Any]:
        """The parameters by name.

        Of a URL: a Params, converted by the types of the pattern or the rule. Otherwise: the dict that the caller passed,
        the same object if the caller is in Python; empty without one. Raises ParamError for a parameter that does not
        fit the rule.
        """

    @property
    def arguments(self) -> dict[str, Any] | None:
        """The call arguments: the dict that the caller passed or an interceptor has set, or None."""

    @property
    def bus(self) -> WholeBus:
        """The Bus whose handler or interceptor received the request. Raises ClosedError when it has been freed."""

    @property
    def kind(self) -> _RequestKind:
        """The kind of request: "open", "call", "event", "perform", "share", "oauth", "launch" or "activity"."""

    @property
    def target(self) -> str:
        """The component, endpoint, platform or performer's target of the request, or its rule's target."""

    @property
    def action(self) -> str:
        """The action, event or selector that the request names; "open" for a rule's target; else empty."""

    @property
    def _flags(self) -> int:
        """The request's flags in the C interface."""

    @property
    def pattern(self) -> str:
        """The pattern of the route or rule that matched, as registered; else empty."""

    @property
    def unmatched(self) -> str:
        """The rest of the path that the route did not match, in mode "nearest": percent-encoded, with its slash."""

    @property
    def rule(self) -> dict[str, Any] | None:
        """The rule that matched, as a dict, or None."""

    @property
    def origin(self) -> _Origin:
        """The effective origin: "local", or "remote" for a request from outside."""

    @property
    def user_info(self) -> dict[str, Any]:
        """The dict that the caller passed beside the URL or the parameters; an empty one when there is none."""

    @property
    def peer(self) -> dict[str, Any] | None:
        """The process that made a request through `Bus.join()`: a dict with "member", "name", "pid" and "uid".

        None for a request of this process.
        """

    @property
    def is_leaving(self) -> bool:
        """Whether the request will go to another process, for interceptors; see `Bus.join()`."""

    @property
    def is_ended(self) -> bool:
        """Whether the request has ended: by an answer, a cancel or its deadline."""

    @property
    def is_cancelled(self) -> bool:
        """Whether a cancel, the deadline or the bus's closing has ended the request."""

    @property
    def time_left(self) -> float | None:
        """Seconds until the deadline, 0 at least; None without a deadline."""

    def reply(self, value: object = None, /) -> None:
        """End the request with success. Returning a value from the handler does the same.

        value  the value that the caller receives.

        Raises Error with the status ALREADY when the request has ended.
        """

    def fail(self, reason: str | BaseException = "", *, code: int = -1, value: object = None) -> None:
        """End the request with a failure. Raising an exception in the handler does the same.

        reason  a message, or an exception, which a caller in Python receives as itself.
        code    a number of the application's own, for `Error.code`.
        value   a value for `Error.value`.

        Raises Error with the status ALREADY when the request has ended.
        """

    def deny(self, message: str = "", /) -> None:
        """End the request with the status DENIED: the caller receives a DeniedError.

        message  the reason, for people.

        Raises Error with the status ALREADY when the request has ended.
        """

    def refuse(self, status: Status | int, message: str = "", /) -> None:
        """End the request with a status of Crosstie's own, such as Status.NO_ACTION or Status.BUSY.

        status   a Status other than OK.
        message  the reason, for people; empty: the status's own text.

        Raises Error with the status ALREADY when the request has ended, ArgumentError for a status that is not a
        failure.
        """

    def progress(self, value: object, /) -> None:
        """Report progress to the caller; any number of times.

        value  the value that the caller's `progress` function receives.

        Raises Error with the status ALREADY when the request has ended.
        """

    def on_cancel(self, function: Callable[[], object], /) -> None:
        """Call a function when a cancel, the deadline or the bus's closing ends the request.

        function  called without arguments, on the thread that ends the request; at once if the request has been
                  cancelled already. A request has 64 at most.

        Raises Error with the status ALREADY when the request has ended in another way.
        """

    def on_return(self, function: Callable[[Response], object], /) -> None:
        """Call a function with the Response once the request has ended, before its caller continues.

        function  it may change the result by `response.replace()` or `response.fail()`, and must not wait. The last
                  one that was added runs first. A request has 64 at most.

        Raises Error with the status ALREADY when the request has ended.
        """

    def set_params(self, params: Mapping[str, Any] | None, /) -> None:
        """Replace the parameters for the stages after this interceptor.

        params  a mapping, or None. For a URL they are added to the URL's own, as its call arguments.

        Raises ArgumentError outside an interceptor, Error with the status ALREADY when the request has proceeded.
        """

    def set_user_info(self, user_info: Mapping[str, Any] | None, /) -> None:
        """Replace `user_info` for the stages after this interceptor.

        user_info  a mapping, or None.

        Raises ArgumentError outside an interceptor, Error with the status ALREADY when the request has proceeded.
        """

    def decline(self) -> None:
        """Decline the request: once the handler returns, the next best match receives it.

        Raises Error with the status ALREADY when the request has ended or was deferred.
        """

    def proceed(self) -> None:
        """Let the request continue to the next interceptor or the handler, once this interceptor has returned.

        After `defer()` any thread may call it later: the rest of the request runs inside this call.

        Raises Error with the status ALREADY when the request has continued or ended, ArgumentError outside an
        interceptor.
        """

    def rewrite(self, url: str, /) -> None:
        """Let the request continue with another URL, from the beginning; otherwise as `proceed()`.

        url  absolute, or a path on a bus with a default scheme. The request's origin stays.

        Raises UrlError for a malformed URL, ArgumentError for the ninth rewriting of a request.
        """

    def param(self, name: str, /) -> str:
        """Return the text of a parameter, decoded: from the path, else from the query.

        name  the parameter's name.

        Raises NotFoundError, or ParamError when the query has it several times.
        """

    def query_all(self, key: str, /) -> list[str]:
        """Return all texts of a key of the query, decoded, in the URL's order; empty without one.

        key  the name in the query.
        """

    def defer(self) -> Self:
        """Keep the request after the handler has returned, and return it: any thread may answer it later.

        A handler may return the request itself. If its last reference is dropped without an answer, the request ends
        with the status NO_REPLY.
        """

@final
class Response:
    """The result of a request: its value, status, code and message. Since 0.1."""

    @property
    def value(self) -> Any:
        """The value of the handler's answer, or None."""

    @property
    def status(self) -> Status:
        """The Status of the request's end."""

    @property
    def code(self) -> int:
        """1 for success, else the failure's number."""

    @property
    def message(self) -> str:
        """The message of a failure; else empty."""

    @property
    def exception(self) -> BaseException | None:
        """The exception that a synchronous `open()` would have raised; None for success."""

    def replace(self, value: object, /) -> None:
        """Make the response a success with another value, inside a function of `Request.on_return()`.

        value  the value that the caller receives.

        Raises ClosedError elsewhere.
        """

    def fail(self, reason: str | BaseException = "", *, code: int = -1, value: object = None) -> None:
        """Make the response a failure, inside a function of `Request.on_return()`.

        reason  a message, or an exception, which a caller in Python receives as itself.
        code    a number of the application's own, for `Error.code`.
        value   a value for `Error.value`.

        Raises ClosedError elsewhere.
        """

@final
class Call(Generic[_T]):
    """An asynchronous request, from `open_async()` and its like.

    Without a reference to it the request goes on. Every method may be called from any thread. Since 0.1.
    """

    @property
    def url(self) -> str:
        """The URL, as passed; empty for a request without one."""

    @property
    def target(self) -> str:
        """The URL, component, endpoint, platform or performer's target, as passed."""

    @property
    def action(self) -> str:
        """The action or selector; else empty."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end of the call; return False if the timeout passes first.

        timeout  seconds to wait at most; None: no limit.
        """

    def result(self, timeout: float | None = None) -> _T:
        """Wait for the end and return the value; a failure is raised.

        timeout  seconds to wait at most; None: no limit.

        The value of an open is the Response, of an event the Broadcast. Raises TimeoutError when the timeout passes
        first.
        """

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait for the end and return the exception that `result()` would raise; None for success.

        timeout  seconds to wait at most; None: no limit.

        Raises TimeoutError when the timeout passes first.
        """

    def done(self) -> bool:
        """Return whether the call has ended."""

    def cancelled(self) -> bool:
        """Return whether a cancel has ended the call."""

    def timed_out(self) -> bool:
        """Return whether the deadline has ended the call."""

    def add_done_callback(self, function: Callable[[Call[_T]], object], /) -> None:
        """Call a function with this Call once it has ended; at once if it has ended already.

        function  called on a worker thread, or on the thread that dispatches the call's Loop.
        """

    def cancel(self) -> bool:
        """End the call with the status CANCELLED; return False if it has ended already.

        A handler that has not started does not run. One that runs is not interrupted; see `Request.on_cancel()`.
        """

    @classmethod
    def __class_getitem__(cls, item: Any, /) -> GenericAlias:
        """Return the type of a call with a type of result: `Call[int]`."""

@final
class Loop:
    """A queue of callbacks for an event loop of the program's own.

    Completions, progress and listeners that name the loop are called on the thread that calls `dispatch()`:
    `bus.with_options(loop=loop)`. Programs with asyncio do not need one; see `Bus.aio`. Since 0.1.
    """

    def __new__(cls) -> Self: ...

    def fileno(self) -> int:
        """Return the descriptor that an event loop watches: readable while callbacks wait.

        The Loop owns it. Raises ClosedError.
        """

    def dispatch(self) -> int:
        """Run the callbacks that wait, on this thread, without waiting for more; return their number.

        Raises ClosedError.
        """

    def close(self) -> None:
        """Close the loop; the callbacks that wait run inside this call. A second call does nothing."""

    def __enter__(self) -> Self:
        """Return the loop."""

    def __exit__(self, *args: object) -> None:
        """Close the loop."""

@disjoint_base
class Wormhole:
    """The C part of crosstie.Wormhole."""

    def __new__(
        cls,
        group: str,
        *,
        directory: str | PathLike[str] | None = None,
        name: str = "",
        map_size: int = 0,
        max_map_size: int = 0,
        max_value_size: int = 0,
        timeout: float = 5.0,
        durability: Literal["process", "system"] = "process",
        fast: bool = False,
        memory: bool = False,
        max_queued: int = 0,
        max_queued_size: int = 0,
        any_filesystem: bool = False,
        expires: float | None = None,
        delay: float | None = None,
        retain: float = 0.0,
        retain_count: int = 0,
        retain_size: int = 0,
        existing: bool = False,
        credentials: str | PathLike[str] | None = None,
        nkey_seed: str | None = None,
        token: str | None = None,
        user: str | None = None,
        password: str | None = None,
        tls_ca: str | PathLike[str] | None = None,
        tls_certificate: str | PathLike[str] | None = None,
        tls_key: str | PathLike[str] | None = None,
        replicas: int = 0,
        max_age: float | None = None,
        offline: bool = False,
    ) -> Self: ...

    @property
    def group(self) -> str:
        """The group's name, or its address without a user, a password or a token."""

    @property
    def closed(self) -> bool:
        """Whether the wormhole has been closed, or was made before a fork."""

    def send(
        self,
        identifier: str,
        value: object,
        /,
        *,
        headers: Mapping[str, str] | None = None,
        expires: float | None = None,
        delay: float | None = None,
        not_before: float | datetime | None = None,
        token: bytes | None = None,
    ) -> Sent:
        """Store a value as the identifier's message, wake its listeners in every process, and return a Sent.

        identifier  such as "chat.42.unread".
        value       None, a bool, int (64 bits), float, str, bytes, or a list, tuple or mapping of them.
        headers     a mapping of str to str beside the value: 32 at most, of 4,096 bytes together.
        expires     seconds until the message expires, from its earliest delivery on; math.inf: never; None: as the
                    wormhole was opened.
        delay       seconds for which the message waits in the store; 0: none; None: as the wormhole was opened.
        not_before  the time until which it waits, instead of `delay`: seconds since 1970, or a datetime.
        token       16 bytes that tell this message from every other one: of two with the same token that a wormhole
                    sends, the second is not sent, and gets the number of the first. So a message can be sent again
                    after UncertainError. The wormhole remembers its last 64 tokens.

        For a message that waits, `Sent.sequence` is the number for `cancel_scheduled()`.

        Raises KindError for a value that cannot leave the process, ArgumentError for an identifier or headers that
        are not allowed or a value that is too large, FullError when a durable consumer is full, StoreError, or
        ClosedError.
        """

    def signal(
        self,
        identifier: str,
        /,
        *,
        headers: Mapping[str, str] | None = None,
        expires: float | None = None,
        delay: float | None = None,
        not_before: float | datetime | None = None,
        token: bytes | None = None,
    ) -> Sent:
        """Send a message without a value to the identifier's listeners, and return a Sent. The stored message stays.

        The arguments and exceptions are those of `send()`.
        """

    def _scheduled(self, topic: str, /) -> list[dict[str, Any]]:
        """List the messages that wait for their time as dicts."""

    def cancel_scheduled(self, number: int, /) -> None:
        """Remove a message that waits for its time.

        number  `Sent.sequence` of `send()`, or `Scheduled.number`.

        Raises NotFoundError.
        """

    def message(self, identifier: str, /) -> Message | None:
        """Return the stored Message of an identifier, or None without one.

        Raises ArgumentError for an identifier that is not allowed, or StoreError.
        """

    def destroy(self, identifier: str, /) -> Sent:
        """Remove the message of an identifier and all its queued copies, and return a Sent.

        Its listeners receive a message of the kind "destroyed". Raises ArgumentError or StoreError.
        """

    def destroy_all(self) -> Sent:
        """Remove every message of the group, and return a Sent. Raises StoreError."""

    def identifiers(self, topic: str = "*", /) -> list[str]:
        """List the identifiers that have a message, sorted.

        topic  "*": all; a prefix such as "chat.*": those below it.
        """

    def _send_many(
        self,
        messages: Iterable[tuple[str, object]],
        signal: object,
        /,
        *,
        atomic: bool = True,
        headers: Mapping[str, str] | None = None,
        expires: float | None = None,
        delay: float | None = None,
        not_before: float | datetime | None = None,
        token: bytes | None = None,
    ) -> int:
        """Send several messages."""

    def _abilities(self) -> int:
        """Return the bits of the wormhole's abilities."""

    def _connection(self) -> dict[str, Any]:
        """Return the connection to the group's server."""

    def _members(self) -> list[dict[str, Any]]:
        """List the processes of the group as dicts."""

    def _listen(
        self,
        identifier: str | None,
        callback: Callable[[Message], object],
        name: str,
        flags: int,
        max_unacknowledged: int,
        executor: Loop | Bus | None,
        dispatcher: str,
        on_end: Callable[[], object] | None,
        function: Callable[..., object] | None,
        from_sequence: int = 0,
        from_time: float | datetime | None = None,
        /,
    ) -> Listener:
        """Bind a listener of any kind."""

    def _remove(self, identifier: str | None, name: str | None, /) -> None:
        """Remove the listeners to an identifier (None: to presence), only those of a name unless that is None."""

    def _listeners(self) -> list[Listener]:
        """List the listeners from Python, in no order."""

    def _dead_letters(
        self, identifier: str, durable: str, after: int | None, limit: int, /
    ) -> list[dict[str, Any]]:
        """List the dead letters of a durable consumer as dicts."""

    def dead_letter(self, identifier: str, durable: str, sequence: int, /) -> Message:
        """Return a dead letter as a Message, with its value and its `reason`.

        identifier  the identifier or prefix of the durable consumer.
        durable     its name.
        sequence    the dead letter's number, from `dead_letters()`.

        Raises NotFoundError.
        """

    def _retry_or_drop(self, retry: bool, identifier: str, durable: str, sequence: int | None, /) -> int:
        """Retry or drop dead letters."""

    def _declare(
        self,
        identifier: str,
        name: str,
        flags: int,
        when_full: int,
        dead_letter: str,
        first: float | None,
        most: float | None,
        factor: float,
        jitter: float,
        max_deliveries: int,
        max_messages: int,
        max_size: int,
        expires: float | None,
        /,
    ) -> None:
        """Declare a durable consumer."""

    def _durables(self) -> list[dict[str, Any]]:
        """List the durable consumers as dicts."""

    def _seek(
        self, identifier: str, name: str, sequence: int, time: float | datetime | None, /
    ) -> None:
        """Move a durable consumer."""

    def forget(self, identifier: str, durable: str, /) -> None:
        """Remove a durable consumer from the group, with the messages that are kept for it alone.

        identifier  its identifier or prefix.
        durable     its name.

        Raises NotFoundError.
        """

    def _remove_all(self) -> None:
        """Remove all listeners."""

    def close(self) -> None:
        """Remove the listeners and close the group; a second call does nothing."""

    def __enter__(self) -> Self:
        """Return the wormhole."""

    def __exit__(self, *args: object) -> None:
        """Close the wormhole."""

    def __getitem__(self, identifier: str, /) -> Any:
        """Return the stored value of an identifier. Raises KeyError (NotFoundError) without one."""

    def __setitem__(self, identifier: str, value: object, /) -> None:
        """Send a value, as `send()` does."""

    def __delitem__(self, identifier: str, /) -> None:
        """Remove the message of an identifier, as `destroy()` does, if it has one."""

    def __contains__(self, identifier: str, /) -> bool:
        """Return whether an identifier has a stored message."""


@disjoint_base
class Join:
    """The part of `crosstie.Join` that is written in C. Since 0.1."""

    def __new__(
        cls,
        bus: Bus,
        wormhole: Wormhole,
        *,
        name: str = "",
        exports: Sequence[str] = (),
        imports: Sequence[str] = (),
        dispatcher: str = "",
        trusted: bool = False,
        shared_memory: bool = True,
        max_calls: int = 0,
        max_frame_size: int = 0,
    ) -> Self: ...
    def _peers(self) -> list[dict[str, Any]]:
        """List the peers as dicts."""

    def set_exports(self, exports: Sequence[str], /) -> None:
        """Replace the exported names, for requests that arrive from now on.

        exports  as for `Bus.join()`.

        Raises ArgumentError for a name that is not allowed, or ClosedError.
        """

    def _set_listener(self, callback: Callable[[str, dict[str, Any]], object] | None, /) -> None:
        """Set the callback for changes among the peers; None removes it."""

    def close(self) -> None:
        """Leave the group: calls to peers end with ClosedError, and calls of peers with PeerGoneError there.

        A second call does nothing, nor does a call in a forked child.
        """

    def __enter__(self) -> Self:
        """Return the object."""

    def __exit__(self, *args: object) -> None:
        """Leave the group."""

    @property
    def closed(self) -> bool:
        """Whether `close()` has been called."""


@disjoint_base
class Instance:
    """The part of `crosstie.Instance` that is written in C. Since 0.1."""

    def __new__(
        cls, bus: Bus, application: str, *, directory: str = "", dispatcher: str = "", dbus: bool = True
    ) -> Self: ...
    def _hand(
        self, urls: Sequence[str], activation: Mapping[str, Any] | None, timeout: float | None, /
    ) -> list[dict[str, Any]]:
        """Hand URLs over, and list the answers as dicts."""

    def ready(self) -> None:
        """Open the URLs that this process has handed to itself, and from now on those that others hand over.

        Handlers run on workers of the bus. Its log has the failures of this process's own URLs.

        Raises ArgumentError in a process that is not the first instance, or ClosedError.
        """

    def close(self) -> None:
        """End the claim: another process can be the first.

        URLs that were taken are still answered. A second call does nothing, nor does a call in a forked child.
        """

    def __enter__(self) -> Self:
        """Return the object."""

    def __exit__(self, *args: object) -> None:
        """End the claim."""

    @property
    def is_first(self) -> bool:
        """Whether this process is the first instance. `hand()` can make it the first."""

    @property
    def _dbus_status(self) -> int:
        """The state of the application's name on the session bus."""

    @property
    def closed(self) -> bool:
        """Whether the claim was ended by `close()`."""


@final
class Listener:
    """A callback that is bound to an identifier, from `Wormhole.add_listener()` and its like.

    As a context manager it is removed at the end. Without a reference to the object the listener remains until
    `remove()`, or until its wormhole closes. Since 0.1.
    """

    @property
    def active(self) -> bool:
        """Whether the callback is still bound."""

    @property
    def identifier(self) -> str | None:
        """The identifier or prefix that it is bound to; None for presence and for the connection."""

    @property
    def name(self) -> str:
        """The listener's name, or that of its durable consumer; empty without one."""

    @property
    def callback(self) -> Callable[..., object] | None:
        """The function that was bound."""

    @property
    def delivery(self) -> Literal["state", "queue", "durable", "members", "connection"]:
        """The messages that the callback receives.

        "state"    the newest message of each identifier.
        "queue"    every message.
        "durable"  every message, shared with the other listeners of its durable consumer.
        "members"  presence: the processes that open and close the group.
        "connection"  the connection to the group's server.
        """

    @property
    def executor(self) -> Literal["wormhole", "loop", "dispatcher"]:
        """The executor of the callback: "wormhole" (the wormhole's own thread), "loop" or "dispatcher" (of a bus)."""

    @property
    def dispatcher(self) -> str:
        """The name of the dispatcher that calls it; empty: a bus's own, or none."""

    @property
    def _number(self) -> int:
        """Its position in the order in which the wormhole's listeners were bound."""

    def remove(self) -> None:
        """Remove the listener; a second call does nothing.

        Afterwards no call of the callback runs or begins. Inside a callback `remove()` does not wait: a call that runs
        already may go on. A durable consumer stays in the group; messages that the listener has not acknowledged are
        redelivered to other listeners.
        """

    def __enter__(self) -> Self:
        """Return the listener."""

    def __exit__(self, *args: object) -> None:
        """Remove the listener."""

@final
class Message:
    """A message of a wormhole, or a notice about one. Since 0.1."""

    @property
    def kind(self) -> Literal["none", "value", "signal", "destroyed", "missed", "joined", "left", "connection"]:
        """The kind of the message.

        "value"      a message with a value.
        "signal"     a message without a value.
        "destroyed"  the notice that the message was removed.
        "none"       the notice that no message is stored.
        "missed"     in a queue: the notice that messages were lost before their delivery; see `missed`.
        "joined"     of presence: a process has opened the group.
        "left"       of presence: a process has closed the group or ended.
        "connection"  the connection to the group's server has a new state, which is the value.
        """

    @property
    def value(self) -> Any:
        """The value that was sent, or a connection's state; None for every other kind. Raises StoreError for a damaged record."""

    @property
    def status(self) -> Status:
        """Status.OK, or Status.CORRUPT for a stored record that cannot be decoded."""

    @property
    def identifier(self) -> str:
        """The identifier that the message was sent under."""

    @property
    def sequence(self) -> int:
        """The message's number in the group, from 1; 0 for the kind "none"."""

    @property
    def time(self) -> float:
        """The time of sending by the sender's clock, in seconds since 1970; 0 if unknown."""

    @property
    def time_ns(self) -> int:
        """The time of sending by the sender's clock, in nanoseconds since 1970; 0 if unknown."""

    @property
    def sender_pid(self) -> int:
        """The id of the process that sent the message; 0 if unknown."""

    @property
    def sender_name(self) -> str:
        """The name of the wormhole that sent the message; empty if unknown."""

    @property
    def missed(self) -> int:
        """The number of lost messages that a message of the kind "missed" reports; else 0."""

    @property
    def delivery_count(self) -> int:
        """The number of deliveries to a durable consumer, this one included; 0 for a message of another listener."""

    @property
    def headers(self) -> dict[str, str]:
        """The headers, as a dict."""

    @property
    def expires(self) -> float | None:
        """The time after which it is not delivered any more, in seconds since 1970; None: never."""

    def acknowledge(self) -> None:
        """Acknowledge a message of a queue. The call does not wait.

        A listener acknowledges by returning, unless it was bound with `manual`. Raises Error with the status ALREADY
        for a message that was acknowledged or rejected before, or whose listener has been removed, and ArgumentError
        for a message that is not from a queue.
        """

    @property
    def reason(self) -> str:
        """The reason of a dead letter's last rejection; else empty."""

    def reject(self, delay: float | None = None, reason: str | BaseException | None = None) -> None:
        """Reject a message of a durable consumer: it is redelivered to one of the consumer's listeners.

        A message that has been delivered as often as the consumer's `max_deliveries` becomes a dead letter.

        delay   seconds until the redelivery; None: as declared, by default 0.1 after the first delivery, twice as
                long after each further one, a minute at most.
        reason  a str, or an exception, whose last line is kept with a dead letter: 1,000 bytes at most.

        Raises Error or ArgumentError as `acknowledge()` does, ValueError for a delay that is not allowed.
        """

@final
class Sent(structseq[int], tuple[int, int]):
    """The result of sending a message. Since 0.1."""

    __match_args__: Final = ("sequence", "listeners")
    @property
    def sequence(self) -> int:
        """The message's number in the group; of a message that waits, the number for `Wormhole.cancel_scheduled()`."""

    @property
    def listeners(self) -> int:
        """The number of living processes that were woken because they listen, this one included."""

@final
class Descriptor:
    """An open file as a value: a duplicate, which is closed when this object is closed and no request holds the value.

    It passes through calls of this process and travels to joined buses of this machine; any other use raises an Error
    with the status FOREIGN. Since 0.1.
    """

    def __new__(cls, file: FileDescriptorLike) -> Self: ...

    def fileno(self) -> int:
        """Return the descriptor, which this object owns: duplicate it to keep it. Raises ClosedError."""

    def close(self) -> None:
        """Release the descriptor. A second call does nothing."""

    @property
    def closed(self) -> bool:
        """Whether it has been released."""

    def __enter__(self) -> Self:
        """Return the descriptor."""

    def __exit__(self, *args: object) -> None:
        """Release the descriptor."""

@disjoint_base
class _Params:
    """The base of `crosstie.Params`, which converts a value when it is read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        """Keep a mapping."""

    @property
    def _values(self) -> Mapping[str, Any]:
        """The values by name; a list for a name that occurs several times."""

    def __getitem__(self, name: str, /) -> Any:
        """Return the value of a name. Raises KeyError without one, ParamError for several."""

    def __contains__(self, name: object, /) -> bool:
        """Return whether a name has a value."""

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""

    def __len__(self) -> int:
        """Return the number of names."""

    def all(self, name: str) -> list[Any]:
        """Return every value of a name, in the URL's order; empty without one."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Return the class and the values, for pickles and copies."""

@final
class Foreign:
    """An object of another language without readable content: it can only be passed on. Since 0.1."""

    @property
    def tag(self) -> str:
        """The name of the object's type, as its language registered it."""
