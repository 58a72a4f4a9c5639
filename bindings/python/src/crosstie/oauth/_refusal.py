"""Why something is refused, on its way to whoever asked for it."""

from .._errors import Error
from .._status import Status

#: The longest text of a server that is handed on.
MAX_TEXT = 200


class Refusal(Exception):
    """What ends a request: a status, and a message without secrets."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def plain(text: object) -> str:
    """What a server says, fit to be shown in one line: short, and without control characters."""
    return "".join(character for character in str(text)[:MAX_TEXT] if character.isprintable())


def status_of(error: Exception) -> Status:
    """Why something has failed, if that is one of the library's reasons; else SYSTEM."""
    try:
        status = Status(error.status) if isinstance(error, Error) else Status.SYSTEM
    except ValueError:
        return Status.SYSTEM
    return status if status < 0 else Status.SYSTEM


def is_ended(error: Error) -> bool:
    """Whether this is what answering a request raises that has ended, by its deadline or a cancel."""
    return error.status in (Status.ALREADY, Status.HANDLE, Status.CLOSED)
