"""Signing in by OAuth 2.0: a provider for `crosstie.Bus`, and services that it knows.

    import crosstie
    from crosstie.oauth import GITHUB, OAuthProvider

    bus = crosstie.Bus("shop")
    bus.providers.add(OAuthProvider(GITHUB, client_id="…", client_secret="…"))
    token = bus.oauth(crosstie.Platform("github"))["access_token"]

It needs the extra: `pip install "crosstie[oauth]"`.
"""

try:
    from ._presets import GITHUB, GOOGLE, QQ, WECHAT, WEIBO, Preset
    from ._provider import OAuthProvider
except ModuleNotFoundError:
    raise ImportError('crosstie.oauth needs its extra: pip install "crosstie[oauth]"') from None

__all__ = ["GITHUB", "GOOGLE", "QQ", "WECHAT", "WEIBO", "OAuthProvider", "Preset"]
