"""The wormhole."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, MutableMapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict, TypeVar, Unpack, overload

from . import _crosstie
from ._dead_letters import DeadLetter
from ._decorating import check_function, check_text
from ._durables import DurableNames, Moment, beginning
from ._errors import not_found
from ._listening import Callback, listen_flags, place, queue_flags, synchronous

if TYPE_CHECKING:
    from ._wormhole_aio import WormholeAio

CallbackT = TypeVar("CallbackT", bound=Callback)


class Signal(enum.Enum):
    """The type of `SIGNAL`."""

    SIGNAL = "signal"

    def __repr__(self) -> str:
        return "crosstie.SIGNAL"


#: In the place of a value: a message that is only a signal.
SIGNAL: Final = Signal.SIGNAL


class Member(NamedTuple):
    """Somebody who has a group open: one line of `Wormhole.members()`."""

    pid: int
    name: str
    since: float  # seconds since 1970 by that process's clock
    is_self: bool  # whether it is the wormhole that was asked


#: The usual names of headers: what ties an answer to its question, the identifier under which an answer is expected, and
#: where a message belongs in a trace.
CORRELATION: Final = "correlation"
REPLY_TO: Final = "reply_to"
TRACEPARENT: Final = "traceparent"


class Scheduled(NamedTuple):
    """A message that waits for its time: one line of `Wormhole.scheduled()`."""

    number: int  # for `Wormhole.cancel_scheduled()`
    identifier: str
    kind: str  # "value" or "signal"
    not_before: float  # seconds since 1970
    sent: float
    expires: float | None  # None: never
    size: int  # bytes of the value
    sender_pid: int
    sender_name: str
    headers: dict[str, str]


class Place(TypedDict, total=False):
    """Where the calls of a listener come; see `Wormhole.add_listener()`."""

    loop: _crosstie.Loop | None
    bus: _crosstie.Bus | None
    dispatcher: str


class ListenOptions(Place, total=False):
    """What can be said about a listener; see `Wormhole.add_listener()`."""

    name: str
    initial_delivery: bool


class QueueOptions(Place, total=False):
    """What can be said about a queue; see `Wormhole.add_queue()`."""

    durable: str
    name: str
    manual: bool
    from_oldest: bool
    from_sequence: int | None
    from_time: Moment | None
    max_unacknowledged: int


class Wormhole(DurableNames):
    """Messages between the processes of one user, under identifiers like "chat.42.unread".

    group            its name; every process that opens it meets the others there.
    directory        where it lives; by default in the user's runtime directory, or with "system" durability in the
                     state directory.
    name             who sends, for receivers; by default the program's name.
    map_size         bytes of the store to begin with, 0: 16 MiB; the first opener decides this and the next one.
    max_map_size     bytes to which it may grow, 0: 1 GiB.
    max_value_size   bytes of the largest message, 0: 1 MiB.
    timeout          seconds that a call may wait for a stopped process.
    durability       "process": messages survive the death of any process; "system": of the machine, too.
    fast             whether processes write into the mapped store themselves; the first opener decides.
    memory           whether the messages are kept in this process alone: for tests.
    max_queued       messages that are kept for queues which have not heard them, 0: 1,048,576. What everybody has heard
                     does not count.
    max_queued_size  bytes that these take at most, 0: a quarter of max_map_size.
    any_filesystem   whether it may be on NFS, FUSE and their like, where processes do not see each other's writes at
                     once; otherwise that is a StoreError.
    expires          seconds after which a message of the group expires, unless `send()` says otherwise; None: never. The
                     first opener decides this and the next one.
    delay            seconds for which it waits in the store before, likewise; what `send_many()` sends never waits.
    retain           seconds for which messages are kept for queues also while nobody has one, so that from_oldest begins
                     with them; the first opener decides. 0 in all three: only what somebody wants is kept; else any age,
    retain_count     how many of them at most, 0: max_queued,
    retain_size      and how many bytes, 0: an eighth of max_map_size.
    existing         whether it has to be there: NotFoundError then if nobody has made it, and nothing is made.

    It is a mapping of the identifiers that have a message to the values: `wormhole["unread"] = {"count": 3}` is the
    same as `wormhole.send("unread", {"count": 3})`. What is stored stays for processes that start later, and other
    processes may change it at any time: what takes several steps, as `pop()` does, is not one step. As a context
    manager it is closed at the end.
    """

    @property
    def aio(self) -> WormholeAio:
        """Its listeners and queues in the asyncio loop that asks for them."""
        from ._wormhole_aio import WormholeAio

        return WormholeAio(self)

    def send_many(self, messages: Iterable[tuple[str, object]], /) -> int:
        """Send messages in one step, all or none, and return the number of the first one.

        messages  at most 65,536 pairs of an identifier and a value, or `crosstie.SIGNAL` for one that is only a signal.

        Their numbers follow one another. It is several times as fast as one by one.
        """
        return self._send_many(messages, SIGNAL)

    def members(self) -> list[Member]:
        """Who has the group open now, in all processes, in the order in which they came; exact whenever it is asked."""
        return [
            Member(member["pid"], member["name"], member["since"] * 1e-9, member["self"])
            for member in self._members()
        ]

    def scheduled(self, topic: str = "*", /) -> list[Scheduled]:
        """The messages that wait for their time, in the order of times: all, or those below a prefix ("jobs.*")."""
        return [
            Scheduled(
                each["number"],
                each["identifier"],
                each["kind"],
                each["not_before"] * 1e-9,
                each["sent"] * 1e-9,
                None if each["expires"] is None else each["expires"] * 1e-9,
                each["size"],
                each["pid"],
                each["name"],
                each["headers"],
            )
            for each in self._scheduled(topic)
        ]

    # ---- Dead letters -----------------------------------------------------------------------------------

    def dead_letters(
        self, identifier: str, durable: str, /, *, after: int = 0, limit: int = 1000
    ) -> list[DeadLetter]:
        """The messages that a durable consumer was given too often in vain, in the order of their numbers.

        identifier, durable  as the name was declared or bound.
        after                only those of greater numbers: of the last one, for the next `limit` of them.

        `dead_letter()` reads one. Raises NotFoundError when there is no such name.
        """
        if limit < 1:
            raise ValueError("a limit is at least 1")
        return [DeadLetter.of(found) for found in self._dead_letters(identifier, durable, after, limit)]

    def retry(self, identifier: str, durable: str, sequence: int | None = None, /) -> int:
        """Put a dead letter back where it was, or all of them, and return how many.

        They are handed out next, to this durable consumer alone, in the order of their numbers; their deliveries are counted
        anew. Raises NotFoundError.
        """
        return self._retry_or_drop(True, identifier, durable, sequence)

    def drop(self, identifier: str, durable: str, sequence: int | None = None, /) -> int:
        """Remove a dead letter for good, or all of them, and return how many. Raises NotFoundError."""
        return self._retry_or_drop(False, identifier, durable, sequence)

    # ---- Listening --------------------------------------------------------------------------------------

    def add_listener(
        self,
        identifier: str,
        callback: Callback,
        /,
        *,
        name: str = "",
        initial_delivery: bool = True,
        **where: Unpack[Place],
    ) -> _crosstie.Listener:
        """Bind a callback to the newest message of an identifier, or of each one below a prefix ("chat.*", "*").

        It is called with a Message: at once with what is stored, unless initial_delivery is false, then with whatever is
        newer; values in between may be skipped. Its calls never overlap. What it raises goes to sys.unraisablehook.

        name        a listener of the same name on the same identifier is replaced.
        loop        a Loop in which it is called, on the thread that dispatches; else the wormhole's own thread.
        bus         a Bus on whose workers it is called, of `dispatcher`. Not together with a loop.
        """
        flags = listen_flags(initial_delivery=initial_delivery)
        return self._listen(identifier, synchronous(callback), name, flags, 0, *place(**where), None, None)

    def listen(self, identifier: str, **options: Unpack[ListenOptions]) -> Callable[[CallbackT], CallbackT]:
        """Bind the decorated function as `add_listener()` does, with its options, and return it.

        `remove(function)` removes it.
        """
        check_text(identifier, "@wormhole.listen", "identifier")

        def decorate(callback: CallbackT) -> CallbackT:
            self.add_listener(identifier, callback, **options)
            return callback

        return decorate

    def add_queue(
        self,
        identifier: str,
        callback: Callback,
        /,
        *,
        durable: str = "",
        name: str = "",
        manual: bool = False,
        from_oldest: bool = False,
        from_sequence: int | None = None,
        from_time: Moment | None = None,
        max_unacknowledged: int = 0,
        **where: Unpack[Place],
    ) -> _crosstie.Listener:
        """Bind a callback to every message of an identifier or prefix, in order and once each, from here on.

        Returning acknowledges a message. Raising rejects it: one of a durable consumer is delivered again, later each time,
        with a higher `message.delivery_count`; what was raised goes to sys.unraisablehook. A callback that falls behind the
        group's max_queued is told by a message of the kind 'missed'; so it is of what was destroyed before it was heard.

        durable             a name that is kept in the store with what it has acknowledged, until `forget()`: it gets
                            what comes while nobody listens, too. Listeners of one durable consumer, in however many
                            processes, share the messages; but a wormhole has one of them: bound again, the name
                            replaces it. For several in a process open several wormholes.
        name                of one that is not durable: a listener of the same name on the same identifier is replaced.
        manual              whether returning does not acknowledge: `message.acknowledge()` or `message.reject()` must.
        from_oldest         whether it begins with the oldest message that is kept; a durable consumer when it is made.
        from_sequence       instead: the number of the first message to hear, or of one before it, as far as kept.
        from_time           instead: when the first message to hear was sent: seconds since 1970, to a microsecond, or a
                            datetime.
        max_unacknowledged  messages handed out and not acknowledged at most, to 1,024; 0: 512, or 1 with manual.
        loop, bus           as for `add_listener()`.
        """
        flags = queue_flags(durable, name, manual=manual, from_oldest=from_oldest)
        start = beginning(from_sequence, from_time)
        called = synchronous(callback)
        return self._listen(
            identifier, called, durable or name, flags, max_unacknowledged, *place(**where), None, None, *start
        )

    def queue(self, identifier: str, **options: Unpack[QueueOptions]) -> Callable[[CallbackT], CallbackT]:
        """Bind the decorated function as `add_queue()` does, with its options, and return it.

        `remove(function)` removes it.
        """
        check_text(identifier, "@wormhole.queue", "identifier")

        def decorate(callback: CallbackT) -> CallbackT:
            self.add_queue(identifier, callback, **options)
            return callback

        return decorate

    def add_members_listener(
        self,
        callback: Callback,
        /,
        *,
        name: str = "",
        initial_delivery: bool = True,
        **where: Unpack[Place],
    ) -> _crosstie.Listener:
        """Bind a callback to who has the group open: messages of the kinds 'joined' and 'left'.

        First it is told of everyone who is there, unless initial_delivery is false; then of each one that comes or goes, by
        whatever death, within two seconds. The rest is as for `add_listener()`.
        """
        flags = listen_flags(initial_delivery=initial_delivery)
        return self._listen(None, synchronous(callback), name, flags, 0, *place(**where), None, None)

    @overload
    def listen_members(self, callback: CallbackT, /, **options: Unpack[ListenOptions]) -> CallbackT: ...

    @overload
    def listen_members(
        self, callback: None = None, /, **options: Unpack[ListenOptions]
    ) -> Callable[[CallbackT], CallbackT]: ...

    def listen_members(
        self, callback: CallbackT | None = None, /, **options: Unpack[ListenOptions]
    ) -> object:
        """Bind the decorated function as `add_members_listener()` does, with its options, and return it."""

        def decorate(callback: CallbackT) -> CallbackT:
            check_function(callback, "@wormhole.listen_members")
            self.add_members_listener(callback, **options)
            return callback

        return decorate if callback is None else decorate(callback)

    def listeners(self) -> list[_crosstie.Listener]:
        """The listeners of this wormhole, in the order in which they were bound, those of `aio` too."""
        return sorted((each for each in self._listeners() if each.active), key=lambda each: each._number)

    def remove(
        self, what: str | _crosstie.Listener | Callable[..., object] | None, name: str | None = None, /
    ) -> None:
        """Remove listeners of this wormhole.

        what  an identifier or prefix, as it was bound: all its listeners at once, or the one of a name. None stands
              for presence (`listen_members()`). Or a Listener, or a function with everything that it was bound to.
        name  the listener's, with an identifier; a durable consumer stays in the group.

        They are not running afterwards and never will, unless this is called inside a callback: then a call that runs
        already may go on. Raises NotFoundError.
        """
        if what is None or isinstance(what, str):
            self._remove(what, name)
            return
        if name is not None:
            raise TypeError("a name goes with an identifier")
        if isinstance(what, _crosstie.Listener):
            if what.active and what not in self._listeners():
                raise not_found(f"{what!r} listens in another wormhole")
            what.remove()
            return
        found = [each for each in self.listeners() if each.callback is what or each.callback == what]
        if not found:
            raise not_found(f"{what!r} does not listen")
        for listener in found:
            listener.remove()


MutableMapping.register(Wormhole)
