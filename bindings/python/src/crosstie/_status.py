"""The statuses of Crosstie, as an enumeration."""

from enum import IntEnum

from ._crosstie import _statuses
from ._homes import publish


class Status(IntEnum):
    """The outcome of an operation: OK, or the reason of its failure. The numbers are those of the C header."""

    PENDING = _statuses["CTIE_PENDING"]
    OK = _statuses["CTIE_OK"]
    INVALID = _statuses["CTIE_E_INVALID"]
    HANDLE = _statuses["CTIE_E_HANDLE"]
    FORKED = _statuses["CTIE_E_FORKED"]
    CLOSED = _statuses["CTIE_E_CLOSED"]
    UTF8 = _statuses["CTIE_E_UTF8"]
    LIMIT = _statuses["CTIE_E_LIMIT"]
    NO_MEMORY = _statuses["CTIE_E_NO_MEMORY"]
    TYPE = _statuses["CTIE_E_TYPE"]
    ABI = _statuses["CTIE_E_ABI"]
    CONFLICT = _statuses["CTIE_E_CONFLICT"]
    NO_ROUTE = _statuses["CTIE_E_NO_ROUTE"]
    DENIED = _statuses["CTIE_E_DENIED"]
    BLOCKED = _statuses["CTIE_E_BLOCKED"]
    URL = _statuses["CTIE_E_URL"]
    PATH = _statuses["CTIE_E_PATH"]
    PATTERN = _statuses["CTIE_E_PATTERN"]
    PARAM = _statuses["CTIE_E_PARAM"]
    DUPLICATE = _statuses["CTIE_E_DUPLICATE"]
    NOT_FOUND = _statuses["CTIE_E_NOT_FOUND"]
    ALREADY = _statuses["CTIE_E_ALREADY"]
    NO_REPLY = _statuses["CTIE_E_NO_REPLY"]
    TIMEOUT = _statuses["CTIE_E_TIMEOUT"]
    CANCELLED = _statuses["CTIE_E_CANCELLED"]
    HANDLER = _statuses["CTIE_E_HANDLER"]
    DEADLOCK = _statuses["CTIE_E_DEADLOCK"]
    DEPTH = _statuses["CTIE_E_DEPTH"]
    BUSY = _statuses["CTIE_E_BUSY"]
    FORMAT = _statuses["CTIE_E_FORMAT"]
    FOREIGN = _statuses["CTIE_E_FOREIGN"]
    IDENTIFIER = _statuses["CTIE_E_IDENTIFIER"]
    NO_SPACE = _statuses["CTIE_E_NO_SPACE"]
    UNSAFE = _statuses["CTIE_E_UNSAFE"]
    CORRUPT = _statuses["CTIE_E_CORRUPT"]
    VERSION = _statuses["CTIE_E_VERSION"]
    SYSTEM = _statuses["CTIE_E_SYSTEM"]
    NO_TARGET = _statuses["CTIE_E_NO_TARGET"]
    NO_COMPONENT = _statuses["CTIE_E_NO_COMPONENT"]
    NO_ACTION = _statuses["CTIE_E_NO_ACTION"]
    NO_NAME = _statuses["CTIE_E_NO_NAME"]
    NOT_COMPONENT = _statuses["CTIE_E_NOT_COMPONENT"]
    NO_HANDLER = _statuses["CTIE_E_NO_HANDLER"]
    NOT_INSTALLED = _statuses["CTIE_E_NOT_INSTALLED"]
    UNSUPPORTED_APP = _statuses["CTIE_E_UNSUPPORTED_APP"]
    UNSUPPORTED_MESSAGE = _statuses["CTIE_E_UNSUPPORTED_MESSAGE"]
    USER_CANCELLED = _statuses["CTIE_E_USER_CANCELLED"]
    UNKNOWN = _statuses["CTIE_E_UNKNOWN"]
    FULL = _statuses["CTIE_E_FULL"]
    PEER_GONE = _statuses["CTIE_E_PEER_GONE"]
    UNAVAILABLE = _statuses["CTIE_E_UNAVAILABLE"]
    UNCERTAIN = _statuses["CTIE_E_UNCERTAIN"]
    UNSUPPORTED = _statuses["CTIE_E_UNSUPPORTED"]


publish(__name__, globals())
