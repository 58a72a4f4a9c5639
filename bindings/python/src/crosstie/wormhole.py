"""The wormhole."""

from collections.abc import Callable
from typing import Any, TypeVar

from . import _crosstie

CallbackT = TypeVar("CallbackT", bound=Callable[[_crosstie.Message], object])


class Wormhole(_crosstie.Wormhole):
    """Messages between the processes of one user, under identifiers like "chat.42.unread".

    group           its name; every process that opens it meets the others there.
    directory       where it lives; by default the user's runtime directory.
    name            who sends, for receivers; by default the program's name.
    map_size        bytes of the store, 0: 16 MiB; the first opener decides.
    max_value_size  bytes of the largest message, 0: 1 MiB.
    timeout         seconds that a call may wait for a stopped process.
    fast            whether processes write into the mapped store themselves; the first opener decides.

    Messages are set and read as in a dict: `wormhole["unread"] = {"count": 3}` is the same as
    `wormhole.send("unread", {"count": 3})`. What is stored stays for processes that start later.
    """

    def listen(
        self, identifier: str, *, name: str = "", first_fire: bool = True
    ) -> Callable[[CallbackT], CallbackT]:
        """Bind the decorated function to an identifier or prefix, as `add_listener()` does, and return it."""

        def decorate(callback: CallbackT) -> CallbackT:
            self.add_listener(identifier, callback, name=name, first_fire=first_fire)
            return callback

        return decorate

    def get(self, identifier: str, default: Any = None, /) -> Any:
        """The value of the stored message, or `default` when there is none."""
        message = self.message(identifier)
        return default if message is None else message.value
