"""Reading the fields of a message that is to be shared as text."""

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from .._errors import ArgumentError, ParamError
from .._status import Status

KIND = "identifier"
LINK = "link"
TEXT = "text"

_PARAM_CODE, _UTF8_CODE = 40000 - Status.PARAM, 40000 - Status.UTF8


def named(*fields: str) -> str:
    """Fields of a message as an exception names them."""
    return "the message's " + " with ".join(f"'{field}'" for field in fields)


def refusal(what: str, why: str) -> ParamError:
    """The exception for what cannot be shared."""
    return ParamError(f"{what} {why}", status=Status.PARAM, code=_PARAM_CODE)


def fields_of(message: Mapping[str, Any], carried: Collection[str]) -> dict[str, Any]:
    """The fields of a message that are there: null is not, and empty only what is the message itself.

    Raises ParamError for one that cannot be carried, and for a message without link and text.
    """
    fields = {name: value for name, value in message.items() if name != KIND and not _is_missing(name, value)}
    for name in fields:
        if name not in carried:
            raise refusal(named(name), "cannot be shared there")
    if LINK not in fields and TEXT not in fields:
        raise refusal(named(LINK), "is missing")
    return fields


def _is_missing(name: str, value: object) -> bool:
    return value is None or (name not in (LINK, TEXT) and isinstance(value, str | bytes) and not value)


def text(what: str, value: object) -> str:
    """A text that a URL and a QR code can hold. Raises ParamError for any other, and ArgumentError (UTF8)."""
    if not isinstance(value, str):
        raise refusal(what, "is no text")
    if not value:
        raise refusal(what, "is empty")
    if "\0" in value:
        raise refusal(what, "has a NUL")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"{what} is not valid UTF-8", status=Status.UTF8, code=_UTF8_CODE) from None
    return value


def web_link(what: str, value: object) -> str:
    """A link that everybody can open: http or https, with a host. Raises ParamError for any other."""
    link = text(what, value)
    try:
        parts = urlsplit(link)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_web = False
    # urlsplit() takes tabs and line ends out before it looks
    if not is_web or any(letter <= " " or letter == "\x7f" for letter in link):
        raise refusal(what, "is no http or https URL")
    return link
