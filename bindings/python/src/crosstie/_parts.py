"""The Python objects that the extension uses. They are passed to it here, so that neither imports the other."""

from collections.abc import Mapping

from . import _crosstie
from ._errors import Error, ParamError, make_error, plain_failures
from ._params import Params
from ._requests import Broadcast, broadcast_of
from ._signature import read_interceptor
from ._spawn import Spawn
from ._statics import join_static
from ._status import Status



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
        "Spawn": Spawn,
        "Status": Status,
        "broadcast_of": broadcast_of,
        "failures": plain_failures(),
        "join_static": join_static,
        "log": _log,
        "make_error": make_error,
        "read_interceptor": read_interceptor,
    }
)
