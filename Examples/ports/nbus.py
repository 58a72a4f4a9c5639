"""A handler of NBus and an application that shares with it."""

from typing import Any

import crosstie
from crosstie import Endpoint, OptionKey, SharedMessage, ShareKind, Status


# [port]
class System(crosstie.Provider):
    """Shows a sheet with the message. The user's action then is `user`."""

    name = "system"
    endpoints = [Endpoint.SYSTEM_ACTIVITY]
    user = Status.OK

    def share(self, request: crosstie.Request, message: dict[str, Any], endpoint: str, options: dict[str, Any]) -> None:
        window = options.get(OptionKey.SYSTEM_PRESENTING_VIEW_CONTROLLER, "phone")
        source = options.get(OptionKey.SYSTEM_SOURCE_VIEW)
        if window == "tablet" and source is None:  # a popover has to be somewhere
            return request.refuse(Status.PARAM, "no source view")
        items = [message[field] for field in ("title", "description", "text", "link") if field in message]
        if "data" in message:
            items.append(f"{len(message['data'])} bytes")
        print(f"{window} {source or 'sheet'}:", *(f"[{item}]" for item in items))
        if self.user != Status.OK:
            request.refuse(self.user)


bus = crosstie.Bus()
system = System()
bus.providers.add(system)


def share_to(endpoint: Endpoint, message: dict[str, Any], **options: Any) -> None:
    try:
        bus.with_options(user_info=options).share(endpoint, message)
        print("shared")
    except crosstie.Error as error:
        print(f"CTIE_E_{Status(error.status).name}")


page = SharedMessage.web_page("https://menu.example/")
tablet = {OptionKey.SYSTEM_PRESENTING_VIEW_CONTROLLER: "tablet"}
share_to(Endpoint.SYSTEM_ACTIVITY, SharedMessage.text("Lunch at noon"))
system.user = Status.USER_CANCELLED
share_to(Endpoint.SYSTEM_ACTIVITY, SharedMessage.image(b"GIF89a", title="A menu"))
system.user = Status.UNKNOWN
share_to(Endpoint.SYSTEM_ACTIVITY, page, **tablet)
share_to(Endpoint.SYSTEM_ACTIVITY, page, **tablet, **{OptionKey.SYSTEM_SOURCE_VIEW: "button"})
share_to(Endpoint.SYSTEM_ACTIVITY, {"identifier": ShareKind.MINI_PROGRAM})
share_to(Endpoint.WECHAT_FRIEND, SharedMessage.text("Lunch at noon"))
# [end]
