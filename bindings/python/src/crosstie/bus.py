"""The bus."""

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeVar

from . import _crosstie
from .errors import NotFoundError
from .signature import read_signature
from .status import Status

HandlerT = TypeVar("HandlerT", bound=Callable[..., object])


class Route(NamedTuple):
    """One line of `Bus.routes()`."""

    pattern: str
    remark: str
    public: bool


class Bus(_crosstie.Bus):
    """Where handlers register and requests find them.

    name            for the log and for people.
    default_scheme  the scheme of patterns that begin with "/".
    max_workers     threads for asynchronous requests at most; 0: 64.
    max_queued      asynchronous requests that may wait; 0: 65,536.

    Every method may be called from any thread. As a context manager it is closed at the end. A bus
    that nobody refers to any more is closed too, and all are when the interpreter ends.
    """

    _shared_buses: ClassVar[dict[str, "Bus"]] = {}
    _shared_lock: ClassVar[threading.Lock] = threading.Lock()

    @classmethod
    def shared(cls, name: str) -> "Bus":
        """The process's bus of a name, which C and Swift reach by that name too.

        It is the same object each time, until it is closed. Its log is left to whoever made it.
        """
        with cls._shared_lock:
            bus = cls._shared_buses.get(name)
            if bus is None or bus.closed:
                bus = cls._shared_buses[name] = cls._shared(name)
            return bus

    def route(
        self, pattern: str, *, public: bool = False, replace: bool = False, remark: str = ""
    ) -> Callable[[HandlerT], HandlerT]:
        """Register the decorated function for the URLs that match a pattern, and return it.

        Arguments and parameters are those of `add_route()`.
        """

        def decorate(handler: HandlerT) -> HandlerT:
            self.add_route(pattern, handler, public=public, replace=replace, remark=remark)
            return handler

        return decorate

    def add_route(
        self,
        pattern: str,
        handler: Callable[..., object],
        *,
        public: bool = False,
        replace: bool = False,
        remark: str = "",
    ) -> _crosstie.Registration:
        """Register a handler for the URLs that match a pattern, and return its Registration.

        public   whether URLs of remote origin may reach it.
        replace  whether it may take the place of a route of the same shape; else that is a ConflictError.
        remark   for listings.

        The handler takes the Request first, if it wants it, and parameters of the path and the query by
        their names, converted by annotation or by their types in the pattern; a missing or malformed one
        fails the request with ParamError. What it returns is the reply; what it raises, the failure. An
        `async def` cannot be registered yet.

        Raises PatternError, ConflictError, or TypeError for a handler that cannot be called so.
        """
        plan = read_signature(handler, pattern)
        return self._add_route(pattern, handler, plan, public=public, replace=replace, remark=remark)

    def unregister(self, handler: object) -> None:
        """Remove everything that was registered with a handler. Raises NotFoundError when nothing was."""
        registrations = [item for item in self._registrations() if item.active and item.handler == handler]
        if not registrations:
            raise NotFoundError(f"{handler!r} is not registered", status=Status.NOT_FOUND, code=40019)
        for registration in registrations:
            registration.remove()

    def generate(
        self, pattern: str, params: Mapping[str, Any] | Sequence[Any] | None = None, /, **named: Any
    ) -> str:
        """The URL that a pattern matches with these parameters; opening it gives the same back.

        Parameters go by name, as keywords or in a mapping, or by position in a sequence.
        Raises ParamError for one that is missing, surplus, or cannot stand there, and PatternError.
        """
        if params is None or isinstance(params, Mapping):
            return self._generate(pattern, {**(params or {}), **named})
        if named:
            raise TypeError("parameters go either by position or by name")
        if isinstance(params, (str, bytes, bytearray)):
            raise TypeError("parameters are a mapping or a sequence, not one text")
        return self._generate(pattern, list(params))

    def routes(self) -> list[Route]:
        """The routes, in the order of their patterns."""
        return [Route(item["pattern"], item["remark"], item["public"]) for item in self._routes()]


def _renew_lock() -> None:
    """In a forked child the lock may be one that a thread of the parent held."""
    Bus._shared_lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_lock)
