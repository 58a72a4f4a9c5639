"""The performer: calling by name what nobody has registered."""

from __future__ import annotations

import importlib
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _crosstie
from .callables import of_instance
from .decorating import check_function
from .rules import Interceptors
from .signature import Plan, read_given
from .status import Status

if TYPE_CHECKING:
    from typing_extensions import Buffer

HandlerT = TypeVar("HandlerT", bound=Callable[..., object])

_CACHED, _RELEASE = 2, 4
_PREFIX = "python:"


class Refusal(Exception):
    """Why a target or selector is not found."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status


class Resolver:
    """Finds the targets `python:package.module:Class` for a bus, and calls their methods."""

    def __init__(self, bus: _crosstie.Bus) -> None:
        self._bus = weakref.ref(bus)
        self._instances: dict[str, object] = {}
        self._plans: weakref.WeakKeyDictionary[type, dict[str, Plan]] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def __call__(self, request: _crosstie.Request) -> None:
        try:
            if request._flags & _RELEASE:
                self._release(request.target)
                request.reply()
            else:
                self._perform(request)
        except Refusal as refusal:
            request.refuse(refusal.status, str(refusal))

    def _release(self, target: str) -> None:
        with self._lock:
            if target not in self._instances:
                raise Refusal(Status.NOT_FOUND, f"no instance of {target} is kept")
            del self._instances[target]

    def _perform(self, request: _crosstie.Request) -> None:
        bus = self._bus()
        if bus is None:
            raise Refusal(Status.CLOSED, "the bus is gone")
        target, selector = request.target, request.action
        with self._lock:
            instance = self._instances.get(target)
        kind = find_class(target) if instance is None else type(instance)
        plan = self._plan(kind, target, selector)
        if instance is None:
            instance = kind()
            if request._flags & _CACHED:
                with self._lock:
                    instance = self._instances.setdefault(target, instance)
        bus._selector(getattr(instance, selector), plan)._handle(request)

    def _plan(self, kind: type, target: str, selector: str) -> Plan:
        plans = self._plans.setdefault(kind, {})
        if selector not in plans:
            plans[selector] = read_selector(kind, target, selector)
        return plans[selector]


def find_class(target: str) -> type:
    """The class of a target. Only what its module defines or lists in `__all__` is there to be performed."""
    name, _, class_name = target.removeprefix(_PREFIX).partition(":")
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the module is there, and lacks something that it imports itself
        raise Refusal(Status.NO_TARGET, f"there is no module {name!r}") from error
    except (ValueError, TypeError) as error:
        raise Refusal(Status.NO_TARGET, f"{name!r} is no module") from error
    kind = getattr(module, class_name, None)
    if isinstance(kind, type) and not class_name.startswith("_"):
        if kind.__module__ == name or class_name in getattr(module, "__all__", ()):
            return kind
    raise Refusal(Status.NO_TARGET, f"the module {name!r} offers no class {class_name!r}")


def read_selector(kind: type, target: str, selector: str) -> Plan:
    """How a method is called that a selector names."""
    method = getattr(kind, selector, None)
    if selector.startswith("_") or not callable(method) or isinstance(method, type):
        raise Refusal(Status.NO_ACTION, f"{target} has no method {selector!r}")
    return read_given(of_instance(kind, selector))


class PerformingBus(_crosstie.Bus):
    """The part of a Bus that has to do with the performer."""

    _resolver: Resolver | None = None

    def allow(self, target: str) -> None:
        """Put a target on the allow-list of the performer, for as long as the bus lives. At first nothing is allowed.

        target  just what is performed; of "python:package.module" also every class of that module.
        """
        self._allow(target)
        if (target + ":").startswith(_PREFIX):
            self._resolve()

    def _load_rules(self, json: str | Buffer | None, path: str | None, /, **options: Any) -> None:
        """As the extension does; where a rule leads to a target of Python's, only the allow-list is between."""
        self._resolve()
        super()._load_rules(json, path, **options)

    def _resolve(self) -> None:
        """Serve `python:`, as far as it is allowed."""
        if self._resolver is None:
            self._resolver = Resolver(self)
            self._set_resolver(self._resolver, read_given(self._resolver))

    @overload
    def fallback(self, handler: HandlerT, /) -> HandlerT: ...

    @overload
    def fallback(
        self, handler: None = None, /, *, worker_only: bool = False, interceptors: Interceptors = ()
    ) -> Callable[[HandlerT], HandlerT]: ...

    def fallback(
        self,
        handler: HandlerT | None = None,
        /,
        *,
        worker_only: bool = False,
        interceptors: Interceptors = (),
    ) -> object:
        """Make the decorated function the handler of what is performed and not found, and return it.

        It takes the request and parameters by their names; `request.target` and `request.action` say what was asked
        for. What is not allowed does not come here. The one before it is removed; `unregister()` takes it away.
        """

        def decorate(handler: HandlerT) -> HandlerT:
            check_function(handler, "@bus.fallback")
            plan = read_given(handler, worker_only=worker_only)
            self._set_fallback(handler, plan, worker_only=worker_only, interceptors=tuple(interceptors))
            return handler

        return decorate if handler is None else decorate(handler)
