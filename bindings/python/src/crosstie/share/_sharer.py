"""What the providers that share have in common."""

from collections.abc import Collection, Mapping
from typing import Any

from .. import Provider, Request
from .._errors import Error
from .._status import Status


class Sharer(Provider):
    """Shares fields of a message, and refuses a message with one that it cannot carry.

    leave_out  names of such fields that need not arrive.
    """

    #: The fields that it can carry.
    carried: Collection[str] = ()

    def __init__(self, *, leave_out: Collection[str] = ()) -> None:
        super().__init__()
        if isinstance(leave_out, str) or not all(isinstance(name, str) for name in leave_out):
            raise TypeError("leave_out is a collection of the names of fields")
        self._leave_out = frozenset(leave_out)

    def hand_off(self, request: Request, message: Mapping[str, Any]) -> object:
        """Share a message without what need not arrive, and return the answer. A subclass says how."""
        raise NotImplementedError

    def share(
        self, request: Request, message: Mapping[str, Any], endpoint: str, options: Mapping[str, Any]
    ) -> object:
        """Share a message. An exception of Crosstie ends the request with its status.

        A failure of a handler does so too, with the code and value that it has.
        """
        try:
            return self.hand_off(request, self._trimmed(message))
        except Error as error:
            if error.status == Status.HANDLER:
                raise
            _refuse(request, error)
            return None

    def _trimmed(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The message without what it has that need not arrive and cannot be carried."""
        left = [name for name in message if name in self._leave_out and name not in self.carried]
        if left:
            self.log(f"leaves out {', '.join(left)}")
        return {name: value for name, value in message.items() if name not in left}


def _refuse(request: Request, error: Error) -> None:
    """Ends a request, unless its deadline or its caller has done so while it was shared."""
    try:
        request.refuse(error.status, error.message)
    except Error as failure:
        if failure.status != Status.ALREADY:
            raise
