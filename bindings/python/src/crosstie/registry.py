"""The components of a bus."""

import os
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import TypeVar, Unpack, overload

from . import _crosstie
from .components import (
    ComponentInfo,
    ComponentOptions,
    doc_of,
    functions_of,
    info_of,
    read_actions,
    type_of,
)
from .rules import Interceptors

ClassT = TypeVar("ClassT", bound=type)
ComponentT = TypeVar("ComponentT")


class ComponentBus(_crosstie.Bus):
    """The part of a Bus that has to do with components."""

    @overload
    def component(self, name: ClassT, /) -> ClassT: ...

    @overload
    def component(
        self, name: str | None = None, /, **options: Unpack[ComponentOptions]
    ) -> Callable[[ComponentT], ComponentT]: ...

    @overload
    def component(
        self, name: str | None, component: ComponentT, /, **options: Unpack[ComponentOptions]
    ) -> ComponentT: ...

    def component(
        self, name: object = None, component: object = None, /, **options: Unpack[ComponentOptions]
    ) -> object:
        """Register the decorated class, or an instance that is given, as a component, and return it.

            @bus.component("home")
            class Home: ...

            bus.component("clock", Clock())

        name     by default the name of the type.
        options  as for `add_component()`.
        """

        def decorate(component: ComponentT) -> ComponentT:
            self.add_component(component, name if isinstance(name, str) else None, **options)
            return component

        if name is not None and not isinstance(name, str if component is not None else str | type):
            raise TypeError(f"@bus.component decorates a class, or is given a name, not {name!r}")
        if component is not None:
            return decorate(component)
        return decorate(name) if isinstance(name, type) else decorate

    def add_component(
        self,
        component: object,
        name: str | None = None,
        /,
        *,
        replace: bool = False,
        lazy: bool = False,
        priority: int = 0,
        dispatcher: str = "",
        doc: str | None = None,
        interceptors: Interceptors = (),
    ) -> _crosstie.Registration:
        """Register a component and return its Registration.

        component     an instance whose class marks methods with `crosstie.action` and `crosstie.event`; or the class,
                      of which the bus gets an instance of its own, made without arguments.
        name          by default the name of the type.
        replace       whether it may take the place of a component of that name; else that is a ConflictError.
        lazy          whether the class is instantiated at the first call, not now.
        priority      higher ones hear an event first; of equal ones, by name.
        dispatcher    where its asynchronous calls run; default: the bus's own.
        doc           for listings; default: the docstring.
        interceptors  functions that see the calls of its actions, after the bus's interceptors.

        Raises ConflictError, ArgumentError for a malformed name, KindError where no method is marked, or what the
        class raises.
        """
        return self._register(
            component,
            name,
            replace=replace,
            lazy=lazy,
            priority=priority,
            dispatcher=dispatcher,
            doc=doc,
            interceptors=interceptors,
        )

    def _register(
        self,
        component: object,
        name: str | None,
        *,
        static: bool = False,
        replace: bool = False,
        lazy: bool = False,
        priority: int = 0,
        dispatcher: str = "",
        doc: str | None = None,
        interceptors: Interceptors = (),
    ) -> _crosstie.Registration:
        """As `add_component()`; and whether it is a static one, for listings."""
        factory = None
        actions = read_actions(component)
        if isinstance(component, type):
            kind = component
            if lazy:
                factory = lambda: functions_of(kind())  # noqa: E731
            else:
                actions = read_actions(kind())
        return self._add_component(
            _type_name(component) if name is None else name,
            component,
            actions,
            factory=factory,
            replace=replace,
            static=static,
            priority=priority,
            doc=doc_of(component) if doc is None else doc,
            type=type_of(component),
            dispatcher=dispatcher,
            interceptors=tuple(interceptors),
        )

    def components(self) -> list[ComponentInfo]:
        """The components, whoever registered them, by name."""
        return [info_of(item) for item in self._components()]

    def load_entry_points(self, group: str = "crosstie.components") -> list[_crosstie.Registration]:
        """Register what installed distributions offer under an entry-point group, and return the Registrations.

        Each entry point is a class or an instance, and its name is the component's.
        """
        return [self.add_component(entry.load(), entry.name) for entry in entry_points(group=group)]

    def load_plugin(self, path: str | os.PathLike[str]) -> int:
        """Register the components that a shared object declares, all or none, and return how many there are.

        path  with a slash a file, else looked for in the library path.

        Raises StoreError where it cannot be opened, KindError where it declares nothing, or what a component is
        refused for.
        """
        return self._load_plugin(os.fspath(path))

    def unload_plugin(self, path: str | os.PathLike[str]) -> None:
        """Remove the components of a plug-in, by the path that it was loaded by. Raises NotFoundError."""
        self._unload_plugin(os.fspath(path))


def _type_name(component: object) -> str:
    """What a component is called that has no name of its own."""
    return (component if isinstance(component, type) else type(component)).__name__
