"""Sign-ins end in time, however slowly a token endpoint answers, and leave no thread behind."""

import contextlib
import datetime
import pathlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

import crosstie
from conftest import WATCHDOG
from crosstie import Status
from crosstie.oauth import Preset
from oauth_kit import Browser, add, browser, failure, start

__all__ = ["browser"]

OK = b"HTTP/1.1 200 OK\r\n"
#: The beginning of an answer, sent at once, and the piece that is then sent for ever.
SLOW = {
    "status line": (b"HTTP/1.1 200 O", b"K"),
    "status lines": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "header": (OK + b"X-Slow: ", b"s"),
    "body": (OK + b"Content-Length: 200000\r\n\r\n", b" "),
    "body until the end": (OK + b"\r\n", b" "),
    "size of a chunk": (OK + b"Transfer-Encoding: chunked\r\n\r\n1;", b"x"),
    "chunks": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "trailer": (OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX-Slow: ", b"s"),
}


class Service:
    """Says something to each that comes, and then pieces without an end."""

    def __init__(self, said: bytes, piece: bytes, context: ssl.SSLContext | None = None) -> None:
        self.asked = threading.Event()
        self._said, self._piece, self._context = said, piece, context
        self._is_over = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        scheme = "https" if context else "http"
        self.url = f"{scheme}://{'localhost' if context else '127.0.0.1'}:{self._server.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            stack.callback(connection.close)
            if self._context is not None:
                connection = stack.enter_context(self._context.wrap_socket(connection, server_side=True))
            connection.recv(65536)
            connection.sendall(self._said)
            self.asked.set()
            while not self._is_over.wait(0.01):
                connection.sendall(self._piece)

    def close(self) -> None:
        self._is_over.set()
        self._server.close()


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosstie.oauth._deadline.MAX_SECONDS", 0.5)


@pytest.fixture
def trusted(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """Make a certificate that clients here trust."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    public, secret = tmp_path / "public.pem", tmp_path / "secret.pem"
    public.write_bytes(certificate.public_bytes(pem))
    secret.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(public))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, secret)
    return context


@contextlib.contextmanager
def serving(said: bytes, piece: bytes, context: ssl.SSLContext | None = None) -> Iterator[Service]:
    service = Service(said, piece, context)
    try:
        yield service
    finally:
        service.close()


def preset(service: Service) -> Preset:
    return Preset(name="example", authorization_endpoint=service.url, token_endpoint=service.url)


def sign_in(bus: crosstie.Bus, browser: Browser, preset: Preset) -> Any:
    add(bus, preset)
    call = start(bus, timeout=None)
    browser.come_back(code="c", state=browser.question()["state"])
    return call


def wait_for_threads() -> None:
    """Until no thread is left that exchanges a code, which is soon."""
    end = time.monotonic() + WATCHDOG
    while any(thread.name == "crosstie sign-in" for thread in threading.enumerate()):
        assert time.monotonic() < end, "a thread with a secret is left behind"
        time.sleep(0.01)


def check_too_late(call: Any) -> None:
    error = failure(call)
    assert (error.status, str(error)) == (Status.SYSTEM, "the service did not answer in time")
    wait_for_threads()


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize("what", SLOW)
def test_a_trickle(bus: crosstie.Bus, browser: Browser, what: str) -> None:
    with serving(*SLOW[what]) as service:
        check_too_late(sign_in(bus, browser, preset(service)))


@pytest.mark.usefixtures("hurry")
@pytest.mark.parametrize("what", SLOW)
def test_a_trickle_by_tls(
    bus: crosstie.Bus, browser: Browser, what: str, trusted: ssl.SSLContext
) -> None:
    with serving(*SLOW[what], trusted) as service:
        check_too_late(sign_in(bus, browser, preset(service)))


@pytest.mark.usefixtures("hurry")
def test_a_trickling_handshake(bus: crosstie.Bus, browser: Browser) -> None:
    with serving(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc", b"\x03") as service:
        slow = replace(preset(service), token_endpoint=service.url.replace("http:", "https:"))
        check_too_late(sign_in(bus, browser, slow))


@pytest.mark.usefixtures("hurry")
def test_a_trickle_about_the_user(bus: crosstie.Bus, browser: Browser) -> None:
    body = b'{"access_token": "t"}'
    reported = OK + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    with serving(reported, b"") as token, serving(*SLOW["header"]) as user:
        check_too_late(sign_in(bus, browser, replace(preset(token), user_endpoint=user.url)))


@pytest.mark.usefixtures("hurry")
def test_a_trickling_proxy(
    bus: crosstie.Bus, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(*SLOW["status line"]) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        monkeypatch.setenv("NO_PROXY", "")
        slow = replace(preset(proxy), token_endpoint="https://service.invalid/token")
        check_too_late(sign_in(bus, browser, slow))


def test_silence(bus: crosstie.Bus, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crosstie.oauth._deadline.PATIENCE", 0.1)
    monkeypatch.setattr("crosstie.oauth._deadline.MAX_SECONDS", 10 * WATCHDOG)
    with serving(OK, b"") as service:
        check_too_late(sign_in(bus, browser, preset(service)))


def test_a_cancelled_sign_in_stops_the_exchange(bus: crosstie.Bus, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PATIENCE", "MAX_SECONDS"):
        monkeypatch.setattr(f"crosstie.oauth._deadline.{name}", 10 * WATCHDOG)
    with serving(OK, b"") as service:
        call = sign_in(bus, browser, preset(service))
        assert service.asked.wait(WATCHDOG)
        assert call.cancel()
        assert failure(call).status is Status.CANCELLED
        wait_for_threads()


def test_several_addresses(
    bus: crosstie.Bus, browser: Browser, monkeypatch: pytest.MonkeyPatch, trusted: ssl.SSLContext
) -> None:
    """One after the other is asked, by the name that the certificate has to be for."""
    body = b'{"access_token": "t"}'
    reported = OK + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    resolve = socket.getaddrinfo

    def several(host: str, *args: Any, **keywords: Any) -> Any:
        names = ("127.0.0.2", "127.0.0.1") if host == "localhost" else (host,)
        return [entry for name in names for entry in resolve(name, *args, **keywords)]

    monkeypatch.setattr(socket, "getaddrinfo", several)
    with serving(reported, b"", trusted) as service:
        assert sign_in(bus, browser, preset(service)).result(WATCHDOG) == {"access_token": "t"}


def test_no_address(bus: crosstie.Bus, browser: Browser) -> None:
    with serving(OK, b"") as service:
        error = failure(sign_in(bus, browser, replace(preset(service), token_endpoint="https://nobody.invalid/")))
        assert (error.status, str(error)) == (Status.SYSTEM, "the service could not be reached")
        wait_for_threads()
