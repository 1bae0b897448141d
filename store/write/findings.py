"""Writes findings, each known by its id; a later state replaces an earlier one, in whatever order they come."""

from collections.abc import Sequence
from typing import Any

from schemas.findings import finding_json
from store.connect import Store
from store.rows.verdicts import FindingState
from store.ticks import arrival_ticks, device_ticks
from store.write.token import batch_token


def write_findings(store: Store, states: Sequence[FindingState]) -> None:
    """Stores states of findings."""
    if not states:
        return
    findings = [state.finding for state in states]
    published = [finding_json(finding) for finding in findings]
    token = batch_token(
        "findings",
        (f"{s.version}/{s.time}/{s.raised}/".encode() + json for s, json in zip(states, published, strict=True)),
    )
    columns: dict[str, list[Any]] = {
        "table": [finding.table or "" for finding in findings],
        "shoe": [finding.shoe or "" for finding in findings],
        "round": [finding.round or 0 for finding in findings],
        "id": [finding.id for finding in findings],
        "version": [state.version for state in states],
        "code": [finding.code for finding in findings],
        "severity": [finding.severity for finding in findings],
        "basis": [finding.basis for finding in findings],
        "rule": [finding.rule or "" for finding in findings],
        "bet": [finding.bet or "" for finding in findings],
        "draw": [finding.draw or 0 for finding in findings],
        "message": [finding.message for finding in findings],
        "cleared": [int(finding.cleared) for finding in findings],
        "corrected": [int(finding.corrected) for finding in findings],
        "time": [device_ticks(state.time) for state in states],
        "raised": [arrival_ticks(state.raised) for state in states],
        "finding": published,
    }
    store.insert("findings", columns, token)
