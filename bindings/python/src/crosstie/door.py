"""The kinds of a bus, through which requests come, by their numbers in the C header."""

OPEN, CALL, EVENT, PERFORM, SHARE, OAUTH, LAUNCH, ACTIVITY = range(8)
