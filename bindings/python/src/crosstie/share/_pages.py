"""The share pages of Weibo, QQ and QZone, and the providers that open them.

docs/providers-share.md has the sources of addresses, parameters and limits.
"""

from collections.abc import Collection, Mapping

from .. import Endpoint, ShareKind
from ._intent import Limit, Page, WebIntent, utf16_length

_LINKED = (ShareKind.AUDIO, ShareKind.VIDEO, ShareKind.WEB_PAGE)


# ---- Weibo -----------------------------------------------------------------------------------------------


def _post_length(parameters: Mapping[str, str]) -> int:
    """Return the length of a post as Weibo counts it: a letter of ASCII is 1, any other unit of UTF-16 is 2.

    The page appends a space and a short link of 20 letters to the text.
    """
    post = parameters.get("title", "")
    length = 2 * utf16_length(post) - sum(map(str.isascii, post))
    return length + 21 if "url" in parameters else length


WEIBO = Page(
    "https://service.weibo.com/share/share.php",
    {"link": "url", "text": "title", "title": "title", "description": "title"},
    (
        Limit("url", 1024),
        Limit("title", 280, "letters (a Chinese one counts 2, the link 21)", _post_length),
    ),
)


class WeiboWeb(WebIntent):
    """A provider for the timeline of Weibo, by its share page: a text, or a link after title and description.

    app_key    the key of the host's application at Weibo, which the post names as its source; empty: none.
    leave_out  as for `WebIntent`.
    """

    name = "weibo-web"
    endpoints = {Endpoint.WEIBO_TIMELINE: (ShareKind.TEXT, *_LINKED)}
    page = WEIBO

    def __init__(self, *, app_key: str = "", leave_out: Collection[str] = ()) -> None:
        super().__init__(leave_out=leave_out, appkey=app_key)


# ---- QQ and QZone ----------------------------------------------------------------------------------------

_TENCENT_FIELDS = {"link": "url", "title": "title", "description": "summary"}

QQ = Page(
    "https://connect.qq.com/widget/shareqq/index.html",
    _TENCENT_FIELDS,
    (Limit("url", 512), Limit("title", 128), Limit("summary", 512)),
)

QZONE = Page(
    "https://sns.qzone.qq.com/cgi-bin/qzshare/cgi_qzshare_onekey",
    _TENCENT_FIELDS,
    (Limit("url", 512), Limit("title", 200), Limit("summary", 600)),
)


class QQWeb(WebIntent):
    """A provider that shares a link to friends at QQ, by its share page.

    site       the source of the message, for people; empty: none.
    leave_out  as for `WebIntent`.
    """

    name = "qq-web"
    endpoints = {Endpoint.QQ_FRIEND: _LINKED}
    page = QQ

    def __init__(self, *, site: str = "", leave_out: Collection[str] = ()) -> None:
        super().__init__(leave_out=leave_out, site=site)


class QZoneWeb(WebIntent):
    """A provider that shares a link to QZone, the timeline of QQ, by its share page. Its arguments are those of `QQWeb`."""

    name = "qzone-web"
    endpoints = {Endpoint.QQ_TIMELINE: _LINKED}
    page = QZONE

    def __init__(self, *, site: str = "", leave_out: Collection[str] = ()) -> None:
        super().__init__(leave_out=leave_out, site=site)
