"""Refusals: the reasons why a request fails, on their way to its caller."""

from .._errors import Error
from .._status import Status

#: The longest text of a server that is passed on.
MAX_TEXT = 200


class Refusal(Exception):
    """The failure of a request: a status, and a message without secrets."""

    def __init__(self, status: Status, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def plain(text: object) -> str:
    """Return a server's text for one line: short, and without control characters."""
    return "".join(character for character in str(text)[:MAX_TEXT] if character.isprintable())


def status_of(error: Exception) -> Status:
    """Return the status of an exception; SYSTEM if it is not one of the library's."""
    try:
        status = Status(error.status) if isinstance(error, Error) else Status.SYSTEM
    except ValueError:
        return Status.SYSTEM
    return status if status < 0 else Status.SYSTEM


def is_ended(error: Error) -> bool:
    """Return whether an error says that the request has ended, by its deadline or a cancel."""
    return error.status in (Status.ALREADY, Status.HANDLE, Status.CLOSED)
