"""How a handler wants to be called, read once when it is registered.

A handler may take the request first, and parameters of the URL by their names:

- The first parameter is the request if it is named `request` or annotated as one, or if it is not a
  parameter of the path and has neither a default nor an annotation. (The handler of a rule knows no path:
  there only the name and the annotation count.)
- Every other parameter is one of the path or of the query. It is converted by its annotation (`int`,
  `float`, `bool`, `str`, each also with `| None`), else by its type in the pattern (`:id<int>`) or in the
  rule that has brought the request.
- None is called `user_info` that the pattern has not: what a caller gives beside the URL is `request.user_info`, and
  a text of the URL under that name would be taken for it.
- `**params` gets the parameters that no name takes: as texts, or as the rule declares them.

Where there is no URL (an action, what is performed) the parameters are what the caller gave, of any type. The request
is known by its name or annotation alone; an argument annotated with `int`, `float`, `bool` or `str` gets nothing else,
save that a text is converted; any other annotation is not looked at.

An interceptor takes the request, and `proceed` if it has a place for it. Any of them may be an `async def`.
"""

import inspect
import re
import types
import typing
from collections.abc import Callable
from typing import Any

from . import _crosstie

_TEXT, _INT, _FLOAT, _BOOL, _ANY = range(5)
_OPTIONAL = 8
_WANTS_PROCEED, _IS_ASYNC = 1, 2
_KINDS: dict[object, int] = {str: _TEXT, int: _INT, float: _FLOAT, bool: _BOOL}
_PATTERN_KINDS = {"int": _INT, "uint": _INT, "float": _FLOAT, "bool": _BOOL}
_UNCONVERTED: tuple[object, ...] = (inspect.Parameter.empty, Any, object)

_CAPTURE = re.compile(r"(?<=/)(?::([A-Za-z_]\w*)(?:<(\w+)>)?|\*([A-Za-z_]\w*))", re.ASCII)

Handler = Callable[..., object]
Argument = tuple[str, int, int, bool, bool, object]
Plan = tuple[bool, bool, tuple[Argument, ...], tuple[str, ...], bool]
Reader = Callable[[inspect.Parameter], Argument]


def read_signature(handler: Handler, pattern: str | None = "", *, worker_only: bool = False) -> Plan:
    """The plan by which the extension calls a handler: (request?, **?, arguments, keywords, async?).

    The pattern is None where the path may have any parameters.

    An argument is (name, position in the pattern or -1, kind, is annotated?, has a default?, default); the
    last ones, named by `keywords`, go by keyword. Raises TypeError for a handler that cannot be called.
    """
    captures = _captures(pattern)
    return _plan(
        handler,
        worker_only,
        lambda parameter: _is_request(parameter, captures),
        lambda parameter: _argument(parameter, captures or {}),
    )


def read_given(handler: Handler, *, worker_only: bool = False) -> Plan:
    """The same for what has no URL: its parameters are what the caller gave."""
    return _plan(handler, worker_only, lambda parameter: _is_request(parameter, None), _given_argument)


def _plan(
    handler: Handler, worker_only: bool, is_request: Callable[[inspect.Parameter], bool], read: Reader
) -> Plan:
    is_async = _is_async(handler)
    if is_async and worker_only:
        raise TypeError(f"{_name(handler)} is async: it runs on a loop, and no worker can be had for it")
    parameters = _parameters(handler)
    takes_request = bool(parameters) and is_request(parameters[0])
    positional: list[Argument] = []
    keyword: list[Argument] = []
    takes_rest = False
    for parameter in parameters[1:] if takes_request else parameters:
        if parameter.kind is parameter.VAR_KEYWORD:
            takes_rest = True
        elif parameter.kind is parameter.KEYWORD_ONLY:
            keyword.append(read(parameter))
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            positional.append(read(parameter))
    names = tuple(argument[0] for argument in keyword)
    return takes_request, takes_rest, (*positional, *keyword), names, is_async


def read_interceptor(interceptor: Handler) -> int:
    """How an interceptor is called: 1 if it has a place for `proceed` after the request, and 2 if it is async.

    Raises TypeError for what is no interceptor.
    """
    flags = _IS_ASYNC if _is_async(interceptor) else 0
    function = interceptor.__func__ if isinstance(interceptor, types.MethodType) else interceptor
    if isinstance(function, types.FunctionType) and not function.__code__.co_flags & inspect.CO_VARARGS:
        count = function.__code__.co_argcount - (function is not interceptor)  # what is asked at every open is quick
    else:
        count = sum(
            parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
            for parameter in _parameters(interceptor)
        )
    return flags | (_WANTS_PROCEED if count > 1 else 0)


def _is_async(handler: Handler) -> bool:
    if not callable(handler):
        raise TypeError(f"a handler or interceptor must be callable, not {type(handler).__name__}")
    functions = (handler, getattr(handler, "__call__", None))
    if any(map(inspect.isasyncgenfunction, functions)):
        raise TypeError(f"{_name(handler)} is an async generator, which gives no answer")
    return any(map(inspect.iscoroutinefunction, functions))


def _parameters(handler: Handler) -> list[inspect.Parameter]:
    try:
        try:
            signature = inspect.signature(handler, eval_str=True)
        except NameError:  # an annotation that only a type checker can resolve
            signature = inspect.signature(handler)
    except ValueError as error:
        raise TypeError(f"{_name(handler)} does not tell its parameters: {error}") from error
    return list(signature.parameters.values())


def _captures(pattern: str | None) -> dict[str, tuple[int, str]] | None:
    """The position and type of each parameter of a pattern."""
    if pattern is None:
        return None
    if not isinstance(pattern, str):
        raise TypeError(f"pattern must be a str, not {type(pattern).__name__}")
    matches = _CAPTURE.finditer(pattern)
    return {match[1] or match[3]: (position, match[2] or "") for position, match in enumerate(matches)}


def _is_request(parameter: inspect.Parameter, captures: dict[str, tuple[int, str]] | None) -> bool:
    if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
        return False
    if parameter.annotation in (_crosstie.Request, "Request"):
        return True
    if captures is not None and parameter.name in captures:
        return False
    if captures is None or parameter.name == "request":
        return parameter.name == "request"
    return parameter.default is parameter.empty and parameter.annotation in _UNCONVERTED


def _argument(parameter: inspect.Parameter, captures: dict[str, tuple[int, str]]) -> Argument:
    position, pattern_type = captures.get(parameter.name, (-1, ""))
    if parameter.name == "user_info" and position < 0:
        raise TypeError("no URL gives user_info; what the caller has given is request.user_info")
    kind, is_annotated = _kind(parameter, pattern_type)
    has_default = parameter.default is not parameter.empty
    return parameter.name, position, kind, is_annotated, has_default, parameter.default if has_default else None


def _given_argument(parameter: inspect.Parameter) -> Argument:
    kind = _KINDS.get(_hashable(_plain(parameter.annotation)), _ANY)
    has_default = parameter.default is not parameter.empty
    default = parameter.default if has_default else None
    if default is None and has_default or _plain(parameter.annotation) is not _bare(parameter.annotation):
        kind |= _OPTIONAL
    return parameter.name, -1, kind, True, has_default, default


def _kind(parameter: inspect.Parameter, pattern_type: str) -> tuple[int, bool]:
    """What a text is converted to, and whether it is the annotation that says so."""
    annotation = _plain(parameter.annotation)
    if annotation in _KINDS:
        return _KINDS[annotation], True
    if annotation in _UNCONVERTED or isinstance(annotation, str):
        return _PATTERN_KINDS.get(pattern_type, _TEXT), False
    raise TypeError(
        f"the parameter {parameter.name!r} is annotated with {annotation!r}; "
        "texts of a URL are converted to int, float, bool and str"
    )


def _hashable(annotation: object) -> object:
    return annotation if isinstance(annotation, type) else None


def _bare(annotation: object) -> Any:
    """An annotation without Annotated."""
    if typing.get_origin(annotation) is typing.Annotated:
        return _bare(typing.get_args(annotation)[0])
    return annotation


def _plain(annotation: object) -> Any:
    """An annotation without Annotated and without None."""
    annotation = _bare(annotation)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        members = [member for member in typing.get_args(annotation) if member is not type(None)]
        return _plain(members[0]) if len(members) == 1 else annotation
    return annotation


def _name(handler: object) -> str:
    return str(getattr(handler, "__qualname__", None) or repr(handler))
