"""The statuses of Crosstie, as an enumeration."""

from enum import IntEnum


class Status(IntEnum):
    """How something ended: OK, or why it did not succeed. The numbers are those of the C header."""

    PENDING = 1
    OK = 0
    INVALID = -1
    HANDLE = -2
    FORKED = -3
    CLOSED = -4
    UTF8 = -5
    LIMIT = -6
    NO_MEMORY = -7
    TYPE = -8
    ABI = -9
    CONFLICT = -10
    NO_ROUTE = -11
    DENIED = -12
    BLOCKED = -13
    URL = -14
    PATH = -15
    PATTERN = -16
    PARAM = -17
    DUPLICATE = -18
    NOT_FOUND = -19
    ALREADY = -20
    NO_REPLY = -21
    TIMEOUT = -22
    CANCELLED = -23
    HANDLER = -24
    DEADLOCK = -25
    DEPTH = -26
    BUSY = -27
    FORMAT = -28
    FOREIGN = -29
    IDENTIFIER = -30
    NO_SPACE = -31
    UNSAFE = -32
    CORRUPT = -33
    VERSION = -34
    SYSTEM = -35
    NO_TARGET = -36
    NO_COMPONENT = -37
    NO_ACTION = -38
    NO_NAME = -39
    NOT_COMPONENT = -40
    NO_HANDLER = -41
    NOT_INSTALLED = -42
    UNSUPPORTED_APP = -43
    UNSUPPORTED_MESSAGE = -44
    USER_CANCELLED = -45
    UNKNOWN = -46
    FULL = -47
