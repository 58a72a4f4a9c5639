"""A nats-server of a test: on a loopback port of its own, with its files in a folder of the test."""

import os
import random
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from waiting import WATCHDOG, eventually


def free_port() -> int:
    """A port below those that the system gives to clients: none of these takes it before the server starts (again)."""
    while True:
        port = random.randrange(10_240, 32_768)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class Server:
    """A server, started by the constructor.

    config  lines of its configuration file, besides the port, the name and JetStream's folder.
    """

    def __init__(self, folder: Path, config: str = "", *, jetstream: bool = True, name: str = "test", port: int = 0):
        self.folder, self.config, self.name, self.jetstream = folder, config, name, jetstream
        self.store = folder / "store"
        self.log = folder / "log"
        self.process: subprocess.Popen | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self.port = port or free_port()
        self.start()

    @property
    def address(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    def _write_config(self) -> Path:
        path = self.folder / "nats.conf"
        lines = [f'listen: "127.0.0.1:{self.port}"', f'server_name: "{self.name}"']
        if self.jetstream:
            lines.append(f'jetstream {{ store_dir: "{self.store}" }}')
        path.write_text("\n".join([*lines, self.config]) + "\n")
        return path

    def start(self) -> None:
        """Starts it, and waits until it takes connections."""
        ready_before = self._count_ready()
        config = self._write_config()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(["nats-server", "-c", str(config)], stdout=log, stderr=log)
        eventually(lambda: self._count_ready() > ready_before or self.process.poll() is not None, "the server is ready")
        assert self.process.poll() is None, self.log.read_text()

    def _count_ready(self) -> int:
        return self.log.read_text(errors="replace").count("Server is ready") if self.log.exists() else 0

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ends it in an orderly way."""
        self._end(signal.SIGTERM)

    def _end(self, number: int) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.send_signal(number)
            try:
                self.process.wait(WATCHDOG)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def restart(self, *, config: str | None = None, keep_files: bool = True) -> None:
        """Kills it and starts it on the same port, perhaps without its files."""
        self.kill()
        if config is not None:
            self.config = config
        if not keep_files:
            self.lose_files()
        self.start()

    def lose_files(self) -> None:
        shutil.rmtree(self.store, ignore_errors=True)

    def pause(self) -> None:
        """It stops to answer; its connections stay."""
        os.kill(self.process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def resume(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def cluster(folder: Path, count: int = 3) -> list[Server]:
    """Servers with routes among each other, once JetStream has a leader."""
    ports = [free_port() for _ in range(2 * count)]
    routes = ", ".join(f'"nats://127.0.0.1:{port}"' for port in ports[count:])
    servers = [
        Server(
            folder / f"n{i}",
            f'cluster {{ name: "test", listen: "127.0.0.1:{ports[count + i]}", routes: [{routes}] }}',
            name=f"n{i}",
            port=ports[i],
        )
        for i in range(count)
    ]
    eventually(lambda: any("cluster new metadata leader" in each.log.read_text() for each in servers), "a leader")
    return servers
