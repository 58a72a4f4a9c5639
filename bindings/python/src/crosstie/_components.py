"""The components of a bus."""

from __future__ import annotations

import os

from . import _crosstie
from ._bus_view import Listing
from ._docs import doc_of
from ._homes import publish
from ._marks import functions_of, read_actions, type_of
from ._typing import TYPE_CHECKING, NamedTuple, TypedDict

if TYPE_CHECKING:
    from typing import Any

    from ._interceptors import InterceptorList


class ComponentOptions(TypedDict, total=False):
    """The options of a component; see `Components.add()`."""

    replace: bool
    lazy: bool
    exported: bool
    priority: int
    dispatcher: str
    doc: str | None
    interceptors: InterceptorList


class ActionInfo(NamedTuple):
    """One action of a `ComponentInfo`."""

    name: str
    doc: str
    event: bool
    worker_only: bool


class ComponentInfo(NamedTuple):
    """One of `bus.components`."""

    name: str
    doc: str
    language: str
    type: str
    dispatcher: str
    priority: int
    static: bool
    actions: tuple[ActionInfo, ...]
    peer: dict[str, object] | None = None  # of `anywhere()`: the process that exports it


class Components(Listing[ComponentInfo]):
    """The components of a bus in every language, by name: `bus.components`.

        for component in bus.components: ...
        bus.components["home"].actions
        bus.components.remove("home")

    `@bus.component(name)` is the usual way to add one.
    """

    __slots__ = ()
    _kinds = ("component",)

    def _list(self) -> list[ComponentInfo]:
        return [_info(item) for item in self._bus._components()]

    def _name_of(self, info: ComponentInfo) -> str:
        return info.name

    def anywhere(self) -> list[ComponentInfo]:
        """Return the components, followed by those of other processes that the bus imports; see `Bus.join()`.

        A component of another process has a `peer`, a mapping of that process's "member", "name", "pid" and "uid". Only
        its exported name is known: a component, or "component.action".
        """
        return [_info(item) for item in self._bus._components_anywhere()]

    def add(
        self,
        component: object,
        name: str | None = None,
        /,
        *,
        replace: bool = False,
        lazy: bool = False,
        exported: bool = False,
        priority: int = 0,
        dispatcher: str = "",
        doc: str | None = None,
        interceptors: InterceptorList = (),
    ) -> _crosstie.Registration:
        """Register a component and return its Registration.

        component     an instance whose class marks methods with `crosstie.action` and `crosstie.event`; or the class,
                      which the bus instantiates without arguments.
        name          by default the name of the type.
        replace       whether it may replace a component of that name, which otherwise raises ConflictError.
        lazy          whether the class is instantiated at the first call, not now.
        exported      whether other processes may call it, as if the exports of each `join()` of the bus named it.
        priority      components with higher numbers receive an event first; equal ones by name.
        dispatcher    the dispatcher that runs its asynchronous calls; default: the bus's own.
        doc           for listings; default: the docstring.
        interceptors  functions that see the calls of its actions, after the bus's interceptors.

        Raises ConflictError, ArgumentError for a malformed name, KindError if no method is marked, or the exception of
        the class.
        """
        return register(
            self._bus,
            component,
            name,
            replace=replace,
            lazy=lazy,
            exported=exported,
            priority=priority,
            dispatcher=dispatcher,
            doc=doc,
            interceptors=interceptors,
        )

    def remove(self, what: object, /) -> None:
        """Remove a component by its name, in any language; or by its Registration, the instance or the class.

        Raises NoComponentError for a name, NotFoundError otherwise.
        """
        if isinstance(what, str):
            self._bus._remove_component(what)
        else:
            self._remove(what)

    def load_entry_points(self, group: str = "crosstie.components") -> list[_crosstie.Registration]:
        """Register the components in an entry-point group of installed distributions, and return the Registrations.

        Each entry point is a class or an instance, and its name is the component's.
        """
        from importlib.metadata import entry_points

        return [self.add(entry.load(), entry.name) for entry in entry_points(group=group)]

    def load_plugin(self, path: str | os.PathLike[str]) -> int:
        """Register the components that a shared object declares, all or none, and return their number.

        path  a file if it has a slash; otherwise a name that is searched for in the library path.

        Raises StoreError if it cannot be opened, KindError if it declares nothing, or the error of a component that is
        refused.
        """
        return self._bus._load_plugin(os.fspath(path))

    def unload_plugin(self, path: str | os.PathLike[str]) -> None:
        """Remove the components of a plug-in, by the path of `load_plugin()`. Raises NotFoundError."""
        self._bus._unload_plugin(os.fspath(path))


def register(
    bus: _crosstie.Bus,
    component: object,
    name: str | None,
    *,
    static: bool = False,
    replace: bool = False,
    lazy: bool = False,
    exported: bool = False,
    priority: int = 0,
    dispatcher: str = "",
    doc: str | None = None,
    interceptors: InterceptorList = (),
) -> _crosstie.Registration:
    """As `Components.add()`; `static` marks the component in listings."""
    factory = None
    actions = read_actions(component)
    if isinstance(component, type):
        kind = component
        if lazy:
            factory = lambda: functions_of(kind())  # noqa: E731
        else:
            actions = read_actions(kind())
    return bus._add_component(
        _type_name(component) if name is None else name,
        component,
        actions,
        factory=factory,
        replace=replace,
        static=static,
        exported=exported,
        priority=priority,
        doc=doc_of(component, component if isinstance(component, type) else type(component)) if doc is None else doc,
        type=type_of(component),
        dispatcher=dispatcher,
        interceptors=tuple(interceptors),
    )


def _type_name(component: object) -> str:
    """Return the name of a component's type."""
    return (component if isinstance(component, type) else type(component)).__name__


def _info(item: dict[str, Any]) -> ComponentInfo:
    """Convert an item of the extension's listing."""
    return ComponentInfo(**{**item, "actions": tuple(ActionInfo(**action) for action in item["actions"])})


publish(__name__, globals())
