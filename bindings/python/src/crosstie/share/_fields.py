"""The fields of a message to share as text."""

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
    """Return the names of a message's fields for an exception."""
    return "the message's " + " with ".join(f"'{field}'" for field in fields)


def refusal(what: str, why: str) -> ParamError:
    """Return the exception for a field that cannot be shared."""
    return ParamError(f"{what} {why}", status=Status.PARAM, code=_PARAM_CODE)


def fields_of(message: Mapping[str, Any], carried: Collection[str]) -> dict[str, Any]:
    """Return the fields of a message, without null and, except for link and text, without empty ones.

    Raises ParamError for a field that cannot be carried, and for a message without link and text.
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
    """Return a text that a URL and a QR code can hold. Raises ParamError for any other, and ArgumentError (UTF8)."""
    if not isinstance(value, str):
        raise refusal(what, "is not a text")
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
    """Return a link that every browser can open: http or https, with a host. Raises ParamError for any other."""
    link = text(what, value)
    try:
        parts = urlsplit(link)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_web = False
    # urlsplit() removes tabs and line ends first
    if not is_web or any(letter <= " " or letter == "\x7f" for letter in link):
        raise refusal(what, "is not an http or https URL")
    return link
