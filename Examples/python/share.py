"""Sharing to a page in the browser, and by a QR code."""

from typing import Any

import crosstie
from crosstie import Endpoint, SharedMessage, share

bus = crosstie.Bus("shop")


# [add]
bus.providers.add(share.WeiboWeb())
bus.providers.add(share.QQWeb(site="The tea shop", leave_out={"thumbnail"}))
# [end]


# [show]
def show(code: dict[str, Any]) -> None:
    modules = 17 + 4 * code["version"]
    print(f"scan {modules} x {modules} modules for {code['title']}, {code['text']}")


bus.providers.add(share.WeChatQR(show=show))
# [end]


@bus.system_opener()
def browser(request: crosstie.Request) -> None:
    print(request.host)
    for name, value in request.query:
        print(f"    {name}: {value}")


tea = SharedMessage.web_page("https://example.com/tea?kind=green", title="Tea & cups", thumbnail=b"\x89PNG")

bus.share(Endpoint.QQ_FRIEND, tea)
bus.share(Endpoint.WECHAT_TIMELINE, tea)
try:
    bus.share(Endpoint.WEIBO_TIMELINE, tea)
except crosstie.ParamError as error:
    print(error)
bus.close()
