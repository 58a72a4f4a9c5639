"""The wormhole: a process's connection to a group."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, MutableMapping

from . import _crosstie
from ._decorators import check_function, check_text
from ._durables import DurableConsumers, beginning
from ._homes import publish
from ._listener_arguments import CONNECTION, Callback, executor, listen_flags, queue_flags, synchronous
from ._typing import TYPE_CHECKING, NamedTuple, TypedDict, overload

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any, Final, TypeVar, Unpack

    from ._abilities import Abilities
    from ._dead_letters import DeadLetter
    from ._durable_info import Moment
    from ._listeners import Listeners
    from ._wormhole_aio import WormholeAio

    _CallbackT = TypeVar("_CallbackT", bound=Callback)


class Signal(enum.Enum):
    """The type of `SIGNAL`."""

    SIGNAL = "signal"

    def __repr__(self) -> str:
        return "crosstie.SIGNAL"


#: In place of a value, it makes a message without one.
SIGNAL: Final = Signal.SIGNAL


class Member(NamedTuple):
    """A process that has a group open, from `Wormhole.members()`."""

    pid: int
    name: str
    since: float  # seconds since 1970 by that process's clock
    is_self: bool  # whether the member is this wormhole


class Connection(NamedTuple):
    """The connection to the server of a group, from `Wormhole.connection`."""

    state: str  # "connected"; "reconnecting": it tries again by itself; "closed": for good, the server refused the log-in
    since: float  # seconds since 1970
    server: str  # the server's name or address; empty if unknown
    version: str  # the server's version; empty if unknown
    reason: str  # why it is not connected; else empty


#: The usual names of headers: an id that an answer shares with its question, the identifier for the answer, and the message's
#: position in a trace.
CORRELATION: Final = "correlation"
REPLY_TO: Final = "reply_to"
TRACEPARENT: Final = "traceparent"


class Scheduled(NamedTuple):
    """A message that waits for its time, from `Wormhole.scheduled()`."""

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


class Executor(TypedDict, total=False):
    """The options of a listener's executor; see `Wormhole.add_listener()`."""

    loop: _crosstie.Loop | None
    bus: _crosstie.Bus | None
    dispatcher: str


class ListenOptions(Executor, total=False):
    """The options of a listener; see `Wormhole.add_listener()`."""

    name: str
    initial_delivery: bool


class QueueOptions(Executor, total=False):
    """The options of a queue listener; see `Wormhole.add_queue()`."""

    durable: str
    name: str
    manual: bool
    from_oldest: bool
    from_sequence: int | None
    from_time: Moment | None
    max_unacknowledged: int


class Wormhole(DurableConsumers):
    """Messages between the processes of one user, under identifiers like "chat.42.unread".

    group            the group's name; every process that opens it exchanges messages with the others. Or the address of a
                     group on a server, "nats://host:4222/shop", or "tls://…" for TLS; it needs the package crosstie-nats.
    directory        the directory of its files; by default in the user's runtime directory, or with "system" durability
                     in the state directory.
    name             this process's name, for receivers; by default the program's name.
    map_size         the store's initial size in bytes; 0: 16 MiB.
    max_map_size     the store's largest size in bytes; 0: 1 GiB.
    max_value_size   bytes of the largest message; 0: 1 MiB.
    timeout          seconds that a call may wait for a stopped process.
    durability       "process": messages survive the death of any process; "system": that of the machine, too.
    fast             whether processes write into the mapped store themselves.
    memory           whether the messages are kept in this process alone: for tests.
    max_queued       messages that are kept until every queue listener has received them, at most; 0: 1,048,576.
    max_queued_size  bytes of these messages, at most; 0: a quarter of max_map_size.
    any_filesystem   whether the directory may be on NFS, FUSE and the like, where processes do not see each other's
                     writes at once; otherwise such a directory raises StoreError.
    expires          seconds until a message expires, unless `send()` sets them; None: never.
    delay            seconds for which a message waits in the store before its delivery, unless `send()` sets them.
    retain           seconds for which messages are kept for queue listeners that are bound later with from_oldest.
                     0 here and in the next two: messages are kept only for present listeners and durable consumers; 0
                     here alone: messages of any age are kept.
    retain_count     the number of these messages, at most; 0: max_queued.
    retain_size      their bytes, at most; 0: an eighth of max_map_size.
    existing         whether the group must exist: if it does not, NotFoundError is raised, and nothing is created.

    Only with an address, where the store's sizes and retention are the server's own:

    credentials      the path of a credentials file. At most one log-in is given, here or in the address.
    nkey_seed        the seed of a key, "SU…".
    token            a token.
    user             the name of a user, with `password`.
    password         its password.
    tls_ca           the path of a file of trusted certificates, with "tls://"; None: those of the system.
    tls_certificate  the path of this program's own certificate, with `tls_key`.
    tls_key          the path of its key.
    replicas         the copies of the group that the servers of a cluster keep, at most 5; 0: 1.
    max_age          seconds for which the server keeps a message; None: as long as there is room.
    offline          whether the group is opened also while the server cannot be reached, which is connected to later.

    The first process that opens the group decides for all later ones: durability, sizes, limits, fast, expires, delay and
    retention.

    A wormhole is a mapping from the identifiers with a message to the values: `wormhole["unread"] = {"count": 3}` is
    the same as `wormhole.send("unread", {"count": 3})`. Stored messages remain for processes that start later. Other
    processes may change them at any time, also between the steps of a method such as `pop()`. As a context manager it
    is closed at the end.
    """

    @property
    def aio(self) -> WormholeAio:
        """Listeners and queues in the running asyncio loop."""
        from ._wormhole_aio import WormholeAio

        return WormholeAio(self)

    def send_many(
        self,
        messages: Iterable[tuple[str, object]],
        /,
        *,
        atomic: bool = True,
        headers: Mapping[str, str] | None = None,
        expires: float | None = None,
        delay: float | None = None,
        not_before: float | datetime | None = None,
        token: bytes | None = None,
    ) -> int:
        """Send messages in one step, all or none, and return the number of the first one.

        messages    at most 65,536 pairs of an identifier and a value; `crosstie.SIGNAL` is a message without a value.
        atomic      False: where one step cannot be, as over a nats-server, they are sent one after another. If one fails,
                    those before it have been sent, and perhaps some of those after it; the error's `location` names it.
        token       as for `send()`, of all of them together: the same call again sends what is missing, and nothing twice.

        `headers`, `expires`, `delay` and `not_before` are those of each message, as for `send()`.

        In one step their numbers are consecutive, and it is several times as fast as sending one by one. Delayed messages
        are scheduled in one step instead, and sent in this order at their time. Raises UnsupportedError if `atomic` is
        True and the wormhole cannot do that.
        """
        return self._send_many(
            messages,
            SIGNAL,
            atomic=atomic,
            headers=headers,
            expires=expires,
            delay=delay,
            not_before=not_before,
            token=token,
        )

    @property
    def abilities(self) -> Abilities:
        """The abilities of this wormhole. Raises StoreError if it is closed."""
        from ._abilities import Abilities

        return Abilities(self._abilities())

    @property
    def connection(self) -> Connection:
        """The connection to the server of a group with an address. Raises UnsupportedError for any other group."""
        now = self._connection()
        return Connection(now["state"], now["since"] * 1e-9, now["server"], now["version"], now["reason"])

    def members(self) -> list[Member]:
        """Return the members of the group: the processes that have it open now, in the order of opening."""
        return [
            Member(member["pid"], member["name"], member["since"] * 1e-9, member["self"])
            for member in self._members()
        ]

    def scheduled(self, topic: str = "*", /) -> list[Scheduled]:
        """Return the messages that wait for their time, in the order of times: all, or those below a prefix ("jobs.*")."""
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
        """Return the dead letters of a durable consumer, in the order of their numbers.

        identifier  the identifier or prefix of the durable consumer.
        durable     its name.
        after       a number: only letters with greater numbers are returned. Pass the last letter's number to get the next
                    ones.
        limit       the largest number of letters to return.

        `dead_letter()` reads one. Raises NotFoundError for an unknown durable consumer.
        """
        if limit < 1:
            raise ValueError("limit must be 1 or more")
        from ._dead_letters import DeadLetter

        return [DeadLetter.of(found) for found in self._dead_letters(identifier, durable, after, limit)]

    def retry(self, identifier: str, durable: str, sequence: int | None = None, /) -> int:
        """Redeliver a dead letter, or all of them, and return their number.

        They are delivered next, to this durable consumer alone, in the order of their numbers. Their delivery counts
        begin at 1 again. Raises NotFoundError.
        """
        return self._retry_or_drop(True, identifier, durable, sequence)

    def drop(self, identifier: str, durable: str, sequence: int | None = None, /) -> int:
        """Remove a dead letter for good, or all of them, and return their number. Raises NotFoundError."""
        return self._retry_or_drop(False, identifier, durable, sequence)

    # ---- Listeners --------------------------------------------------------------------------------------

    @property
    def listeners(self) -> Listeners:
        """The listeners of this wormhole, including those of `aio`."""
        from ._listeners import Listeners

        return Listeners(self)

    def add_listener(
        self,
        identifier: str,
        callback: Callback,
        /,
        *,
        name: str = "",
        initial_delivery: bool = True,
        **where: Unpack[Executor],
    ) -> _crosstie.Listener:
        """Bind a callback to the newest message of an identifier, or of each identifier below a prefix ("chat.*", "*").

        It is called with a Message: first with the stored one, then with newer ones; it may skip values in between. Its
        calls never overlap. Its exceptions go to sys.unraisablehook.

        name              the listener's name; it replaces the listener of that name on the same identifier.
        initial_delivery  whether the callback gets the stored message.
        loop              the Loop whose dispatching thread calls it; default: the wormhole's own thread does.
        bus               the Bus whose workers call it. Not together with a loop.
        dispatcher        the name of the bus's dispatcher; default: the bus's own.
        """
        flags = listen_flags(initial_delivery=initial_delivery)
        return self._listen(identifier, synchronous(callback), name, flags, 0, *executor(**where), None, None)

    def listen(self, identifier: str, **options: Unpack[ListenOptions]) -> Callable[[_CallbackT], _CallbackT]:
        """Bind the decorated function as `add_listener()` does, with its options, and return it.

        `listeners.remove(function)` removes it.
        """
        check_text(identifier, "@wormhole.listen", "identifier")

        def decorate(callback: _CallbackT) -> _CallbackT:
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
        **where: Unpack[Executor],
    ) -> _crosstie.Listener:
        """Bind a callback to every message of an identifier or prefix from now on, in order and once each.

        The callback acknowledges a message by returning, and rejects it by raising; the exception goes to
        sys.unraisablehook. A rejected message of a durable consumer is redelivered, later each time, with a higher
        `message.delivery_count`. For messages that were dropped by a limit, or destroyed before their delivery, the
        callback gets a message of the kind "missed".

        durable             the name of a durable consumer, for which the store keeps messages also without a listener,
                            until `forget()`. Its listeners in all processes share the messages. A wormhole has one of
                            them, which a new one replaces; for several in a process, open several wormholes.
        name                the name of a listener without a durable consumer; it replaces the listener of that name on the
                            same identifier.
        manual              whether the program calls `message.acknowledge()` or `message.reject()`; returning then does not
                            acknowledge.
        from_oldest         whether it begins with the oldest message that is kept; of a durable consumer, only when this
                            call makes it.
        from_sequence       instead: the number of the first message; if it is not kept, the next kept one is the first.
        from_time           instead: the time of sending of the first message: seconds since 1970, to a microsecond, or a
                            datetime.
        max_unacknowledged  messages in hand, at most, up to 1,024; 0: 512, or 1 with manual.
        loop                as for `add_listener()`, like `bus` and `dispatcher`.
        """
        flags = queue_flags(durable, name, manual=manual, from_oldest=from_oldest)
        start = beginning(from_sequence, from_time)
        called = synchronous(callback)
        return self._listen(
            identifier, called, durable or name, flags, max_unacknowledged, *executor(**where), None, None, *start
        )

    def queue(self, identifier: str, **options: Unpack[QueueOptions]) -> Callable[[_CallbackT], _CallbackT]:
        """Bind the decorated function as `add_queue()` does, with its options, and return it.

        `listeners.remove(function)` removes it.
        """
        check_text(identifier, "@wormhole.queue", "identifier")

        def decorate(callback: _CallbackT) -> _CallbackT:
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
        **where: Unpack[Executor],
    ) -> _crosstie.Listener:
        """Bind a callback to the members of the group: to messages of the kinds "joined" and "left".

        First it is called for every present member, unless initial_delivery is false; then for each process that opens
        or closes the group, and within two seconds for one that dies. The rest is as for `add_listener()`.
        """
        flags = listen_flags(initial_delivery=initial_delivery)
        return self._listen(None, synchronous(callback), name, flags, 0, *executor(**where), None, None)

    @overload
    def listen_members(self, callback: _CallbackT, /, **options: Unpack[ListenOptions]) -> _CallbackT: ...

    @overload
    def listen_members(
        self, callback: None = None, /, **options: Unpack[ListenOptions]
    ) -> Callable[[_CallbackT], _CallbackT]: ...

    def listen_members(
        self, callback: _CallbackT | None = None, /, **options: Unpack[ListenOptions]
    ) -> object:
        """Bind the decorated function as `add_members_listener()` does, with its options, and return it."""

        def decorate(callback: _CallbackT) -> _CallbackT:
            check_function(callback, "@wormhole.listen_members")
            self.add_members_listener(callback, **options)
            return callback

        return decorate if callback is None else decorate(callback)

    def add_connection_listener(
        self,
        callback: Callback,
        /,
        *,
        name: str = "",
        initial_delivery: bool = True,
        **where: Unpack[Executor],
    ) -> _crosstie.Listener:
        """Bind a callback to the connection to the group's server: to messages of the kind "connection".

        First it is called with the present state, unless initial_delivery is false; then for each change. The message's
        value is a dict of the fields of `Connection`, with `since` in nanoseconds. The rest is as for `add_listener()`.
        Raises UnsupportedError for a group without a server.
        """
        flags = listen_flags(initial_delivery=initial_delivery) | CONNECTION
        return self._listen(None, synchronous(callback), name, flags, 0, *executor(**where), None, None)

    @overload
    def listen_connection(self, callback: _CallbackT, /, **options: Unpack[ListenOptions]) -> _CallbackT: ...

    @overload
    def listen_connection(
        self, callback: None = None, /, **options: Unpack[ListenOptions]
    ) -> Callable[[_CallbackT], _CallbackT]: ...

    def listen_connection(
        self, callback: _CallbackT | None = None, /, **options: Unpack[ListenOptions]
    ) -> object:
        """Bind the decorated function as `add_connection_listener()` does, with its options, and return it."""

        def decorate(callback: _CallbackT) -> _CallbackT:
            check_function(callback, "@wormhole.listen_connection")
            self.add_connection_listener(callback, **options)
            return callback

        return decorate if callback is None else decorate(callback)


MutableMapping.register(Wormhole)


publish(__name__, globals())
