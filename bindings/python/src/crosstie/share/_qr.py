"""A QR code for WeChat's *Scan*, which opens a link on the phone to share it there."""

import io
from collections.abc import Callable, Collection, Mapping
from typing import Any

import segno

from .. import Endpoint, ShareKind, Request
from ._fields import LINK, TEXT, fields_of, named, refusal, text, web_link
from ._sharer import Sharer

#: Bytes that a QR code holds at most, by level of error correction (ISO/IEC 18004: version 40, byte mode).
QR_CAPACITY: Mapping[str, int] = {"L": 2953, "M": 2331, "Q": 1663, "H": 1273}

#: The bytes that name the character set of a text beyond ASCII (ECI: 12 bits; 4 were free).
_ECI_BYTES = 1

_BESIDE = ("title", "description", "thumbnail")
_ENDPOINTS = (Endpoint.WECHAT_FRIEND, Endpoint.WECHAT_TIMELINE, Endpoint.WECHAT_FAVORITE)
_KINDS = (ShareKind.TEXT, ShareKind.AUDIO, ShareKind.VIDEO, ShareKind.WEB_PAGE)
_SCALES = range(1, 33)
_BORDERS = range(65)


class WeChatQR(Sharer):
    """A provider that makes a QR code of a link or a text, which the user scans with WeChat to share it there.

    error      the lowest level of error correction: "L", "M", "Q" or "H"; a higher one is used if the code
               does not grow by it.
    scale      pixels of a module, 1 to 32.
    border     modules of white around the code, 0 to 64; readers need 4 (ISO/IEC 18004).
    show       a function that displays the answer, on the thread that shares; its exception fails the share.
    leave_out  names of fields that may be left out, such as "dataLink"; without it a message that has one is
               refused. Fields that are left out are logged.

    It answers a dict: "png" (bytes), "svg" (str), "text", the text in the code, "version" (1 to 40), "error",
    the level, and "title", "description" and "thumbnail" of the message, to show beside it.

    It ends with PARAM for a field that a code cannot carry.
    """

    name = "wechat-qr"
    endpoints = dict.fromkeys(_ENDPOINTS, _KINDS)
    carried = (LINK, TEXT, *_BESIDE)

    def __init__(
        self,
        *,
        error: str = "M",
        scale: int = 8,
        border: int = 4,
        show: Callable[[dict[str, Any]], object] | None = None,
        leave_out: Collection[str] = (),
    ) -> None:
        super().__init__(leave_out=leave_out)
        if error not in QR_CAPACITY:
            raise ValueError(f"error must be one of {', '.join(QR_CAPACITY)}, not {error!r}")
        if show is not None and not callable(show):
            raise TypeError("show must be a function, or None")
        self._error = error
        self._scale = _within("scale", scale, _SCALES)
        self._border = _within("border", border, _BORDERS)
        self._show = show

    def hand_off(self, request: Request, message: Mapping[str, Any]) -> dict[str, Any]:
        """Make the code and show it."""
        answer = self.make(message)
        if self._show is not None:
            self._show(answer)
        return answer

    def make(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer for a message. Raises ParamError, whose message names the field."""
        fields = fields_of(message, self.carried)
        content = self._content(fields)
        # Byte mode alone, so that the limit does not depend on the letters. Without ECI readers guess the character set
        # of a text beyond ASCII.
        has_eci = not content.isascii()
        code = segno.make_qr(content, error=self._error, mode="byte", encoding="utf-8", eci=has_eci)
        return {
            "png": self._drawn(code, "png"),
            "svg": self._drawn(code, "svg", xmldecl=False, nl=False).decode(),
            "text": content,
            "version": code.version,
            "error": code.error,
            **{name: fields[name] for name in _BESIDE if name in fields},
        }

    def _content(self, fields: Mapping[str, Any]) -> str:
        """Return the text in the code of a message."""
        field, read = (LINK, web_link) if LINK in fields else (TEXT, text)
        content = read(named(field), fields[field])
        most = QR_CAPACITY[self._error] - (0 if content.isascii() else _ECI_BYTES)
        size = len(content.encode())
        if size > most:
            why = f"has {size} bytes, of at most {most} in a QR code of level {self._error}"
            raise refusal(named(field), why)
        return content

    def _drawn(self, code: segno.QRCode, kind: str, **options: Any) -> bytes:
        out = io.BytesIO()
        size = {"scale": self._scale, "border": self._border}
        code.save(out, kind=kind, dark="#000", light="#fff", **size, **options)
        return out.getvalue()


def _within(name: str, value: int, allowed: range) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} is an int, not {type(value).__name__}")
    if value not in allowed:
        raise ValueError(f"{name} is {allowed.start} to {allowed.stop - 1}, not {value}")
    return value
