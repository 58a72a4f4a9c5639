"""Keys, and accounts by signed claims (JWT), of a server of a test."""

import base64
import hashlib
import json
import os
import time
from pathlib import Path

import nkeys


def new_seed(prefix: int = nkeys.PREFIX_BYTE_USER) -> str:
    return nkeys.encode_seed(os.urandom(32), prefix).decode()


def public_key(seed: str) -> str:
    return nkeys.from_seed(seed.encode()).public_key.decode()


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(issuer_seed: str, subject: str, kind: str, claims: dict, expires: int = 0) -> str:
    """A JWT of NATS, version 2."""
    body = {
        "iat": int(time.time()),
        "iss": public_key(issuer_seed),
        "name": kind,
        "sub": subject,
        "nats": {**claims, "type": kind, "version": 2},
    }
    if expires:
        body["exp"] = expires
    body["jti"] = base64.b32encode(hashlib.sha256(json.dumps(body).encode()).digest()).rstrip(b"=").decode()
    head = _text(json.dumps({"typ": "JWT", "alg": "ed25519-nkey"}).encode())
    text = f"{head}.{_text(json.dumps(body).encode())}"
    return f"{text}.{_text(nkeys.from_seed(issuer_seed.encode()).sign(text.encode()))}"


class Operator:
    """An operator with a system account and an account for messages, and users of that."""

    def __init__(self) -> None:
        self.seed = new_seed(nkeys.PREFIX_BYTE_OPERATOR)
        self.account_seed = new_seed(nkeys.PREFIX_BYTE_ACCOUNT)
        self.system_seed = new_seed(nkeys.PREFIX_BYTE_ACCOUNT)

    def config(self, disk: int = -1) -> str:
        system, account = public_key(self.system_seed), public_key(self.account_seed)
        unlimited = {"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "conn": -1, "leaf": -1}
        limits = {**unlimited, "wildcards": True, "mem_storage": -1, "disk_storage": disk, "streams": -1, "consumer": -1}
        operator = signed(self.seed, public_key(self.seed), "operator", {})
        tokens = {
            system: signed(self.seed, system, "account", {"limits": {**unlimited, "wildcards": True}}),
            account: signed(self.seed, account, "account", {"limits": limits}),
        }
        preloaded = "\n".join(f"  {name}: {token}" for name, token in tokens.items())
        return (
            f"operator: {operator}\nsystem_account: {system}\nresolver: MEMORY\n"
            f"resolver_preload {{\n{preloaded}\n}}\n"
        )

    def credentials(self, path: Path, expires: int = 0) -> Path:
        """The credentials file of a new user."""
        seed = new_seed()
        limits = {"subs": -1, "data": -1, "payload": -1, "pub": {}, "sub": {}}
        token = signed(self.account_seed, public_key(seed), "user", limits, expires)
        path.write_text(
            f"-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n"
            f"-----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        )
        path.chmod(0o600)
        return path
