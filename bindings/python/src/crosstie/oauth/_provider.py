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

#: Seconds that whoever opens the service's page has for that.
OPENING = 30.0


class OAuthProvider(Provider):
    """Signs in with a service by OAuth 2.0 (RFC 6749) in the user's browser, with PKCE (RFC 7636).

    preset         the service: one of `crosstie.oauth`, or a `Preset` of the host's own.
    client_id      what the service calls this program.
    client_secret  what it knows the program by; empty for one that can keep none, such as one that users
                   install.
    redirect_uri   where the service sends the browser back to, as it has been told.
                   "http://127.0.0.1/callback", which is the default, or one with a port, or of [::1]: the
                   provider listens there while somebody signs in, without a port on a new one each time.
                   "shop://oauth/callback": this very process has to be given URLs of that scheme, and hands
                   them to `bus.open(url, origin="remote")`; where the desktop starts a second process for
                   them, the sign-in never gets its answer. "https://…": the same for whoever sees the
                   browser get there.
    return_uri     the URL that arrives at the bus, where a page at `redirect_uri` sends the browser on to
                   another.
    scope          what is asked for: a text, or several; empty: the preset's.
    parameters     what else the service's page is told.
    name           the provider's, unique on its bus; empty: "oauth." and the preset's.
    clock          seconds from anywhere, for the ten minutes of a state; by default they go on while the
                   machine sleeps.

    `bus.oauth(platform, params)` opens the service's page by the bus and waits for the person. `params` may
    name a "scope" and whatever the page is to be told besides. The answer is a map of texts: `access_token`
    and its like, and for WeChat, QQ and Weibo those of `crosstie.InfoKey`.

    It fails with USER_CANCELLED, UNKNOWN (the service refuses, or its answer cannot be read), SYSTEM (it
    cannot be reached, or the redirect's port is taken), DENIED (the answer is from another service), PARAM,
    TIMEOUT (no answer in ten minutes), BUSY (64 sign-ins wait), or what opening the page fails with. An
    answer that no sign-in of this provider waits for is refused to whoever brings it, with PARAM or DENIED,
    and ends no sign-in.

    Raises ValueError for an address that is no good. Threads: any, several at a time.
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
        """Whether a URL is the redirect's."""
        return self._redirect.claims(url)

    def oauth(self, request: Request, params: Mapping[str, Any] | None, options: object) -> None:
        """Sign in: open the service's page, and leave the request to the answer."""
        try:
            more = {**self._more, **more_parameters(self._preset, params or {})}
            sign_in = self._begin(request)
        except Refusal as refusal:
            request.refuse(refusal.status, refusal.message)
            return
        self.log(f"signing in with {self._preset.name}")
        try:
            request.bus.open(authorization_url(self._preset, self._client_id, sign_in, more), timeout=OPENING)
        except Exception as error:  # its text may hold the URL, and that the state
            reason = f"the page of {self._preset.name} could not be opened"
            self._fail(sign_in, Refusal(status_of(error), reason))

    def open_url(self, request: Request, url: str) -> None:
        """Take the answer, of which one sign-in is told."""
        try:
            answer = Answer(url)
            sign_in, problem = self._pending.take(answer.state)
            if sign_in is None:
                raise Refusal(Status.DENIED, problem)
            self._settle(sign_in, answer, problem)
        except Refusal as refusal:
            self.log(f"an answer was refused: {refusal.message}")
            request.refuse(refusal.status, refusal.message)

    def _begin(self, request: Request) -> SignIn:
        """A sign-in that waits. Raises Refusal."""
        try:
            redirect_uri = self._redirect.begin(request.bus)
        except OSError as error:
            raise Refusal(Status.SYSTEM, f"the redirect cannot be listened for: {error.strerror}") from None
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
        """Called when a sign-in has ended, however it did."""
        self._pending.drop(sign_in)
        self._redirect.end()

    def _settle(self, sign_in: SignIn, answer: Answer, problem: str) -> None:
        """Have a sign-in end by the answer to its state. Raises Refusal for an answer that is no good."""
        if problem:
            self._fail(sign_in, Refusal(Status.TIMEOUT, problem))
            raise Refusal(Status.DENIED, problem)
        try:
            answer.check(self._preset)
        except Refusal as refusal:
            # The service cannot be understood; PARAM would blame whoever signs in.
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
        """Exchange the code, on a thread that nobody waits for."""
        try:
            if self._preset.code_name and not self._client.has_secret:
                info = {self._preset.code_name: code}
            else:
                info = make_info(self._preset, self._client.exchange(sign_in, code))
        except Refusal as refusal:
            self._fail(sign_in, refusal)
        except Exception as error:  # a defect here, or in a library: its text may hold anything
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
        raise ValueError("return_uri needs a port, which the page at redirect_uri has to know")
    return LoopbackRedirect(parts, redirect_uri if return_uri else "")
