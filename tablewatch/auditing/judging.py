"""Judging what was filed, table by table: each is decoded, judged, printed and let go of."""

from collections.abc import Iterable
from typing import BinaryIO

from audit.beside_rounds import findings_beside_rounds, without_repeats
from audit.devices import RejectedPlace
from audit.outline import RoundKey
from audit.settings import JudgeSettings
from audit.table import assemble, judge_table
from audit.watches.settings import DEFAULT_SETTINGS, WatchSettings
from audit.watches.summarise import Bets, bets_of
from schemas.findings import Finding, finding_json
from schemas.verdicts import verdict_json
from tablewatch.auditing.conflicts import conflicts_between_tables
from tablewatch.auditing.filing import Filing
from tablewatch.auditing.one_table import events_of_table
from tablewatch.auditing.watching import Watching


def judge_filed(
    filing: Filing,
    settings: JudgeSettings,
    out: BinaryIO,
    *,
    findings: bool = False,
    strict: bool = False,
    watch: WatchSettings = DEFAULT_SETTINGS,
) -> bool:
    """Print the verdicts on all rounds, or with ``findings`` all findings instead: those of rounds, of rejected events,
    of devices and shoes, and those of statistics. Returns whether there was any.

    Without ``findings`` and ``strict``, only the rounds are looked at.
    """
    found = False
    everything = findings or strict
    beside: list[tuple[int, int]] = []
    statistics: list[tuple[int, int]] = []
    watching = Watching(filing.shelf, watch)
    condemned = conflicts_between_tables(filing.spool)
    for table, sources in filing.tables().items():
        events = events_of_table(filing, table, sources, condemned)
        facts = assemble(table, events, sorted(filing.places.get(table, ()), key=_order))
        bets: dict[RoundKey, Bets] = {}
        for verdict in judge_table(facts, settings):
            found = found or bool(verdict.findings)
            if findings:
                _write(out, verdict.findings)
            else:
                out.write(verdict_json(verdict) + b"\n")
            if everything:
                bets[verdict.shoe, verdict.round] = bets_of(facts, verdict)
        if everything:
            beside.extend(_shelve(filing, without_repeats(findings_beside_rounds(facts, settings))))
            statistics.extend(_shelve(filing, watching.table(facts, bets, settings)))
        for source in sources:
            filing.spool.forget((table, source))
    statistics.extend(_shelve(filing, watching.players()))
    if findings:
        out.writelines(written + b"\n" for written in filing.rejections.written())
        out.writelines(filing.shelf.get(place) + b"\n" for place in (*beside, *statistics))
    return found or bool(beside) or bool(statistics) or bool(filing.rejections)


def _shelve(filing: Filing, findings: Iterable[Finding]) -> Iterable[tuple[int, int]]:
    return [filing.shelf.put(finding_json(finding)) for finding in findings]


def _write(out: BinaryIO, findings: Iterable[Finding]) -> None:
    out.writelines(finding_json(finding) + b"\n" for finding in findings)


def _order(place: RejectedPlace) -> tuple[str, int, str]:
    return place.source, place.sequence, place.type or ""
