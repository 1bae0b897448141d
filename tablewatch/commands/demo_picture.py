"""The picture of the demo: tables, rounds and findings, as the pipeline gives them out."""

from collections import Counter, deque
from typing import Any

import orjson
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from schemas.topics import ALERTS, VERDICTS
from streams.embedded.log import Log, Place

SHOWN_FINDINGS = 12
_COLOURS = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "cyan"}


class Picture:
    """What the output topics have told so far."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._read: dict[Place, int] = {}
        self._last: dict[str, dict[str, Any]] = {}
        self._status: dict[str, Counter[str]] = {}
        self._found: dict[str, dict[str, Any]] = {}
        self._recent: deque[str] = deque(maxlen=SHOWN_FINDINGS)

    def update(self) -> list[str]:
        """Read on; gives one line of plain text for each thing that is new."""
        lines: list[str] = []
        for place, span in sorted(self._log.spans().items()):
            if place.topic not in (ALERTS.name, VERDICTS.name):
                continue
            position = self._read.get(place, span.first)
            for record in self._log.read(place.topic, place.partition, position, max_records=5_000, max_bytes=1 << 25):
                said = orjson.loads(record.value or b"{}")
                lines.append(self._verdict(said) if place.topic == VERDICTS.name else self._alert(said))
                position = record.offset + 1
            self._read[place] = position
        return lines

    def _verdict(self, verdict: dict[str, Any]) -> str:
        table = verdict["table"]
        self._last[table] = verdict
        self._status.setdefault(table, Counter())[verdict["status"]] += verdict["revision"] == 1
        outcome = verdict["outcome"]
        winner = outcome["winner"] if outcome else "unknown"
        return f"{table} {verdict['shoe']} round {verdict['round']}: {verdict['status']}, {winner}"

    def _alert(self, finding: dict[str, Any]) -> str:
        name = finding["id"]
        self._found[name] = finding
        if name in self._recent:
            self._recent.remove(name)
        self._recent.append(name)
        cleared = " (cleared)" if finding.get("cleared") else ""
        return f"{finding['severity'].upper()} {finding['table']} {finding['code']}: {finding['message']}{cleared}"

    def render(self, lag: int | None) -> Group:
        """The whole picture."""
        floor = Table(expand=True)
        for column in ("table", "game", "shoe", "round", "result", "status", "verified", "flagged", "other"):
            floor.add_column(column)
        for table, verdict in sorted(self._last.items()):
            counts = self._status[table]
            outcome = verdict["outcome"]
            other = counts.total() - counts["verified"] - counts["flagged"]
            floor.add_row(
                table, verdict["game"] or "", verdict["shoe"], str(verdict["round"]),
                outcome["winner"] if outcome else "", verdict["status"],
                str(counts["verified"]), str(counts["flagged"]), str(other),
            )  # fmt: skip
        findings = Text("\n").join(
            Text(
                f"{found['table']} {found['code']}: {found['message']}{' (cleared)' if found.get('cleared') else ''}",
                style="dim" if found.get("cleared") else _COLOURS[found["severity"]],
            )
            for found in (self._found[name] for name in reversed(self._recent))
        )
        behind = "" if lag is None else f", {lag} records not yet judged and stored"
        return Group(
            Panel(floor, title=f"Tablewatch: {len(self._last)} tables{behind}"),
            Panel(findings or Text("nothing found yet"), title=f"{len(self._found)} findings, the latest first"),
            Text("Ctrl-C ends it; started again, it goes on.", style="dim"),
        )
