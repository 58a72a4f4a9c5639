"""Plans: each describes the call of a handler, and is made once, at registration. See docs/python-handlers.md.

- The parameter that is annotated `Request` or named `request` gets the request, at any position.
- A parameter that the pattern names gets that part of the path.
- The query fills parameters that are annotated with `int`, `float`, `bool` or `str`, each also with `| None`, which
  convert it, or with `Any` or `object`, which do not; and `**params`, which gets the remaining names.
- The parameters that a rule declares go to parameters that are annotated or have no default, and to `**params`.
- Every other parameter keeps the value that host code has bound, by a default or by functools.partial. No URL changes it.
- No parameter is named `user_info`, unless the pattern names it: the caller's dict is `request.user_info`.

Without a URL (an action, a performed method) the parameters are the caller's, of any type, by their names, as in any
call in Python. A parameter annotated with `int`, `float`, `bool` or `str` gets only that type; a text is converted. Any
other annotation is ignored.

An interceptor takes the request, and `proceed` if it has a parameter for it. Each of them may be an `async def`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable

from . import _crosstie
from ._crosstie import EXT_ANY as ANY
from ._crosstie import EXT_BOOL as BOOL
from ._crosstie import EXT_FLOAT as FLOAT
from ._crosstie import EXT_INT as INT
from ._crosstie import EXT_REQUEST as REQUEST
from ._crosstie import EXT_TEXT as TEXT
from ._annotations import (
    excludes_request,
    is_open_to_all,
    is_optional,
    is_request,
    plain,
    scalar,
)
from ._callables import CO_VARARGS, Own, check_wrapper, is_async, name_of, own_names
from ._parameters import Empty, Parameter, parameters_of
from ._typing import NamedTuple

_PATTERN_KINDS = {"int": INT, "uint": INT, "float": FLOAT, "bool": BOOL}

Handler = Callable[..., object]
Captures = dict[str, tuple[int, str]]


class Argument(NamedTuple):
    """One argument of a handler, for the extension."""

    name: str
    position: int  # in the pattern; -1: not in it
    kind: int
    is_annotated: bool  # the annotation is the type that a text is converted to
    is_open: bool  # the annotation lets a URL fill it
    has_default: bool
    default: object


class Plan(NamedTuple):
    """The description of a handler's call by the extension. The last arguments, those in `keywords`, are passed by keyword."""

    arguments: tuple[Argument, ...]
    takes_rest: bool
    keywords: tuple[str, ...]
    closed: frozenset[str]  # names that `**params` never gets from a URL
    bound: frozenset[str]  # names that no caller can pass
    is_async: bool


def read_signature(
    handler: Handler, pattern: str | None = "", *, by_rule: bool = False, worker_only: bool = False
) -> Plan:
    """Return the plan of a handler of URLs.

    pattern      None if only rules send requests; they have the names of the path.
    by_rule      whether rules may send requests beside those of the pattern.
    worker_only  whether to refuse an async handler.

    Raises TypeError for a handler that cannot be called, or has a parameter that nothing can fill.
    """
    captures = _captures(pattern)
    is_coroutine = _is_async(handler, worker_only)
    parameters, own = parameters_of(handler), own_names(handler)
    named = [parameter for parameter in _named(parameters) if parameter.name not in own.bound]
    _check_captures(handler, captures, named, own)
    arguments = [_url_argument(handler, each, captures, by_rule or pattern is None) for each in named]
    closed = own.names.union(own.bound, [parameter.name for parameter in named])
    return _plan(handler, _without_idle(named, arguments), parameters, closed, frozenset(), is_coroutine)


def read_call_signature(handler: Handler, *, worker_only: bool = False) -> Plan:
    """Return the plan of a handler without a URL, which gets the caller's parameters. A rule may send a URL there, too."""
    is_coroutine = _is_async(handler, worker_only)
    parameters, own = parameters_of(handler), own_names(handler)
    named = _named(parameters)
    arguments = [_call_argument(handler, parameter, own) for parameter in named]
    requests = {argument.name for argument in arguments if argument.kind == REQUEST}
    names = {parameter.name for parameter in named}
    bound = (own.names - own.positional - names) | requests
    return _plan(handler, arguments, parameters, own.names | own.bound | names, frozenset(bound), is_coroutine)


def request_plan(*, is_async: bool) -> Plan:
    """Return the plan of a function that takes the request alone."""
    argument = Argument("request", -1, REQUEST, False, False, False, None)
    return Plan((argument,), False, (), frozenset(), frozenset(), is_async)


def read_interceptor(interceptor: Handler) -> int:
    """Return the flags of an interceptor: 1 if it takes `proceed` after the request, 2 if it is async.

    It takes `proceed` if its second parameter has that name or has no default. Raises TypeError for a function that is
    not an interceptor.
    """
    flags = _crosstie.EXT_IS_ASYNC if is_async(interceptor) else 0
    function = interceptor.__func__ if isinstance(interceptor, types.MethodType) else interceptor
    if isinstance(function, types.FunctionType) and not function.__code__.co_flags & CO_VARARGS:
        code = function.__code__  # fast, because each open reads its own interceptors
        first = function is not interceptor
        names = code.co_varnames[first : code.co_argcount]
        required = len(names) - min(len(function.__defaults__ or ()), len(names))
        surplus = code.co_kwonlyargcount - len(function.__kwdefaults__ or ())
        takes_request = bool(names)
    else:
        parameters = _named(parameters_of(interceptor))
        positional = [parameter for parameter in parameters if parameter.kind != "KEYWORD_ONLY"]
        names = tuple(parameter.name for parameter in positional)
        required = sum(not parameter.has_default for parameter in positional)
        surplus = sum(not parameter.has_default for parameter in parameters) - required
        takes_request = bool(names) or any(each.kind == "VAR_POSITIONAL" for each in parameters_of(interceptor))
    if not takes_request or required > 2 or surplus > 0:
        raise TypeError(f"an interceptor takes the request, and optionally proceed; {name_of(interceptor)} does not")
    return flags | (_crosstie.EXT_WANTS_PROCEED if required > 1 or "proceed" in names[1:2] else 0)


# ---- Parts of both ---------------------------------------------------------------------------------------


def _is_async(handler: Handler, worker_only: bool) -> bool:
    is_coroutine = is_async(handler)
    if is_coroutine and worker_only:
        raise TypeError(f"{name_of(handler)} is async: it runs on a loop, and cannot be worker-only")
    return is_coroutine


def _named(parameters: Iterable[Parameter]) -> list[Parameter]:
    """Return the parameters that are not `*args` and `**params`."""
    named = [each for each in parameters if each.is_named]
    if len(named) > _crosstie.EXT_MAX_ARGUMENTS:
        raise TypeError(f"a handler takes at most {_crosstie.EXT_MAX_ARGUMENTS} parameters")
    return named


def _plan(
    handler: Handler,
    arguments: list[Argument],
    parameters: list[Parameter],
    closed: frozenset[str],
    bound: frozenset[str],
    is_coroutine: bool,
) -> Plan:
    by_keyword = {each.name for each in parameters if each.kind == "KEYWORD_ONLY"}
    names = tuple(argument.name for argument in arguments if argument.name in by_keyword)
    takes_rest = any(each.kind == "VAR_KEYWORD" for each in parameters)
    check_wrapper(handler, len(arguments) - len(names), names, takes_rest)
    return Plan(tuple(arguments), takes_rest, names, closed, bound, is_coroutine)


def _takes_request(handler: Handler, parameter: Parameter) -> bool:
    if parameter.name != "request":
        return parameter.has_annotation and is_request(parameter.annotation)
    if excludes_request(parameter.annotation):
        raise TypeError(
            f"the parameter 'request' of {name_of(handler)} is the Request: annotate it with crosstie.Request, or "
            "rename it"
        )
    return True


def _argument(parameter: Parameter, position: int, kind: int, is_annotated: bool, is_open: bool) -> Argument:
    default = parameter.default if parameter.has_default else None
    return Argument(parameter.name, position, kind, is_annotated, is_open, parameter.has_default, default)


# ---- With a URL ------------------------------------------------------------------------------------------


def _captures(pattern: str | None) -> Captures:
    """Return the position and type of each parameter of a pattern."""
    if pattern is None:
        return {}
    if not isinstance(pattern, str):
        raise TypeError(f"pattern must be a str, not {type(pattern).__name__}")
    found = [capture for part in pattern.split("/")[1:] if (capture := _capture(part)) is not None]
    return {name: (position, kind) for position, (name, kind) in enumerate(found)}


def _capture(part: str) -> tuple[str, str] | None:
    """Return the name and the type of the parameter that a part of a pattern begins with; None if it is a fixed text."""
    name = _word(part[1:])
    if part[:1] not in (":", "*") or not name or name[0].isdigit():
        return None
    rest = part[1 + len(name) :]
    kind = _word(rest[1:]) if part[0] == ":" and rest[:1] == "<" else ""
    return name, kind if rest[1 + len(kind) :][:1] == ">" else ""


def _word(text: str) -> str:
    """Return the letters, digits and underscores of ASCII at the beginning of a text."""
    for index, letter in enumerate(text):
        if not (letter.isascii() and (letter.isalnum() or letter == "_")):
            return text[:index]
    return text


def _check_captures(handler: Handler, captures: Captures, named: list[Parameter], own: Own) -> None:
    """Refuse a name of the pattern that has another meaning in the handler."""
    parameters = {parameter.name: parameter for parameter in named}
    for name in captures:
        if name not in parameters and (name in own.bound or name in own.names):
            raise TypeError(f"{name_of(handler)} has {name!r} bound already: give the pattern's :{name} another name")
        if name in parameters and _takes_request(handler, parameters[name]):
            raise TypeError(
                f"the parameter {name!r} of {name_of(handler)} is the Request: "
                f"give the pattern's :{name} another name"
            )


def _url_argument(handler: Handler, parameter: Parameter, captures: Captures, by_rule: bool) -> Argument:
    name = parameter.name
    if _takes_request(handler, parameter):
        return _argument(parameter, -1, REQUEST, False, False)
    if name == "user_info" and name not in captures:
        raise TypeError("no URL fills the parameter user_info; the caller's dict is request.user_info")
    position, pattern_type = captures.get(name, (-1, ""))
    kind = scalar(parameter.annotation)
    is_open = kind is not None or is_open_to_all(parameter.annotation)
    if not is_open and not _is_unread(parameter.annotation):
        raise TypeError(
            f"the parameter {name!r} of {name_of(handler)} is annotated with {plain(parameter.annotation)!r}; texts of "
            "a URL are converted to int, float, bool and str"
        )
    if position < 0 and not is_open and not by_rule and not parameter.has_default:
        in_pattern = f"write ':{name}' in the pattern to get it from the path, " if name.isascii() else "write "
        raise TypeError(
            f"nothing fills the parameter {name!r} of {name_of(handler)}: {in_pattern}"
            f"'{name}: str' (or int, float, bool) in the function to get it from the query, or "
            f"'{name}: crosstie.Request' to get the request; no URL changes a default without an annotation"
        )
    return _argument(
        parameter, position, _PATTERN_KINDS.get(pattern_type, TEXT) if kind is None else kind, kind is not None, is_open
    )


def _is_unread(annotation: object) -> bool:
    """Return whether there is no annotation, or one that only a type checker can resolve."""
    return annotation is Empty or isinstance(plain(annotation), str)


def _without_idle(parameters: list[Parameter], arguments: list[Argument]) -> list[Argument]:
    """Omit arguments that would always get their default: the last positional ones, and any keyword-only one."""
    if not any(map(_is_idle, arguments)):
        return arguments
    kinds = {parameter.name: parameter.kind for parameter in parameters}
    by_keyword = [each for each in arguments if kinds[each.name] == "KEYWORD_ONLY"]
    positional = [each for each in arguments if kinds[each.name] != "KEYWORD_ONLY"]
    while positional and _is_idle(positional[-1]):
        positional.pop()
    return positional + [each for each in by_keyword if not _is_idle(each)]


def _is_idle(argument: Argument) -> bool:
    return argument.has_default and argument.position < 0 and not argument.is_open and argument.kind != REQUEST


# ---- Without a URL ---------------------------------------------------------------------------------------


def _call_argument(handler: Handler, parameter: Parameter, own: Own) -> Argument:
    if parameter.name not in own.bound and _takes_request(handler, parameter):
        return _argument(parameter, -1, REQUEST, False, False)
    scalar_kind = scalar(parameter.annotation)
    kind = ANY if scalar_kind is None else scalar_kind
    if parameter.default is None or is_optional(parameter.annotation):
        kind |= _crosstie.EXT_OPTIONAL
    is_open = scalar_kind is not None or is_open_to_all(parameter.annotation)
    is_open = is_open and parameter.name not in own.bound
    return _argument(parameter, -1, kind, scalar_kind is not None, is_open)
