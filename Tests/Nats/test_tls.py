"""TLS: trusted, unknown, expired and foreign certificates."""

import crosstie
import pytest
from certificates import Authority, server_tls
from waiting import state_of


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


def address(server) -> str:
    return server.address.replace("nats://", "tls://")


def test_a_trusted_server(make_server, opened, authority):
    server = make_server(server_tls(*authority.issue("right")))
    shop = opened(address(server), tls_ca=authority.certificate)
    shop.send("x", 1)
    assert opened(address(server), tls_ca=str(authority.certificate))["x"] == 1
    assert state_of(shop) == "connected"


def test_by_name(make_server, opened, authority):
    server = make_server(server_tls(*authority.issue("named", "DNS:localhost")))
    opened(f"tls://localhost:{server.port}", tls_ca=authority.certificate).send("x", 1)


@pytest.mark.parametrize(
    "issue",
    [
        {"name": "expired", "days": -1},
        {"name": "elsewhere", "hosts": "DNS:elsewhere.example"},
        {"name": "neighbor", "hosts": "IP:127.0.0.2,DNS:localhost.example"},
    ],
    ids=lambda issue: issue["name"],
)
def test_a_wrong_certificate(make_server, authority, issue):
    server = make_server(server_tls(*authority.issue(**issue)))
    with pytest.raises(crosstie.StoreError) as caught:
        crosstie.Wormhole(f"{address(server)}/shop", timeout=60, tls_ca=authority.certificate)
    assert caught.value.status == crosstie.Status.UNSAFE


def test_an_unknown_authority(make_server, authority, tmp_path):
    server = make_server(server_tls(*authority.issue("unknown")))
    for trusted in ({}, {"tls_ca": Authority(tmp_path / "other").certificate}):
        with pytest.raises(crosstie.StoreError) as caught:
            crosstie.Wormhole(f"{address(server)}/shop", timeout=60, **trusted)
        assert caught.value.status == crosstie.Status.UNSAFE


def test_a_certificate_that_signs_itself(make_server, authority, tmp_path):
    own = Authority(tmp_path / "own", "127.0.0.1")
    server = make_server(server_tls(own.certificate, own.key))
    with pytest.raises(crosstie.StoreError) as caught:
        crosstie.Wormhole(f"{address(server)}/shop", timeout=60, tls_ca=authority.certificate)
    assert caught.value.status == crosstie.Status.UNSAFE


def test_a_server_without_tls(server, authority):
    """The address says TLS: nothing is sent without it."""
    with pytest.raises(crosstie.Error):
        crosstie.Wormhole(f"{address(server)}/shop", timeout=5, tls_ca=authority.certificate)


def test_a_client_with_a_certificate(make_server, opened, authority):
    config = server_tls(*authority.issue("strict"), authority.certificate)
    server = make_server(config)
    certificate, key = authority.issue("client")
    shop = opened(address(server), tls_ca=authority.certificate, tls_certificate=certificate, tls_key=key)
    shop.send("x", 1)
    with pytest.raises(crosstie.Error):
        crosstie.Wormhole(f"{address(server)}/shop", timeout=5, tls_ca=authority.certificate)


@pytest.mark.parametrize("option", ["tls_ca", "tls_certificate"])
def test_missing_files(make_server, authority, tmp_path, option):
    server = make_server(server_tls(*authority.issue("files")))
    options = {"tls_ca": authority.certificate, option: tmp_path / "missing.pem"}
    if option == "tls_certificate":
        options["tls_key"] = tmp_path / "missing.key"
    with pytest.raises(crosstie.Error) as caught:
        crosstie.Wormhole(f"{address(server)}/shop", timeout=60, **options)
    assert "missing." in str(caught.value)


def test_a_reconnect_keeps_the_trust(make_server, authority, opened):
    """The server comes back with a certificate of another host."""
    right, wrong = authority.issue("before"), authority.issue("after", "DNS:elsewhere.example")
    server = make_server(server_tls(*right))
    shop = opened(address(server), tls_ca=authority.certificate, timeout=2)
    shop.send("x", 1)
    server.restart(config=server_tls(*wrong))
    with pytest.raises(crosstie.Error):
        shop.send("x", 2)
    assert state_of(shop) != "connected"
