"""The doors by their numbers in the C header, of which each request has one."""

OPEN, CALL, EVENT, PERFORM, SHARE, OAUTH, LAUNCH, ACTIVITY = range(8)
