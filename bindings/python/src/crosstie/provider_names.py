"""What is built in of the texts by which things are handed off, and the messages that are shared.

Each class has the constants of one kind of text. Any other text may stand where they do.
"""

from __future__ import annotations

from typing import Any, Literal

from ._crosstie import _handoff_names


class _Name(str):
    __slots__ = ()

    def __init_subclass__(cls, *, prefix: str) -> None:
        for name in cls.__annotations__:
            setattr(cls, name, cls(_handoff_names[f"{prefix}_{name}"]))


class Endpoint(_Name, prefix="ENDPOINT"):
    """Where a message is shared to."""

    __slots__ = ()

    QQ_FRIEND: Endpoint
    QQ_TIMELINE: Endpoint
    WECHAT_FRIEND: Endpoint
    WECHAT_TIMELINE: Endpoint
    WECHAT_FAVORITE: Endpoint
    WEIBO_TIMELINE: Endpoint
    SYSTEM_ACTIVITY: Endpoint


class Platform(_Name, prefix="PLATFORM"):
    """What signs in, and launches programs."""

    __slots__ = ()

    QQ: Platform
    WECHAT: Platform
    WEIBO: Platform
    SYSTEM: Platform


class ShareKind(_Name, prefix="SHARE_KIND"):
    """What kind of thing a shared message is."""

    __slots__ = ()

    TEXT: ShareKind
    IMAGE: ShareKind
    AUDIO: ShareKind
    VIDEO: ShareKind
    WEB_PAGE: ShareKind
    FILE: ShareKind
    MINI_PROGRAM: ShareKind


class OptionKey(_Name, prefix="OPTION"):
    """What a provider is told beside the message, in `user_info`."""

    __slots__ = ()

    QQ_SIGN_TOKEN: OptionKey
    WECHAT_SIGN_TOKEN: OptionKey
    SYSTEM_PRESENTING_VIEW_CONTROLLER: OptionKey
    SYSTEM_SOURCE_VIEW: OptionKey
    SYSTEM_SOURCE_RECT: OptionKey


class InfoKey(_Name, prefix="INFO"):
    """What a sign-in answers."""

    __slots__ = ()

    QQ_ACCESS_TOKEN: InfoKey
    QQ_EXPIRATION_DATE: InfoKey
    QQ_OPEN_ID: InfoKey
    WECHAT_CODE: InfoKey
    WEIBO_ACCESS_TOKEN: InfoKey
    WEIBO_EXPIRATION_DATE: InfoKey
    WEIBO_REFRESH_TOKEN: InfoKey
    WEIBO_USER_ID: InfoKey
    SYSTEM_IDENTITY_TOKEN: InfoKey
    SYSTEM_AUTHORIZATION_CODE: InfoKey
    SYSTEM_USER: InfoKey
    SYSTEM_EMAIL: InfoKey
    SYSTEM_GIVEN_NAME: InfoKey
    SYSTEM_FAMILY_NAME: InfoKey


class Activity(_Name, prefix="ACTIVITY"):
    """The type of a user activity."""

    __slots__ = ()

    BROWSING_WEB: Activity


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
        return _message(
            ShareKind.FILE, media, data=data, fileExtension=file_extension, fileName=file_name
        )

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


def _message(kind: ShareKind, media: dict[str, str | bytes | None], **fields: Any) -> dict[str, Any]:
    all_fields = {**fields, **media}
    return {"identifier": kind, **{name: field for name, field in all_fields.items() if field is not None}}
