"""A provider that signs in with a service by OAuth 2.0."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import Platform, Provider, Request
from .._status import Status
from ._address import split_redirect
from ._answer import Answer
from ._exchange import Client
from ._info import make_info
from ._loopback import LoopbackRedirect
from ._pending import LIFE, Pending, boot_time
from ._presets import Preset
from ._question import authorization_url, check_utf8, join_scope, more_parameters
from ._redirect import Redirect
from ._refusal import Refusal, status_of
from ._signin import SignIn

#: Seconds for opening the service's page.
OPENING = 30.0


class OAuthProvider(Provider):
    """Signs in with a service by OAuth 2.0 (RFC 6749) in the user's browser, with PKCE (RFC 7636).

    preset         the service: one of `crosstie.oauth`, or a `Preset` of the host's own.
    client_id      the program's identifier at the service.
    client_secret  the program's secret at the service; empty for a program that cannot keep one, such as an
                   installed one.
    redirect_uri   the URL to which the service sends the browser back, as it is registered there.
                   The default is "http://127.0.0.1/callback". At a URL of 127.0.0.1 or [::1] the provider
                   listens during a sign-in, without a port on a new one each time.
                   With a URL such as "shop://oauth/callback" this process must receive the URLs of that scheme,
                   and pass them to `bus.open(url, origin="remote")`. If the desktop starts a second process for
                   them, the sign-in never gets its answer. With "https://…" the program that receives it must do
                   the same.
    return_uri     the URL that arrives at the bus, if a page at `redirect_uri` sends the browser to another
                   one.
    scope          the scope: a text, or several; empty: the preset's.
    parameters     further parameters for the service's page.
    name           the provider's name, unique on its bus; empty: "oauth." and the preset's.
    clock          a function that returns seconds, for the ten minutes of a state; the default continues while
                   the machine sleeps.

    `bus.oauth(platform, params)` opens the service's page by the bus and waits for the person. `params` may
    have a "scope", and further parameters for the page. The answer is a map of texts: `access_token` and the
    like, and for WeChat, QQ and Weibo those of `crosstie.InfoKey`.

    It fails with USER_CANCELLED, UNKNOWN (the service refuses, or its answer cannot be read), SYSTEM (the
    service is not reached, or the redirect's port is taken), DENIED (the answer is from another service),
    PARAM, TIMEOUT (no answer in ten minutes) or BUSY (64 sign-ins wait). The failure of opening the page
    fails it, too. An answer that no sign-in of this provider waits for is refused with PARAM or DENIED, and ends no
    sign-in.

    Raises ValueError for an address that is not allowed. Threads: any, several at a time.
    """

    public = True

    def __init__(
        self,
        preset: Preset,
        *,
        client_id: str,
        client_secret: str = "",
        redirect_uri: str = "http://127.0.0.1/callback",
        return_uri: str = "",
        scope: str | Sequence[str] = "",
        parameters: Mapping[str, str] | None = None,
        name: str = "",
        clock: Callable[[], float] = boot_time,
    ) -> None:
        if not client_id:
            raise ValueError("client_id is empty")
        super().__init__()
        self.name = name or f"oauth.{preset.name}"
        self.platform = preset.platform or Platform(preset.name)
        self._preset = preset
        self._client_id = client_id
        self._client = Client(preset, client_id, client_secret)
        try:
            self._more = more_parameters(preset, {**preset.parameters, **(parameters or {})})
            self._more["scope"] = self._more.get("scope") or check_utf8("scope", join_scope(preset, scope))
            check_utf8("client_id", client_id)
            check_utf8("client_secret", client_secret)
        except Refusal as refusal:
            raise ValueError(refusal.message) from None
        self._redirect = _make_redirect(redirect_uri, return_uri)
        self.app_id = self._redirect.scheme
        self._pending = Pending(clock)

    def __repr__(self) -> str:
        return f"<crosstie.oauth.OAuthProvider {self.name!r} for {self.platform!r}>"

    def can_open_url(self, url: str) -> bool:
        """Return whether a URL is the redirect's."""
        return self._redirect.claims(url)

    def oauth(self, request: Request, params: Mapping[str, Any] | None, options: object) -> None:
        """Sign in: open the service's page. The answer ends the request."""
        try:
            more = {**self._more, **more_parameters(self._preset, params or {})}
            sign_in = self._begin(request)
        except Refusal as refusal:
            request.refuse(refusal.status, refusal.message)
            return
        self.log(f"signing in with {self._preset.name}")
        try:
            request.bus.open(authorization_url(self._preset, self._client_id, sign_in, more), timeout=OPENING)
        except Exception as error:  # its text may contain the URL, and that the state
            reason = f"the page of {self._preset.name} could not be opened"
            self._fail(sign_in, Refusal(status_of(error), reason))

    def open_url(self, request: Request, url: str) -> None:
        """Receive the answer for one sign-in."""
        try:
            answer = Answer(url)
            sign_in, problem = self._pending.take(answer.state)
            if sign_in is None:
                raise Refusal(Status.DENIED, problem)
            self._complete(sign_in, answer, problem)
        except Refusal as refusal:
            self.log(f"an answer was refused: {refusal.message}")
            request.refuse(refusal.status, refusal.message)

    def _begin(self, request: Request) -> SignIn:
        """Begin a sign-in that waits. Raises Refusal."""
        try:
            redirect_uri = self._redirect.begin(request.bus)
        except OSError as error:
            raise Refusal(Status.SYSTEM, f"cannot listen for the redirect: {error.strerror}") from None
        sign_in = SignIn(request, redirect_uri, self._forget)
        try:
            self._pending.add(sign_in)
        except Refusal:
            self._redirect.end()
            raise
        request.defer()
        sign_in.begin(LIFE)
        return sign_in

    def _forget(self, sign_in: SignIn) -> None:
        """Forget a sign-in that has ended."""
        self._pending.drop(sign_in)
        self._redirect.end()

    def _complete(self, sign_in: SignIn, answer: Answer, problem: str) -> None:
        """End a sign-in by the answer to its state. Raises Refusal for an answer that is not accepted."""
        if problem:
            self._fail(sign_in, Refusal(Status.TIMEOUT, problem))
            raise Refusal(Status.DENIED, problem)
        try:
            answer.check(self._preset)
        except Refusal as refusal:
            # The service's answer is not understood; PARAM would blame the caller's parameters.
            status = Status.UNKNOWN if refusal.status == Status.PARAM else refusal.status
            self._fail(sign_in, Refusal(status, refusal.message))
            raise
        try:
            code = answer.code()
        except Refusal as refusal:
            self._fail(sign_in, refusal)
            return
        threading.Thread(
            target=self._finish, args=(sign_in, code), name="crosstie sign-in", daemon=True
        ).start()

    def _finish(self, sign_in: SignIn, code: str) -> None:
        """Exchange the code, on a thread of its own."""
        try:
            if self._preset.code_name and not self._client.has_secret:
                info = {self._preset.code_name: code}
            else:
                info = make_info(self._preset, self._client.exchange(sign_in, code))
        except Refusal as refusal:
            self._fail(sign_in, refusal)
        except Exception as error:  # a defect here, or in a library: its text may contain secrets
            reason = f"the code could not be exchanged ({type(error).__name__})"
            self._fail(sign_in, Refusal(Status.UNKNOWN, reason))
        else:
            self.log(f"signed in with {self._preset.name}")
            sign_in.succeed(info)

    def _fail(self, sign_in: SignIn, refusal: Refusal) -> None:
        self.log(f"not signed in with {self._preset.name}: {refusal.message}")
        sign_in.refuse(refusal.status, refusal.message)


def _make_redirect(redirect_uri: str, return_uri: str) -> Redirect:
    parts = split_redirect("redirect_uri", redirect_uri)
    if return_uri:
        parts = split_redirect("return_uri", return_uri)
    if parts.scheme != "http":
        return Redirect(parts, redirect_uri)
    if parts.port is None and return_uri:
        raise ValueError("return_uri needs a port, which the page at redirect_uri must know")
    return LoopbackRedirect(parts, redirect_uri if return_uri else "")
