"""Sharing to Weibo, QQ, QZone and WeChat, by their share pages and by a QR code.

    import crosstie
    from crosstie import share

    bus.providers.add(share.WeiboWeb())
    bus.providers.add(share.WeChatQR(show=display))

    page = crosstie.SharedMessage.web_page("https://example.com/tea", title="Tea")
    bus.share(crosstie.Endpoint.WEIBO_TIMELINE, page)

A message with a field that cannot arrive is refused; nothing is cut or dropped. docs/providers-share.md lists the
fields and limits of each. It needs the extra: `pip install "crosstie[share]"`.
"""

from ._intent import URL_LIMIT, Limit, Page, WebIntent
from ._pages import QQ, QZONE, WEIBO, QQWeb, QZoneWeb, WeiboWeb
from ._sharer import Sharer

try:
    from ._qr import QR_CAPACITY, WeChatQR
except ModuleNotFoundError:
    raise ImportError('crosstie.share needs its extra: pip install "crosstie[share]"') from None

__all__ = [
    "QQ",
    "QQWeb",
    "QR_CAPACITY",
    "QZONE",
    "QZoneWeb",
    "Limit",
    "Page",
    "Sharer",
    "URL_LIMIT",
    "WEIBO",
    "WeChatQR",
    "WebIntent",
    "WeiboWeb",
]
