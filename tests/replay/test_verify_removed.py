"""What somebody removed from the store is missed by verify: verdicts, events, all of a shoe."""

import pytest

from replay import verify as verifying
from replay import windows
from replay.verify import verify
from store.connect import Store
from store.read.rounds import RoundFilter
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.audit.case import DTB, Case
from tests.replay.stored import fill, judged, mutate, packed
from tests.replay.telling import kinds


def _nine_rounds() -> Case:
    case = Case(DTB)
    for _ in range(9):
        case.round()
    return case


OPENED = {each.verdict.round: each.opened for each in judged(_nine_rounds().lines())}
"""When each of the nine was opened."""


def test_events_that_were_taken_away_are_missed(store: Store) -> None:
    lines = Case(DTB).round().round().lines()
    write_verdicts(store, judged(lines))
    write_records(store, packed([line for line in lines if b'"round":2' not in line]))
    assert ("BT1/S1/2", "events-gone") in kinds(verify(store))


def test_a_store_without_events_misses_those_of_every_verdict(store: Store) -> None:
    write_verdicts(store, judged(Case(DTB).round().lines()))
    assert kinds(verify(store, RoundFilter(status="verified"))) == [("BT1/S1/1", "events-gone")]


def test_a_verdict_that_was_taken_away_is_missed_when_its_round_is_well_over(store: Store) -> None:
    case = Case(DTB)
    for _ in range(9):
        case.round()
    stored = fill(store, case.lines())
    mutate(store, "ALTER TABLE verdicts DELETE WHERE round IN (2, 9)")
    result = verify(store)
    assert kinds(result) == [("BT1/S1/2", "verdict-gone")]
    assert result.rounds == len(stored) - 2


EVERY_FILTER = [
    RoundFilter(),
    RoundFilter(tables=("BT1",)),
    RoundFilter(shoe="S1"),
    RoundFilter(shoe="S1", round=2),
    RoundFilter(game=DTB),
    RoundFilter(start=0),
    RoundFilter(end=OPENED[2] + 1),
    RoundFilter(start=OPENED[2], end=OPENED[2] + 1),
    RoundFilter(tables=("BT1", "BT2"), shoe="S1", start=OPENED[2], game=DTB),
]


@pytest.mark.parametrize("wanted", EVERY_FILTER)
@pytest.mark.parametrize("gone", [("verdicts",), ("verdicts", "rounds", "events"), ("verdicts", "rounds", "shoe")])
def test_a_verdict_that_was_removed_is_missed_under_every_filter(
    store: Store, monkeypatch: pytest.MonkeyPatch, wanted: RoundFilter, gone: tuple[str, ...]
) -> None:
    fill(store, _nine_rounds().lines())
    for table in gone:
        # Also where no row tells any more that there was such a shoe.
        which = "WHERE round > 0" if table == "shoe" else "WHERE round = 2"
        mutate(store, f"ALTER TABLE {'events' if table == 'shoe' else table} DELETE {which}")
    for whole_partitions_up_to in (0, 400_000):
        monkeypatch.setattr(verifying, "EVENTS_OF_PARTITION", whole_partitions_up_to)
        found = [key for key, kind in kinds(verify(store, wanted)) if kind == "verdict-gone"]
        assert found == ["BT1/S1/2"]


@pytest.mark.parametrize(
    "wanted",
    [
        RoundFilter(tables=("BT2",)),
        RoundFilter(besides=("BT1",)),
        RoundFilter(shoe="S2"),
        RoundFilter(round=3),
        RoundFilter(game="dragon_tiger"),
        RoundFilter(start=OPENED[2] + 1),
        RoundFilter(end=OPENED[2]),
    ],
)
def test_a_verdict_that_was_removed_is_not_missed_where_its_round_is_not_meant(
    store: Store, wanted: RoundFilter
) -> None:
    fill(store, _nine_rounds().lines())
    mutate(store, "ALTER TABLE verdicts DELETE WHERE round = 2")
    assert kinds(verify(store, wanted)) == []


def test_all_verdicts_of_a_shoe_that_were_removed_are_missed_when_the_table_went_on(store: Store) -> None:
    case = _nine_rounds()
    case.load("S2")
    for _ in range(9):
        case.round()
    fill(store, case.lines())
    for table in ("verdicts", "rounds", "events"):
        mutate(store, f"ALTER TABLE {table} DELETE WHERE shoe = 'S1'")
    expected = [(f"BT1/S1/{number}", "verdict-gone") for number in range(1, 10)]
    assert kinds(verify(store, RoundFilter(shoe="S1"))) == kinds(verify(store)) == expected


def test_a_round_whose_end_was_refused_is_no_verdict_that_was_removed(store: Store) -> None:
    lines = [line for line in _nine_rounds().lines() if b'"round":2' not in line]
    odd = lines[-1].replace(b'"round":9', b'"round":2').replace(b'"sequence":', b'"sequence":-')
    fill(store, [*lines, odd], per_record=1)
    assert kinds(verify(store, RoundFilter(shoe="S1"))) == []


@pytest.mark.parametrize("wanted", [RoundFilter(status="verified"), RoundFilter(code="late-bet")])
def test_under_a_filter_of_what_a_verdict_says_removed_ones_are_not_looked_for(
    store: Store, wanted: RoundFilter
) -> None:
    fill(store, _nine_rounds().lines())
    mutate(store, "ALTER TABLE verdicts DELETE WHERE round = 2")
    result = verify(store, wanted)
    assert not result.removed_looked_for
    assert kinds(result) == []


def _shoe_of_copies(store: Store) -> list[str]:
    """Three rounds of a shoe of one deck that draw the same cards, so that the later ones rest on the first, and
    another shoe."""
    case = Case(DTB)
    for _ in range(3):
        case.round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    case.load("S2").round()
    return [str(each.key) for each in fill(store, case.lines(), per_record=1)]


@pytest.mark.parametrize("gone", ["type = 'card.drawn.v1'", "type = 'round.closed.v1'", "1"])
@pytest.mark.parametrize("per_table", [0, 400_000])
def test_event_rows_that_are_gone_are_told_of_their_round_alone_however_it_is_read(
    store: Store, monkeypatch: pytest.MonkeyPatch, gone: str, per_table: int
) -> None:
    keys = _shoe_of_copies(store)
    monkeypatch.setattr(verifying, "EVENTS_OF_PARTITION", per_table)
    mutate(store, f"ALTER TABLE events DELETE WHERE shoe = 'S1' AND round = 2 AND {gone}")
    for wanted in (RoundFilter(), RoundFilter(start=0), RoundFilter(tables=("BT1",))):
        result = verify(store, wanted)
        assert (result.rounds, kinds(result)) == (len(keys), [("BT1/S1/2", "event-rows-gone")])
    for number, expected in ((1, []), (2, ["event-rows-gone"]), (3, [])):
        result = verify(store, RoundFilter(shoe="S1", round=number))
        assert [kind for _, kind in kinds(result)] == expected


def test_event_rows_between_two_shoes_that_are_gone_accuse_no_later_round(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _shoe_of_copies(store)
    monkeypatch.setattr(windows, "EVENTS_AT_ONCE", 1)
    mutate(store, "ALTER TABLE events DELETE WHERE shoe = 'S1' AND round = 3")
    assert kinds(verify(store, RoundFilter(shoe="S2"))) == []


def test_a_changed_record_is_told_also_where_event_rows_are_gone(store: Store) -> None:
    _shoe_of_copies(store)
    mutate(store, "ALTER TABLE records UPDATE raw = replaceOne(raw, '\"paid\":100', '\"paid\":900') WHERE 1")
    mutate(store, "ALTER TABLE events DELETE WHERE round = 2 AND shoe = 'S1' AND type = 'card.drawn.v1'")
    found = dict(kinds(verify(store)))
    assert found == {f"BT1/S1/{number}": "facts-differ" for number in (1, 2, 3)}
    assert dict(kinds(verify(store, RoundFilter(start=0)))) == found
