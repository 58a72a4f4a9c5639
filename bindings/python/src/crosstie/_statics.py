"""Static components, which every bus made with `static=True` has."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable

from . import _crosstie
from ._components import ComponentOptions, register
from ._failures import error_of
from ._homes import publish
from ._marks import read_actions
from ._status import Status
from ._typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from typing import TypeVar, Unpack

    _ClassT = TypeVar("_ClassT", bound=type)


class _Static(NamedTuple):
    name: str
    component: type
    options: ComponentOptions


_lock = threading.Lock()
_statics: list[_Static] = []
_buses: weakref.WeakSet[_crosstie.Bus] = weakref.WeakSet()


@overload
def component(name: _ClassT, /) -> _ClassT: ...


@overload
def component(
    name: str | None = None, /, **options: Unpack[ComponentOptions]
) -> Callable[[_ClassT], _ClassT]: ...


def component(name: object = None, /, **options: Unpack[ComponentOptions]) -> object:
    """Make the decorated class a static component, and return it: every `Bus(static=True)` gets an instance of its own.

    name     by default the class's own.
    options  as for `Components.add()`.

    If a bus has a component of that name already, or the class raises, the failure is logged to the logger "crosstie".
    Raises ConflictError for a second static component of a name.
    """

    def decorate(component: _ClassT) -> _ClassT:
        if not isinstance(component, type):
            raise TypeError(f"a static component must be a class, not {component!r}")
        _declare(_Static(str(name or component.__name__), component, options))
        return component

    if name is None or isinstance(name, str):
        return decorate
    if not isinstance(name, type):
        raise TypeError(f"@crosstie.component decorates a class, or takes a name, not {name!r}")
    _declare(_Static(name.__name__, name, options))
    return name


def _declare(static: _Static) -> None:
    read_actions(static.component)
    with _lock:
        if any(static.name == other.name for other in _statics):
            message = f"there is a static component {static.name!r} already"
            raise error_of(Status.CONFLICT, message)
        _statics.append(static)
        buses = list(_buses)
    for bus in buses:
        if not bus.closed:
            _add(bus, static)


def join_static(bus: _crosstie.Bus) -> None:
    """Add the present and future static components to a new bus."""
    with _lock:
        _buses.add(bus)
        statics = list(_statics)
    for static in statics:
        _add(bus, static)


def _add(bus: _crosstie.Bus, static: _Static) -> None:
    try:
        register(bus, static.component, static.name, static=True, **static.options)
    except Exception:
        import logging

        logging.getLogger("crosstie").exception("%r refuses the static component %r", bus, static.name)


publish(__name__, globals())
