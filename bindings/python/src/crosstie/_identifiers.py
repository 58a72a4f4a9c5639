"""What is built in of the texts by which things are handed off and events are called, and the messages that are shared.

Each class has the constants of one kind of text. An application makes its own: `Endpoint("my.endpoint")`.
"""

from typing import Any, ClassVar, Literal

from ._crosstie import _names


class _Name(str):
    """A text whose class has those that are built in, as the C header names them; a subclass adds its own."""

    __slots__ = ()

    def __init_subclass__(cls, *, prefix: str = "") -> None:
        for name in cls.__annotations__ if prefix else ():
            setattr(cls, name, cls(_names[f"{prefix}_{name}"]))


class Endpoint(_Name, prefix="ENDPOINT"):
    """Where a message is shared to."""

    __slots__ = ()

    QQ_FRIEND: ClassVar["Endpoint"]
    QQ_TIMELINE: ClassVar["Endpoint"]
    WECHAT_FRIEND: ClassVar["Endpoint"]
    WECHAT_TIMELINE: ClassVar["Endpoint"]
    WECHAT_FAVORITE: ClassVar["Endpoint"]
    WEIBO_TIMELINE: ClassVar["Endpoint"]
    SYSTEM_ACTIVITY: ClassVar["Endpoint"]


class Platform(_Name, prefix="PLATFORM"):
    """What signs in, and launches programs."""

    __slots__ = ()

    QQ: ClassVar["Platform"]
    WECHAT: ClassVar["Platform"]
    WEIBO: ClassVar["Platform"]
    SYSTEM: ClassVar["Platform"]


class ShareKind(_Name, prefix="SHARE_KIND"):
    """What kind of thing a shared message is."""

    __slots__ = ()

    TEXT: ClassVar["ShareKind"]
    IMAGE: ClassVar["ShareKind"]
    AUDIO: ClassVar["ShareKind"]
    VIDEO: ClassVar["ShareKind"]
    WEB_PAGE: ClassVar["ShareKind"]
    FILE: ClassVar["ShareKind"]
    MINI_PROGRAM: ClassVar["ShareKind"]


class OptionKey(_Name, prefix="OPTION"):
    """What a provider is told beside the message, in `user_info`."""

    __slots__ = ()

    QQ_SIGN_TOKEN: ClassVar["OptionKey"]
    WECHAT_SIGN_TOKEN: ClassVar["OptionKey"]
    SYSTEM_PRESENTING_VIEW_CONTROLLER: ClassVar["OptionKey"]
    SYSTEM_SOURCE_VIEW: ClassVar["OptionKey"]
    SYSTEM_SOURCE_RECT: ClassVar["OptionKey"]
    SYSTEM_METHOD: ClassVar["OptionKey"]


class SystemMethod(_Name, prefix="SYSTEM_METHOD"):
    """How the system's provider is to share: what stands under `OptionKey.SYSTEM_METHOD`."""

    __slots__ = ()

    MAIL: ClassVar["SystemMethod"]
    CLIPBOARD: ClassVar["SystemMethod"]
    OPEN: ClassVar["SystemMethod"]


class InfoKey(_Name, prefix="INFO"):
    """What a sign-in answers."""

    __slots__ = ()

    QQ_ACCESS_TOKEN: ClassVar["InfoKey"]
    QQ_EXPIRATION_DATE: ClassVar["InfoKey"]
    QQ_OPEN_ID: ClassVar["InfoKey"]
    WECHAT_CODE: ClassVar["InfoKey"]
    WEIBO_ACCESS_TOKEN: ClassVar["InfoKey"]
    WEIBO_EXPIRATION_DATE: ClassVar["InfoKey"]
    WEIBO_REFRESH_TOKEN: ClassVar["InfoKey"]
    WEIBO_USER_ID: ClassVar["InfoKey"]
    SYSTEM_IDENTITY_TOKEN: ClassVar["InfoKey"]
    SYSTEM_AUTHORIZATION_CODE: ClassVar["InfoKey"]
    SYSTEM_USER: ClassVar["InfoKey"]
    SYSTEM_EMAIL: ClassVar["InfoKey"]
    SYSTEM_GIVEN_NAME: ClassVar["InfoKey"]
    SYSTEM_FAMILY_NAME: ClassVar["InfoKey"]


class ActivityType(_Name, prefix="ACTIVITY"):
    """The type of a user activity."""

    __slots__ = ()

    BROWSING_WEB: ClassVar["ActivityType"]


class Event(_Name, prefix="EVENT"):
    """An event of a program's life, for `crosstie.event` and `Bus.broadcast()`.

    The last two are of a component's own life, and run for it alone: CREATED once it is registered, or a lazy one's
    instance is made, DESTROYED before it is removed or its bus closes.
    """

    __slots__ = ()

    DID_FINISH_LAUNCHING: ClassVar["Event"]
    WILL_ENTER_FOREGROUND: ClassVar["Event"]
    DID_ENTER_BACKGROUND: ClassVar["Event"]
    OPEN_URL: ClassVar["Event"]
    WILL_TERMINATE: ClassVar["Event"]
    MEMORY_WARNING: ClassVar["Event"]
    CREATED: ClassVar["Event"]
    DESTROYED: ClassVar["Event"]


class SharedMessage:
    """Makes the messages of the built-in kinds, as dicts. Whoever shares one has its fields checked.

    All but a text may have `title`, `description` and `thumbnail`, the bytes of a picture.
    """

    @staticmethod
    def text(text: str, /) -> dict[str, Any]:
        """A text."""
        return _message(ShareKind.TEXT, {}, text=text)

    @staticmethod
    def image(data: bytes, /, **media: str | bytes | None) -> dict[str, Any]:
        """A picture."""
        return _message(ShareKind.IMAGE, media, data=data)

    @staticmethod
    def audio(link: str, /, data_link: str | None = None, **media: str | bytes | None) -> dict[str, Any]:
        """Music: the URL of its page, and that of the sound itself."""
        return _message(ShareKind.AUDIO, media, link=link, dataLink=data_link)

    @staticmethod
    def video(link: str, /, **media: str | bytes | None) -> dict[str, Any]:
        """A film, by the URL of its page."""
        return _message(ShareKind.VIDEO, media, link=link)

    @staticmethod
    def web_page(link: str, /, **media: str | bytes | None) -> dict[str, Any]:
        """A web page, by its URL."""
        return _message(ShareKind.WEB_PAGE, media, link=link)

    @staticmethod
    def file(
        data: bytes, file_extension: str, file_name: str | None = None, /, **media: str | bytes | None
    ) -> dict[str, Any]:
        """A file: its content, and the end of its name, without the dot."""
        return _message(ShareKind.FILE, media, data=data, fileExtension=file_extension, fileName=file_name)

    @staticmethod
    def mini_program(
        mini_program_id: str,
        path: str,
        link: str,
        kind: Literal["release", "test", "preview"] = "release",
        /,
        **media: str | bytes | None,
    ) -> dict[str, Any]:
        """A page of a mini program, and the URL of a web page for who has no such program."""
        return _message(
            ShareKind.MINI_PROGRAM, media, miniProgramID=mini_program_id, path=path, link=link, kind=kind
        )


def _message(kind: ShareKind, media: dict[str, str | bytes | None], /, **fields: Any) -> dict[str, Any]:
    given = {name: field for name, field in {**fields, **media}.items() if field is not None}
    return {"identifier": kind, **given}
