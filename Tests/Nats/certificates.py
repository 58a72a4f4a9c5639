"""Certificates for the tests, made by openssl: an authority, and what it signs."""

import subprocess
from pathlib import Path


def _openssl(*arguments: object) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


class Authority:
    """A certificate authority with its files in a folder."""

    def __init__(self, folder: Path, name: str = "authority"):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.name = folder, name
        self.certificate, self.key = folder / f"{name}.pem", folder / f"{name}.key"
        self._make_key(self.key)
        _openssl(
            *("req", "-x509", "-new", "-key", self.key, "-out", self.certificate, "-days", 30, "-subj", f"/CN={name}"),
            *("-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        )

    @staticmethod
    def _make_key(path: Path) -> None:
        _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)

    def issue(self, name: str, hosts: str = "IP:127.0.0.1,DNS:localhost", days: int = 20) -> tuple[Path, Path]:
        """A certificate for these hosts, and its key. With days below 0 it has expired."""
        certificate, key, request = (self.folder / f"{name}.{ending}" for ending in ("pem", "key", "csr"))
        extensions = self.folder / f"{name}.ext"
        self._make_key(key)
        extensions.write_text(f"subjectAltName={hosts}\nextendedKeyUsage=serverAuth,clientAuth\n")
        _openssl("req", "-new", "-key", key, "-out", request, "-subj", f"/CN={name}")
        _openssl(
            *("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial"),
            *("-out", certificate, "-days", days, "-extfile", extensions),
        )
        return certificate, key


def server_tls(certificate: Path, key: Path, client_authority: Path | None = None) -> str:
    """The lines of a server's configuration."""
    verify = f', ca_file: "{client_authority}", verify: true' if client_authority else ""
    return f'tls {{ cert_file: "{certificate}", key_file: "{key}", timeout: 20{verify} }}'
