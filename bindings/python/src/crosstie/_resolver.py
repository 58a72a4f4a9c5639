"""The resolver of `python:package.module:Class`, for the performer of a bus."""

from __future__ import annotations

import importlib
import threading
import weakref

from . import _crosstie
from ._callables import of_instance
from ._signature import Plan, read_call_signature
from ._status import Status
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Final

PREFIX: Final = "python:"

#: The buses that have a resolver.
_served: weakref.WeakSet[_crosstie.Bus] = weakref.WeakSet()


def serve_python(bus: _crosstie.Bus) -> None:
    """Set a bus's resolver for targets in Python; each target must still be allowed."""
    if bus not in _served:
        resolver = Resolver(bus)
        bus._set_resolver(resolver, read_call_signature(resolver))
        _served.add(bus)


class Refusal(Exception):
    """The reason why a target or selector is not found."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status


class Resolver:
    """A resolver that finds the targets `python:package.module:Class` of a bus, and calls their methods."""

    def __init__(self, bus: _crosstie.Bus) -> None:
        self._bus = weakref.ref(bus)
        self._instances: dict[str, object] = {}
        self._plans: weakref.WeakKeyDictionary[type, dict[str, Plan]] = weakref.WeakKeyDictionary()
        self._lock = threading.Lock()

    def __call__(self, request: _crosstie.Request) -> None:
        try:
            if request._flags & _crosstie.CTIE_REQUEST_RELEASE:
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
            raise Refusal(Status.CLOSED, "the bus has been closed and freed")
        target, selector = request.target, request.action
        with self._lock:
            instance = self._instances.get(target)
        kind = find_class(target) if instance is None else type(instance)
        plan = self._plan(kind, target, selector)
        if instance is None:
            instance = kind()
            if request._flags & _crosstie.CTIE_REQUEST_CACHED:
                with self._lock:
                    instance = self._instances.setdefault(target, instance)
        bus._selector(getattr(instance, selector), plan)._handle(request)

    def _plan(self, kind: type, target: str, selector: str) -> Plan:
        plans = self._plans.setdefault(kind, {})
        if selector not in plans:
            plans[selector] = read_selector(kind, target, selector)
        return plans[selector]


def find_class(target: str) -> type:
    """Return the class of a target: one that its module defines itself, or lists in `__all__`."""
    name, _, class_name = target.removeprefix(PREFIX).partition(":")
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the module exists, but not a module that it imports
        raise Refusal(Status.NO_TARGET, f"there is no module {name!r}") from error
    except (ValueError, TypeError) as error:
        raise Refusal(Status.NO_TARGET, f"{name!r} is not a module") from error
    kind = getattr(module, class_name, None)
    if isinstance(kind, type) and not class_name.startswith("_"):
        if kind.__module__ == name or class_name in getattr(module, "__all__", ()):
            return kind
    raise Refusal(Status.NO_TARGET, f"the module {name!r} has no public class {class_name!r}")


def read_selector(kind: type, target: str, selector: str) -> Plan:
    """Return the plan of the method that a selector names."""
    method = getattr(kind, selector, None)
    if selector.startswith("_") or not callable(method) or isinstance(method, type):
        raise Refusal(Status.NO_ACTION, f"{target} has no method {selector!r}")
    return read_call_signature(of_instance(kind, selector))
