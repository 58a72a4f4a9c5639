"""The abilities of wormholes, in a module of their own: few programs ask for them."""

import enum

from . import _crosstie
from ._homes import publish


class Abilities(enum.Flag):
    """The abilities of a wormhole, from `Wormhole.abilities`.

    A group on this machine has all that its location allows; one on a server lacks some.
    """

    ATOMIC_BATCHES = _crosstie.CTIE_ENGINE_ATOMIC_BATCHES  #: several messages are sent in one step
    COUNTS_LISTENERS = _crosstie.CTIE_ENGINE_COUNTS_LISTENERS  #: sending counts the processes that listen
    EXACT_MISSED = _crosstie.CTIE_ENGINE_EXACT_MISSED  #: `Message.missed` is exact
    SURVIVES_POWER = _crosstie.CTIE_ENGINE_SURVIVES_POWER  #: a sent message survives a power failure
    TOKENS = _crosstie.CTIE_ENGINE_TOKENS  #: a message may have a token
    SCHEDULES = _crosstie.CTIE_ENGINE_SCHEDULES  #: a message may wait for its time
    FORGETS = _crosstie.CTIE_ENGINE_FORGETS  #: durable consumers can be forgotten
    LISTS_DURABLES = _crosstie.CTIE_ENGINE_LISTS_DURABLES  #: durable consumers can be listed
    SEEKS = _crosstie.CTIE_ENGINE_SEEKS  #: durable consumers can be moved
    DECLARES = _crosstie.CTIE_ENGINE_DECLARES  #: durable consumers can be declared
    LISTS_SCHEDULED = _crosstie.CTIE_ENGINE_LISTS_SCHEDULED  #: messages that wait for their time can be listed
    CANCELS = _crosstie.CTIE_ENGINE_CANCELS  #: such messages can be cancelled
    DEAD_LETTERS = _crosstie.CTIE_ENGINE_DEAD_LETTERS  #: dead letters can be listed, retried and dropped
    JOINS_BUSES = _crosstie.CTIE_ENGINE_JOINS_BUSES  #: buses can be joined through it
    BATCHES = _crosstie.CTIE_ENGINE_BATCHES  #: several messages can be sent together: `send_many(…, atomic=False)`


publish(__name__, globals())
