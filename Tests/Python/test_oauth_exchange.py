"""The exchange of a code: the answers of services, missing ones, and the results."""

import contextlib
import datetime
import http.server
import pathlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from werkzeug import Request, Response

import crosstie
from conftest import WATCHDOG
from crosstie import InfoKey, Status
from crosstie.oauth import GITHUB, QQ, WECHAT, WEIBO, Preset
from oauth_kit import (
    Browser,
    Endpoint,
    add,
    browser,
    endpoint,
    failure,
    info,
    service,
    start,
    start_with_deadline,
)

__all__ = ["browser", "endpoint"]


def sign_in(bus: crosstie.Bus, browser: Browser, platform: str = "example", **options: Any) -> Any:
    """A sign-in that has had its answer."""
    call = start(bus, platform=platform, **options)
    browser.come_back(code="the+code &", state=browser.question()["state"])
    return call


def here(preset: Preset, endpoint: Endpoint) -> Preset:
    """A preset whose endpoints the test plays."""
    return replace(
        preset,
        authorization_endpoint=f"{endpoint.url}/authorize",
        token_endpoint=f"{endpoint.url}/token",
        user_endpoint=f"{endpoint.url}/me" if preset.user_endpoint else "",
    )


# Questions


def test_public_client(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says('{"access_token": "t"}')
    add(bus, service(endpoint))
    assert info(sign_in(bus, browser)) == {"access_token": "t"}
    asked = endpoint.asked[0]
    assert len(asked.pop("code_verifier")[0]) == 43
    assert asked == {
        "method": ["POST"],
        "path": ["/token"],
        "grant_type": ["authorization_code"],
        "code": ["the+code &"],
        "redirect_uri": ["shop://oauth/callback"],
        "client_id": ["desktop"],
    }


def test_client_with_a_secret(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    seen: list[Any] = []

    def answer(request: Request) -> Response:
        seen.append((request.authorization, request.headers["Accept"]))
        return Response('{"access_token": "t"}')

    endpoint.answer = answer
    add(bus, service(endpoint), client_secret="geheim")
    info(sign_in(bus, browser))
    basic, accept = seen[0]
    assert (basic.username, basic.password, accept) == ("desktop", "geheim", "application/json")
    assert "client_secret" not in endpoint.asked[0]


def test_github(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says("access_token=gho_x&scope=repo%2Cgist&token_type=bearer")
    add(bus, here(GITHUB, endpoint), client_secret="geheim")
    assert info(sign_in(bus, browser, "github")) == {
        "access_token": "gho_x", "scope": "repo,gist", "token_type": "bearer"
    }  # fmt: skip
    assert (endpoint.asked[0]["client_id"], endpoint.asked[0]["client_secret"]) == (["desktop"], ["geheim"])


def test_wechat_with_a_secret(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says(
        '{"access_token":"t","expires_in":7200,"refresh_token":"r","openid":"o","scope":"s","unionid":"u"}'
    )
    add(bus, here(WECHAT, endpoint), client_id="wx1", client_secret="geheim")
    answer = info(sign_in(bus, browser, WECHAT.platform))
    assert abs(int(answer.pop("expires_at")) - time.time() - 7200) < 600
    assert answer == {"access_token": "t", "refresh_token": "r", "scope": "s", "openid": "o", "unionid": "u"}
    asked = endpoint.asked[0]
    assert (asked["method"], asked["appid"], asked["secret"]) == (["GET"], ["wx1"], ["geheim"])
    assert "client_id" not in asked and "client_secret" not in asked


def test_wechat_without_a_secret(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    add(bus, here(WECHAT, endpoint), client_id="wx1")
    assert info(sign_in(bus, browser, WECHAT.platform)) == {InfoKey.WECHAT_CODE: "the+code &"}
    assert endpoint.asked == []


@pytest.mark.parametrize("in_a_call", [False, True])
def test_qq(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint, in_a_call: bool) -> None:
    def answer(request: Request) -> Response:
        if request.path == "/token":
            return Response("access_token=t&expires_in=7776000&refresh_token=r")
        me = '{"client_id":"101","openid":"ABCD"}'
        return Response(f"callback( {me} );\n" if in_a_call else me)

    endpoint.answer = answer
    add(bus, here(QQ, endpoint), client_id="101", client_secret="geheim")
    answered = info(sign_in(bus, browser, QQ.platform))
    expires = answered.pop("expires_at")
    assert answered == {
        "access_token": "t", "refresh_token": "r", InfoKey.QQ_ACCESS_TOKEN: "t", InfoKey.QQ_OPEN_ID: "ABCD",
        InfoKey.QQ_EXPIRATION_DATE: expires,
    }  # fmt: skip
    token, me = endpoint.asked
    assert (token["method"], token["client_secret"], token["fmt"]) == (["GET"], ["geheim"], ["json"])
    assert (me["method"], me["path"], me["access_token"], me["fmt"]) == (["GET"], ["/me"], ["t"], ["json"])


def test_qq_does_not_know_the_token(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    def answer(request: Request) -> Response:
        if request.path == "/token":
            return Response("access_token=t&expires_in=7776000")
        return Response('callback( {"error":100016,"error_description":"access token check failed"} );')

    endpoint.answer = answer
    add(bus, here(QQ, endpoint), client_secret="geheim")
    error = failure(sign_in(bus, browser, QQ.platform))
    assert error.status is Status.UNKNOWN
    assert str(error) == "the service refuses the token: 100016 (access token check failed)"


def test_weibo(bus: crosstie.Bus, browser: Browser, endpoint: Endpoint) -> None:
    endpoint.says('{"access_token":"t","expires_in":1234,"remind_in":"798114","uid":"12341234"}')
    add(bus, here(WEIBO, endpoint), client_secret="geheim")
    answered = info(sign_in(bus, browser, WEIBO.platform))
    assert answered[InfoKey.WEIBO_USER_ID] == "12341234"
    assert answered[InfoKey.WEIBO_ACCESS_TOKEN] == answered["access_token"] == "t"
    assert answered[InfoKey.WEIBO_EXPIRATION_DATE] == answered["expires_at"]
    assert InfoKey.WEIBO_REFRESH_TOKEN not in answered and "remind_in" not in answered


# Answers


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"access_token": "t", "expires_in": "soon", "scope": null, "x": [1]}', {"access_token": "t"}),
        ('{"access_token": "t", "expires_at": [], "expires_in": 99999999999999}', {"access_token": "t"}),
        (
            '{"access_token": "t", "refresh_token": "", "id_token": "a.b.c"}',
            {"access_token": "t", "id_token": "a.b.c"},
        ),
        ('\n{"access_token": 7, "token_type": true, "errcode": 0}', {"access_token": "7"}),
        ("\n access_token=t&token_type=Bearer \n", {"access_token": "t", "token_type": "Bearer"}),
    ],
)
def test_answers(
    bus: crosstie.Bus, browser: Browser, endpoint: Endpoint, body: str, expected: dict[str, str]
) -> None:
    endpoint.says(body)
    add(bus, service(endpoint))
    assert info(sign_in(bus, browser)) == expected


REFUSED = "the service refuses the code: "
UNREADABLE = "the service's answer cannot be read (HTTP {})"


@pytest.mark.parametrize(
    ("body", "status", "reported"),
    [
        ('{"error": "bad_verification_code", "error_description": "It is wrong."}', 200,
         REFUSED + "bad_verification_code (It is wrong.)"),
        ('{"error": "invalid_grant"}', 400, REFUSED + "invalid_grant"),
        ('{"error": "temporarily_unavailable"}', 503, REFUSED + "temporarily_unavailable"),
        ('{"errcode": 40029, "errmsg": "invalid code\\u0007"}', 200, REFUSED + "40029 (invalid code)"),
        ('callback( {"error": 100019, "error_description": "code to access token error"} );', 200,
         REFUSED + "100019 (code to access token error)"),
        ("error=incorrect_client_credentials", 200, REFUSED + "incorrect_client_credentials"),
        ('{"access_token": ""}', 200, "the service's answer has no access token"),
        ("{}", 200, "the service's answer has no access token"),
        ("a=b", 200, "the service's answer has no access token"),
        ("", 200, "the service's answer has no access token"),
        ('{"access_token": [1], "scope": "x"}', 200, "the service's answer has no access token"),
        ("", 500, UNREADABLE.format(500)),
        ("<html>Bad gateway</html>", 502, UNREADABLE.format(502)),
        ('{"access_token": "t"}', 403, UNREADABLE.format(403)),
        ('["access_token"]', 200, UNREADABLE.format(200)),
        ('{"access_token": "t"', 200, UNREADABLE.format(200)),
        ("[" * 100_000, 200, UNREADABLE.format(200)),
        ("access_token=a&access_token=b", 200, UNREADABLE.format(200)),
        ("&".join(f"a{i}=1" for i in range(200)), 200, UNREADABLE.format(200)),
        (b'{"access_token": "\xff"}', 200, UNREADABLE.format(200)),
        ('{"access_token": "\\ud800"}', 200, "the service's answer has an unprintable text"),
        ('{"access_token": "a\\nb"}', 200, "the service's answer has an unprintable text"),
        ('{"access_token": "t", "scope": "a\\nb"}', 200, "the service's answer has an unprintable text"),
        ('{"access_token": "' + "x" * 300_000 + '"}', 200,
         "the service's answer is longer than 262,144 bytes"),
    ],
)  # fmt: skip
def test_refused_answers(
    bus: crosstie.Bus, browser: Browser, endpoint: Endpoint, body: str | bytes, status: int, reported: str
) -> None:
    endpoint.says(body, status)
    add(bus, service(endpoint))
    error = failure(sign_in(bus, browser))
    assert (error.status, str(error)) == (Status.UNKNOWN, reported)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(
    bus: crosstie.Bus, browser: Browser, endpoint: Endpoint, status: int
) -> None:
    endpoint.says("", status, Location=f"{endpoint.url}/elsewhere")
    add(bus, service(endpoint))
    error = failure(sign_in(bus, browser))
    assert (error.status, "redirects" in str(error)) == (Status.UNKNOWN, True)
    assert [asked["path"] for asked in endpoint.asked] == [["/token"]]


# Missing answers


def test_no_server(bus: crosstie.Bus, browser: Browser) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    add(bus, Preset(name="example", authorization_endpoint=url, token_endpoint=url))
    error = failure(sign_in(bus, browser))
    assert (error.status, str(error)) == (Status.SYSTEM, "the service could not be reached")


def talk(server: socket.socket, said: bytes) -> None:
    """Says something to the first that comes, and hangs up."""
    connection, _ = server.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(said)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"", Status.SYSTEM),
        (b"nonsense\r\n\r\n", Status.SYSTEM),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", Status.SYSTEM),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", Status.SYSTEM),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", Status.SYSTEM),
    ],
)
def test_broken_connections(bus: crosstie.Bus, browser: Browser, said: bytes, status: Status) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        threading.Thread(target=talk, args=(server, said), daemon=True).start()
        add(bus, Preset(name="example", authorization_endpoint=url, token_endpoint=url))
        assert failure(sign_in(bus, browser)).status is status


@pytest.fixture
def untrusted(tmp_path: pathlib.Path) -> Iterator[str]:
    """The URL of a server whose certificate nobody has signed."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    file = tmp_path / "server.pem"
    file.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + certificate.public_bytes(pem)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"https://localhost:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_certificate(bus: crosstie.Bus, browser: Browser, untrusted: str) -> None:
    add(bus, Preset(name="example", authorization_endpoint=untrusted, token_endpoint=untrusted))
    error = failure(sign_in(bus, browser))
    assert (error.status, str(error)) == (Status.SYSTEM, "the service's certificate is not trusted")


@pytest.mark.parametrize("ends_by", [Status.CANCELLED, Status.TIMEOUT])
def test_a_service_that_hangs_blocks_no_thread(
    bus: crosstie.Bus, browser: Browser, endpoint: Endpoint, ends_by: Status
) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def answer(request: Request) -> Response:
        asked.set()
        go_on.wait(WATCHDOG)
        return Response('{"access_token": "t"}')

    endpoint.answer = answer
    add(bus, service(endpoint))
    if ends_by is Status.CANCELLED:
        call = sign_in(bus, browser, timeout=None)
        assert asked.wait(WATCHDOG)
        call.cancel()
    else:
        call, url = start_with_deadline(bus, browser)
        with contextlib.suppress(crosstie.Error):  # the deadline has been faster
            browser.come_back(code="c", state=dict(parse_qsl(urlsplit(url).query))["state"])
    assert failure(call).status is ends_by
    go_on.set()


def test_a_service_that_never_stops(
    bus: crosstie.Bus, browser: Browser, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crosstie.oauth._deadline.MAX_SECONDS", -1)
    endpoint.says('{"access_token": "t"}')
    add(bus, service(endpoint))
    error = failure(sign_in(bus, browser))
    assert (error.status, str(error)) == (Status.SYSTEM, "the service did not answer in time")
