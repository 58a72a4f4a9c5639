"""The parameters of a callable, as `inspect.signature()` finds them.

Most handlers are plain functions or methods. Their parameters are read here, because the import of `inspect` takes
longer than everything else that a small program imports; it is imported for the others.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator

from ._callables import CO_VARARGS, CO_VARKEYWORDS, globals_of, name_of, resembles_function
from ._typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import inspect
    from typing import Any

#: The attributes by which a function says that its signature is another one.
_OTHERS = {"__wrapped__", "__signature__", "__text_signature__", "__partialmethod__", "_partialmethod"}


class Empty:
    """In place of a default or an annotation: there is none."""


class Parameter(NamedTuple):
    """One parameter, as one of `inspect`."""

    name: str
    kind: str  # the name of one of the kinds of `inspect`
    default: Any
    annotation: Any

    @property
    def is_named(self) -> bool:
        """Whether it is neither `*args` nor `**params`."""
        return self.kind not in ("VAR_POSITIONAL", "VAR_KEYWORD")

    @property
    def has_default(self) -> bool:
        return self.default is not Empty

    @property
    def has_annotation(self) -> bool:
        return self.annotation is not Empty


def parameters_of(handler: Callable[..., object]) -> list[Parameter]:
    """Return the parameters of a callable, from the innermost function that it wraps."""
    if resembles_function(handler):
        handler = types.MethodType(type(handler).__call__, handler)
    plain = _plain_function(handler)
    if plain is None:
        return _inspected(handler)
    parameters = list(_of_function(plain, _annotations(plain)))
    return parameters if plain is handler else parameters[1:]


def _plain_function(handler: Callable[..., object]) -> types.FunctionType | None:
    """Return the function of a handler whose parameters are those of its code; None for any other handler."""
    function = handler.__func__ if type(handler) is types.MethodType else handler
    if type(function) is not types.FunctionType or not _OTHERS.isdisjoint(function.__dict__):
        return None
    if getattr(function, "__type_params__", ()) or (function is not handler and not function.__code__.co_argcount):
        return None
    try:
        _ = function.__annotations__  # since Python 3.14 a name that is for type checkers only may be missing here
    except Exception:
        return None
    return function


def _annotations(function: types.FunctionType) -> dict[str, Any]:
    """Return the annotations, evaluated; if one is for type checkers only, the others still are."""
    found: dict[str, Any] = function.__annotations__
    try:
        return {
            name: eval(each, function.__globals__) if isinstance(each, str) else each for name, each in found.items()
        }
    except Exception:
        return {name: _resolved(each, function.__globals__) for name, each in found.items()}


def _of_function(function: types.FunctionType, annotations: dict[str, Any]) -> Iterator[Parameter]:
    code, defaults = function.__code__, function.__defaults__ or ()
    by_keyword: dict[str, Any] = function.__kwdefaults__ or {}
    names = iter(code.co_varnames)
    required = code.co_argcount - len(defaults)

    def parameter(name: str, kind: str, default: Any = Empty) -> Parameter:
        return Parameter(name, kind, default, annotations.get(name, Empty))

    positional = [next(names) for _ in range(code.co_argcount)]
    keywords = [next(names) for _ in range(code.co_kwonlyargcount)]
    for index, name in enumerate(positional):
        kind = "POSITIONAL_ONLY" if index < code.co_posonlyargcount else "POSITIONAL_OR_KEYWORD"
        yield parameter(name, kind, Empty if index < required else defaults[index - required])
    if code.co_flags & CO_VARARGS:
        yield parameter(next(names), "VAR_POSITIONAL")
    for name in keywords:
        yield parameter(name, "KEYWORD_ONLY", by_keyword.get(name, Empty))
    if code.co_flags & CO_VARKEYWORDS:
        yield parameter(next(names), "VAR_KEYWORD")


# ---- By inspect ------------------------------------------------------------------------------------------


def _inspected(handler: Callable[..., object]) -> list[Parameter]:
    import inspect

    try:
        try:
            signature = inspect.signature(handler, eval_str=True)
        except Exception:  # one annotation may be for type checkers only; the others are still read
            signature = _each_resolved(handler)
    except ValueError as error:
        raise TypeError(f"{name_of(handler)} has no signature: {error}") from error
    empty = inspect.Parameter.empty
    return [
        Parameter(each.name, each.kind.name, *(Empty if part is empty else part for part in (each.default, each.annotation)))
        for each in signature.parameters.values()
    ]


def _each_resolved(handler: Callable[..., object]) -> inspect.Signature:
    import inspect
    import sys

    if sys.version_info >= (3, 14):
        import annotationlib

        signature = inspect.signature(handler, annotation_format=annotationlib.Format.FORWARDREF)
    else:
        signature = inspect.signature(handler)
    names = globals_of(handler)
    parameters = [
        parameter.replace(annotation=_resolved(parameter.annotation, names))
        for parameter in signature.parameters.values()
    ]
    return signature.replace(parameters=parameters)


def _resolved(annotation: Any, names: dict[str, Any]) -> Any:
    """Evaluate an annotation that is a text; return the text itself if that fails."""
    text = getattr(annotation, "__forward_arg__", annotation)
    if not isinstance(text, str):
        return annotation
    try:
        return eval(text, names)
    except Exception:
        return text
