"""The annotations of parameters."""

from __future__ import annotations

import sys
import types

from . import _crosstie
from ._parameters import Empty
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

KINDS: dict[object, int] = {
    str: _crosstie.EXT_TEXT,
    int: _crosstie.EXT_INT,
    float: _crosstie.EXT_FLOAT,
    bool: _crosstie.EXT_BOOL,
}

#: An annotation that is the Request, as a text.
_REQUEST_TEXT = (
    r"(?:\w+\.)*Request(?:\s*\|\s*None)?|None\s*\|\s*(?:\w+\.)*Request|(?:\w+\.)*Optional\[(?:\w+\.)*Request\]"
)


def bare(annotation: object) -> Any:
    """Return an annotation without Annotated."""
    typing = sys.modules.get("typing")  # an annotation that is made by it has imported it
    if typing is None:
        return annotation
    if typing.get_origin(annotation) is typing.Annotated:
        return bare(typing.get_args(annotation)[0])
    return annotation


def plain(annotation: object) -> Any:
    """Return an annotation without Annotated and without None; its text if it cannot be resolved."""
    if type(annotation) is type:
        return annotation
    found = bare(annotation)
    if _origin(found) in _unions():
        members = [member for member in found.__args__ if member is not type(None)]
        return plain(members[0]) if len(members) == 1 else found
    return getattr(found, "__forward_arg__", found)


def _unions() -> tuple[object, ...]:
    typing = sys.modules.get("typing")
    return (types.UnionType,) if typing is None else (types.UnionType, typing.Union)


def _origin(annotation: object) -> Any:
    """Return what `typing.get_origin()` does, without its import if no annotation needs that."""
    typing = sys.modules.get("typing")
    if typing is not None:
        return typing.get_origin(annotation)
    if isinstance(annotation, types.UnionType):
        return types.UnionType
    return annotation.__origin__ if isinstance(annotation, types.GenericAlias) else None


def _is_any(annotation: object) -> bool:
    typing = sys.modules.get("typing")
    return typing is not None and annotation is typing.Any


def is_optional(annotation: object) -> bool:
    return plain(annotation) is not bare(annotation)


def scalar(annotation: object) -> int | None:
    """Return the kind of `int`, `float`, `bool` or `str`; None for any other annotation."""
    annotation = plain(annotation)
    return KINDS.get(annotation) if isinstance(annotation, type) else None


def is_open_to_all(annotation: object) -> bool:
    """Return whether an annotation takes any object as it is."""
    return _is_any(plain(annotation)) or plain(annotation) is object


def is_request(annotation: object) -> bool:
    annotation = plain(annotation)
    if isinstance(annotation, str):
        import re

        return re.fullmatch(_REQUEST_TEXT, annotation.strip()) is not None
    return annotation is _crosstie.Request


def excludes_request(annotation: object) -> bool:
    """Return whether it is a class that no Request is an instance of."""
    annotation = plain(annotation)
    kind = _origin(annotation) or annotation
    if not isinstance(kind, type) or _is_any(kind) or kind is Empty:
        return False
    try:
        return not issubclass(_crosstie.Request, kind)
    except TypeError:  # a protocol of attributes
        return False
