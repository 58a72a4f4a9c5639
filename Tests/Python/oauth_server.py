"""An authorization server on loopback: Authlib's, with pages for a person. It demands PKCE by S256."""

from __future__ import annotations

import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

import flask
import requests
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, InvalidRequestError, grants
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9207 import IssuerParameter
from werkzeug.serving import WSGIRequestHandler, make_server

USER, PASSWORD = "alice", "correct horse"
SECRET = "not-so-secret-of-the-shop"

LOGIN = """<!doctype html><title>Log in</title><form method="post" action="/login?{query}">
<input name="username" id="username"><input name="password" id="password" type="password">
<button id="login">Log in</button></form>"""
CONSENT = """<!doctype html><title>Allow?</title><form method="post" action="/authorize?{query}">
<p>{client} asks for: {scope}</p><button name="answer" value="allow" id="allow">Allow</button>
<button name="answer" value="deny" id="deny">Deny</button></form>"""


@dataclass
class Client(ClientMixin):
    """One that may use the server; RFC 8252 has the port of a loopback redirect left open."""

    client_id: str
    secret: str = field(repr=False)
    redirects: tuple[str, ...]

    def get_client_id(self) -> str:
        return self.client_id

    def get_default_redirect_uri(self) -> str:
        return ""

    def get_allowed_scope(self, scope: Collection[str] | str) -> str:
        return scope if isinstance(scope, str) else " ".join(scope)

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return any(redirect_uri == known or _without_port(redirect_uri) == known for known in self.redirects)

    def check_client_secret(self, client_secret: str) -> bool:
        return bool(self.secret) and client_secret == self.secret

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return (method == "none") == (not self.secret)

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in ("authorization_code", "refresh_token")


@dataclass
class Code:
    """A code that was given out."""

    code: str
    client_id: str
    redirect_uri: str
    scope: str
    code_challenge: str
    code_challenge_method: str

    def get_redirect_uri(self) -> str:
        return self.redirect_uri

    def get_scope(self) -> str:
        return self.scope


@dataclass
class Record:
    """The requests that the server received, and the tokens it issued."""

    codes: dict[str, Code] = field(default_factory=dict)
    tokens: list[dict[str, Any]] = field(default_factory=list)
    verifiers: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


class DemandedChallenge(CodeChallenge):
    """PKCE by S256, which may not be left out."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        if grant.request.payload.data.get("code_challenge_method") != "S256":
            raise InvalidRequestError("S256 is needed")
        super().validate_code_challenge(grant, redirect_uri)


def make_grant(record: Record) -> type[grants.AuthorizationCodeGrant]:
    """The authorization code grant, with what it has to remember."""

    class Grant(grants.AuthorizationCodeGrant):
        TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"]

        def save_authorization_code(self, code: str, request: Any) -> None:
            data = request.payload.data
            record.codes[code] = Code(
                code,
                request.client.client_id,
                request.payload.redirect_uri,
                request.payload.scope,
                data["code_challenge"],
                data["code_challenge_method"],
            )

        def query_authorization_code(self, code: str, client: Any) -> Code | None:
            found = record.codes.get(code)
            return found if found and found.client_id == client.client_id else None

        def delete_authorization_code(self, authorization_code: Any) -> None:
            del record.codes[authorization_code.code]

        def authenticate_user(self, authorization_code: Any) -> str:
            return USER

    return Grant


class Server:
    """The server, while the context is entered. `url` is where it is, and its issuer identifier."""

    def __init__(self) -> None:
        self.record = Record()
        self._app = flask.Flask("authorization server")
        self._app.secret_key = "for the cookies of a test"
        self._app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
        self._http = make_server("127.0.0.1", 0, self._app, threaded=True, request_handler=_SilentHandler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        self._clients = {
            client.client_id: client
            for client in (
                Client(
                    "desktop",
                    "",
                    ("http://127.0.0.1/callback", "http://[::1]/callback", "shop://oauth/callback"),
                ),
                Client("shop", SECRET, ("http://127.0.0.1/callback", "shop://oauth/callback")),
            )
        }
        self._oauth: Any = self._make_oauth()
        self._add_pages()

    def _make_oauth(self) -> AuthorizationServer:
        server = AuthorizationServer(
            self._app, self._clients.get, lambda token, request: self.record.tokens.append(token)
        )
        server.register_grant(make_grant(self.record), [DemandedChallenge(required=True)])
        issuer = type("Issuer", (IssuerParameter,), {"get_issuer": lambda _: self.url})()
        server.register_extension(issuer)
        return server

    def _add_pages(self) -> None:
        app = self._app

        @app.before_request
        def note() -> None:
            request = flask.request
            reported = f" {urlencode(list(request.form.items(multi=True)))}" if request.path == "/token" else ""
            self.record.requests.append(f"{request.method} {request.full_path.rstrip('?')}{reported}")
            self.record.verifiers += request.form.getlist("code_verifier")

        @app.get("/authorize")
        def ask() -> Any:
            if flask.session.get("user") != USER:
                return LOGIN.format(query=_query())
            grant = self._oauth.get_consent_grant(end_user=USER)
            return CONSENT.format(
                query=_query(), client=grant.client.client_id, scope=grant.request.payload.scope
            )

        @app.post("/login")
        def login() -> Any:
            if flask.request.form["username"] == USER and flask.request.form["password"] == PASSWORD:
                flask.session["user"] = USER
            return flask.redirect(f"/authorize?{_query()}")

        @app.post("/authorize")
        def answer() -> Any:
            user = USER if flask.request.form["answer"] == "allow" else None
            return self._oauth.create_authorization_response(
                grant=self._oauth.get_consent_grant(end_user=USER), grant_user=user
            )

        @app.post("/token")
        def token() -> Any:
            return self._oauth.create_token_response()

    def __enter__(self) -> Server:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()


class _SilentHandler(WSGIRequestHandler):
    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002
        """Log nothing: the log would mix with the client's output."""


def visit(url: str, *, allow: bool = True) -> str:
    """Does what a person does in a browser, and returns where the server sends it then."""
    with requests.Session() as session:
        session.trust_env = False
        page = session.get(url)
        assert "Log in" in page.text, page.text
        page = session.post(
            page.url.replace("/authorize", "/login"), {"username": USER, "password": PASSWORD}
        )
        assert "Allow?" in page.text, page.text
        answer = session.post(page.url, {"answer": "allow" if allow else "deny"}, allow_redirects=False)
        return answer.headers["Location"]


def _query() -> str:
    return flask.request.query_string.decode()


def _without_port(uri: str) -> str:
    head, _, tail = uri.rpartition(":")
    return head + tail.lstrip("0123456789") if head.startswith("http:") else uri
