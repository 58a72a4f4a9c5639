"""The Python objects that the extension uses. They are passed to it here, so that neither imports the other."""

from __future__ import annotations

import os
from collections.abc import Mapping

from . import _crosstie
from ._errors import Error, ParamError
from ._failures import make_error, plain_failures
from ._homes import publish
from ._requests import Broadcast, Params, broadcast_of
from ._status import Status
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._bus import Bus
    from ._spawn import Spawn


def _read_interceptor(interceptor: object) -> int:
    from ._signature import read_interceptor

    return read_interceptor(interceptor)  # type: ignore[arg-type]


def _spawn(bus: Bus) -> Spawn:
    from ._spawn import Spawn

    return Spawn(bus)


def _join_static(bus: Bus) -> None:
    from ._statics import join_static

    join_static(bus)


def _load_engine(scheme: str) -> None:
    from ._engines import load_engine

    load_engine(scheme)


def _log(level: int, message: str, *args: object) -> None:
    """Write a line to the logger "crosstie". Its module is imported with the first line."""
    import logging

    logging.getLogger("crosstie").log(level, message, *args, stacklevel=2)


_crosstie._set_parts(
    {
        "Broadcast": Broadcast,
        "Error": Error,
        "Mapping": Mapping,
        "ParamError": ParamError,
        "Params": Params,
        "Spawn": _spawn,
        "Status": Status,
        "broadcast_of": broadcast_of,
        "failures": plain_failures(),
        "join_static": _join_static,
        "load_engine": _load_engine,
        "log": _log,
        "make_error": make_error,
        "read_interceptor": _read_interceptor,
    }
)
os.register_at_fork(after_in_child=_crosstie._watch_signals)  # the thread that forks is the child's main one
publish(_crosstie.__name__, vars(_crosstie))
