"""The parts of a callable: the functions inside it, the names that they have bound, and whether it is async."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterator

from ._typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing import Any

_MOST = 100  # nested functions at most

#: Flags of `co_flags`, which `inspect` has under these names.
CO_VARARGS, CO_VARKEYWORDS = 0x04, 0x08
_CO_COROUTINE, _CO_ASYNC_GENERATOR = 0x80, 0x200


class Own(NamedTuple):
    """The names that a callable uses itself: a caller cannot pass arguments by them."""

    names: frozenset[str]  # of the parameters of every function inside it, bound ones included
    positional: frozenset[str]  # the positional-only ones, which differ from a keyword of the same name
    bound: frozenset[str]  # the keywords that functools.partial has bound


def own_names(handler: Callable[..., object]) -> Own:
    """Return the own names of a function, a method, a class, a partial, or a callable made of those."""
    keyword: set[str] = set()
    positional: set[str] = set()
    bound: set[str] = set()
    for each in inner(handler):
        if issubclass(type(each), (functools.partial, functools.partialmethod)):
            bound.update(each.keywords)
        code = getattr(each, "__code__", None)
        if type(code) is types.CodeType:  # a mock resembles one
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
    kind = type(each)  # a mock's __class__ may be that of the object that it resembles
    if issubclass(kind, (functools.partial, functools.partialmethod)):
        parts = [each.func]
    elif kind is types.MethodType:
        parts = [each.__func__]
    elif isinstance(each, type):
        parts = [each.__new__, each.__init__, type(each).__call__]  # type: ignore[misc]
    elif issubclass(kind, staticmethod):
        parts = [each.__func__]
    elif kind is types.FunctionType:
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
    while issubclass(type(function), (functools.partial, types.MethodType, staticmethod)):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    if type(function) is types.FunctionType and not any(name.startswith("_is_coroutine") for name in function.__dict__):
        flags = function.__code__.co_flags
        is_generator, is_coroutine = flags & _CO_ASYNC_GENERATOR, flags & _CO_COROUTINE
    else:
        is_generator, is_coroutine = _inspected(function)
    if is_generator:
        raise TypeError(f"{name_of(handler)} is an async generator, which returns no answer")
    return bool(is_coroutine)


def _inspected(function: Any) -> tuple[bool, bool]:
    """Return whether it is an async generator and whether it is a coroutine function, for anything but a plain function."""
    import inspect

    functions = (function, getattr(function, "__call__", None))
    is_generator = any(_is(inspect.isasyncgenfunction, each) for each in functions)
    if "_is_coroutine" in getattr(function, "__dict__", ()):  # the mark of asyncio, which an AsyncMock has
        return is_generator, True
    return is_generator, any(_is(inspect.iscoroutinefunction, each) for each in functions)


def _is(check: Callable[[object], bool], function: object) -> bool:
    """Apply a check of `inspect`, which mistakes any object that resembles a function for one."""
    return not resembles_function(function) and check(function)


def resembles_function(thing: object) -> bool:
    """Return whether an object is a mock with the attributes of a function, which do not describe its own call."""
    return type(getattr(thing, "__code__", None)) not in (types.CodeType, types.NoneType)


def check_wrapper(handler: Callable[..., object], positional: int, keywords: tuple[str, ...], takes_rest: bool) -> None:
    """Refuse a wrapper that cannot be called with the arguments of the function inside it."""
    if not any("__wrapped__" in getattr(each, "__dict__", ()) for each in inner(handler)):
        return
    import inspect

    try:
        signature = inspect.signature(handler, follow_wrapped=False)
    except (TypeError, ValueError):  # a wrapper in C, such as that of functools.lru_cache
        return
    reason = ""
    try:
        signature.bind(*[None] * positional, **dict.fromkeys(keywords))
    except TypeError as error:
        reason = str(error)
    if not reason and takes_rest and all(each.kind is not each.VAR_KEYWORD for each in signature.parameters.values()):
        reason = "the wrapper has no **params"
    if reason:
        raise TypeError(
            f"the wrapper of {name_of(handler)} cannot be called with the arguments of the function inside: {reason}; "
            "a decorator that changes the arguments declares that by __signature__"
        )


def of_instance(kind: type, name: str) -> Any:
    """Return the attribute that an instance of a class will have: a method is bound to its `self`."""
    found, attribute = getattr(kind, name), static_attribute(kind, name)
    is_bound_later = hasattr(type(attribute), "__get__") and not isinstance(attribute, (staticmethod, classmethod))
    return types.MethodType(found, kind) if is_bound_later else found


def static_attribute(kind: type, name: str) -> Any:
    """Return an attribute of a class as it is written there: without a call of a descriptor."""
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    import inspect

    return inspect.getattr_static(kind, name)  # of its metaclass


def name_of(handler: object) -> str:
    return str(getattr(handler, "__qualname__", None) or repr(handler))
