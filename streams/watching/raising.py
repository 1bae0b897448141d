"""What the watches tell: which findings are new, changed or no longer stand, each once under its id."""

from collections.abc import Iterable
from dataclasses import replace

from schemas.findings import Finding, finding_json
from store.connect import Store
from store.read.findings import FindingFilter, findings
from store.read.shoes import ShoeKey
from store.rows.verdicts import FindingState
from streams.news import RaisedFinding
from streams.watching.fold import Folded

_LIVE = "live"
STATISTICS = "statistics"


def news_of(store: Store, folded: Iterable[Folded]) -> list[RaisedFinding]:
    """What is to be told of shoes that were watched, against what the store says of them."""
    told: list[RaisedFinding] = []
    for each in folded:
        key = each.entry.key
        told += _news(each, {state.finding.id: state for state in known_findings(store, key)})
    return told


def known_findings(store: Store, key: ShoeKey) -> list[FindingState]:
    """The statistical findings of a shoe as stored, those that were cleared included."""
    stored = findings(store, FindingFilter(tables=(key.table,), shoe=key.shoe, cleared=None))
    return [state for state in stored if state.finding.basis == STATISTICS]


def _news(watched: Folded, known: dict[str, FindingState]) -> list[RaisedFinding]:
    found = {finding.id: finding for finding in watched.findings}
    cleared = [
        replace(state.finding, cleared=True)
        for name, state in known.items()
        if name not in found and not state.finding.cleared
    ]
    return [
        _raised(watched, finding, known.get(finding.id))
        for finding in (*found.values(), *cleared)
        if finding.id not in known or finding_json(known[finding.id].finding) != finding_json(finding)
    ]


def _raised(watched: Folded, finding: Finding, known: FindingState | None) -> RaisedFinding:
    entry = watched.entry
    version = 1 if known is None else known.version + 1
    return RaisedFinding(finding, version, entry.place.ended, entry.mode == _LIVE)
