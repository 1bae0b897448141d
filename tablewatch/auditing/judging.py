"""Judging what was filed, table by table: each is decoded, judged, printed and let go of."""

from collections.abc import Iterable
from typing import BinaryIO

from audit.beside_rounds import findings_beside_rounds, without_repeats
from audit.devices import RejectedPlace
from audit.settings import JudgeSettings
from audit.table import assemble, judge_table
from schemas.findings import Finding, finding_json
from schemas.verdicts import verdict_json
from tablewatch.auditing.conflicts import conflicts_between_tables
from tablewatch.auditing.filing import Filing
from tablewatch.auditing.one_table import events_of_table


def judge_filed(
    filing: Filing, settings: JudgeSettings, out: BinaryIO, *, findings: bool = False, strict: bool = False
) -> bool:
    """Print the verdicts on all rounds, or with ``findings`` all findings instead; whether there was any.

    Only ``findings`` and ``strict`` have the findings beside rounds looked for.
    """
    found = False
    beside: list[tuple[int, int]] = []
    condemned = conflicts_between_tables(filing.spool)
    for table, sources in filing.tables().items():
        events = events_of_table(filing, table, sources, condemned)
        facts = assemble(table, events, sorted(filing.places.get(table, ()), key=_order))
        for verdict in judge_table(facts, settings):
            found = found or bool(verdict.findings)
            if findings:
                _write(out, verdict.findings)
            else:
                out.write(verdict_json(verdict) + b"\n")
        if findings or strict:
            beside.extend(
                filing.shelf.put(finding_json(finding))
                for finding in without_repeats(findings_beside_rounds(facts, settings))
            )
        for source in sources:
            filing.spool.forget((table, source))
    if findings:
        out.writelines(written + b"\n" for written in filing.rejections.written())
        out.writelines(filing.shelf.get(place) + b"\n" for place in beside)
    return found or bool(beside) or bool(filing.rejections)


def _write(out: BinaryIO, findings: Iterable[Finding]) -> None:
    out.writelines(finding_json(finding) + b"\n" for finding in findings)


def _order(place: RejectedPlace) -> tuple[str, int, str]:
    return place.source, place.sequence, place.type or ""
