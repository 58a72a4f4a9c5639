"""The exchange of a code for a token, at a service's token endpoint."""

from typing import Any

import requests
from authlib.common.urls import add_params_to_uri
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session

from .._status import Status
from ._answer import explain
from ._body import Body
from ._deadline import PATIENCE, Deadline, too_late
from ._info import as_text
from ._presets import Preset
from ._quiet import quiet
from ._refusal import Refusal
from ._signin import SignIn

_HEADERS = {"Accept-Encoding": "identity"}  # so that a body is no longer than it looks


class Client:
    """This program as a client of a service."""

    def __init__(self, preset: Preset, client_id: str, client_secret: str) -> None:
        self._preset = preset
        self._id = client_id
        self._secret = client_secret

    @property
    def has_secret(self) -> bool:
        """Return whether it is a confidential client (RFC 6749, section 2.1)."""
        return bool(self._secret)

    def exchange(self, sign_in: SignIn, code: str) -> dict[str, Any]:
        """Return the fields of the token for a code. Raises Refusal."""
        deadline = Deadline(lambda: sign_in.is_over)
        try:
            with quiet(), self._session(deadline) as session:
                token = self._fetch(session, sign_in, code)
                if self._preset.user_endpoint:
                    return {**self._ask_user(token, deadline), **token}
                return token
        except OAuthError as error:
            message = explain("the service refuses the code", error.error, error.description)
        except requests.exceptions.SSLError:
            raise Refusal(Status.SYSTEM, "the service's certificate is not trusted") from None
        except requests.exceptions.Timeout:
            raise too_late() from None
        except requests.exceptions.RequestException:
            raise Refusal(Status.SYSTEM, "the service could not be reached") from None
        raise Refusal(Status.UNKNOWN, message)

    def _session(self, deadline: Deadline) -> OAuth2Session:
        method = self._preset.client_auth if self._secret else "none"
        session = OAuth2Session(self._id, self._secret, token_endpoint_auth_method=method)
        session.headers.update(_HEADERS)
        session.register_client_auth_method(("query", self._sign_query))
        session.register_compliance_hook("access_token_response", Body)
        deadline.mount(session)
        return session

    def _fetch(self, session: OAuth2Session, sign_in: SignIn, code: str) -> dict[str, Any]:
        token = session.fetch_token(
            self._preset.token_endpoint,
            method="GET" if self._preset.client_auth == "query" else "POST",
            grant_type="authorization_code",
            code=code,
            redirect_uri=sign_in.redirect_uri,
            code_verifier=sign_in.verifier,
            allow_redirects=False,
            stream=True,
            timeout=PATIENCE,
            **self._preset.token_parameters,
        )
        if not as_text(token.get("access_token")):
            raise Refusal(Status.UNKNOWN, "the service's answer has no access token")
        return dict(token)

    def _ask_user(self, token: dict[str, Any], deadline: Deadline) -> dict[str, Any]:
        """Return the fields that another endpoint has about the user, such as QQ's openid."""
        with requests.Session() as session:
            deadline.mount(session)
            response = session.get(
                self._preset.user_endpoint,
                params={"access_token": token["access_token"], **self._preset.token_parameters},
                headers=_HEADERS,
                allow_redirects=False,
                stream=True,
                timeout=PATIENCE,
            )
            fields = Body(response).json()
        if "error" in fields:
            reason = explain(
                "the service refuses the token", fields["error"], fields.get("error_description")
            )
            raise Refusal(Status.UNKNOWN, reason)
        return fields

    def _sign_query(
        self, client: object, method: str, uri: str, headers: Any, body: Any
    ) -> tuple[str, Any, Any]:
        """Authenticate the client in the query, by the service's names."""
        secret = {"client_id": self._id, "client_secret": self._secret}
        return add_params_to_uri(uri, list(self._preset.rename(secret).items())), headers, body
