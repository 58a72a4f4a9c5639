"""The parts of a callable: the functions inside it, the names that they have bound, and whether it is async."""

import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

_MOST = 100  # nested functions at most


class Own(NamedTuple):
    """The names that a callable uses itself, by which a caller cannot pass an argument."""

    names: frozenset[str]  # of the parameters of every function inside it, bound ones included
    positional: frozenset[str]  # the positional-only ones, which differ from a keyword of the same name
    bound: frozenset[str]  # the keywords that functools.partial has bound


def own_names(handler: Callable[..., object]) -> Own:
    """Return the own names of a function, a method, a class, a partial, or a callable made of those."""
    keyword: set[str] = set()
    positional: set[str] = set()
    bound: set[str] = set()
    for each in inner(handler):
        if isinstance(each, (functools.partial, functools.partialmethod)):
            bound.update(each.keywords)
        code = getattr(each, "__code__", None)
        if isinstance(code, types.CodeType):
            named = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            positional.update(named[: code.co_posonlyargcount])
            keyword.update(named[code.co_posonlyargcount :])
    return Own(frozenset(keyword | positional), frozenset(positional - keyword), frozenset(bound))


def inner(handler: object) -> Iterator[Any]:
    """Iterate over the callable and the callables inside it, as far as they can be found."""
    found = [handler]
    for each in found:
        if len(found) > _MOST:
            raise TypeError(f"{name_of(handler)} nests more than {_MOST} functions")
        yield each
        found += [part for part in _parts(each) if not any(part is other for other in found)]


def _parts(each: Any) -> list[object]:
    if isinstance(each, (functools.partial, functools.partialmethod)):
        parts = [each.func]
    elif isinstance(each, types.MethodType):
        parts = [each.__func__]
    elif isinstance(each, type):
        parts = [each.__new__, each.__init__, type(each).__call__]  # type: ignore[misc]
    elif hasattr(each, "__code__"):
        parts = [getattr(each, "__partialmethod__", None) or getattr(each, "_partialmethod", None)]
    else:
        parts = [getattr(type(each), "__call__", None)]
    return [part for part in (*parts, getattr(each, "__wrapped__", None)) if part is not None]


def globals_of(handler: object) -> dict[str, Any]:
    """Return the namespace of a callable's annotations."""
    found: dict[str, Any] = {}
    for each in inner(handler):
        found = getattr(each, "__globals__", found)
    return found


def is_async(handler: Any) -> bool:
    """Return whether a callable returns a coroutine. Raises TypeError for async generators, and unless it is callable."""
    if not callable(handler):
        raise TypeError(f"a handler or interceptor must be callable, not {type(handler).__name__}")
    function = handler
    while isinstance(function, (functools.partial, types.MethodType)):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    functions = (function, getattr(function, "__call__", None))
    if any(map(inspect.isasyncgenfunction, functions)):
        raise TypeError(f"{name_of(handler)} is an async generator, which returns no answer")
    return any(map(inspect.iscoroutinefunction, functions))


def of_instance(kind: type, name: str) -> Any:
    """Return the attribute that an instance of a class will have: a method is bound to its `self`."""
    found, attribute = getattr(kind, name), inspect.getattr_static(kind, name)
    is_bound_later = hasattr(type(attribute), "__get__") and not isinstance(attribute, (staticmethod, classmethod))
    return types.MethodType(found, kind) if is_bound_later else found


def name_of(handler: object) -> str:
    return str(getattr(handler, "__qualname__", None) or repr(handler))
