"""A site for tests of `tablewatch alerts`: its services are processes, its people have a webhook."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from typer.testing import CliRunner, Result

from store.connect import Store
from tablewatch.command import app
from tests.streams.alerting.room import Room
from tests.streams.alerting.webhook import until
from tests.streams.pipeline import COMMAND


class Site:
    """A room whose service is a process, as a site runs it."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.room = Room(folder, store)
        self.routes = folder / "routes.toml"
        self.routes.write_text(self.room.text())
        address = store.address
        self.environment = {
            **os.environ,
            "TABLEWATCH_CLICKHOUSE_URL": f"clickhouse://{address.user}:{address.password}@{address.host}:{address.port}"
            f"/{address.database}",
            "TABLEWATCH_BROKER": str(self.room.broker),
            "TABLEWATCH_DATA": str(folder / "data"),
            "TABLEWATCH_ALERTS_ROUTES": str(self.routes),
        }
        self.log = folder / "service.log"
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """A service, and the wait until it serves."""
        before = self.log.read_text().count("metrics on port") if self.log.exists() else 0
        with self.log.open("ab") as log:
            process = subprocess.Popen([*COMMAND, *command], env=self.environment, stdout=log, stderr=log)
        self._started.append(process)
        until(lambda: self.log.read_text().count("metrics on port") > before, "the service did not start")
        return process

    def run(self, *command: str) -> Result:
        """A command of ours, to its end, in this process."""
        return CliRunner().invoke(app, command, env=self.environment)

    def end(self) -> None:
        for process in self._started:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()
        self.room.close()


def stopped(process: subprocess.Popen[bytes]) -> int:
    process.send_signal(signal.SIGTERM)
    return process.wait(120)


@contextmanager
def worker(site: Site) -> Iterator[None]:
    with site.log.open("ab") as log:
        process = subprocess.Popen([*COMMAND, "worker"], env=site.environment, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(120)
