"""The Python part of signin.c: a provider on the bus of both, a service, and a browser."""

import atexit

import crosstie
from crosstie.oauth import OAuthProvider, Preset
from oauth_server import Server, visit

REDIRECT = "shop://oauth/callback"

server = Server()
server.__enter__()
atexit.register(server.__exit__, None, None, None)

bus = crosstie.Bus.shared("signing in")
preset = Preset(
    name="example",
    authorization_endpoint=f"{server.url}/authorize",
    token_endpoint=f"{server.url}/token",
    issuer=server.url,
    requires_issuer=True,
)
bus.providers.add(OAuthProvider(preset, client_id="desktop", redirect_uri=REDIRECT))


@bus.system_opener
def browse(request: crosstie.Request) -> None:
    bus.open(visit(request.url, allow="scope=allowed" in request.url), origin="remote")
