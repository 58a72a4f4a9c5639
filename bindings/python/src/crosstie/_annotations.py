"""The annotations of parameters."""

import inspect
import re
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

from . import _crosstie
from ._callables import globals_of, name_of, resembles_function

KINDS: dict[object, int] = {
    str: _crosstie.EXT_TEXT,
    int: _crosstie.EXT_INT,
    float: _crosstie.EXT_FLOAT,
    bool: _crosstie.EXT_BOOL,
}

_REQUEST_TEXT = re.compile(
    r"(?:\w+\.)*Request(?:\s*\|\s*None)?|None\s*\|\s*(?:\w+\.)*Request|(?:\w+\.)*Optional\[(?:\w+\.)*Request\]"
)


def parameters_of(handler: Callable[..., object]) -> list[inspect.Parameter]:
    """Return the parameters of a callable, from the innermost function that it wraps."""
    if resembles_function(handler):
        handler = types.MethodType(type(handler).__call__, handler)
    try:
        try:
            signature = inspect.signature(handler, eval_str=True)
        except Exception:  # one annotation may be for type checkers only; the others are still read
            signature = _each_resolved(handler)
    except ValueError as error:
        raise TypeError(f"{name_of(handler)} has no signature: {error}") from error
    return list(signature.parameters.values())


def _each_resolved(handler: Callable[..., object]) -> inspect.Signature:
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


def bare(annotation: object) -> Any:
    """Return an annotation without Annotated."""
    if typing.get_origin(annotation) is typing.Annotated:
        return bare(typing.get_args(annotation)[0])
    return annotation


def plain(annotation: object) -> Any:
    """Return an annotation without Annotated and without None; its text if it cannot be resolved."""
    if type(annotation) is type:
        return annotation
    annotation = bare(annotation)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        members = [member for member in typing.get_args(annotation) if member is not type(None)]
        return plain(members[0]) if len(members) == 1 else annotation
    return getattr(annotation, "__forward_arg__", annotation)


def is_optional(annotation: object) -> bool:
    return plain(annotation) is not bare(annotation)


def scalar(annotation: object) -> int | None:
    """Return the kind of `int`, `float`, `bool` or `str`; None for any other annotation."""
    annotation = plain(annotation)
    return KINDS.get(annotation) if isinstance(annotation, type) else None


def is_open_to_all(annotation: object) -> bool:
    """Return whether an annotation takes any object as it is."""
    return plain(annotation) is Any or plain(annotation) is object


def is_request(annotation: object) -> bool:
    annotation = plain(annotation)
    if isinstance(annotation, str):
        return _REQUEST_TEXT.fullmatch(annotation.strip()) is not None
    return annotation is _crosstie.Request


def excludes_request(annotation: object) -> bool:
    """Return whether it is a class that no Request is an instance of."""
    annotation = plain(annotation)
    kind = typing.get_origin(annotation) or annotation
    if not isinstance(kind, type) or kind is Any or kind is inspect.Parameter.empty:
        return False
    try:
        return not issubclass(_crosstie.Request, kind)
    except TypeError:  # a protocol of attributes
        return False
