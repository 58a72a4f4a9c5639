"""Handing off to outside applications and services, from a bus or a view of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _crosstie
from ._identifiers import Endpoint, Platform
from ._providers import Providers
from ._requests import RequestOptions


class HandingOff:
    """The ways to ask providers (see `Provider`), of which the caller need not know the one that does it.

    Every one raises NoHandlerError where nobody can, and then, of who can, NotInstalledError, UnsupportedAppError,
    UnsupportedMessageError, ParamError, UserCancelledError, UnknownAnswerError, TimeoutError, or what it raises.
    Options are those of `with_options()`; its `user_info` has what the provider is told beside: see `OptionKey`.
    """

    __slots__ = ()

    def _door(self) -> tuple[_crosstie.Bus, RequestOptions]:
        """The bus and what is said beside every request."""
        raise NotImplementedError

    @property
    def providers(self) -> Providers:
        """What hands off to other applications and services: add, remove, list them, and offer them a URL."""
        return Providers(*self._door())

    def share(self, endpoint: Endpoint, message: Mapping[str, Any], /) -> Any:
        """Share a message by the first provider that can, and return what it answers. A person has ten minutes for it.

        endpoint  where to: of `Endpoint`, or the application's own: `Endpoint("my.endpoint")`.
        message   its kind under "identifier", and the fields of that: see `SharedMessage`, which makes such dicts.
        """
        bus, options = self._door()
        return bus._make_request(_crosstie.CTIE_REQUEST_KIND_SHARE, False, endpoint, "", message, options, 0)

    def share_async(self, endpoint: Endpoint, message: Mapping[str, Any], /) -> _crosstie.Call[Any]:
        """The same on a worker thread of the bus: returns a Call at once."""
        bus, options = self._door()
        call: _crosstie.Call[Any] = bus._make_request(_crosstie.CTIE_REQUEST_KIND_SHARE, True, endpoint, "", message, options, 0)
        return call

    def oauth(self, platform: Platform, params: Mapping[str, Any] | None = None, /) -> dict[str, str]:
        """Sign in by the first provider that can. A person has ten minutes for it.

        platform  with what: of `Platform`, or the application's own: `Platform("my.platform")`.
        params    what the provider is asked for, as it wants to have it.

        Returns texts, none of them empty, by the keys of `InfoKey` or the provider's own.
        """
        bus, options = self._door()
        info: dict[str, str] = bus._make_request(_crosstie.CTIE_REQUEST_KIND_OAUTH, False, platform, "", params, options, 0)
        return info

    def oauth_async(
        self, platform: Platform, params: Mapping[str, Any] | None = None, /
    ) -> _crosstie.Call[dict[str, str]]:
        """The same on a worker thread of the bus: returns a Call at once."""
        bus, options = self._door()
        call: _crosstie.Call[dict[str, str]] = bus._make_request(_crosstie.CTIE_REQUEST_KIND_OAUTH, True, platform, "", params, options, 0)
        return call

    def launch(self, platform: Platform, program: Mapping[str, Any] | None = None, /) -> Any:
        """Launch a program by the first provider that can, and return what it answers.

        platform  whose: as for `oauth()`.
        program   what the provider knows it by.
        """
        bus, options = self._door()
        return bus._make_request(_crosstie.CTIE_REQUEST_KIND_LAUNCH, False, platform, "", program, options, 0)

    def launch_async(
        self, platform: Platform, program: Mapping[str, Any] | None = None, /
    ) -> _crosstie.Call[Any]:
        """The same on a worker thread of the bus: returns a Call at once."""
        bus, options = self._door()
        call: _crosstie.Call[Any] = bus._make_request(_crosstie.CTIE_REQUEST_KIND_LAUNCH, True, platform, "", program, options, 0)
        return call
