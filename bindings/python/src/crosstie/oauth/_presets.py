"""Services that sign people in, and their differences from RFC 6749."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .. import InfoKey, Platform
from ._address import check_endpoint


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A service. `dataclasses.replace()` makes one that differs a little, such as that of another host.

    name                    for people, and for the provider's name: letters, digits, `_`, `.`, `-`.
    authorization_endpoint  the URL that the browser opens. Endpoints are https, or http on 127.0.0.1 or [::1].
    token_endpoint          the URL where a code is exchanged for a token.
    platform                the platform for `Bus.oauth()`; empty: the name.
    issuer                  its issuer identifier (RFC 9207); an answer from another one is refused.
    requires_issuer         whether an answer without an issuer is refused, too.
    scope                   the default scope.
    scope_separator         the text between two scopes.
    client_auth             the way a client secret is sent: "client_secret_basic", "client_secret_post", or
                            "query", with a GET of the token endpoint. Without a secret the client identifier
                            alone is sent.
    parameters              further parameters for the authorization endpoint.
    token_parameters        further parameters for the other endpoints.
    renamed                 the service's own names of parameters, by their usual names.
    fragment                the fragment of the authorization URL.
    user_endpoint           the URL for data about the user, read with GET and the token in the query; empty:
                            none.
    silence_is_no           whether an answer with neither code nor error means that the user cancelled.
    code_name               the name in the info map of the code itself, which is the answer of a client
                            without a secret; empty: codes are always exchanged.
    info                    names in the info map, and the fields of the answer for them, beside
                            `access_token`, `refresh_token`, `token_type`, `expires_at`, `scope`, `id_token`.

    Raises ValueError for an endpoint that is not https.
    """

    name: str
    authorization_endpoint: str
    token_endpoint: str
    platform: Platform = Platform("")
    issuer: str = ""
    requires_issuer: bool = False
    scope: str = ""
    scope_separator: str = " "
    client_auth: Literal["client_secret_basic", "client_secret_post", "query"] = "client_secret_basic"
    parameters: Mapping[str, str] = field(default_factory=dict)
    token_parameters: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    fragment: str = ""
    user_endpoint: str = ""
    silence_is_no: bool = False
    code_name: str = ""
    info: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_endpoint("authorization_endpoint", self.authorization_endpoint)
        check_endpoint("token_endpoint", self.token_endpoint)
        if self.user_endpoint:
            check_endpoint("user_endpoint", self.user_endpoint)
        if self.requires_issuer and not self.issuer:
            raise ValueError("requires_issuer needs an issuer")

    def rename(self, parameters: Mapping[str, str]) -> dict[str, str]:
        """Return parameters by the service's names."""
        return {self.renamed.get(name, name): value for name, value in parameters.items()}


#: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
#: Answers a form by default. Accepts any port of a loopback redirect.
GITHUB = Preset(
    name="github",
    authorization_endpoint="https://github.com/login/oauth/authorize",
    token_endpoint="https://github.com/login/oauth/access_token",
    client_auth="client_secret_post",
)

#: https://developers.google.com/identity/protocols/oauth2/native-app
#: A desktop application has a secret, which is not confidential. Accepts any port of a loopback redirect.
GOOGLE = Preset(
    name="google",
    authorization_endpoint="https://accounts.google.com/o/oauth2/v2/auth",
    token_endpoint="https://oauth2.googleapis.com/token",
    issuer="https://accounts.google.com",
    scope="openid",
    client_auth="client_secret_post",
)

#: https://developers.weixin.qq.com/doc/oplatform/Website_App/WeChat_Login/Wechat_Login.html
#: The client's parameters have other names, the fragment is required, and a denial is a redirect without a code.
WECHAT = Preset(
    name="wechat",
    platform=Platform.WECHAT,
    authorization_endpoint="https://open.weixin.qq.com/connect/qrconnect",
    token_endpoint="https://api.weixin.qq.com/sns/oauth2/access_token",
    scope="snsapi_login",
    scope_separator=",",
    client_auth="query",
    renamed={"client_id": "appid", "client_secret": "secret"},
    fragment="wechat_redirect",
    silence_is_no=True,
    code_name=InfoKey.WECHAT_CODE,
    info={"openid": "openid", "unionid": "unionid"},
)

#: https://wiki.connect.qq.com/使用authorization_code获取access_token
#: https://wiki.connect.qq.com/获取用户openid_oauth2-0
#: Answers a form, or JSON in a call, unless `fmt` is "json". Another endpoint has the user's openid.
QQ = Preset(
    name="qq",
    platform=Platform.QQ,
    authorization_endpoint="https://graph.qq.com/oauth2.0/authorize",
    token_endpoint="https://graph.qq.com/oauth2.0/token",
    scope_separator=",",
    client_auth="query",
    token_parameters={"fmt": "json"},
    user_endpoint="https://graph.qq.com/oauth2.0/me",
    info={
        InfoKey.QQ_ACCESS_TOKEN: "access_token",
        InfoKey.QQ_EXPIRATION_DATE: "expires_at",
        InfoKey.QQ_OPEN_ID: "openid",
    },
)

#: https://open.weibo.com/wiki/Oauth2/authorize and https://open.weibo.com/wiki/Oauth2/access_token
WEIBO = Preset(
    name="weibo",
    platform=Platform.WEIBO,
    authorization_endpoint="https://api.weibo.com/oauth2/authorize",
    token_endpoint="https://api.weibo.com/oauth2/access_token",
    scope_separator=",",
    client_auth="client_secret_post",
    info={
        InfoKey.WEIBO_ACCESS_TOKEN: "access_token",
        InfoKey.WEIBO_EXPIRATION_DATE: "expires_at",
        InfoKey.WEIBO_REFRESH_TOKEN: "refresh_token",
        InfoKey.WEIBO_USER_ID: "uid",
    },
)
