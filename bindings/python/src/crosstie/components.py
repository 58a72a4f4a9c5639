"""Components: classes and instances whose marked methods are called by name.

    @bus.component("home")
    class Home:
        @crosstie.action
        def greet(self, request, name="you"):
            return f"hello {name}"

        @crosstie.event("will-terminate")
        def save(self): ...
"""

import inspect
import logging
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, TypeVar, Unpack, cast, overload

from .callables import of_instance
from .decorating import check_text
from .errors import ConflictError, KindError
from .signature import Plan, read_given
from .status import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .bus import Bus

MethodT = TypeVar("MethodT", bound=Callable[..., object])
ClassT = TypeVar("ClassT", bound=type)

_EVENT, _WORKER_ONLY = 1, 4
_MARKS = "__crosstie_actions__"
_DOC_LIMIT, _TYPE_LIMIT = 4096, 128

#: name, function or None, plan, flags, doc
Action = tuple[str, Callable[..., object] | None, Plan, int, str]


class ComponentOptions(TypedDict, total=False):
    """What can be said of a component beside its name; see `Bus.add_component()`."""

    replace: bool
    lazy: bool
    priority: int
    dispatcher: str
    doc: str | None
    interceptors: "Sequence[Callable[..., object]]"


class Mark(NamedTuple):
    """What a decorator says of a method."""

    name: str
    flags: int


# ---- Marking methods -------------------------------------------------------------------------------------


@overload
def action(name: MethodT, /) -> MethodT: ...


@overload
def action(
    name: str | None = None, /, *, worker_only: bool = False
) -> Callable[[MethodT], MethodT]: ...


def action(name: object = None, /, *, worker_only: bool = False) -> object:
    """Make the decorated method an action of its component, and return it.

    name         as others call it; by default the method's own.
    worker_only  whether it always runs on a worker of the bus, for synchronous callers too.

    A parameter that is named `request` or annotated so gets the Request, the others what the caller gives by their
    names; what it returns is the answer, what it raises the failure. An `async def` runs on a loop (see
    `Bus.attach()`).
    """
    flags = _WORKER_ONLY if worker_only else 0
    if name is None or isinstance(name, str):
        return lambda method: _mark(method, name, flags)
    return _mark(cast(Callable[..., object], name), None, flags)


def event(name: str, /, *, worker_only: bool = False) -> Callable[[MethodT], MethodT]:
    """Make the decorated method hear the event of that name, and return it.

    It is called as an action is, save that parameters it has no name for are left out. `created` and `destroyed` are
    events of the component's own life; "will-terminate" and the like are of the program's: `Bus.broadcast()`.
    """
    check_text(name, "@crosstie.event", "name")
    return lambda method: _mark(method, name, _EVENT | (_WORKER_ONLY if worker_only else 0))


def _mark(method: MethodT, name: object, flags: int) -> MethodT:
    """Adds a mark; without a name the method's own."""
    if not callable(method):
        raise TypeError(f"an action is a method, not {type(method).__name__}")
    name = method.__name__ if name is None else name
    if not isinstance(name, str):
        raise TypeError(f"the name of an action is a str, not {type(name).__name__}")
    marks = (*getattr(method, _MARKS, ()), Mark(name, flags))
    setattr(method, _MARKS, marks)
    return method


# ---- Reading them ----------------------------------------------------------------------------------------


def _marked(kind: type) -> Iterator[tuple[str, Mark]]:
    """Every mark of a class, with the attribute's name."""
    for name in dir(kind):
        attribute = inspect.getattr_static(kind, name)
        marks: tuple[Mark, ...] = getattr(attribute, _MARKS, ())
        marks = marks or getattr(getattr(attribute, "__func__", None), _MARKS, ())
        for mark in marks:
            yield name, mark


def functions_of(instance: object) -> tuple[Callable[..., object], ...]:
    """The functions of an instance's actions, in the order of `read_actions()`."""
    return tuple(getattr(instance, name) for name, _ in _marked(type(instance)))


def read_actions(component: object) -> tuple[Action, ...]:
    """The actions of an instance, or of a class whose instance is to come. Raises KindError where there are none."""
    is_to_come = isinstance(component, type)
    kind = component if isinstance(component, type) else type(component)
    actions: list[Action] = []
    for name, mark in _marked(kind):
        function = getattr(component, name)
        called = of_instance(kind, name) if is_to_come else function
        plan = read_given(called, worker_only=bool(mark.flags & _WORKER_ONLY))
        actions.append((mark.name, None if is_to_come else function, plan, mark.flags, doc_of(function)))
    if not actions:
        message = f"{kind.__qualname__} has no method that is marked with crosstie.action or crosstie.event"
        raise KindError(message, status=Status.NOT_COMPONENT, code=30001)
    return tuple(actions)


def doc_of(thing: object) -> str:
    """A docstring as a listing has it."""
    return _within(inspect.getdoc(thing) or "", _DOC_LIMIT)


def type_of(component: object) -> str:
    """The type's name as a listing has it; empty where it is too long for one."""
    kind = component if isinstance(component, type) else type(component)
    name = f"{kind.__module__}.{kind.__qualname__}"
    return name if len(name.encode(errors="replace")) <= _TYPE_LIMIT else ""


def _within(text: str, limit: int) -> str:
    return text.encode(errors="replace")[:limit].decode(errors="ignore")


# ---- Static components -----------------------------------------------------------------------------------


class _Static(NamedTuple):
    name: str
    component: type
    options: ComponentOptions


_lock = threading.Lock()
_statics: list[_Static] = []
_buses: "weakref.WeakSet[Bus]" = weakref.WeakSet()


@overload
def component(name: ClassT, /) -> ClassT: ...


@overload
def component(
    name: str | None = None, /, **options: Unpack[ComponentOptions]
) -> Callable[[ClassT], ClassT]: ...


def component(name: object = None, /, **options: Unpack[ComponentOptions]) -> object:
    """Make the decorated class a static component, and return it: every `Bus(static=True)` gets an instance of its own.

    name     by default the class's own.
    options  as for `Bus.add_component()`.

    A bus where the name is taken, or for which the class raises, tells so to the logger "crosstie". Raises
    ConflictError for the second static component of a name.
    """

    def decorate(component: ClassT) -> ClassT:
        if not isinstance(component, type):
            raise TypeError(f"a static component is a class, not {component!r}")
        _declare(_Static(str(name or component.__name__), component, options))
        return component

    if name is None or isinstance(name, str):
        return decorate
    if not isinstance(name, type):
        raise TypeError(f"@crosstie.component decorates a class, or is given a name, not {name!r}")
    _declare(_Static(name.__name__, name, options))
    return name


def _declare(static: _Static) -> None:
    read_actions(static.component)
    with _lock:
        if any(static.name == other.name for other in _statics):
            message = f"there is a static component {static.name!r} already"
            raise ConflictError(message, status=Status.CONFLICT, code=40010)
        _statics.append(static)
        buses = list(_buses)
    for bus in buses:
        if not bus.closed:
            _take_up(bus, static)


def join_static(bus: "Bus") -> None:
    """Gives a new bus the static components that there are, and those to come."""
    with _lock:
        _buses.add(bus)
        statics = list(_statics)
    for static in statics:
        _take_up(bus, static)


def _take_up(bus: "Bus", static: _Static) -> None:
    try:
        bus._register(static.component, static.name, static=True, **static.options)
    except Exception:
        logging.getLogger("crosstie").exception("%r does not take the static component %r", bus, static.name)


# ---- Listings --------------------------------------------------------------------------------------------


class ActionInfo(NamedTuple):
    """One action of a `ComponentInfo`."""

    name: str
    doc: str
    event: bool
    worker_only: bool


class ComponentInfo(NamedTuple):
    """One line of `Bus.components()`."""

    name: str
    doc: str
    language: str
    type: str
    dispatcher: str
    priority: int
    static: bool
    actions: tuple[ActionInfo, ...]


def info_of(item: dict[str, Any]) -> ComponentInfo:
    """A line of the extension's listing."""
    return ComponentInfo(**{**item, "actions": tuple(ActionInfo(**action) for action in item["actions"])})
