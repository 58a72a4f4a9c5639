"""Marks on the methods of components.

    @bus.component("home")
    class Home:
        @crosstie.action
        def greet(self, request, name="you"):
            return f"hello {name}"

        @crosstie.event("will-terminate")
        def save(self): ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from . import _crosstie
from ._callables import of_instance, static_attribute
from ._decorators import check_text
from ._docs import doc_of
from ._failures import error_of
from ._homes import publish
from ._signature import Plan, read_call_signature
from ._status import Status
from ._typing import TYPE_CHECKING, NamedTuple, cast, overload

if TYPE_CHECKING:
    from typing import TypeVar

    _MethodT = TypeVar("_MethodT", bound=Callable[..., object])


_MARKS = "__crosstie_actions__"
_TYPE_LIMIT = 128  # bytes in a listing

#: name, function or None, plan, flags, doc
Action = tuple[str, Callable[..., object] | None, Plan, int, str]


class Mark(NamedTuple):
    """The mark that a decorator sets on a method."""

    name: str
    flags: int


# ---- Decorators ------------------------------------------------------------------------------------------


@overload
def action(name: _MethodT, /) -> _MethodT: ...


@overload
def action(
    name: str | None = None, /, *, worker_only: bool = False, idempotent: bool = False
) -> Callable[[_MethodT], _MethodT]: ...


def action(name: object = None, /, *, worker_only: bool = False, idempotent: bool = False) -> object:
    """Make the decorated method an action of its component, and return it.

    name         the action's name; by default the method's own.
    worker_only  whether it always runs on a worker of the bus, for synchronous callers too.
    idempotent   whether it may run twice: if this process ends before it answers the call of another one, the call goes to
                 a further process, once.

    A parameter that is named `request`, or annotated with Request, gets the Request; the others get the caller's
    parameters by their names. The method answers by its result, and fails by raising. An `async def` runs on a loop (see
    `Bus.attach()`).
    """
    flags = _flags(worker_only) | (_crosstie.CTIE_ACTION_IDEMPOTENT if idempotent else 0)
    if name is None or isinstance(name, str):
        return lambda method: _mark(method, name, flags)
    return _mark(cast("Callable[..., object]", name), None, flags)


def event(name: str, /, *, worker_only: bool = False) -> Callable[[_MethodT], _MethodT]:
    """Make the decorated method a handler of the event of that name, and return it.

    The method is called as an action is, except that it does not get parameters whose names it lacks. "created" and
    "destroyed" concern only this component; "will-terminate" and the like concern the whole program: `Bus.broadcast()`.
    """
    check_text(name, "@crosstie.event", "name")
    flags = _crosstie.CTIE_ACTION_EVENT | _flags(worker_only)
    return lambda method: _mark(method, name, flags)


def _flags(worker_only: bool) -> int:
    return _crosstie.CTIE_ACTION_WORKER_ONLY if worker_only else 0


def _mark(method: _MethodT, name: object, flags: int) -> _MethodT:
    """Add a mark; the default name is the method's own."""
    if not callable(method):
        raise TypeError(f"an action is a method, not {type(method).__name__}")
    name = method.__name__ if name is None else name
    if not isinstance(name, str):
        raise TypeError(f"the name of an action is a str, not {type(name).__name__}")
    marks = (*getattr(method, _MARKS, ()), Mark(name, flags))
    setattr(method, _MARKS, marks)
    return method


# ---- Marked methods --------------------------------------------------------------------------------------


def _marked(kind: type) -> Iterator[tuple[str, Mark]]:
    """Iterate over the marks of a class, with their attributes' names."""
    for name in dir(kind):
        attribute = static_attribute(kind, name)
        marks: tuple[Mark, ...] = getattr(attribute, _MARKS, ())
        marks = marks or getattr(getattr(attribute, "__func__", None), _MARKS, ())
        for mark in marks:
            yield name, mark


def functions_of(instance: object) -> tuple[Callable[..., object], ...]:
    """Return the functions of an instance's actions, in the order of `read_actions()`."""
    return tuple(getattr(instance, name) for name, _ in _marked(type(instance)))


def read_actions(component: object) -> tuple[Action, ...]:
    """Return the actions of an instance, or of a class to be instantiated. Raises KindError if there are none."""
    is_to_come = isinstance(component, type)
    kind = component if isinstance(component, type) else type(component)
    actions: list[Action] = []
    for name, mark in _marked(kind):
        function = getattr(component, name)
        called = of_instance(kind, name) if is_to_come else function
        plan = read_call_signature(called, worker_only=bool(mark.flags & _crosstie.CTIE_ACTION_WORKER_ONLY))
        actions.append((mark.name, None if is_to_come else function, plan, mark.flags, doc_of(function, kind)))
    if not actions:
        message = f"{kind.__qualname__} has no method that is marked with crosstie.action or crosstie.event"
        raise error_of(Status.NOT_COMPONENT, message)
    return tuple(actions)


def type_of(component: object) -> str:
    """Return the name of a component's type for listings; empty if it is too long."""
    kind = component if isinstance(component, type) else type(component)
    name = f"{kind.__module__}.{kind.__qualname__}"
    return name if len(name.encode(errors="replace")) <= _TYPE_LIMIT else ""


publish(__name__, globals())
