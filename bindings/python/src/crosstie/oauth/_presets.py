"""Services that sign people in, and how each of them differs from RFC 6749."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .. import InfoKey, Platform
from ._address import check_endpoint


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A service. `dataclasses.replace()` makes one that differs a little, such as that of another host.

    name                    for people, and for the provider's name: letters, digits, `_`, `.`, `-`.
    authorization_endpoint  where the browser is sent. Endpoints are https, or http on 127.0.0.1 or [::1].
    token_endpoint          where a code is exchanged for a token.
    platform                what `Bus.oauth()` asks for; empty: the name.
    issuer                  its issuer identifier (RFC 9207); an answer from another one is refused.
    requires_issuer         whether an answer that does not say from whom it is is refused, too.
    scope                   what is asked for where nobody says otherwise.
    scope_separator         what stands between two scopes.
    client_auth             how a client secret is told: "client_secret_basic", "client_secret_post", or
                            "query", which asks the token endpoint with GET. Without a secret the client
                            identifier alone is told.
    parameters              what else the authorization endpoint is told.
    token_parameters        what else the other endpoints are told.
    renamed                 parameters that the service has names of its own for.
    fragment                the fragment of the authorization URL.
    user_endpoint           what is asked about the user afterwards, with GET and the token in the query;
                            empty: nothing.
    silence_is_no           whether an answer with neither code nor error says that the user did not want to.
    code_name               the name in the info map of the code itself, which is the answer of a client
                            without a secret; empty: codes are always exchanged.
    info                    names in the info map, and the fields of the answer that stand under them, beside
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
        """Parameters by the names that the service has for them."""
        return {self.renamed.get(name, name): value for name, value in parameters.items()}


#: https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
#: A form is answered unless JSON is asked for. Takes any port of a loopback redirect.
GITHUB = Preset(
    name="github",
    authorization_endpoint="https://github.com/login/oauth/authorize",
    token_endpoint="https://github.com/login/oauth/access_token",
    client_auth="client_secret_post",
)

#: https://developers.google.com/identity/protocols/oauth2/native-app
#: A desktop application has a secret, which is none; takes any port of a loopback redirect.
GOOGLE = Preset(
    name="google",
    authorization_endpoint="https://accounts.google.com/o/oauth2/v2/auth",
    token_endpoint="https://oauth2.googleapis.com/token",
    issuer="https://accounts.google.com",
    scope="openid",
    client_auth="client_secret_post",
)

#: https://developers.weixin.qq.com/doc/oplatform/Website_App/WeChat_Login/Wechat_Login.html
#: The client has other names, the fragment has to be there, and who denies is sent back without a code.
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
#: Answers a form, and JSON in a call, unless `fmt` asks otherwise; another endpoint tells who the user is.
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
