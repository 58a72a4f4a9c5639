"""The doors of a bus: how requests come."""

from typing import Literal, TypeAlias

DoorName: TypeAlias = Literal["open", "call", "event", "perform", "share", "oauth", "launch", "activity"]

#: Their numbers in the C header.
OPEN, CALL, EVENT, PERFORM, SHARE, OAUTH, LAUNCH, ACTIVITY = range(8)
