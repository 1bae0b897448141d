"""From a finding, as the topic tells of it, to the alert about it: the same alert wherever it is made."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import orjson

from schemas.findings import Finding, as_json
from schemas.records import Configuration
from schemas.sentences import sentence_in
from store.rows.alerts import Alert

SELF_TEST_TABLE: Final = "SELF-TEST"
"""The reserved table of the self-test: it stands on no floor, and nobody is told of its findings."""

TIME_HEADER: Final = "time"
"""Of a record of `audit.alerts`: the table's own time, in microseconds since 1970, as digits."""

_LATEST_TIME: Final = 253_402_300_799_999_999
"""The last microsecond of the year 9999: no event has a later time."""

PLACE_HEADER: Final = "place"
"""Of such a record: where its table stands, as JSON. The worker knows it before the store has the configuration, and
the pit decides who is told."""


@dataclass(frozen=True, slots=True)
class TablePlace:
    """Where a table stands and what is played there, as it was last configured."""

    game: str | None = None
    pit: str | None = None
    site: str | None = None
    time_zone: str | None = None
    cameras: tuple[str, ...] = ()
    currency: str | None = None


UNKNOWN_PLACE: Final = TablePlace()
"""Of a table that nobody has configured, or of none."""


def place_of_table(configured: Configuration) -> TablePlace:
    """What a configuration says about the place of its table."""
    return TablePlace(
        configured.game,
        configured.pit,
        configured.site,
        configured.time_zone,
        tuple(configured.cameras or ()),
        configured.currency,
    )


def written_place(place: TablePlace) -> bytes:
    """A place as JSON."""
    return orjson.dumps(place)


def read_place(raw: bytes) -> TablePlace:
    """A place from its JSON. Raises ValueError for what is none."""
    try:
        said = orjson.loads(raw)
        return TablePlace(**{**said, "cameras": tuple(said["cameras"])})
    except (TypeError, KeyError) as error:
        raise ValueError(f"no place of a table: {error}") from error


def place_in(headers: Mapping[str, bytes]) -> TablePlace | None:
    """Where the table of a record stands, if the record says it."""
    with suppress(ValueError):
        return read_place(headers[PLACE_HEADER]) if PLACE_HEADER in headers else None
    return None


def is_self_test(finding: Finding) -> bool:
    """Whether the finding is of the self-test's own table, which is for no person."""
    return finding.table == SELF_TEST_TABLE


def device_time(headers: Mapping[str, bytes], record_ms: int) -> int:
    """The table's time of the fact that decided a finding (microseconds); without it, when the record was written."""
    said = headers.get(TIME_HEADER, b"")
    # Looked at by its length first: a number of thousands of digits cannot even be read.
    if said.isdigit() and len(said) <= len(str(_LATEST_TIME)) and int(said) <= _LATEST_TIME:
        return int(said)
    return record_ms * 1_000


def alert_of(finding: Finding, place: TablePlace, record_ms: int, headers: Mapping[str, bytes]) -> Alert:
    """The alert about a finding. Its id is the finding's, so that one finding is one alert, whoever raises it."""
    detail: dict[str, Any] = {"finding": as_json(finding)}
    if place.cameras:
        detail["cameras"] = list(place.cameras)
    if place.site is not None:
        detail["site"] = place.site
    if place.time_zone is not None:
        detail["time_zone"] = place.time_zone
    if place.currency is not None:
        detail["currency"] = place.currency
    return Alert(
        id=finding.id,
        finding=finding.id,
        table=finding.table,
        shoe=finding.shoe,
        round=finding.round,
        code=finding.code,
        severity=finding.severity,
        pit=place.pit,
        game=place.game,
        message=finding.message,
        time=device_time(headers, record_ms),
        raised=record_ms,
        detail=detail,
    )


def tables_of(alert: Alert) -> list[str]:
    """The tables of an alert that is about several at once; else none."""
    named = alert.detail.get("tables")
    return [str(each) for each in named] if isinstance(named, list) and alert.table is None else []


def sentence_of(alert: Alert, currency: str | None = None) -> str:
    """What an alert says, for people: its amounts in ``currency``, or else in that of its table when it was raised,
    and its wager as the layout prints it."""
    return sentence_in(currency or alert.detail.get("currency"), alert.code, alert.message)
