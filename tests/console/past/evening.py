"""A console over a stored evening: a simulated floor with faults, judged, alerts worked at, people of every role."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import orjson

from console.auth.roles import Role
from console.server.parts import Parts
from replay.chain.keys import KeyRing
from schemas.findings import Finding
from simulator.floor import simulate
from store.connect import Store
from store.rows.alerts import Alert
from store.rows.verdicts import FindingState, JudgedRound
from store.write.findings import write_findings
from streams.alerting.acts import Act
from streams.alerting.desk import Done, perform
from streams.alerting.raising import SELF_TEST_TABLE, TablePlace, alert_of
from streams.alerting.self_test import fault
from streams.broker_url import EmbeddedLog
from streams.topics import create
from tablewatch.commands.changeable import changeable
from tests.console.house import PASSWORD, ConsoleServer, console_server
from tests.replay.stored import fill

ROUTING = """
[people.mei]
urls = ["json://127.0.0.1"]
roles = ["administrator"]
"""
SCRIPT = "<img src=x onerror=alert(1)>"
"""The name of a player who means no good."""
TABLES = 4
ROUNDS = 14
SEED = 11


@dataclass(frozen=True)
class Evening:
    """What the store holds, and the console over it."""

    server: ConsoleServer
    rounds: list[JudgedRound]
    alerts: list[Alert]
    start: datetime

    @property
    def parts(self) -> Parts:
        return self.server.parts

    def flagged(self, code: str | None = None) -> JudgedRound:
        """A round with a finding, of this code."""
        for each in self.rounds:
            if any(code in (None, finding.code) for finding in each.verdict.findings):
                return each
        raise LookupError(code)

    def client(self, role: Role) -> "Visitor":
        """Somebody of this role, signed in."""
        return Visitor(self.server.client(role))


class Visitor:
    """Asks the console as somebody who is signed in."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self._client.get(path, params=query)

    def post(self, path: str, body: Any = None) -> httpx.Response:
        return self._client.post(path, json=body)


@contextmanager
def open_evening(store: Store, folder: Path) -> Iterator[Evening]:
    """Fill the store with an evening that began an hour ago, and open the console over it."""
    start = (datetime.now(UTC) - timedelta(hours=1)).replace(microsecond=0)
    lines = simulate(TABLES, ROUNDS, SEED, faults=0.4, start=start)
    said = [line.replace(b'"M100084"', orjson.dumps(SCRIPT)) for line in lines]
    # The daily self-test fell into the evening: no round of it may be counted or shown.
    stored = fill(store, [*said, *fault("1", time.time_ns() // 1_000)])
    rounds = [each for each in stored if each.verdict.table != SELF_TEST_TABLE]
    (tested,) = [each for each in stored if each.verdict.table == SELF_TEST_TABLE]
    write_findings(store, _states([(tested, finding) for finding in tested.verdict.findings]))
    alerts = _raise(store, rounds)
    broker = EmbeddedLog(folder / "log")
    create(broker)
    (folder / "alert-routes.toml").write_text(ROUTING)
    KeyRing(folder / "keys").make("evening")
    environment = {"TABLEWATCH_DATA": str(folder), "TABLEWATCH_SETTINGS": str(folder / "tablewatch.toml")}
    with console_server(
        folder, broker, store, subjects=changeable(environment), ring=KeyRing(folder / "believed")
    ) as server:
        server.parts.people.add("second-admin", "administrator", PASSWORD)
        yield Evening(server, rounds, alerts, start)


def _states(found: list[tuple[JudgedRound, Finding]]) -> list[FindingState]:
    return [
        FindingState(finding=finding, version=1, time=each.ended, raised=each.ended // 1000 + 200)
        for each, finding in found
    ]


def _raise(store: Store, rounds: list[JudgedRound]) -> list[Alert]:
    """Findings and their alerts, as the pipeline stores them; three are acknowledged, two of them resolved."""
    found: list[tuple[JudgedRound, Finding]] = [(each, finding) for each in rounds for finding in each.verdict.findings]
    write_findings(store, _states(found))
    alerts = [
        alert_of(finding, TablePlace(each.verdict.game, each.pit), each.ended // 1000 + 200,
                 {"time": str(each.ended).encode()})
        for each, finding in found
    ]  # fmt: skip
    now = time.time_ns() // 1_000
    for alert in alerts:
        acts = []
        if alert in alerts[:3]:
            acts.append(Act(deed="acknowledge", by="operator", role="operator", at=alert.raised * 1000 + 30_000_000))
        if alert in alerts[:2]:
            what: Any = "false alarm" if alert is alerts[0] else "confirmed"
            acts.append(
                Act(deed="resolve", by="shift-manager", role="shift_manager", at=alert.raised * 1000 + 90_000_000,
                    disposition=what, note="Looked at the camera.")
            )  # fmt: skip
        if not acts:
            acts.append(Act(deed="note", by="operator", role="operator", at=now, note="Seen on the wall."))
        for act in acts:
            assert isinstance(perform(store, alert.id, act, alert), Done)
    return alerts
