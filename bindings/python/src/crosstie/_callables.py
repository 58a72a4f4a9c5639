"""What a callable is made of: the functions inside it, what they have bound, and whether it gives coroutines."""

import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

_MOST = 100  # functions inside each other


class Own(NamedTuple):
    """The names that a callable has of its own, so that nobody else can give an argument by them."""

    names: frozenset[str]  # of the parameters of every function inside it, those included that are bound
    positional: frozenset[str]  # those among them that Python tells apart from a keyword of the same name
    bound: frozenset[str]  # what functools.partial has bound by keyword


def own_names(handler: Callable[..., object]) -> Own:
    """The names of a callable's own, whether it is a function, a method, a class, a partial or made of those."""
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
    """The callable and everything that it calls in turn, as far as it says so."""
    found = [handler]
    for each in found:
        if len(found) > _MOST:
            raise TypeError(f"{name_of(handler)} is too many functions inside each other")
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
    """Where the names in a callable's annotations stand."""
    found: dict[str, Any] = {}
    for each in inner(handler):
        found = getattr(each, "__globals__", found)
    return found


def is_async(handler: Any) -> bool:
    """Whether a callable gives a coroutine. Raises TypeError for what cannot be called, and for async generators."""
    if not callable(handler):
        raise TypeError(f"a handler or interceptor must be callable, not {type(handler).__name__}")
    function = handler
    while isinstance(function, (functools.partial, types.MethodType)):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    functions = (function, getattr(function, "__call__", None))
    if any(map(inspect.isasyncgenfunction, functions)):
        raise TypeError(f"{name_of(handler)} is an async generator, which gives no answer")
    return any(map(inspect.iscoroutinefunction, functions))


def of_instance(kind: type, name: str) -> Any:
    """What an instance of a class will have under a name: a method knows its `self` by then."""
    found, attribute = getattr(kind, name), inspect.getattr_static(kind, name)
    is_bound_later = hasattr(type(attribute), "__get__") and not isinstance(attribute, (staticmethod, classmethod))
    return types.MethodType(found, kind) if is_bound_later else found


def name_of(handler: object) -> str:
    return str(getattr(handler, "__qualname__", None) or repr(handler))
