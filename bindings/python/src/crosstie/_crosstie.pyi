from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from os import PathLike
from types import GenericAlias
from typing import Any, Final, Generic, Literal, Self, TypeAlias, TypeVar, final

from _typeshed import structseq
from typing_extensions import Buffer, disjoint_base

from .bus import Bus as WholeBus
from .components import Action
from .doors import RequestOptions
from .params import Params
from .provider_description import Description
from .signature import Plan
from .status import Status

_Origin: TypeAlias = Literal["local", "remote"]
_Mode: TypeAlias = Literal["exact", "nearest"]
_Interceptors: TypeAlias = Sequence[Callable[..., object]]
_Priority: TypeAlias = Literal["low", "normal", "high"]
_Door: TypeAlias = Literal["open", "call", "event", "perform", "share", "oauth", "launch", "activity"]
_T = TypeVar("_T")

_statuses: dict[str, int]
_handoff_names: dict[str, str]

def to_json(value: object, /, *, pretty: bool = False) -> str:
    """Write a value as JSON. Bytes, NaN and what is no value have no JSON form: KindError."""

def from_json(text: str | Buffer, /) -> Any:
    """Read JSON from a str or bytes, strictly: duplicate keys, integers beyond 64 bits and lone
    surrogates are errors too (FormatError, ParamError, ArgumentError).
    """

def to_msgpack(value: object, /) -> bytes:
    """Write a value as MessagePack."""

def from_msgpack(message: Buffer, /) -> Any:
    """Read one value from MessagePack of the standard types."""

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
    """A rule document of either form in the current one, as JSON; the path is None."""

def _report(exception: BaseException, where: object, /) -> None:
    """Tell sys.unraisablehook."""

def _heed_signals() -> None:
    """This thread is the main one now: in a forked child."""

def _stop() -> None:
    """Close all buses and wormholes; what atexit calls."""

@disjoint_base
class Bus:
    """What crosstie.Bus is made of."""

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
    ) -> Self:
        """Create and return a new object.  See help(type) for accurate signature."""

    @property
    def name(self) -> str:
        """The name it was made with."""

    @property
    def closed(self) -> bool:
        """Whether it has been closed, or was made before a fork."""

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
    ) -> Response:
        """Open a URL: run the handler of the most specific route or rule on this thread; return its Response.

        origin        'remote' for anything that came from outside; it reaches what is public only.
        user_info     a dict handed to the handler beside the URL.
        timeout       seconds until the request ends with a TimeoutError; None or 0: never.
        parent        the Request that this is done for; default: the one that this thread handles.
        mode          'exact' or 'nearest'; default: the bus's.
        interceptors  functions that see this request alone, before the bus's interceptors.
        dispatcher    whose worker runs what has to run on one; default: the bus's own.
        progress      called with what the handler tells of its progress.

        What is opened for a remote request is remote too: inside its handler, and wherever Python's context
        goes from there (tasks of asyncio, asyncio.to_thread(), contextvars.copy_context()).

        Raises what the handler raised, or an Error: NoRouteError, DeniedError, UrlError, TimeoutError…
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
    ) -> Call[Response]:
        """Open a URL on a worker thread of the bus and return a Call at once.

        completion  called with the Response, whatever it is.
        priority    'low', 'normal' or 'high': who leaves a dispatcher's queue first.
        loop        the Loop where completion and progress are called; default: on a worker thread.
        The rest is as for open().

        A failure that nobody asks for goes to sys.unraisablehook.
        """

    def call(
        self, component: str, action: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Any:
        """Call an action of a component and return what it answers. It runs on this thread, unless it is marked
        worker-only.

        params    a mapping; a dict is handed on as it is, so that an action in Python gets the very object.
        keywords  the same, by keywords; either this or that.

        What else there is to say is said by with_options(): `bus.with_options(timeout=1).call(…)`.

        Raises what the action raised, or a CallError: NoComponentError, NoActionError, TimeoutError…
        """

    def call_async(
        self, component: str, action: str, params: Mapping[str, Any] | None = None, /, **keywords: Any
    ) -> Call[Any]:
        """Call an action on a worker thread of the bus and return a Call at once."""

    def _ask(
        self,
        door: int,
        is_async: bool,
        target: str,
        action: str,
        params: Mapping[str, Any] | None,
        options: RequestOptions,
        flags: int,
        /,
    ) -> Any:
        """Make a request of any door with a dict of options."""

    def _add_provider(self, description: Description, position: int | None, /) -> Registration:
        """Register a provider."""

    def add_system_provider(
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
        """Put the system's provider into the list: it shares by the mail composer, the clipboard or by opening
        files, and launches the desktop's applications. docs/providers-system.md says how.

        name        default: "system", by which remove_provider() takes it away again.
        mail, opener, clipboard, launcher  programs; default: xdg-email, xdg-open, the first there is of
                    wl-copy, xclip and xsel, and gio.
        directory   where shared files are written, an absolute path; default: $TMPDIR or /tmp.
        keep_files  whether they stay when the provider goes.

        Raises ArgumentError for options that cannot be, ConflictError for the second provider of a name.
        """

    def _set_providers(self, descriptions: Iterable[Description], /) -> None:
        """Register providers in the place of all."""

    def _move_provider(self, name: str, position: int | None, /) -> None:
        """Move a provider; None: to the end."""

    def remove_provider(self, name: str, /) -> None:
        """Remove the provider of that name, whoever registered it. Raises NotFoundError."""

    def _providers(self) -> list[dict[str, Any]]:
        """The providers as dicts."""

    def _set_provider_log(
        self, name: str, function: Callable[[str, str, str, int], object] | None, /
    ) -> None:
        """Send a provider's log to a function, or None."""

    def _provider_open_url(self, url: str, options: RequestOptions, /) -> bool:
        """Offer a URL to the providers."""

    def _provider_open_activity(self, activity: Mapping[str, Any], options: RequestOptions, /) -> bool:
        """Offer an activity to the providers."""

    def _broadcast(
        self, event: str, params: Mapping[str, Any] | None, options: RequestOptions, /
    ) -> dict[str, Any]:
        """Run an event."""

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
        """The components as dicts."""

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
        """Set the handler of what is performed and not found."""

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
        """A function that a resolver has found, to be called."""

    def _allow(self, target: str, /) -> None:
        """Put a target on the allow-list."""

    def release_target(self, target: str, /) -> None:
        """Let go of the instance that is kept of a target. Raises NotFoundError when none is."""

    def add_dispatcher(self, name: str, /, *, workers: int = 0, queued: int = 0) -> None:
        """Add threads for what must not wait behind other requests, for as long as the bus lives.

        workers  threads at most; 0: 64.
        queued   requests that may wait; 0: 65,536.

        A request goes there if it says so, or if its component does. Raises ConflictError.
        """

    def cancel_all(self, dispatcher: str = "") -> int:
        """Cancel every asynchronous request of a dispatcher, queued or running; return how many."""

    def _stats(self) -> list[dict[str, Any]]:
        """What the bus has counted, as dicts."""

    def _load_plugin(self, path: str, /) -> int:
        """Load a plug-in."""

    def _unload_plugin(self, path: str, /) -> None:
        """Unload a plug-in."""

    def can_open(
        self, url: str, /, *, origin: _Origin = "local", mode: _Mode | None = None
    ) -> Literal["route", "provider", "opener"] | None:
        """Who would open a URL: 'route' (or a rule), 'provider', 'opener' (the system's), or None for nobody.

        No handler and no interceptor runs; a rule's parameters are checked.
        """

    def remove_route(self, pattern: str, /) -> None:
        """Remove the route of that pattern, whoever registered it. Raises NotFoundError."""

    def clear_routes(self) -> None:
        """Remove all routes, whoever registered them. Rules, interceptors and the handlers that stand
        under no pattern stay.
        """

    def add_interceptor(
        self,
        interceptor: Callable[..., object],
        /,
        *,
        order: int = 0,
        doors: Collection[_Door] | None = None,
        dispatcher: str = "",
    ) -> Registration:
        """Register an interceptor, as interceptor() does, and return its Registration."""

    def close(self) -> None:
        """Close the bus: wait for the handlers that run and remove what is registered.

        Doing it again does nothing, nor does doing it in a forked child; any other use afterwards
        raises ClosedError.
        """

    def __enter__(self) -> Self:
        """Return self."""

    def __exit__(self, *args: object) -> None:
        """Close the bus."""

    @classmethod
    def _shared(cls, name: str, /) -> Self:
        """A new object for the process's bus of that name."""

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
        """Register a handler, to be called by a plan of crosstie.signature."""

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
        """Set the handler of what nobody else takes."""

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

    def _set_opener(
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
        """Set the system's opener; without a handler, which is None then, a program is started."""

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
        """Load a rule table: a document in bytes, or the path of one; the other is None."""

    def _unload_rules(self) -> None:
        """Take the rule table away."""

    def _rules(self) -> dict[str, Any] | None:
        """The rule table, or None."""

    def _generate_named(
        self, name: str, params: dict[str, Any] | list[Any], query: dict[str, Any], /
    ) -> str:
        """The URL of a route that has a name."""

    def _generate_for_rule(
        self, name: str, params: dict[str, Any], web: bool, private: bool, by_target: bool, /
    ) -> str:
        """The URL of a rule."""

    def _generate(self, pattern: str, params: dict[str, Any] | list[Any], /) -> str:
        """The URL of a pattern with a dict or a list of parameters."""

    def _routes(self) -> list[dict[str, Any]]:
        """The routes as dicts."""

    def _registrations(self) -> list[Registration]:
        """What Python has registered."""

@final
class Registration:
    """Something registered on a bus; as a context manager it is removed at the end.

    Letting go of it changes nothing: what is registered stays until it is removed or its bus closes.
    """

    @property
    def active(self) -> bool:
        """Whether it is registered still."""

    @property
    def kind(
        self,
    ) -> Literal[
        "route",
        "rule",
        "interceptor",
        "unmatched",
        "navigator",
        "opener",
        "component",
        "resolver",
        "fallback",
        "provider",
    ]:
        """'route', 'rule', 'interceptor', 'unmatched', 'navigator', 'opener', 'component', 'resolver', 'fallback' or
        'provider'.
        """

    @property
    def name(self) -> str:
        """A route's, component's or provider's name, or the id of the rule that it handles; empty for none."""

    @property
    def handler(self) -> Any:
        """What was registered."""

    @property
    def pattern(self) -> str:
        """A route's pattern; empty for what stands under none."""

    def remove(self) -> None:
        """Remove what was registered; doing it again does nothing.

        The handler is not running afterwards and never will be, unless this is called inside a
        callback: then calls that run already may go on.
        """

    def _handle(self, request: Request, /) -> None:
        """Have the handler handle a request, inside another handler."""

    def _log(self, message: str, file: str, function: str, line: int, /) -> bool:
        """Log for a provider; False where it stands no more."""

    def __enter__(self) -> Self:
        """Return self."""

    def __exit__(self, *args: object) -> None:
        """Remove it."""

@final
class Request:
    """What a handler is given: what was opened, called or performed, and the ways to answer.

    It is good until the handler returns, or, after defer(), until it is failed, or answered and let go of.
    """

    @property
    def url(self) -> str:
        """The whole URL in normal form."""

    @property
    def scheme(self) -> str:
        """The scheme, in lower case."""

    @property
    def host(self) -> str:
        """The host, in lower case; empty when there is none."""

    @property
    def path(self) -> str:
        """The path, percent-encoded as in the normal form."""

    @property
    def query(self) -> tuple[tuple[str, str], ...]:
        """The pairs of the query, decoded, in the URL's order."""

    @property
    def query_string(self) -> str:
        """The query, percent-encoded, without '?'; empty when there is none."""

    @property
    def fragment(self) -> str:
        """The fragment, percent-encoded; empty when there is none."""

    @property
    def params(self) -> Params | dict[str, Any]:
        """The parameters by name. Of a URL: a Params, converted as the pattern or the rule says. Elsewhere the dict
        that the caller gave, which is the very object if the caller is in Python; empty where there was none.
        """

    @property
    def given(self) -> dict[str, Any] | None:
        """What the caller gave for parameters, or what an interceptor has set beside a URL's: a dict, or None."""

    @property
    def bus(self) -> WholeBus:
        """The Bus whose handler or interceptor has it. Raises ClosedError when that is gone."""

    @property
    def door(self) -> _Door:
        """How it came: 'open', 'call', 'event', 'perform', 'share', 'oauth', 'launch' or 'activity'."""

    @property
    def target(self) -> str:
        """Whom it is for: the component, the endpoint or platform, or the target of the performer or of the rule that
        brought it; else empty.
        """

    @property
    def action(self) -> str:
        """What it is for: the action, the event, or the performer's selector; 'open' for a rule's target; else empty."""

    @property
    def _flags(self) -> int:
        """Flags of the C interface."""

    @property
    def pattern(self) -> str:
        """The pattern that matched, as registered; empty before one has."""

    @property
    def unmatched(self) -> str:
        """What of the path the route did not match, in nearest mode: from its slash on, percent-encoded."""

    @property
    def rule(self) -> dict[str, Any] | None:
        """The rule by which the request came: a dict, or None."""

    @property
    def origin(self) -> _Origin:
        """'local' or 'remote': the trust in force."""

    @property
    def user_info(self) -> dict[str, Any] | None:
        """What the caller gave beside URL or parameters: a dict, or None."""

    @property
    def is_ended(self) -> bool:
        """Whether it has ended: answered, cancelled or out of time."""

    @property
    def is_cancelled(self) -> bool:
        """Whether it has ended without its handler: by a cancel, its deadline or its bus's closing."""

    @property
    def time_left(self) -> float | None:
        """Seconds until its deadline, at least 0; None without one."""

    def reply(self, value: object = None, /) -> None:
        """End the request with success and a value. Returning a value from the handler does the same.

        Raises Error (ALREADY) when the request has ended.
        """

    def fail(self, reason: str | BaseException = "", *, code: int = -1, value: object = None) -> None:
        """End the request with a failure: a message with a code and a value of the application's own,
        or an exception, which reaches a caller in Python as itself. Raising does the same.

        Raises Error (ALREADY) when the request has ended.
        """

    def deny(self, message: str = "", /) -> None:
        """End the request with DENIED, for whoever decides who may. The caller gets a DeniedError.

        Raises Error (ALREADY) when the request has ended.
        """

    def refuse(self, status: Status | int, message: str = "", /) -> None:
        """End the request with a Status of Crosstie's own, for who stands for others: NO_ACTION, BUSY…

        Raises Error (ALREADY) when the request has ended, ArgumentError for what is no error.
        """

    def progress(self, value: object, /) -> None:
        """Tell the caller how far the request has come, if it wants to know; any number of times.

        Raises Error (ALREADY) when the request has ended.
        """

    def on_cancel(self, function: Callable[[], object], /) -> None:
        """Call a function without arguments when the request ends by a cancel, its deadline or its bus's
        closing, on the thread that ends it; at once if it has been cancelled already.

        Raises Error (ALREADY) when the request has ended in another way.
        """

    def on_return(self, function: Callable[[Response], object], /) -> None:
        """Call a function with the Response once the request has ended, before its caller knows: inside it
        `response.replace()` and `response.fail()` change what the caller gets. The last one runs first.
        """

    def set_params(self, params: Mapping[str, Any] | None, /) -> None:
        """Replace the parameters for the stages after this interceptor: a mapping, or None. At the open door
        they come beside the URL's, as `given`.
        """

    def set_user_info(self, user_info: Mapping[str, Any] | None, /) -> None:
        """Replace `user_info` for the stages after this interceptor: a mapping, or None."""

    def decline(self) -> None:
        """Hand the request on: once the handler returns, the next best match gets it."""

    def proceed(self) -> None:
        """Let the request go on, from inside an interceptor: once that has returned. After defer() it can be
        done later from any thread, and goes the rest of its way inside this call.

        Raises Error (ALREADY) when it goes on or has ended, ArgumentError when no interceptor has it.
        """

    def rewrite(self, url: str, /) -> None:
        """Let the request go on with another URL, from the beginning; otherwise as proceed().

        It gets no more trust by that. Raises UrlError for a malformed URL, ArgumentError at the ninth time.
        """

    def param(self, name: str, /) -> str:
        """The text of a parameter as it stands in the URL: the path's, else the query's, of that name.

        Raises NotFoundError, or ParamError when it stands in the query several times.
        """

    def query_all(self, key: str, /) -> list[str]:
        """All texts of a key of the query, in the URL's order; empty when there is none."""

    def defer(self) -> Self:
        """Keep the request beyond the handler's return, to answer it later from any thread; returns it, which the
        handler may return in turn.

        Letting go of it without an answer ends it with NO_REPLY.
        """

@final
class Response:
    """How a request ended: its value, status, code and message."""

    @property
    def value(self) -> Any:
        """What the handler answered; None where there is nothing."""

    @property
    def status(self) -> Status:
        """How the request ended: a Status."""

    @property
    def code(self) -> int:
        """1 for success, else the failure's number."""

    @property
    def message(self) -> str:
        """The message of a failure, else empty."""

    @property
    def exception(self) -> BaseException | None:
        """What a synchronous open would have raised; None for success."""

    def replace(self, value: object, /) -> None:
        """Make it a success with another value, inside a function that `request.on_return()` was given."""

    def fail(self, reason: str | BaseException = "", *, code: int = -1, value: object = None) -> None:
        """Make it a failure, as `request.fail()` does, inside a function that `request.on_return()` was given."""

@final
class Call(Generic[_T]):
    """An asynchronous request. Letting go of it changes nothing: the request goes on."""

    @property
    def url(self) -> str:
        """The URL, as it was given; empty for what is called or performed."""

    @property
    def target(self) -> str:
        """The URL, the component, the endpoint or platform, or the performer's target, as it was given."""

    @property
    def action(self) -> str:
        """The action or selector; else empty."""

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the call has ended; False when it has not within that many seconds."""

    def result(self, timeout: float | None = None) -> _T:
        """Wait for the end and return the value (of an open: the Response, of an event: the Broadcast); a failure
        is raised.

        Raises TimeoutError when it has not come within that many seconds.
        """

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait for the end and return what result() would raise, None for success."""

    def done(self) -> bool:
        """Whether the call has ended."""

    def cancelled(self) -> bool:
        """Whether it has ended by being cancelled."""

    def timed_out(self) -> bool:
        """Whether it has ended at its deadline."""

    def add_done_callback(self, function: Callable[[Call[_T]], object], /) -> None:
        """Call a function with this Call once it has ended: on a worker thread, or where the call's loop is
        dispatched; at once if it has ended already.
        """

    def cancel(self) -> bool:
        """End the call with CANCELLED; False when it has ended before.

        A handler that has not started never will; one that runs is not interrupted.
        """

    @classmethod
    def __class_getitem__(cls, item: Any, /) -> GenericAlias:
        """Call[T] is a Call whose result is a T."""

@final
class Loop:
    """Completions and progress in an event loop of the program's own, on the thread that
    dispatches: name it with `bus.with_options(loop=…)`. asyncio needs none: see `Bus.aio`.
    """

    def __new__(cls) -> Self:
        """Create and return a new object.  See help(type) for accurate signature."""

    def fileno(self) -> int:
        """The descriptor that an event loop watches: readable while something is due. The loop's own."""

    def dispatch(self) -> int:
        """Run what is due on this thread, without waiting, and return how many callbacks ran."""

    def close(self) -> None:
        """End the loop; what is due runs inside this call. Doing it again does nothing."""

    def __enter__(self) -> Self:
        """Return self."""

    def __exit__(self, *args: object) -> None:
        """Close the loop."""

@disjoint_base
class Wormhole:
    """What crosstie.Wormhole is made of."""

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
    ) -> Self:
        """Create and return a new object.  See help(type) for accurate signature."""

    @property
    def group(self) -> str:
        """The group's name."""

    @property
    def closed(self) -> bool:
        """Whether it has been closed."""

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
    ) -> Sent:
        """Store a value as the identifier's message, wake its listeners in every process, return a Sent.

        None stores null. Raises KindError for what cannot leave the process.

        headers     a mapping of str to str beside the value: at most 32, of 4,096 bytes together.
        expires     seconds after which nobody hears it, counted from when it can be heard first; math.inf: never,
                    whatever the wormhole was opened with.
        delay       seconds for which it waits in the store; 0: none, likewise.
        not_before  until when it waits, in the place of a delay: seconds since 1970, or a datetime.

        Of a message that waits `Sent.sequence` is the number for `cancel_scheduled()`.
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
    ) -> Sent:
        """Wake the listeners; the stored message stays. Returns a Sent. Keywords as for `send()`."""

    def _scheduled(self, topic: str, /) -> list[dict[str, Any]]:
        """What crosstie.Wormhole.scheduled() is made of."""

    def cancel_scheduled(self, number: int, /) -> None:
        """Remove a message that waits for its time, by the number that `send()` gave. Raises NotFoundError."""

    def message(self, identifier: str, /) -> Message | None:
        """The stored Message, None when there is none."""

    def destroy(self, identifier: str, /) -> Sent:
        """Remove the message, and what of it is queued; its listeners hear 'destroyed'. Returns a Sent."""

    def destroy_all(self) -> Sent:
        """Remove every message of the group. Returns a Sent."""

    def identifiers(self, topic: str = "*", /) -> list[str]:
        """The identifiers that have a message, sorted: all, or those below a prefix ('chat.*')."""

    def _send_many(self, messages: Iterable[tuple[str, object]], signal: object, /) -> int:
        """What crosstie.Wormhole.send_many() is made of."""

    def _members(self) -> list[dict[str, Any]]:
        """What crosstie.Wormhole.members() is made of."""

    def _listen(
        self,
        identifier: str | None,
        callback: Callable[[Message], object],
        name: str,
        flags: int,
        max_unacknowledged: int,
        place: Loop | Bus | None,
        dispatcher: str,
        on_end: Callable[[], object] | None,
        function: Callable[..., object] | None,
        from_sequence: int = 0,
        from_time: float | datetime | None = None,
        /,
    ) -> Listener:
        """What crosstie.Wormhole's listeners of each kind are made of."""

    def _remove(self, identifier: str | None, name: str | None, /) -> None:
        """Remove the listeners to an identifier, None for presence, and of a name unless that is None."""

    def _listeners(self) -> list[Listener]:
        """What Python has bound, in no order."""

    def _dead_letters(
        self, identifier: str, durable: str, after: int | None, limit: int, /
    ) -> list[dict[str, Any]]:
        """What crosstie.Wormhole.dead_letters() is made of."""

    def dead_letter(self, identifier: str, durable: str, sequence: int, /) -> Message:
        """A dead letter as a Message, with its value and its `reason`. Raises NotFoundError."""

    def _settle_dead(self, retry: bool, identifier: str, durable: str, sequence: int | None, /) -> int:
        """What crosstie.Wormhole.retry() and drop() are made of."""

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
        """What crosstie.Wormhole.declare() is made of."""

    def _durables(self) -> list[dict[str, Any]]:
        """What crosstie.Wormhole.durables() is made of."""

    def _seek(
        self, identifier: str, name: str, sequence: int, time: float | datetime | None, /
    ) -> None:
        """What crosstie.Wormhole.seek() is made of."""

    def forget(self, identifier: str, durable: str, /) -> None:
        """Remove a durable name from the group, with what is kept for it alone. Raises NotFoundError."""

    def remove_all(self) -> None:
        """Remove all listeners of this wormhole."""

    def close(self) -> None:
        """Remove the listeners and let go of the group; doing it again does nothing."""

    def __enter__(self) -> Self:
        """Return self."""

    def __exit__(self, *args: object) -> None:
        """Close the wormhole."""

    def __getitem__(self, identifier: str, /) -> Any:
        """Return self[key]."""

    def __setitem__(self, identifier: str, value: object, /) -> None:
        """Set self[key] to value."""

    def __delitem__(self, identifier: str, /) -> None:
        """Delete self[key]."""

    def __contains__(self, identifier: str, /) -> bool:
        """Return key in self."""

@final
class Listener:
    """A callback bound to an identifier; as a context manager it is removed at the end.

    Letting go of it changes nothing: it listens until it is removed or its wormhole closes.
    """

    @property
    def active(self) -> bool:
        """Whether it listens still."""

    @property
    def identifier(self) -> str | None:
        """What it is bound to; None for presence."""

    @property
    def name(self) -> str:
        """Its name, a durable one too; empty: none."""

    @property
    def callback(self) -> Callable[..., object] | None:
        """What was bound."""

    @property
    def delivery(self) -> Literal["state", "queue", "durable", "members"]:
        """'state', 'queue', 'durable' or 'members'."""

    @property
    def place(self) -> Literal["wormhole", "loop", "dispatcher"]:
        """Where it is called: 'wormhole' (its own thread), 'loop' or 'dispatcher'."""

    @property
    def dispatcher(self) -> str:
        """The name of the dispatcher where it is called; empty: a bus's default one, or none."""

    @property
    def _number(self) -> int:
        """Its number among the wormhole's listeners."""

    def remove(self) -> None:
        """Remove the listener; doing it again does nothing.

        The callback is not running afterwards and never will be, unless this is called inside a
        callback: then a call that runs already may go on. A durable name stays, and what it was given
        and has not acknowledged goes to others.
        """

    def __enter__(self) -> Self:
        """Return self."""

    def __exit__(self, *args: object) -> None:
        """Remove it."""

@final
class Message:
    """What stands under an identifier of a wormhole, or what became of it."""

    @property
    def kind(self) -> Literal["none", "value", "signal", "destroyed", "missed", "joined", "left"]:
        """'value'; 'signal', which has no value; 'destroyed'; 'none', when nothing is stored; 'missed', in a queue, for
        what is gone unheard; 'joined' and 'left', for presence.
        """

    @property
    def value(self) -> Any:
        """What was sent; None for every kind but 'value'. Raises StoreError if damaged."""

    @property
    def status(self) -> Status:
        """OK, or CORRUPT for a stored record that cannot be decoded."""

    @property
    def identifier(self) -> str:
        """What it was sent under."""

    @property
    def sequence(self) -> int:
        """Its number in the group, from 1; 0 for 'none'."""

    @property
    def time(self) -> float:
        """When it was sent: seconds since 1970 by the sender's clock; 0 if unknown."""

    @property
    def time_ns(self) -> int:
        """The same in nanoseconds."""

    @property
    def sender_pid(self) -> int:
        """The process that sent it; 0 if unknown."""

    @property
    def sender_name(self) -> str:
        """The name of the wormhole that sent it; empty if unknown."""

    @property
    def missed(self) -> int:
        """How many messages a 'missed' stands for; else 0."""

    @property
    def delivery(self) -> int:
        """How often it has been handed to its durable name, 1 the first time; 0 without one."""

    @property
    def headers(self) -> dict[str, str]:
        """The texts that it was sent with beside the value: a dict."""

    @property
    def expires(self) -> float | None:
        """When it expires, so that nobody hears it afterwards: seconds since 1970; None: never."""

    def acknowledge(self) -> None:
        """Say that a queued message has been dealt with. It does not wait.

        A listener that returns says so by that, unless it was bound with `manual`. Raises Error with the
        status ALREADY for one that was acknowledged or rejected before, or whose listener is gone.
        """

    @property
    def reason(self) -> str:
        """Why it was rejected the last time, of a dead letter; else empty."""

    def reject(self, delay: float | None = None, reason: str | BaseException | None = None) -> None:
        """Have a message of a durable name delivered again, to whoever is free. One that has been delivered as
        often as the name was declared with becomes a dead letter.

        delay   seconds; None: as the name was declared, by default 0.1 after the first delivery, and twice as
                long after each further one, at most a minute.
        reason  why: a str, or an exception, of which the last line is taken. A dead letter keeps it, up to
                1,000 bytes.

        Raises as `acknowledge()`.
        """

@final
class Sent(structseq[int], tuple[int, int]):
    """What became of a message that was sent."""

    __match_args__: Final = ("sequence", "listeners")
    @property
    def sequence(self) -> int:
        """The message's number in the group."""

    @property
    def listeners(self) -> int:
        """How many living processes were rung because they listen, this one included."""

@final
class Foreign:
    """An object of another language that shows no content: it can only be handed on."""

    @property
    def tag(self) -> str:
        """The name of the object's type, as its host registered it."""
