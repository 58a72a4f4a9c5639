"""Stands for a service that people sign in with: its two endpoints, on this machine.

Its page asks nobody, but allows at once, or denies; a real one asks the person in the browser first.
"""

import base64
import hashlib
import http.server
import json
import secrets
import threading
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit


class Service:
    """Runs until the program ends. `url` is where it is."""

    def __init__(self) -> None:
        self.allows = True
        self.challenges: dict[str, str] = {}  # by code
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.service = self  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser is sent back to."""
        answer = {"state": asked["state"], "iss": self.url}
        if self.allows:
            answer["code"] = secrets.token_urlsafe()
            self.challenges[answer["code"]] = asked["code_challenge"]
        else:
            answer["error"] = "access_denied"
        return f"{asked['redirect_uri']}?{urlencode(answer)}"

    def exchange(self, asked: dict[str, str]) -> dict[str, Any]:
        """A token for a code, whose verifier is known only to its client."""
        digest = hashlib.sha256(asked["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if self.challenges.pop(asked["code"], None) != challenge:
            return {"error": "invalid_grant"}
        return {"access_token": secrets.token_urlsafe(), "token_type": "Bearer", "expires_in": 3600}


class Handler(http.server.BaseHTTPRequestHandler):
    """The endpoints."""

    @property
    def service(self) -> Service:
        service: Service = self.server.service  # type: ignore[attr-defined]
        return service

    def do_GET(self) -> None:
        """The authorization endpoint."""
        self.send_response(302)
        self.send_header("Location", self.service.authorize(dict(parse_qsl(urlsplit(self.path).query))))
        self.end_headers()

    def do_POST(self) -> None:
        """The token endpoint."""
        form = self.rfile.read(int(self.headers["Content-Length"])).decode()
        body = json.dumps(self.service.exchange(dict(parse_qsl(form)))).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Log nothing."""
