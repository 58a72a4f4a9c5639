"""The built-in identifiers of endpoints, platforms, events and the like, and the messages to share.

Each class has the constants of one kind of identifier. An application makes its own: `Endpoint("my.endpoint")`.
"""

from typing import Any, ClassVar, Literal

from ._crosstie import _names
from ._homes import publish


class _Name(str):
    """An identifier. A subclass has the built-in ones as constants, which the C headers define."""

    __slots__ = ()

    def __init_subclass__(cls, *, prefix: str = "") -> None:
        for name in cls.__annotations__ if prefix else ():
            setattr(cls, name, cls(_names[f"{prefix}_{name}"]))


class Endpoint(_Name, prefix="ENDPOINT"):
    """The destination of a shared message."""

    __slots__ = ()

    QQ_FRIEND: ClassVar["Endpoint"]
    QQ_TIMELINE: ClassVar["Endpoint"]
    WECHAT_FRIEND: ClassVar["Endpoint"]
    WECHAT_TIMELINE: ClassVar["Endpoint"]
    WECHAT_FAVORITE: ClassVar["Endpoint"]
    WEIBO_TIMELINE: ClassVar["Endpoint"]
    SYSTEM_ACTIVITY: ClassVar["Endpoint"]


class Platform(_Name, prefix="PLATFORM"):
    """A service that signs people in and launches programs."""

    __slots__ = ()

    QQ: ClassVar["Platform"]
    WECHAT: ClassVar["Platform"]
    WEIBO: ClassVar["Platform"]
    SYSTEM: ClassVar["Platform"]


class ShareKind(_Name, prefix="SHARE_KIND"):
    """The kind of a shared message."""

    __slots__ = ()

    TEXT: ClassVar["ShareKind"]
    IMAGE: ClassVar["ShareKind"]
    AUDIO: ClassVar["ShareKind"]
    VIDEO: ClassVar["ShareKind"]
    WEB_PAGE: ClassVar["ShareKind"]
    FILE: ClassVar["ShareKind"]
    MINI_PROGRAM: ClassVar["ShareKind"]


class OptionKey(_Name, prefix="OPTION"):
    """A key of a provider's options, in `user_info`."""

    __slots__ = ()

    QQ_SIGN_TOKEN: ClassVar["OptionKey"]
    WECHAT_SIGN_TOKEN: ClassVar["OptionKey"]
    SYSTEM_PRESENTING_VIEW_CONTROLLER: ClassVar["OptionKey"]
    SYSTEM_SOURCE_VIEW: ClassVar["OptionKey"]
    SYSTEM_SOURCE_RECT: ClassVar["OptionKey"]
    SYSTEM_METHOD: ClassVar["OptionKey"]


class SystemMethod(_Name, prefix="SYSTEM_METHOD"):
    """The way in which the system's provider shares: a value for `OptionKey.SYSTEM_METHOD`."""

    __slots__ = ()

    MAIL: ClassVar["SystemMethod"]
    CLIPBOARD: ClassVar["SystemMethod"]
    OPEN: ClassVar["SystemMethod"]


class InfoKey(_Name, prefix="INFO"):
    """A key of a sign-in's answer."""

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

    CREATED and DESTROYED go to a single component: CREATED once it is registered, or for a lazy one once its instance is
    made; DESTROYED before it is removed or its bus closes.
    """

    __slots__ = ()

    DID_FINISH_LAUNCHING: ClassVar["Event"]
    WILL_ENTER_FOREGROUND: ClassVar["Event"]
    DID_ENTER_BACKGROUND: ClassVar["Event"]
    OPEN_URL: ClassVar["Event"]
    ACTIVATE: ClassVar["Event"]
    WILL_TERMINATE: ClassVar["Event"]
    MEMORY_WARNING: ClassVar["Event"]
    CREATED: ClassVar["Event"]
    DESTROYED: ClassVar["Event"]


class SharedMessage:
    """Functions that make the messages of the built-in kinds, as dicts. Sharing one checks its fields.

    All but a text may have `title`, `description` and `thumbnail`, the bytes of an image.
    """

    @staticmethod
    def text(text: str, /) -> dict[str, Any]:
        """Make a text message."""
        return _message(ShareKind.TEXT, {}, text=text)

    @staticmethod
    def image(data: bytes, /, **media: str | bytes | None) -> dict[str, Any]:
        """Make a message with an image."""
        return _message(ShareKind.IMAGE, media, data=data)

    @staticmethod
    def audio(link: str, /, data_link: str | None = None, **media: str | bytes | None) -> dict[str, Any]:
        """Make a message with a piece of music: the URL of its page, and that of the audio data."""
        return _message(ShareKind.AUDIO, media, link=link, dataLink=data_link)

    @staticmethod
    def video(link: str, /, **media: str | bytes | None) -> dict[str, Any]:
        """Make a message with a video: the URL of its page."""
        return _message(ShareKind.VIDEO, media, link=link)

    @staticmethod
    def web_page(link: str, /, **media: str | bytes | None) -> dict[str, Any]:
        """Make a message with a web page: its URL."""
        return _message(ShareKind.WEB_PAGE, media, link=link)

    @staticmethod
    def file(
        data: bytes, file_extension: str, file_name: str | None = None, /, **media: str | bytes | None
    ) -> dict[str, Any]:
        """Make a message with a file: its content, its extension without the dot, and its name."""
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
        """Make a message with a page of a mini program, and the URL of a web page for receivers without the program."""
        return _message(
            ShareKind.MINI_PROGRAM, media, miniProgramID=mini_program_id, path=path, link=link, kind=kind
        )


def _message(kind: ShareKind, media: dict[str, str | bytes | None], /, **fields: Any) -> dict[str, Any]:
    present = {name: field for name, field in {**fields, **media}.items() if field is not None}
    return {"identifier": kind, **present}


publish(__name__, globals())
