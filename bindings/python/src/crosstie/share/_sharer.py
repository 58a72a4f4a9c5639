"""The base of the providers that share."""

from collections.abc import Collection, Mapping
from typing import Any

from .. import Provider, Request
from .._errors import Error
from .._status import Status


class Sharer(Provider):
    """A provider that shares fields of a message, and refuses a message with a field that it cannot carry.

    leave_out  names of such fields that may be left out.
    """

    #: The fields that it can carry.
    carried: Collection[str] = ()

    def __init__(self, *, leave_out: Collection[str] = ()) -> None:
        super().__init__()
        if isinstance(leave_out, str) or not all(isinstance(name, str) for name in leave_out):
            raise TypeError("leave_out must be a collection of fields' names")
        self._leave_out = frozenset(leave_out)

    def hand_off(self, request: Request, message: Mapping[str, Any]) -> object:
        """Share a message without the fields that may be left out, and return the answer. Subclasses implement it."""
        raise NotImplementedError

    def share(
        self, request: Request, message: Mapping[str, Any], endpoint: str, options: Mapping[str, Any]
    ) -> object:
        """Share a message. An exception of Crosstie ends the request with its status.

        A failure of a handler ends it likewise, with its code and value.
        """
        try:
            return self.hand_off(request, self._trimmed(message))
        except Error as error:
            if error.status == Status.HANDLER:
                raise
            _refuse(request, error)
            return None

    def _trimmed(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the message without the fields that may be left out and cannot be carried."""
        left = [name for name in message if name in self._leave_out and name not in self.carried]
        if left:
            self.log(f"leaves out {', '.join(left)}")
        return {name: value for name, value in message.items() if name not in left}


def _refuse(request: Request, error: Error) -> None:
    """End a request, unless its deadline or its caller has ended it meanwhile."""
    try:
        request.refuse(error.status, error.message)
    except Error as failure:
        if failure.status != Status.ALREADY:
            raise
