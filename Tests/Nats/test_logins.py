"""Logging in: users, tokens, keys, credentials; and what a refusal says. Secrets are never shown."""

import traceback

import accounts
import crosstie
import pytest
from waiting import state_of, until

USERS = """authorization { users: [
  { user: "ann", password: "se:cret/@%" }
  { user: "bob", password: "other-pass" }
] }"""
QUOTED = "se%3Acret%2F%40%25"


def hosts(server) -> str:
    return f"127.0.0.1:{server.port}"


def is_shown(secret: str, *things: object) -> bool:
    texts = [repr(thing) + str(thing) for thing in things]
    for thing in things:
        if isinstance(thing, BaseException):
            texts.append("".join(traceback.format_exception_only(thing)))
    return any(secret in text for text in texts)


def test_user_and_password(make_server, opened):
    server = make_server(USERS)
    first = opened(server.address, user="ann", password="se:cret/@%")
    first.send("x", 1)
    second = opened(f"nats://ann:{QUOTED}@{hosts(server)}")
    assert second["x"] == 1
    for wormhole in (first, second):
        connection = wormhole.connection
        for secret in ("se:cret", QUOTED):
            assert not is_shown(secret, wormhole, wormhole.group, wormhole.members(), connection, connection.server)


@pytest.mark.parametrize(
    "login",
    [{}, {"user": "ann", "password": "wrong-pass"}, {"user": "eve", "password": "wrong-pass"}, {"token": "wrong-pass"}],
    ids=str,
)
def test_a_refused_log_in(make_server, login):
    server = make_server(USERS)
    with pytest.raises(crosstie.DeniedError) as caught:
        crosstie.Wormhole(f"{server.address}/shop", timeout=60, **login)
    assert "uthori" in str(caught.value)  # the server's own words
    assert not is_shown("wrong-pass", caught.value)


def test_a_refused_log_in_in_the_address(make_server):
    server = make_server(USERS)
    with pytest.raises(crosstie.DeniedError) as caught:
        crosstie.Wormhole(f"nats://ann:wrong-pass@{hosts(server)}/shop", timeout=60)
    assert not is_shown("wrong-pass", caught.value)


def test_a_refused_log_in_is_not_repeated_for_ever(make_server, opened):
    """The server comes after an offline opening, and refuses: the connection is closed for good."""
    server = make_server(USERS)
    server.kill()
    shop = opened(server.address, offline=True, user="ann", password="wrong-pass", timeout=60)
    server.start()
    until(shop, "closed")
    assert shop.connection.reason and not is_shown("wrong-pass", shop.connection.reason)
    with pytest.raises(crosstie.DeniedError):
        shop.send("x", 1)
    tried = server.log.read_text().count("uthorization")
    with pytest.raises(crosstie.DeniedError):
        shop.message("x")
    assert server.log.read_text().count("uthorization") == tried


def test_a_log_in_that_is_refused_later(make_server, opened):
    server = make_server(USERS)
    shop = opened(server.address, user="ann", password="se:cret/@%")
    shop.send("x", 1)
    server.restart(config=USERS.replace("se:cret/@%", "changed"))
    until(shop, "closed")
    with pytest.raises(crosstie.DeniedError):
        shop.send("x", 2)


def test_a_token(make_server, opened):
    server = make_server('authorization { token: "t0k/n" }')
    opened(server.address, token="t0k/n").send("x", 1)
    assert opened(f"nats://t0k%2Fn@{hosts(server)}")["x"] == 1
    with pytest.raises(crosstie.DeniedError) as caught:
        crosstie.Wormhole(f"{server.address}/shop", timeout=60, token="another-one")
    assert not is_shown("another-one", caught.value)


def test_a_key(make_server, opened):
    seed, other = accounts.new_seed(), accounts.new_seed()
    server = make_server(f"authorization {{ users: [ {{ nkey: {accounts.public_key(seed)} }} ] }}")
    opened(server.address, nkey_seed=seed).send("x", 1)
    with pytest.raises(crosstie.DeniedError) as caught:
        crosstie.Wormhole(f"{server.address}/shop", timeout=60, nkey_seed=other)
    assert not is_shown(other, caught.value)
    with pytest.raises(crosstie.Error) as caught:
        crosstie.Wormhole(f"{server.address}/shop", timeout=60, nkey_seed="SUNONSENSE")
    assert not is_shown("SUNONSENSE", caught.value)


def test_credentials(make_server, opened, tmp_path):
    operator = accounts.Operator()
    server = make_server(operator.config())
    path = operator.credentials(tmp_path / "ann.creds")
    opened(server.address, credentials=path).send("x", 1)
    assert opened(server.address, credentials=str(path))["x"] == 1
    with pytest.raises(crosstie.DeniedError):
        crosstie.Wormhole(f"{server.address}/shop", timeout=60, credentials=operator.credentials(tmp_path / "old", 1e9))
    with pytest.raises(crosstie.DeniedError):
        crosstie.Wormhole(
            f"{server.address}/shop", timeout=60, credentials=accounts.Operator().credentials(tmp_path / "foreign")
        )
    (tmp_path / "nonsense").write_text("nonsense")
    for name in ("nonsense", "missing"):
        with pytest.raises(crosstie.Error) as caught:
            crosstie.Wormhole(f"{server.address}/shop", timeout=60, credentials=tmp_path / name)
        assert name in str(caught.value)


PERMISSIONS = """authorization {{ users: [
  {{ user: "all", password: "p" }}
  {{ user: "some", password: "p", permissions: {{ publish: {{ {publish} }}, subscribe: {{ {subscribe} }} }} }}
] }}"""


def with_permissions(make_server, publish: str = 'allow: ">"', subscribe: str = 'allow: ">"'):
    return make_server(PERMISSIONS.format(publish=publish, subscribe=subscribe))


def test_a_subject_that_may_not_be_sent(make_server, opened):
    """The refusal is seen at once, not after the deadline, and names the subject."""
    server = with_permissions(make_server, publish='deny: "ctie.shop.m.v.secret.>"')
    some = opened(server.address, user="some", password="p", timeout=120)
    some.send("open", 1)
    with pytest.raises(crosstie.DeniedError) as caught:
        some.send("secret.x", 1)
    assert "secret.x" in str(caught.value)
    some.send("open", 2)
    assert opened(server.address, user="all", password="p").message("secret.x") is None


def test_many_senders_of_whom_one_is_refused(make_server, opened):
    import threading

    server = with_permissions(make_server, publish='deny: "ctie.shop.m.v.secret"')
    some = opened(server.address, user="some", password="p", timeout=120)
    found = {}

    def send(name: str) -> None:
        for number in range(50):
            try:
                found[name, number] = some.send(name, number).sequence > 0
            except crosstie.DeniedError:
                found[name, number] = None

    threads = [threading.Thread(target=send, args=(name,)) for name in ("a", "b", "secret", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name for (name, _), sent in found.items() if sent is None} == {"secret"}
    assert sum(sent is None for sent in found.values()) == 50


@pytest.mark.parametrize("denied", ["$JS.API.>", "$JS.API.STREAM.>"])
def test_a_group_that_may_not_be_opened(make_server, denied):
    server = with_permissions(make_server, publish=f'deny: "{denied}"')
    with pytest.raises(crosstie.DeniedError):
        crosstie.Wormhole(f"{server.address}/shop", timeout=120, user="some", password="p")


def test_answers_that_may_not_be_received(make_server):
    server = with_permissions(make_server, subscribe='deny: "_INBOX.>"')
    with pytest.raises(crosstie.DeniedError):
        crosstie.Wormhole(f"{server.address}/shop", timeout=120, user="some", password="p")


def test_a_listener_that_may_not_listen(make_server, opened):
    server = with_permissions(make_server, publish='deny: "$JS.API.CONSUMER.>"')
    opened(server.address, user="all", password="p").send("x", 1)
    some = opened(server.address, user="some", password="p", timeout=120)
    for options in ({}, {"durable": "workers"}):
        with pytest.raises(crosstie.DeniedError):
            some.add_queue("x", print, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"token": "t", "user": "u", "password": "p"},
        {"nkey_seed": "SU", "credentials": "/x"},
        {"password": "p"},
    ],
    ids=str,
)
def test_several_log_ins(server, options):
    with pytest.raises(crosstie.ArgumentError):
        crosstie.Wormhole(f"{server.address}/shop", timeout=60, **options)


@pytest.mark.parametrize("options", [{"token": "t"}, {"replicas": 1}, {"max_age": 1}, {"offline": True}], ids=str)
def test_options_of_a_server_in_a_local_group(tmp_path, options):
    with pytest.raises(crosstie.ArgumentError):
        crosstie.Wormhole("shop", directory=tmp_path, **options)


@pytest.mark.parametrize("address", ["http://a/shop", "redis://a/shop", "nat://a/shop"])
def test_unknown_schemes(address):
    with pytest.raises(crosstie.UnsupportedError) as caught:
        crosstie.Wormhole(address)
    assert "nats://" in str(caught.value) and "tls://" in str(caught.value)
