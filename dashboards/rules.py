"""Grafana alert rules for what the pipeline cannot report itself: no data, growing lag, a worker gone.

The pipeline tells people of what happens at tables. When it stands still it tells nothing, so that somebody else must.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from dashboards.sources import CLICKHOUSE, PROMETHEUS, Prom, Query, Sql

FOLDER: Final = "Tablewatch"
FOLDER_UID: Final = "tablewatch"
GROUP: Final = "tablewatch-pipeline"
EVERY_SECONDS: Final = 60
CONTACT: Final = "tablewatch-shift"
CONTACT_UID: Final = "tablewatch-shift"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One thing that somebody must hear about."""

    uid: str
    title: str
    query: Query
    threshold: tuple[str, float]
    """`gt` or `lt`, and the value."""
    lasting: str
    """How long before somebody is told."""
    severity: str
    summary: str
    what_to_do: str
    seconds: int = 600
    """How far back the query looks."""
    reduce: str = "last"
    nothing: str = "Alerting"
    """What it means when the query gives nothing at all."""

    def data(self) -> list[dict[str, Any]]:
        """The query, its last value, and the condition on it."""
        kind, value = self.threshold
        source = PROMETHEUS if isinstance(self.query, Prom) else CLICKHOUSE
        model = self.query.target("A")
        if isinstance(self.query, Prom):
            model |= {"range": False, "instant": True}
        span = {"from": self.seconds, "to": 0}
        return [
            {"refId": "A", "relativeTimeRange": span, "datasourceUid": source["uid"], "model": model},
            _expression("B", {"type": "reduce", "expression": "A", "reducer": self.reduce}),
            _expression(
                "C",
                {
                    "type": "threshold",
                    "expression": "B",
                    "conditions": [{"evaluator": {"type": kind, "params": [value]}}],
                },
            ),
        ]

    def json(self) -> dict[str, Any]:
        """As a provisioning file has it."""
        return {
            "uid": self.uid,
            "title": self.title,
            "condition": "C",
            "data": self.data(),
            "noDataState": self.nothing,
            "execErrState": "Alerting",
            "for": self.lasting,
            "annotations": {"summary": self.summary, "description": self.what_to_do},
            "labels": {"severity": self.severity, "system": "tablewatch"},
            "isPaused": False,
            "notification_settings": {"receiver": CONTACT},
        }


def _expression(ref: str, model: dict[str, Any]) -> dict[str, Any]:
    whole = {"refId": ref, "datasource": {"type": "__expr__", "uid": "__expr__"}, **model}
    return {
        "refId": ref,
        "relativeTimeRange": {"from": 0, "to": 0},
        "datasourceUid": "__expr__",
        "model": whole,
    }


_WORKERS: Final = 'count(up{job="tablewatch-worker"} == 1)'

RULES: Final[Sequence[Rule]] = (
    Rule(
        uid="tablewatch-no-events",
        title="No events arrive",
        query=Sql("SELECT count() AS received FROM events WHERE $__timeFilter(arrival)"),
        threshold=("lt", 1),
        lasting="5m",
        severity="critical",
        summary="No event of any table has been stored for ten minutes.",
        what_to_do="Run `tablewatch doctor`. Nothing sent: look at the gateway and the devices' network. Sent and not "
        "stored: look at the workers and the store. Pause this rule while the floor is closed.",
    ),
    Rule(
        uid="tablewatch-no-verdicts",
        title="Events arrive and no round is judged",
        query=Sql(
            "SELECT if((SELECT count() FROM events WHERE type = 'round.closed.v1' AND $__timeFilter(arrival)) = 0, 1,"
            " (SELECT count() FROM round_figures WHERE $__timeFilter(judged))) AS judged_rounds"
        ),
        threshold=("lt", 1),
        lasting="5m",
        severity="critical",
        summary="Rounds were closed in the last ten minutes and none has a verdict.",
        what_to_do="Look at the workers' logs and at faults of the judge on the Pipeline dashboard.",
    ),
    Rule(
        uid="tablewatch-lag-growing",
        title="Lag is growing",
        query=Prom(
            "sum(deriv(tablewatch_lag_records[10m])) > 0 and sum(tablewatch_lag_records) > 1000 or vector(0)", ""
        ),
        threshold=("gt", 0),
        lasting="10m",
        severity="high",
        summary="The workers fall behind: what is left to read has grown for ten minutes.",
        what_to_do="Start more workers, as many as there are partitions at most; look at how long storing takes.",
    ),
    Rule(
        uid="tablewatch-worker-gone",
        title="A worker is gone",
        # One that is gone is no longer found under the workers' name, so that it is held against the last half hour.
        query=Prom(f"max_over_time({_WORKERS}[30m:1m]) - ({_WORKERS} or vector(0))", ""),
        threshold=("gt", 0),
        lasting="2m",
        severity="high",
        summary="A worker less than in the last half hour answers. The others have taken its tables over.",
        what_to_do="Start it again; `docker compose ps` or `kubectl get pods` tells why it ended.",
    ),
    Rule(
        uid="tablewatch-no-worker",
        title="No worker answers",
        query=Prom('sum(up{job="tablewatch-worker"}) or vector(0)', ""),
        threshold=("lt", 1),
        lasting="1m",
        severity="critical",
        summary="Nobody judges. Events wait on the broker and are not lost.",
        what_to_do="Start the workers. They go on where they were.",
    ),
    Rule(
        uid="tablewatch-part-gone",
        title="The gateway or the alert service is gone",
        query=Prom('count(up{job=~"tablewatch-(gateway|alerts)"} == 0) or vector(0)', ""),
        threshold=("gt", 0),
        lasting="2m",
        severity="critical",
        summary="A part that people or devices rely on does not answer.",
        what_to_do="Start it again. Without the gateway devices keep their events; without alerts nobody is told.",
    ),
    Rule(
        uid="tablewatch-store-away",
        title="The store is away",
        query=Prom("sum(tablewatch_store_away) or vector(0)", ""),
        threshold=("gt", 0),
        lasting="2m",
        severity="high",
        summary="Workers cannot reach ClickHouse. Judging and alerts go on, up to the backlog.",
        what_to_do="Look at ClickHouse: is it up, is its disk full? The broker keeps what is not stored.",
    ),
    Rule(
        uid="tablewatch-partitions-unjudged",
        title="Tables wait to be taken over",
        # A worker that starts has some for as long as it asks the store.
        query=Prom("sum(tablewatch_partitions_unjudged) or vector(0)", ""),
        threshold=("gt", 0),
        lasting="2m",
        severity="critical",
        summary="A worker has taken tables over and judges none of them until the store has told what was judged.",
        what_to_do="Mend the store: the worker goes on by itself, and nothing is lost. Its `/readyz` names the "
        "partitions. Tables of other workers are judged meanwhile.",
    ),
    Rule(
        uid="tablewatch-tables-unread",
        title="Tables cannot be read from the store",
        query=Prom("sum(tablewatch_tables_unread) or vector(0)", ""),
        threshold=("gt", 0),
        lasting="1m",
        severity="critical",
        summary="The store answers, and a worker cannot read some tables from it: it judges nothing of them.",
        what_to_do="The worker's log names each table and why it cannot be read. What the store refuses is mended "
        "there; report all else. Until then have the tables watched by people. Nothing is lost: it tries again.",
    ),
    Rule(
        uid="tablewatch-standing-still",
        title="Tables stand still",
        query=Prom("sum(tablewatch_alert_partitions_standing_still) or vector(0)", ""),
        threshold=("gt", 0),
        lasting="0s",
        severity="critical",
        summary="Events of some tables wait on the broker and nobody judges them.",
        what_to_do="The alert of the alert service names the tables and since when. Look at the worker that has their "
        "partition, and at the store; a worker that hangs is ended, and another one takes its tables over.",
    ),
    Rule(
        uid="tablewatch-sealing-stopped",
        title="The sealing has stopped",
        # A house that never sealed anything has chosen so.
        query=Sql(
            "SELECT if((SELECT count() FROM events WHERE $__timeFilter(arrival)) = 0"
            " OR (SELECT count() FROM checkpoints) = 0, 1,"
            " (SELECT count() FROM checkpoints WHERE $__timeFilter(at))) AS checkpoints_made"
        ),
        threshold=("lt", 1),
        lasting="5m",
        severity="high",
        summary="Events are stored and for ten minutes no checkpoint was signed: what came since cannot be proved.",
        what_to_do="Look at `tablewatch chain run`: its log and its `/readyz` tell why. Started again it seals what "
        "came meanwhile. If it ended with 1, touch nothing and call the auditor.",
    ),
    Rule(
        uid="tablewatch-judge-fault",
        title="A fault of the judge",
        query=Prom("sum(increase(tablewatch_judge_failures_total[15m])) or vector(0)", ""),
        threshold=("gt", 0),
        lasting="0s",
        severity="high",
        summary="The judge failed on a round for a fault of its own.",
        what_to_do="The worker's log names the round. Keep it and report it: `tablewatch replay export` makes a file.",
    ),
)


def provisioning(address: str) -> dict[str, Any]:
    """The file that Grafana's provisioning reads; ``address`` is the shift's e-mail address, or a name for it."""
    return {
        "apiVersion": 1,
        "groups": [
            {
                "orgId": 1,
                "name": GROUP,
                "folder": FOLDER,
                "interval": f"{EVERY_SECONDS}s",
                "rules": [rule.json() for rule in RULES],
            }
        ],
        "contactPoints": [
            {"orgId": 1, "name": CONTACT, "receivers": [{"uid": CONTACT_UID, "type": "email", **receiver(address)}]}
        ],
    }


def receiver(address: str) -> dict[str, Any]:
    """How the shift is told."""
    return {"settings": {"addresses": address, "singleEmail": True}, "disableResolveMessage": False}
