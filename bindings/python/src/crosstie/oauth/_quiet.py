"""Keeps what must not be logged out of another library's log."""

import contextlib
import logging
import threading
from collections.abc import Iterator

_thread = threading.local()


def _is_wanted(record: logging.LogRecord) -> bool:
    return not getattr(_thread, "is_quiet", False)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Have this thread's requests not logged.

    urllib3 writes the whole URL at DEBUG, and some services want codes, secrets or tokens there.
    """
    _thread.is_quiet = True
    try:
        yield
    finally:
        _thread.is_quiet = False


logging.getLogger("urllib3.connectionpool").addFilter(_is_wanted)
