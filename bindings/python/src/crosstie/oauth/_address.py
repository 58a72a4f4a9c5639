"""Checks of addresses: endpoints must be protected by TLS or local, redirects must belong to this program."""

import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

# Paths that the core's normal form leaves unchanged, so that they can be compared as texts (docs/urls.md).
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*/?")


def check_endpoint(name: str, url: str) -> None:
    """Raise ValueError for an endpoint of a service that is neither https, nor http on a loopback address."""
    parts = _split(name, url)
    if not parts.hostname:
        raise ValueError(f"{name} has no host")
    if parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname)):
        return
    raise ValueError(f"{name} is not https; http is for 127.0.0.1 and [::1] alone")


def split_redirect(name: str, uri: str) -> SplitResult:
    """Return the parts of a redirect URI. Raises ValueError."""
    parts = _split(name, uri)
    if parts.query or "?" in uri:
        raise ValueError(f"{name} has a query")
    if not parts.scheme or not _PATH.fullmatch(parts.path or "/") or not (parts.netloc or parts.path):
        raise ValueError(f"{name} is not a scheme with a plain path, such as shop://oauth/callback")
    if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        # RFC 8252, section 8.3: "localhost" may resolve to another address than this machine's own.
        raise ValueError(f"{name} is http, but its host is neither 127.0.0.1 nor [::1]")
    if parts.scheme == "https" and not parts.hostname:
        raise ValueError(f"{name} has no host")
    if (parts.scheme, parts.port) in (("http", 80), ("https", 443)):
        raise ValueError(f"{name} names the port that its scheme has anyway")
    return parts


def is_loopback(host: str) -> bool:
    """Return whether a host is written as a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _split(name: str, url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_good = "@" not in parts.netloc and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or "#" in url or not url.isprintable() or " " in url:
        raise ValueError(f"{name} is not a plain URL")
    return parts
