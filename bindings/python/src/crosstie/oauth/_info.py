"""What a sign-in answers: texts by their names."""

from collections.abc import Mapping
from typing import Any

from .._status import Status
from ._presets import Preset
from ._refusal import Refusal

#: The fields of every service's token that are handed on (RFC 6749, section 5.1; OpenID Connect).
GENERAL = ("access_token", "refresh_token", "token_type", "expires_at", "scope", "id_token")


def make_info(preset: Preset, token: Mapping[str, Any]) -> dict[str, str]:
    """The info map of a token: general names, and the preset's. Raises Refusal for what is no text."""
    names = [(name, name) for name in GENERAL] + [(field, name) for name, field in preset.info.items()]
    return {name: text for field, name in names if (text := as_text(token.get(field)))}


def as_text(value: object) -> str:
    """A text, or a number as one; empty for what is neither."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    text = str(value)
    if not text.isprintable():
        raise Refusal(Status.UNKNOWN, "the service's answer holds what is no text")
    return text
