"""The bytes of an event, asked for when its record has long been stored: the very same."""

from collections.abc import Sequence

import orjson
from hypothesis import given
from hypothesis import strategies as st

from audit.intake import CONFLICT
from audit.settings import JudgeSettings
from schemas.decoding import split_record
from schemas.topics import BETS, CARDS, topic_of
from store.rows.raw import Record
from streams.intake import Origin, read_record
from streams.news import News
from streams.partition import PartitionJudge
from tests.audit.case import FIRST_BET, Case

NOISE = b'{"not":"an event"}'


def _record(lines: Sequence[bytes], offset: int = 0, topic: str = CARDS.name) -> Record:
    return read_record(topic, 0, offset, 1_700_000_000_000, b"[" + b",".join(lines) + b"]", 1)


def _lines(topic: str) -> list[bytes]:
    case = Case()
    for _ in range(4):
        case.round(**FIRST_BET)
    return [orjson.dumps(event) for event in case.events() if topic_of(event["type"]) == topic]


@given(st.lists(st.booleans(), max_size=12), st.booleans())
def test_an_event_has_the_bytes_it_came_with_before_and_after_it_is_stored(noise: list[bool], asked: bool) -> None:
    lines = _lines(CARDS.name)
    for place, is_there in enumerate(noise):
        if is_there:
            lines.insert(2 * place, NOISE)
    record = _record(lines)
    pieces = split_record(record.raw)
    expected = [piece for piece in pieces if piece != NOISE]
    origin = Origin.of_record(record)
    if asked:
        assert [origin.raw(event) for event in record.decoded.events] == expected
    origin.put_by()
    origin.put_by()
    assert [origin.raw(event) for event in record.decoded.events] == expected
    assert [pieces[origin.place(event)] for event in record.decoded.events] == expected


def test_two_records_at_the_same_time_do_not_get_each_others_bytes() -> None:
    records = [_record(_lines(CARDS.name), 0), _record(_lines(BETS.name), 0, BETS.name)]
    origins = [Origin.of_record(record) for record in records]
    for origin in origins:
        origin.put_by()
    for record, origin in zip(records * 2, origins * 2, strict=True):
        assert [origin.raw(event) for event in record.decoded.events] == split_record(record.raw)


def test_what_is_refused_after_it_was_stored_has_the_bytes_it_came_with() -> None:
    judge = PartitionJudge(0, JudgeSettings(), (), {})
    lines = _lines(BETS.name)
    record = _record(lines, 0, BETS.name)
    assert len(record.raw) > 1_000, "worth pressing"
    judge.take(record, 1, 0.0)
    judge.stored(1, judge.look(0))
    bet = next(line for line in lines if b"bet.placed" in line)
    other = orjson.dumps(orjson.loads(bet) | {"time": "2026-01-05T12:00:09.000000Z"})
    assert other != bet
    news = judge.take(_record([other], 1, BETS.name), 2, 1.0)
    news.add(judge.look(0))
    assert _refused(news) == [bet, other]


def _refused(news: News) -> list[bytes]:
    found = [each.rejected for each in news.refused if CONFLICT in each.rejected.reason]
    return [each.raw for each in sorted(found, key=lambda each: each.time or "")]
