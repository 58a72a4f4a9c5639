"""The URL that asks a service to sign somebody in (RFC 6749, section 4.1.1; RFC 7636, section 4.3)."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from authlib.oauth2.rfc7636 import create_s256_code_challenge

from .._status import Status
from ._presets import Preset
from ._refusal import Refusal
from ._signin import SignIn

#: Parameters that only the provider sets; "response_mode" and the others would change the way the answer comes.
RESERVED = frozenset(
    (
        "appid",
        "client_id",
        "client_secret",
        "code_challenge",
        "code_challenge_method",
        "redirect_uri",
        "request",
    )
    + ("request_uri", "response_mode", "response_type", "state")
)


def join_scope(preset: Preset, scope: str | Sequence[str]) -> str:
    """Return the scopes in the service's form; without any, the preset's."""
    return (scope if isinstance(scope, str) else preset.scope_separator.join(scope)) or preset.scope


def more_parameters(preset: Preset, params: Mapping[str, Any]) -> dict[str, str]:
    """Return further parameters of the URL: texts, numbers, booleans, under "scope" also a list. Raises Refusal."""
    more: dict[str, str] = {}
    for name, value in params.items():
        if name in RESERVED:
            raise Refusal(Status.PARAM, f"{name}: only the provider sets this")
        more[name] = check_utf8(name, _text(preset, check_utf8("a parameter's name", name), value))
    return more


def check_utf8(what: str, text: str) -> str:
    """Return a text for a URL or form. Raises Refusal for one that is not valid UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Refusal(Status.UTF8, f"{what} is not valid UTF-8") from None
    return text


def authorization_url(preset: Preset, client_id: str, sign_in: SignIn, more: Mapping[str, str]) -> str:
    """Return the URL that the browser opens."""
    parameters = {
        "client_id": client_id,
        "redirect_uri": sign_in.redirect_uri,
        "response_type": "code",
        "scope": more.get("scope", ""),
        "state": sign_in.state,
        "code_challenge": create_s256_code_challenge(sign_in.verifier),  # type: ignore[no-untyped-call]
        "code_challenge_method": "S256",
    }
    present = {name: value for name, value in {**parameters, **more}.items() if value}
    query = urlencode(preset.rename(present), quote_via=quote)
    mark = "&" if "?" in preset.authorization_endpoint else "?"
    return f"{preset.authorization_endpoint}{mark}{query}" + (
        f"#{preset.fragment}" if preset.fragment else ""
    )


def _text(preset: Preset, name: str, value: Any) -> str:
    if name == "scope" and isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return join_scope(preset, value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise Refusal(Status.PARAM, f"{name}: a text, number or boolean is needed")
