"""Times: only those that the calendar has, and exact microseconds."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.decoding import decode_record
from schemas.time import is_time, micros, why_no_time

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@settings(deadline=None)
@given(st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31)), st.integers(0, 6))
def test_micros_are_exact_for_every_number_of_decimals(moment: datetime, decimals: int) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 10 ** (6 - decimals) * 10 ** (6 - decimals))
    fraction = f".{moment.microsecond:06}"[: decimals + 1] if decimals else ""
    text = f"{moment:%H:%M:%S}"
    text = f"{moment.year:04}-{moment.month:02}-{moment.day:02}T{text}{fraction}Z"
    assert is_time(text)
    assert micros(text) == (moment.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)


@settings(deadline=None)
@given(st.integers(0, 9999), st.integers(0, 14), st.integers(0, 33))
def test_a_day_is_accepted_exactly_when_the_calendar_has_it(year: int, month: int, day: int) -> None:
    try:
        datetime(year, month, day)
        exists = True
    except ValueError:
        exists = False
    assert is_time(f"{year:04}-{month:02}-{day:02}T00:00:00Z") is exists


@pytest.mark.parametrize("year", [1900, 1996, 2000, 2023, 2024, 2100, 2400])
def test_the_29th_of_february_is_a_day_of_leap_years_alone(year: int) -> None:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    assert is_time(f"{year}-02-29T12:00:00Z") is leap


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-01T12:34:56",
        "2026-03-01T12:34:56+00:00",
        "2026-03-01 12:34:56Z",
        "2026-03-01T12:34:56z",
        "2026-03-01T12:34Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T12:60:00Z",
        "2016-12-31T23:59:60Z",
        "2026-03-01T12:34:56.Z",
        "2026-03-01T12:34:56.1234567Z",
        "2026-03-01T12:34:56Z\n",
        "２026-03-01T12:34:56Z",
        "20260301T123456Z",
        "",
    ],
)
def test_what_is_no_time_is_refused_with_a_reason(text: str) -> None:
    assert not is_time(text)
    assert why_no_time(text)


@settings(deadline=None)
@given(st.from_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{0,7})?Z", fullmatch=True))
def test_the_pattern_reads_alike_in_the_decoder_and_in_python(text: str) -> None:
    raw = (
        '{"specversion":"1.0","id":"1","source":"s","type":"device.heartbeat.v1","subject":"t","sequence":0,'
        f'"time":"2026-01-01T00:00:00Z","data":{{"device_time":"{text}"}}}}'
    )
    assert bool(decode_record(raw.encode()).events) is is_time(text)


def test_a_leap_second_is_refused_by_name() -> None:
    assert why_no_time("2016-12-31T23:59:60Z") == "leap seconds are not accepted"
    assert "calendar" in why_no_time("2026-02-30T00:00:00Z")
    assert "form" in why_no_time("yesterday")
