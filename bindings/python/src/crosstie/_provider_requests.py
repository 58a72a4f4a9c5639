"""Requests to providers: sharing, signing in, launching."""

from __future__ import annotations

from collections.abc import Mapping

from . import _crosstie
from ._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ._identifiers import Endpoint, Platform
    from ._providers import Providers
    from ._requests import RequestOptions


class ProviderRequests:
    """Requests to providers: each goes to the first provider that can serve it (see `Provider`).

    A request raises NoHandlerError if no provider can serve it; otherwise NotInstalledError, UnsupportedAppError,
    UnsupportedMessageError, ParamError, UserCancelledError, UnknownAnswerError, TimeoutError, or the provider's
    exception. The options are those of `with_options()`; its `user_info` has the options for the provider: see
    `OptionKey`.
    """

    __slots__ = ()

    def _bus_and_options(self) -> tuple[_crosstie.Bus, RequestOptions]:
        """Return the bus and the options of every request."""
        raise NotImplementedError

    @property
    def providers(self) -> Providers:
        """The providers, which connect to other applications and services."""
        from ._providers import Providers

        return Providers(*self._bus_and_options())

    def share(self, endpoint: Endpoint, message: Mapping[str, Any], /) -> Any:
        """Share a message by the first provider that can, and return the provider's answer. The default timeout is ten minutes.

        endpoint  the destination: of `Endpoint`, or the application's own: `Endpoint("my.endpoint")`.
        message   a dict with its kind under "identifier", and the kind's fields: `SharedMessage` makes such dicts.
        """
        bus, options = self._bus_and_options()
        return bus._make_request(_crosstie.CTIE_REQUEST_KIND_SHARE, False, endpoint, "", message, options, 0)

    def share_async(self, endpoint: Endpoint, message: Mapping[str, Any], /) -> _crosstie.Call[Any]:
        """As `share()`, on a worker thread of the bus: returns a Call at once."""
        bus, options = self._bus_and_options()
        call: _crosstie.Call[Any] = bus._make_request(
            _crosstie.CTIE_REQUEST_KIND_SHARE, True, endpoint, "", message, options, 0
        )
        return call

    def oauth(self, platform: Platform, params: Mapping[str, Any] | None = None, /) -> dict[str, str]:
        """Sign in by the first provider that can. The default timeout is ten minutes.

        platform  the service: of `Platform`, or the application's own: `Platform("my.platform")`.
        params    the provider's own parameters.

        Returns texts, none of them empty, by the keys of `InfoKey` or the provider's own.
        """
        bus, options = self._bus_and_options()
        info: dict[str, str] = bus._make_request(
            _crosstie.CTIE_REQUEST_KIND_OAUTH, False, platform, "", params, options, 0
        )
        return info

    def oauth_async(
        self, platform: Platform, params: Mapping[str, Any] | None = None, /
    ) -> _crosstie.Call[dict[str, str]]:
        """As `oauth()`, on a worker thread of the bus: returns a Call at once."""
        bus, options = self._bus_and_options()
        call: _crosstie.Call[dict[str, str]] = bus._make_request(
            _crosstie.CTIE_REQUEST_KIND_OAUTH, True, platform, "", params, options, 0
        )
        return call

    def launch(self, platform: Platform, program: Mapping[str, Any] | None = None, /) -> Any:
        """Launch a program by the first provider that can, and return its answer.

        platform  the service: as for `oauth()`.
        program   a mapping that tells the provider the program.
        """
        bus, options = self._bus_and_options()
        return bus._make_request(_crosstie.CTIE_REQUEST_KIND_LAUNCH, False, platform, "", program, options, 0)

    def launch_async(
        self, platform: Platform, program: Mapping[str, Any] | None = None, /
    ) -> _crosstie.Call[Any]:
        """As `launch()`, on a worker thread of the bus: returns a Call at once."""
        bus, options = self._bus_and_options()
        call: _crosstie.Call[Any] = bus._make_request(
            _crosstie.CTIE_REQUEST_KIND_LAUNCH, True, platform, "", program, options, 0
        )
        return call
