"""A floor of an hour ago, sent through the real pipeline: what all queries of dashboards run against."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest
from clickhouse_driver import Client

from schemas.verdicts import Verdict
from simulator.floor import simulate
from store.connect import Store
from store.read.findings import FindingFilter, findings
from store.rows.alerts import Alert, AlertStep
from store.write.alerts import write_alert_steps, write_alerts
from store.write.expectations import fill_expectations
from streams.broker_url import parse_broker
from streams.publish import publish
from streams.topics import Layout, create
from tests.dashboards.expansion import ALL, Span, expanded
from tests.streams.pipeline import StoreProcess, offline, pipeline, stop

TABLES, ROUNDS, SEED, FAULTS = 10, 12, 41, 0.25


@dataclass(frozen=True)
class Filled:
    """A store, the client of a dashboard, and what an audit makes of the same events."""

    store: Store
    client: Client
    span: Span
    known: dict[str, tuple[str, ...]]
    verdicts: dict[tuple[str, str, int], Verdict]

    def chosen(self, **values: Any) -> dict[str, Any]:
        """Everything, but for what is chosen."""
        usual = {"pit": ALL, "game": ALL, "table": ALL, "currency": self.known["currency"][0], "minor": "100"}
        return usual | values

    def ask(self, sql: str, **values: Any) -> tuple[list[tuple[Any, ...]], list[tuple[str, str]]]:
        """Rows of a dashboard's query, and the names and types of its columns."""
        return self.ask_as_sent(self.sent(sql, **values))

    def sent(self, sql: str, **values: Any) -> str:
        """A dashboard's query as the store gets it."""
        return expanded(sql, self.span, self.chosen(**values), self.known)

    def ask_as_sent(self, sql: str) -> tuple[list[tuple[Any, ...]], list[tuple[str, str]]]:
        """Rows of an expanded query, and the names and types of its columns."""
        described = self.client.execute(f"DESCRIBE ({sql})")
        return self.client.execute(sql), [(name, kind) for name, kind, *_ in described]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What shares the floor stays in one process, so that it is made once."""
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            if "filled" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.xdist_group("a floor behind dashboards"))


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    folder = tmp_path_factory.mktemp("floor")
    start = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=1)
    lines = [
        _broken(line) if place == 500 else line
        for place, line in enumerate(simulate(TABLES, ROUNDS, SEED, FAULTS, start=start))
    ]
    url = f"tablelog://{folder}/log"
    broker = parse_broker(url)
    create(broker, Layout(partitions=2))
    with pipeline(folder, broker, StoreProcess(folder / "clickhouse"), url) as running:
        publish(lines, broker)
        worker = running.start_worker()
        running.await_done()
        assert stop(worker) == 0
        fill_expectations(running.store)
        _attend(running.store)
        address = running.store.address
        client = Client(address.host, port=address.port, user=address.user, database=address.database)
        rows = client.execute("SELECT DISTINCT pit, game, table, currency FROM round_figures")
        names = ("pit", "game", "table", "currency")
        known = {name: tuple(sorted({row[place] for row in rows})) for place, name in enumerate(names)}
        span = Span(start - timedelta(hours=1), datetime.now(UTC) + timedelta(hours=1))
        verdicts, _ = offline(lines)
        yield Filled(running.store, client, span, known, verdicts)
        client.disconnect()


def _broken(line: bytes) -> bytes:
    """An event that breaks the contract."""
    return orjson.dumps(orjson.loads(line) | {"sequence": -1})


def _attend(store: Store) -> None:
    """Alerts of the findings: one in three is acknowledged after a minute, one in six resolved after five."""
    alerts, steps = [], []
    of_round = {
        (table, shoe, number): (pit, game)
        for table, shoe, number, pit, game in store.query("SELECT table, shoe, round, pit, game FROM round_figures")
    }
    for place, state in enumerate(findings(store, FindingFilter())):
        found = state.finding
        pit, game = of_round.get((found.table or "", found.shoe or "", found.round or 0), ("", ""))
        alerts.append(
            Alert(
                id=found.id, finding=found.id, table=found.table, shoe=found.shoe, round=found.round, code=found.code,
                severity=found.severity, pit=pit, game=game, message=found.message, time=state.time,
                raised=state.raised,
            )
        )  # fmt: skip
        lives = [("raised", 0, ""), ("acknowledged", 60, ""), ("resolved", 300, "confirmed")]
        for action, seconds, disposition in lives[: 1 + (place % 3 == 0) + (place % 6 == 0)]:
            steps.append(
                AlertStep(
                    alert=found.id,
                    id=hashlib.sha256(f"{found.id} {action}".encode()).hexdigest()[:32],
                    at=state.raised * 1000 + seconds * 1_000_000,
                    action=action,
                    state=action,
                    by="otto",
                    role="shift_manager",
                    disposition=disposition,
                )
            )
    write_alerts(store, alerts)
    write_alert_steps(store, steps)
