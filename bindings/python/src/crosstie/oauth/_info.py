"""The answer of a sign-in: texts by their names."""

from collections.abc import Mapping
from typing import Any

from .._status import Status
from ._presets import Preset
from ._refusal import Refusal

#: The fields of every service's token that are in the answer (RFC 6749, section 5.1; OpenID Connect).
GENERAL = ("access_token", "refresh_token", "token_type", "expires_at", "scope", "id_token")


def make_info(preset: Preset, token: Mapping[str, Any]) -> dict[str, str]:
    """Return the info map of a token: general names, and the preset's. Raises Refusal for a text with control characters."""
    names = [(name, name) for name in GENERAL] + [(field, name) for name, field in preset.info.items()]
    return {name: text for field, name in names if (text := as_text(token.get(field)))}


def as_text(value: object) -> str:
    """Return a text, or a number as one; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    text = str(value)
    if not text.isprintable():
        raise Refusal(Status.UNKNOWN, "the service's answer has a text with control characters")
    return text
