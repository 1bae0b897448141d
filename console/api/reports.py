"""Reports: a shift in figures, as a table to download, and the report on one incident."""

import asyncio
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from console.api.report_models import (
    DeedTold,
    IncidentTold,
    LinesTold,
    LineTold,
    ShiftTold,
    SpanTold,
)
from console.auth.roles import SEES_PLAYERS
from console.auth.sessions import Session
from console.incident import incident
from console.live.room import now_ms
from console.masking import MASK
from console.server.gate import SignedIn, address_of
from console.server.parts import Console, Parts
from console.server.problems import Refused
from console.shift import Line, Shift, lines, shift
from console.shifts import running_shift
from console.table_file import csv_of
from schemas.money import decimals_of
from store.read.reports import By
from store.read.rounds import RoundFilter, count_rounds

router = APIRouter(prefix="/api/v1/reports", tags=["reports"])

_FILE: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The file.", "content": {"text/csv": {"schema": {"type": "string"}}}}
}
LONGEST_MS = 366 * 24 * 3_600_000
MOST_LINES = 500

Millis = Annotated[int | None, Query(ge=0, le=32_503_680_000_000)]
OneTable = Annotated[str | None, Query(max_length=200)]


@router.get("/shift", summary="A shift in figures")
async def shift_report(
    session: SignedIn, parts: Console, request: Request, start: Millis = None, end: Millis = None,
    table: OneTable = None,
) -> ShiftTold:  # fmt: skip
    """Rounds, handle, win and theoretical hold with its 95 % band (no drop or fills), findings and how alerts were met.

    Without `start` and `end`: the shift that is running, by the site's clock.
    """
    span = _span(parts, start, end, table)
    found = await asyncio.to_thread(shift, parts.store, parts.readings, *_micros(span), _tables(table))
    heard = not span.table or bool(found.totals) or span.table in parts.live.floor.tables
    if not heard:
        heard = bool(await asyncio.to_thread(count_rounds, parts.store, RoundFilter(tables=_tables(table))))
    _note(parts, session, request, "read the shift report", span)
    return _shift(span, found, heard=heard)


@router.get("/shift/by/{by}", summary="A shift by table, dealer or player")
async def shift_by(
    by: By, session: SignedIn, parts: Console, request: Request, start: Millis = None, end: Millis = None,
    table: OneTable = None, count: Annotated[int, Query(ge=1, le=MOST_LINES)] = 100,
) -> LinesTold:  # fmt: skip
    """The highest handle first; player ids only for those who need them."""
    span = _span(parts, start, end, table)
    found = await asyncio.to_thread(lines, parts.store, parts.readings, by, *_micros(span), _tables(table))
    _note(parts, session, request, f"read the shift report by {by}", span)
    told = [_line(each, _named(each, by, place, session)) for place, each in enumerate(found[:count], 1)]
    return LinesTold(span=span, total=len(found), lines=told)


@router.get(
    "/shift/{part}.csv", summary="A shift as a file for a spreadsheet", response_class=Response, responses=_FILE
)
async def shift_csv(
    part: Literal["table", "dealer", "player", "findings"],
    session: SignedIn, parts: Console, request: Request, start: Millis = None, end: Millis = None,
    table: OneTable = None,
) -> Response:  # fmt: skip
    """Amounts in minor units; hold and its band as shares of 1."""
    span = _span(parts, start, end, table)
    if part == "findings":
        found = await asyncio.to_thread(shift, parts.store, parts.readings, *_micros(span), _tables(table))
        content = _findings_csv(found)
    else:
        by = await asyncio.to_thread(lines, parts.store, parts.readings, part, *_micros(span), _tables(table))
        content = _lines_csv(by, [_named(each, part, place, session) for place, each in enumerate(by, 1)])
    _note(parts, session, request, f"downloaded the shift report by {part}", span)
    name = f"shift-{datetime.fromtimestamp(span.start / 1000, UTC):%Y%m%dT%H%M}Z-{part}.csv"
    return Response(
        content, media_type="text/csv; charset=utf-8", headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@router.get("/incidents/{finding}", summary="The report on one incident")
async def incident_report(
    finding: Annotated[str, Path(pattern="^[0-9a-f]{32}$")], session: SignedIn, parts: Console, request: Request
) -> IncidentTold:
    """One finding with its round, its rule, and who did what when."""
    masking = session.role not in SEES_PLAYERS
    found = await asyncio.to_thread(incident, parts.store, finding, masking=masking)
    if found is None:
        raise Refused(404, "there is no such finding")
    about = found.state.finding
    parts.access.note(
        session, "drew an incident report", table=about.table or "", shoe=about.shoe or "", round=about.round or 0,
        address=address_of(request), detail={"finding": finding},
    )  # fmt: skip
    return IncidentTold.model_validate(
        {
            "made": now_ms(),
            "made_by": session.name,
            "zone": parts.zone.key,
            "table": about.table,
            "shoe": about.shoe,
            "round": about.round,
            "finding": found.found,
            "time": found.state.time // 1_000,
            "raised": found.raised,
            "subjects": found.subjects,
            "advice": found.advice,
            "outcome": found.outcome,
            "story": found.story,
            "no_story": found.no_story,
            "decimals": None if found.currency is None else decimals_of(found.currency),
            "deeds": [DeedTold.model_validate({**asdict(deed), "at": deed.at // 1_000}) for deed in found.deeds],
            "cameras": found.cameras,
        }
    )


def _span(parts: Parts, start: int | None, end: int | None, table: str | None) -> SpanTold:
    zone, now = parts.zone, now_ms()
    if start is None and end is None:
        first, last = running_shift(parts.shifts, zone, datetime.fromtimestamp(now / 1000, UTC))
        start, end = round(first.timestamp() * 1000), round(last.timestamp() * 1000)
    if start is None or end is None:
        raise Refused(422, "a span has both a start and an end")
    if not start < end <= start + LONGEST_MS:
        raise Refused(422, "a span ends after its start, and within a year of it")
    return SpanTold(
        start=start, end=end, zone=zone.key, running=start <= now < end, begun=start <= now, at=now, table=table or None
    )


def _micros(span: SpanTold) -> tuple[int, int]:
    return span.start * 1_000, span.end * 1_000


def _tables(table: str | None) -> tuple[str, ...]:
    return (table,) if table else ()


def _note(parts: Parts, session: Session, request: Request, action: str, span: SpanTold) -> None:
    detail = {"start": span.start, "end": span.end}
    parts.access.note(session, action, table=span.table or "", address=address_of(request), detail=detail)


def _named(line: Line, by: By, place: int, session: Session) -> str:
    if by == "player" and session.role not in SEES_PLAYERS:
        return f"{MASK} {place}"
    return line.figures.name


def _line(line: Line, name: str) -> LineTold:
    told = {**asdict(line.figures), "name": name, "decimals": decimals_of(line.figures.currency)}
    return LineTold.model_validate({**told, "band": line.band})


def _shift(span: SpanTold, found: Shift, *, heard: bool) -> ShiftTold:
    return ShiftTold(
        span=span,
        heard=heard,
        totals=[_line(each, "") for each in found.totals],
        findings=found.findings,
        responses=found.responses,
        response=found.response,
    )


_LINE_COLUMNS = (
    "name", "currency", "rounds", "void", "flagged", "unverifiable", "bets", "handle_minor", "win_minor", "findings",
    "hold_rounds", "hold_handle_minor", "hold_win_minor", "expected_win_minor", "standard_deviation_minor",
    "hold", "hold_low", "hold_high",
)  # fmt: skip
"""Amounts are whole minor units, and say so in a spreadsheet, where nobody sees the guide."""


def _lines_csv(found: list[Line], names: list[str]) -> bytes:
    rows = []
    for line, name in zip(found, names, strict=True):
        each, band = line.figures, line.band
        held = (None,) * 8 if band is None else (
            band.rounds, band.handle, band.win, band.expected, band.deviation,
            round(band.hold, 6), round(band.low, 6), round(band.high, 6),
        )  # fmt: skip
        rows.append((name, each.currency, each.rounds, each.void, each.flagged, each.unverifiable, each.bets,
                     each.handle, each.win, each.findings, *held))  # fmt: skip
    return csv_of(_LINE_COLUMNS, rows)


_CODE_COLUMNS = (
    "code", "severity", "findings", "cleared", "corrected", "alerts", "acknowledged", "resolved",
    "median_seconds_to_acknowledge", "median_seconds_to_resolve", "false_alarms", "judged", "false_share",
    "slowest_seconds_to_acknowledge", "slowest_seconds_to_resolve",
)  # fmt: skip


def _findings_csv(found: Shift) -> bytes:
    met = {each.code: each for each in found.responses}
    rows = []
    for each in found.findings:
        told = met.get(each.code)
        response = (None,) * 10 if told is None else (
            told.alerts, told.acknowledged, told.resolved, told.to_acknowledge, told.to_resolve,
            told.false_alarms, told.judged, told.false_share, told.slowest_acknowledge, told.slowest_resolve,
        )  # fmt: skip
        rows.append((each.code, each.severity, each.findings, each.cleared, each.corrected, *response))
    return csv_of(_CODE_COLUMNS, rows)
