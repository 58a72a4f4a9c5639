"""The exception of a full durable consumer, apart from the others: the base that it shares with the module `queue`
brings threads and more with it."""

import queue

from ._errors import Error
from ._homes import publish


class FullError(Error, queue.Full):
    """A durable consumer is full: it refuses the message, or the sender has waited in vain."""


publish(__name__, globals())
