"""A filter that keeps secrets out of another library's log."""

import contextlib
import logging
import threading
from collections.abc import Iterator

_thread = threading.local()


def _is_wanted(record: logging.LogRecord) -> bool:
    return not getattr(_thread, "is_quiet", False)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress the log of this thread's requests.

    urllib3 logs the whole URL at DEBUG, and some services take codes, secrets or tokens in it.
    """
    _thread.is_quiet = True
    try:
        yield
    finally:
        _thread.is_quiet = False


logging.getLogger("urllib3.connectionpool").addFilter(_is_wanted)
