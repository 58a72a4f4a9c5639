"""Providers: connections to other applications and services."""

import sys
import weakref
from collections.abc import Collection, Mapping

from . import _crosstie
from ._homes import publish
from ._identifiers import Endpoint, Platform, ShareKind


class Provider:
    """A connection to an application or service, with some capabilities; `bus.providers.add()` adds it to a bus.

        class Clipboard(crosstie.Provider):
            name = "clipboard"
            endpoints = [crosstie.Endpoint.SYSTEM_ACTIVITY]

            def share(self, request, message, endpoint, options):
                copy(message["text"])

    name            unique on a bus: a letter or "_", then letters, digits, "_", "." and "-".
    public          whether URLs and activities of remote origin reach it.
    platform        the platform that `oauth` and `launch` serve: of `Platform`, or the application's own.
    endpoints       the destinations of `share`: a mapping from endpoints to the kinds of message that they take, or the
                    endpoints alone, with the usual kinds.
    app_id          the scheme of the URLs for `open_url`.
    universal_link  an http or https URL: `open_activity` gets web pages of its origin, at its path or below.

    A capability exists where the class defines the method, which may be an `async def`:

        share(request, message, endpoint, options)
        oauth(request, params, options)      returns a mapping of texts; empty ones are dropped
        launch(request, program, options)
        open_url(request, url)
        open_activity(request, activity)

    A method answers as handlers do: by its result or an exception, by the methods of the Request, or later from any
    thread after `request.defer()`. `request.refuse(Status.USER_CANCELLED)` reports that the user cancelled;
    `Status.UNKNOWN` reports that the service's answer was not understood. `request.decline()` passes the request to the
    next provider, though not in an `async def`. `is_installed()`, `is_supported()` and the message are checked first.
    Methods run on any thread, several at a time.

    A class may define `can_share(endpoint)`, `can_oauth(platform)`, `can_launch(platform)`, `can_open_url(url)` or
    `can_open_activity(activity)` to decide which requests it serves. Without one of them, the bus compares the
    endpoint, platform, scheme or link. An exception of these functions, of `is_installed()` or of `is_supported()` goes
    to `sys.unraisablehook`, and counts as False.
    """

    name: str = ""
    public: bool = False
    platform: Platform = Platform("")
    endpoints: Mapping[Endpoint, Collection[ShareKind]] | Collection[Endpoint] = ()
    app_id: str = ""
    universal_link: str = ""

    def is_installed(self) -> bool:
        """Return whether the application is installed. It is called before a share, a sign-in or a launch."""
        return True

    def is_supported(self) -> bool:
        """Return whether the installed application is new enough. It is called as `is_installed()` is."""
        return True

    def log(self, message: str) -> None:
        """Log a message on every bus that has this provider: to the function of `Providers.set_log()`, or the bus's log.

        message  at most 65,536 bytes; a longer one raises ArgumentError.
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
        """Its registrations, as weak references, so that it does not keep a bus alive."""
        found: list[weakref.ref[_crosstie.Registration]] = vars(self).setdefault("_registrations", [])
        return found

    def _join(self, registration: _crosstie.Registration) -> None:
        """Add a registration; called before the bus first calls the provider."""
        registrations = self._registrations
        registrations.append(weakref.ref(registration, registrations.remove))


publish(__name__, globals())
