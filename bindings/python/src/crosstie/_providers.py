"""The providers of a bus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

from . import _crosstie
from ._bus_view import Listing
from ._homes import publish
from ._identifiers import Endpoint, Platform, ShareKind
from ._provider import Provider
from ._provider_description import describe
from ._requests import RequestOptions

LogFunction = Callable[[str, str, str, int], object]


class ProviderInfo(NamedTuple):
    """One of `bus.providers`."""

    name: str
    public: bool
    capabilities: tuple[str, ...]  # of "share", "oauth", "launch", "open", "activity"
    endpoints: dict[Endpoint, tuple[ShareKind, ...]]  # with the kinds of message that they take
    platform: Platform
    app_id: str
    universal_link: str


class Providers(Listing[ProviderInfo]):
    """The providers of a bus, in the order in which they are tried: `bus.providers`.

        bus.providers.add(Clipboard())
        bus.providers["clipboard"].public
        bus.providers.remove("clipboard")
    """

    __slots__ = ("_options",)
    _kinds = ("provider",)

    def __init__(self, bus: _crosstie.Bus, options: RequestOptions) -> None:
        super().__init__(bus)
        self._options = options

    def _list(self) -> list[ProviderInfo]:
        return [_info(item) for item in self._bus._providers()]

    def _name_of(self, info: ProviderInfo) -> str:
        return info.name

    def add(self, provider: Provider, position: int | None = None, /) -> _crosstie.Registration:
        """Add a provider to the bus's list, and return its Registration.

        position  its index in the list; None: at the end.

        The provider's attributes and methods are read now. Raises ArgumentError for an invalid name, or a capability that
        serves nothing. Raises ConflictError for a second provider of a name, UrlError for an app_id that is not a scheme
        or a universal_link that is not a web address, TypeError for a method with the wrong parameters.
        """
        return self._bus._add_provider(describe(provider), position)

    def add_system(
        self,
        position: int | None = None,
        /,
        *,
        name: str = "",
        mail: str = "",
        opener: str = "",
        clipboard: str = "",
        launcher: str = "",
        directory: str = "",
        keep_files: bool = False,
    ) -> None:
        """Add the system's provider to the list.

        It shares by the mail composer, by the clipboard or by opening files, and launches the desktop's applications;
        see docs/providers-system.md.

        position    its index in the list; None: at the end.
        name        for `remove()`; default: "system".
        mail        the program that composes mail; default: xdg-email.
        opener      the program that opens files and URLs; default: xdg-open.
        clipboard   the program that fills the clipboard; default: the first one installed of wl-copy, xclip and xsel.
        launcher    the program that launches applications; default: gio.
        directory   the absolute path where shared files are written; default: $TMPDIR or /tmp.
        keep_files  whether these files stay when the provider is removed.

        Raises ArgumentError for an invalid option, ConflictError for a second provider of a name.
        """
        self._bus._add_system_provider(
            position,
            name=name,
            mail=mail,
            opener=opener,
            clipboard=clipboard,
            launcher=launcher,
            directory=directory,
            keep_files=keep_files,
        )

    def replace(self, providers: Iterable[Provider], /) -> None:
        """Replace all providers of the bus in one step: a request sees either the old ones or the new ones.

        If one of them is refused, nothing changes. Raises the exceptions of `add()`.
        """
        self._bus._set_providers([describe(provider) for provider in providers])

    def move(self, name: str, position: int | None = None, /) -> None:
        """Move a provider to another index in the list; None: to the end. Raises NotFoundError."""
        self._bus._move_provider(name, position)

    def remove(self, what: str | _crosstie.Registration | Provider | type[Provider], /) -> None:
        """Remove a provider by its name, in any language; or by its Registration, the object or the class.

        Raises NotFoundError.
        """
        if isinstance(what, str):
            self._bus._remove_provider(what)
        else:
            self._remove(what)

    def set_log(self, name: str, function: LogFunction | None, /) -> None:
        """Send the log of a provider to a function; None: to the bus's log. Raises NotFoundError.

        function  called on any thread with the message, and with the file, the function and the line of its source.
        """
        self._bus._set_provider_log(name, function)

    def open_url(self, url: str, /, *, origin: Literal["local", "remote"] | None = None) -> bool:
        """Offer a URL to the providers alone, not to routes, rules or system opener; return whether one has taken it.

        origin  "remote" for a URL that came from outside, which only public providers get; default: that of
                `with_options()`.

        A URL that no provider claims is not an error. The failure of a provider is raised.
        """
        return self._bus._provider_open_url(url, self._with_origin(origin))

    def open_activity(
        self, activity: Mapping[str, Any], /, *, origin: Literal["local", "remote"] | None = None
    ) -> bool:
        """Offer a user activity to the providers; return whether one has taken it.

        activity  its type under "activityType", a web page's URL under "webpageURL", and any other fields.
        origin    as for `open_url()`, whose rules apply here, too.
        """
        return self._bus._provider_open_activity(activity, self._with_origin(origin))

    def _with_origin(self, origin: Literal["local", "remote"] | None) -> RequestOptions:
        return self._options if origin is None else {**self._options, "origin": origin}


def _info(item: dict[str, Any]) -> ProviderInfo:
    return ProviderInfo(
        **{
            **item,
            "capabilities": tuple(item["capabilities"]),
            "endpoints": {Endpoint(at): tuple(map(ShareKind, kinds)) for at, kinds in item["endpoints"].items()},
            "platform": Platform(item["platform"]),
        }
    )


publish(__name__, globals())
