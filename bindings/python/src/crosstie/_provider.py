"""Providers: what hands off to outside applications and services."""

import sys
import weakref
from collections.abc import Collection, Mapping

from . import _crosstie
from ._identifiers import Endpoint, Platform, ShareKind


class Provider:
    """Serves some capabilities of one outside application or service; `bus.providers.add()` puts one on a bus.

        class Clipboard(crosstie.Provider):
            name = "clipboard"
            endpoints = [crosstie.Endpoint.SYSTEM_ACTIVITY]

            def share(self, request, message, endpoint, options):
                copy(message["text"])

    name            unique on a bus: a letter or "_", then letters, digits, "_", "." and "-".
    public          whether URLs and activities of remote origin reach it.
    platform        what `oauth` and `launch` serve: of `Platform`, or the application's own.
    endpoints       where `share` shares to: a mapping from endpoints to the kinds of message that go there, or the
                    endpoints alone, for the kinds that are usual there.
    app_id          the scheme of the URLs for `open_url`.
    universal_link  an http or https URL: the web pages there and below are those for `open_activity`.

    A capability exists where the class defines the method, which may be an `async def`:

        share(request, message, endpoint, options)
        oauth(request, params, options)      answers a mapping of texts, of which the empty ones are dropped
        launch(request, program, options)
        open_url(request, url)
        open_activity(request, activity)

    It answers as handlers do: by what it returns or raises, by the methods of the Request, or later from any thread
    after `request.defer()`. `request.refuse(Status.USER_CANCELLED)` says that the user did not want to, and with
    `Status.UNKNOWN` that the service's answer could not be understood; `request.decline()` lets the next provider try,
    though not in an `async def`. What is installed and supported, and the message, are checked before. Methods run on
    any thread, several at a time.

    Instead of having endpoint, platform, scheme or link compared, a class may define `can_share(endpoint)`,
    `can_oauth(platform)`, `can_launch(platform)`, `can_open_url(url)` or `can_open_activity(activity)`; what it does
    not define is compared. What one of these, `is_installed()` or `is_supported()` raises goes to
    `sys.unraisablehook`, and means no.
    """

    name: str = ""
    public: bool = False
    platform: Platform = Platform("")
    endpoints: Mapping[Endpoint, Collection[ShareKind]] | Collection[Endpoint] = ()
    app_id: str = ""
    universal_link: str = ""

    def is_installed(self) -> bool:
        """Whether what it needs is there; asked before it shares, signs in or launches."""
        return True

    def is_supported(self) -> bool:
        """Whether what is installed is new enough; asked likewise."""
        return True

    def log(self, message: str) -> None:
        """Log on every bus that it stands on: to where `Providers.set_log()` sends it, else to the bus's log.

        message  at most 65,536 bytes; of a longer one ArgumentError is raised.
        """
        caller = sys._getframe(1)
        code = caller.f_code
        text, file = (text.encode(errors="backslashreplace").decode() for text in (message, code.co_filename))
        for reference in tuple(self._registrations):
            registration = reference()
            if registration is not None:
                registration._log(text, file, code.co_qualname, caller.f_lineno)

    @property
    def _registrations(self) -> list[weakref.ref[_crosstie.Registration]]:
        """Where it stands: weakly, as it shall not keep a bus alive."""
        found: list[weakref.ref[_crosstie.Registration]] = vars(self).setdefault("_registrations", [])
        return found

    def _join(self, registration: _crosstie.Registration) -> None:
        """Called before a bus asks it for the first time."""
        registrations = self._registrations
        registrations.append(weakref.ref(registration, registrations.remove))
