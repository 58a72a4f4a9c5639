"""The fields of an endpoint's answer, in any of the services' formats."""

import json
import re
from typing import Any
from urllib.parse import parse_qsl

import requests

from .._status import Status
from ._refusal import Refusal

#: The longest body: a hundred times the usual length.
MAX_BODY = 262_144
MAX_FIELDS = 128
_JSONP = re.compile(r"\w+\(\s*(\{.*\})\s*\)\s*;?", re.DOTALL)


class Body:
    """A response as Authlib reads it: a status, and fields. It closes the response. Raises Refusal."""

    def __init__(self, response: requests.Response) -> None:
        self.status_code = status = response.status_code
        with response:
            if 300 <= status < 400:
                raise Refusal(Status.UNKNOWN, "the service redirects the request, which is not followed")
            self._fields = parse(_read(response))
        if self._fields is None or (status != 200 and "error" not in self._fields):
            raise Refusal(Status.UNKNOWN, f"the service's answer cannot be read (HTTP {status})")

    def json(self) -> dict[str, Any]:
        """Return the fields."""
        return self._fields or {}

    def raise_for_status(self) -> None:
        """Do nothing: the fields contain the error."""


def parse(raw: bytes) -> dict[str, Any] | None:
    """Return the fields of an object in JSON, of one in a call (as QQ wraps it), or of a form; None for anything else.

    Errors then have the names of RFC 6749, also those of WeChat.
    """
    try:
        text = raw.decode("utf-8").strip()
        if wrapped := _JSONP.fullmatch(text):
            text = wrapped[1]
        fields: Any = json.loads(text) if text[:1] in ("{", "[") else _form(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    if fields.get("errcode"):
        fields.update(error=fields["errcode"], error_description=fields.get("errmsg"))
    for name in ("expires_in", "expires_at"):
        if not re.fullmatch(r"[0-9]{1,10}", str(fields.get(name))):
            fields.pop(name, None)  # the other fields are valid without it
    return fields


def _form(text: str) -> dict[str, str]:
    pairs = parse_qsl(
        text, strict_parsing=True, keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict"
    )
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field occurs twice")
    return fields


def _read(response: requests.Response) -> bytes:
    raw = bytearray()
    for chunk in response.iter_content(8192):
        raw += chunk
        if len(raw) > MAX_BODY:
            raise Refusal(Status.UNKNOWN, f"the service's answer is longer than {MAX_BODY:,} bytes")
    return bytes(raw)
