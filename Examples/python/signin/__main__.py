"""Signs in with a service in the browser. The answer comes back to a port of this machine.

It needs neither network nor person: service.py stands for the service, and a function for the browser.
"""

import urllib.request

import crosstie
from crosstie.oauth import OAuthProvider, Preset
from service import Service

bus = crosstie.Bus("shop")
service = Service()


# In real life this is left out, and the bus starts the user's browser.
@bus.system_opener
def browse(request: crosstie.Request) -> None:
    with urllib.request.urlopen(request.url) as page:
        print("the browser is shown:", page.read().decode().partition("<p>")[2].partition("</p>")[0])


# [add]
preset = Preset(
    name="example",
    authorization_endpoint=f"{service.url}/authorize",
    token_endpoint=f"{service.url}/token",
    issuer=service.url,
)
bus.providers.add(OAuthProvider(preset, client_id="desktop-shop", redirect_uri="http://127.0.0.1/signed-in"))
# [end]

# [signin]
answer = bus.oauth(crosstie.Platform("example"), {"scope": "profile"})
print("signed in:", ", ".join(sorted(answer)))
# [end]

service.allows = False
try:
    bus.oauth(crosstie.Platform("example"))
except crosstie.Error as error:
    print(f"not signed in: {crosstie.Status(error.status).name}, {error}")
