"""Reading the fields of a message that is to be shared as text."""

from collections.abc import Collection, Mapping
from typing import Any
from urllib.parse import urlsplit

from ..errors import ParamError
from ..status import Status

KIND = "identifier"
LINK = "link"
TEXT = "text"

_PARAM_CODE = 40000 - Status.PARAM


def refusal(field: str, why: str) -> ParamError:
    """The exception for a field, or a few of them, that cannot be shared."""
    return ParamError(f"{field}: {why}", status=Status.PARAM, code=_PARAM_CODE)


def fields_of(message: Mapping[str, Any], carried: Collection[str]) -> dict[str, Any]:
    """The fields of a message that are there: null is not, and empty only what is the message itself.

    Raises ParamError for one that cannot be carried, and for a message without link and text.
    """
    fields = {name: value for name, value in message.items() if name != KIND and not _is_missing(name, value)}
    for name in fields:
        if name not in carried:
            raise refusal(name, "this cannot be shared there")
    if LINK not in fields and TEXT not in fields:
        raise refusal(LINK, "it is missing")
    return fields


def _is_missing(name: str, value: object) -> bool:
    return value is None or (name not in (LINK, TEXT) and isinstance(value, str | bytes) and not value)


def text(field: str, value: object) -> str:
    """A text that a URL and a QR code can hold. Raises ParamError for any other."""
    if not isinstance(value, str):
        raise refusal(field, "it is no text")
    if not value:
        raise refusal(field, "it is empty")
    if "\0" in value:
        raise refusal(field, "a NUL cannot be shared")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise refusal(field, "it has no form in UTF-8") from None
    return value


def web_link(field: str, value: object) -> str:
    """A link that everybody can open: http or https, with a host. Raises ParamError for any other."""
    link = text(field, value)
    try:
        parts = urlsplit(link)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_web = False
    # urlsplit() takes tabs and line ends out before it looks
    if not is_web or any(letter <= " " or letter == "\x7f" for letter in link):
        raise refusal(field, "it is no http or https URL")
    return link
