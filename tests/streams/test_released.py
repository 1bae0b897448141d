"""What was let go of is not forgotten: a fact about it asks for the store."""

import gc
from collections import Counter
from collections.abc import Iterable, Sequence

from audit.live.table import LiveTable
from audit.settings import JudgeSettings
from games.cards import STANDARD
from schemas.decoding import decode_lines, decode_record
from schemas.findings import finding_json
from store.rows.raw import Record
from streams.desk import TableDesk
from streams.folding import FindingMark, Folded
from streams.intake import event_times
from streams.intake import shares as by_table
from streams.partition import IDLE_SECONDS, PartitionJudge
from streams.topic_layout import INPUTS
from tests.audit.case import DEALER, FIRST_BET, RFID, Case
from tests.streams.stored import SHORT_PAID

LONG_AFTER = 2**60


def test_a_fact_of_a_shoe_that_was_let_go_asks_for_the_shoe_again() -> None:
    """A topic that is read late, or a correction the day after: no round is made of that fact alone."""
    case = Case().round(**FIRST_BET).end_shoe(None).load("S2").round(**FIRST_BET)
    events = decode_lines(case.lines()).events
    bets = [event for event in events if event.type.startswith("bet.") and event.data.shoe == "S1"]
    table = LiveTable(case.said[0]["subject"], JudgeSettings())
    for event in events:
        if event not in bets:
            table.take(event)
    table.look(LONG_AFTER)
    table.release(LONG_AFTER)
    assert ("S1", 1) not in table.rounds
    for event in bets:
        table.take(event)
    seen = table.look(LONG_AFTER)
    assert seen.reload == {"S1"} or [event for event, _ in seen.late] == bets
    assert ("S1", 1) not in table.rounds


def test_tables_let_go_of_what_is_over_in_turns_and_none_is_left_out() -> None:
    """All of two thousand at once would keep everybody from being told of anything for a while."""
    judge = PartitionJudge(0, JudgeSettings(), (), dict.fromkeys(INPUTS, 0))
    for number in range(10):
        judge.desk(f"T{number}")
    left = []
    for _ in range(11):
        judge.release(2 * IDLE_SECONDS, 0, share=0.1)
        left.append(len(judge.desks))
    assert left == [*range(9, -1, -1), 0]
    judge.desk("T11").heard = 2 * IDLE_SECONDS
    judge.release(2 * IDLE_SECONDS, 0)
    assert judge.desks.keys() == {"T11"}


def test_what_was_told_of_a_round_is_let_go_with_it_once_all_that_was_told_before_is_known() -> None:
    """For weeks a table finds something now and then; of a round that comes again it may have to be taken back."""
    case = Case()
    for _ in range(3):
        case.round(**SHORT_PAID)
    record = _record(0, case.end_shoe(None).load("S2").round(**FIRST_BET).lines())
    [share] = by_table(record, event_times(record.decoded.events)).values()
    desk = TableDesk(case.said[0]["subject"], JudgeSettings(), fresh=True)
    desk.take(1, share)
    news = desk.look(LONG_AFTER, caught_up=False)
    wrong = [each for each in news.findings if each.finding.code == "payout-wrong"]
    for each in news.findings:
        desk.stored(each.finding.id, each.version)
    desk.release(LONG_AFTER)
    assert len(wrong) == 3 == _told_of_rounds(desk)
    desk.look(LONG_AFTER, caught_up=True)
    desk.release(LONG_AFTER)
    assert _told_of_rounds(desk) == 0


def test_what_was_told_of_a_shoe_or_a_device_is_let_go_with_it() -> None:
    """Where cards are missing at the end of every shoe, a table of months would hold all of that, and look through it
    at every verdict."""
    case = Case()
    for number in range(1, 5):
        if number > 1:
            case.load(f"S{number}")
        for _ in range(12):
            case.round(**FIRST_BET)
        case.end_shoe(["2H"])
    lines = case.round(**FIRST_BET).lines()
    desk = TableDesk(case.said[0]["subject"], JudgeSettings(), fresh=True)
    told = []
    for number, line in enumerate(lines):
        record = _record(number, [line])
        for share in by_table(record, event_times(record.decoded.events)).values():
            desk.take(number, share)
        for each in desk.look(LONG_AFTER, caught_up=True).findings:
            desk.stored(each.finding.id, each.version)
            told += [each] if each.finding.code == "shoe-short" else []
        desk.release(LONG_AFTER)
    assert [each.finding.shoe for each in told] == ["S1", "S2", "S3", "S4"]
    held = [mark.content for mark in _marks(desk) if b'"shoe-short"' in mark.content]
    assert held == [finding_json(told[-1].finding)]


def _told_of_rounds(desk: TableDesk) -> int:
    return sum(mark.round is not None for mark in _marks(desk))


def _marks(desk: TableDesk) -> list[FindingMark]:
    held = [each for each in gc.get_referents(desk) if isinstance(each, dict) and _are_marks(each.values())]
    return [mark for marks in held for mark in marks.values()]


def _are_marks(values: Iterable[object]) -> bool:
    held = list(values)
    return bool(held) and all(isinstance(value, FindingMark) for value in held)


def test_what_was_told_of_a_shoe_is_taken_back_though_nothing_of_it_was_stored_yet() -> None:
    """A burst can bring a shoe, its end and a late round of it before the store has any of them."""
    case = Case().round(**FIRST_BET).round(**FIRST_BET)
    drawn = [event["data"]["card"] for event in case.said if event["type"] == "card.drawn.v1"]
    left = Counter(list(STANDARD.codes) * 8) - Counter(drawn)
    lines = case.end_shoe(sorted(left.elements())).load("S2").round(**FIRST_BET).lines()
    late = [line for line in lines if b'"shoe":"S1","round":2' in line]
    records = [_record(0, [line for line in lines if line not in late]), _record(1, late)]
    desk = TableDesk(case.said[0]["subject"], JudgeSettings(), fresh=True)
    shares = [share for record in records for share in by_table(record, event_times(record.decoded.events)).values()]
    desk.take(1, shares[0])
    told = desk.look(LONG_AFTER, caught_up=True).findings
    assert "shoe-short" in {each.finding.code for each in told}
    desk.release(LONG_AFTER)
    desk.take(2, shares[1])
    desk.look(LONG_AFTER, caught_up=True)
    assert desk.needs_store
    desk.resume(Folded(LiveTable(desk.table, desk.settings)), shares)
    cleared = [each.finding for each in desk.look(LONG_AFTER, caught_up=True).findings if each.finding.cleared]
    assert "shoe-short" in {finding.code for finding in cleared}


def test_a_silence_that_was_none_is_taken_back_by_a_worker_that_lets_go_before_it_has_looked() -> None:
    """A table that was read from the store is left alone for a moment while late facts come; its turn to let go of what
    is over may be the first that comes."""
    case = Case()
    for minute in range(4):
        case.beat(minute * 50_000, RFID).beat(minute * 50_000 + 1_000, DEALER)
    events = decode_lines(case.lines()).events
    rfid = [event for event in events if event.source == RFID]
    early = LiveTable(case.said[0]["subject"], JudgeSettings())
    for event in events:
        if event not in rfid[1:]:
            early.take(event)
    [silent] = [finding for finding in early.look(LONG_AFTER).findings if finding.code == "device-silent"]
    late = LiveTable(early.table, JudgeSettings())
    for event in events:
        late.take(event)
    desk = TableDesk(early.table, late.settings, fresh=False)
    desk.resume(Folded(late, findings={silent.id: FindingMark(1, finding_json(silent), None, True)}), ())
    desk.release(LONG_AFTER)
    found = desk.look(LONG_AFTER, caught_up=True).findings
    assert [each.finding.id for each in found if each.finding.cleared] == [silent.id]


def _record(offset: int, lines: Sequence[bytes]) -> Record:
    raw = b"[" + b",".join(lines) + b"]"
    return Record("table.cards", 0, offset, 0, raw, decode_record(raw))
