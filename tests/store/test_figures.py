"""Figures for dashboards: they count each round once, in its last state, and each card once."""

from decimal import Decimal
from fractions import Fraction

from store.connect import Store
from store.read.figures import (
    finding_minutes,
    shoe_ledger,
    shoe_summaries,
    source_hours,
    table_minutes,
    wager_odds,
)
from store.rows.shoes import ShoeSummary, WagerOdds
from store.write.findings import write_findings
from store.write.raw import write_records
from store.write.shoes import write_odds, write_shoes
from store.write.verdicts import write_verdicts
from tests.store.floor import ARRIVAL, SECOND, START, Table, bet, evening, everything, finding, judged, packed, state

_MINUTE = START // SECOND


def test_a_minute_of_a_table_tells_rounds_handle_win_hold_findings_and_latency(store: Store) -> None:
    wrong = bet("b1", "P1", "player", 500, expected=(0, 500), actual=(100, 0))
    write_verdicts(
        store,
        [
            judged("BT1", number=1, at=ARRIVAL + 31_000),
            judged("BT1", number=2, opened=START + 59 * SECOND, bets=(wrong,), at=ARRIVAL + 99_000,
                   findings=(finding("payout-wrong", "BT1", number=2), finding("below-minimum", "BT1", number=2))),
            judged("BT1", number=3, opened=START + 60 * SECOND, status="void", at=ARRIVAL + 91_000),
            judged("BT2", number=1, opened=START + 1, at=ARRIVAL + 31_000),
        ],
    )  # fmt: skip
    first, other = table_minutes(store, _MINUTE, _MINUTE + 60)
    assert (first.table, first.game, first.pit, first.currency) == ("BT1", "no_commission", "P1", "SGD")
    assert (first.rounds, first.bets, first.handle, first.win) == (2, 3, 1300, 200 - 100)
    assert first.hold == Fraction(1, 13)
    assert first.due_win == Decimal(200 + 500)
    assert (first.critical, first.high, first.medium, first.low, first.flagged) == (1, 1, 0, 0, 1)
    assert (first.mean_latency_ms, first.worst_latency_ms) == (5_500, 10_000)
    assert other.table == "BT2"
    (void,) = table_minutes(store, _MINUTE + 60, _MINUTE + 120, tables=("BT1",))
    assert (void.rounds, void.voids, void.handle, void.hold) == (1, 1, 0, None)


def test_a_revision_moves_a_round_to_its_new_minute_and_leaves_nothing_in_the_old(store: Store) -> None:
    write_verdicts(store, [judged("BT1", opened=START)])
    write_verdicts(store, [judged("BT1", revision=2, opened=START + 3600 * SECOND, at=ARRIVAL + 1)])
    write_verdicts(store, [judged("BT1", opened=START)])
    assert table_minutes(store, _MINUTE, _MINUTE + 60) == []
    (moved,) = table_minutes(store, _MINUTE, _MINUTE + 7200)
    assert (moved.minute, moved.rounds) == (_MINUTE + 3600, 1)


def test_findings_are_counted_by_minute_in_their_last_state(store: Store) -> None:
    write_findings(store, [state(finding("late-bet", "BT1")), state(finding("late-bet", "BT1", number=2))])
    write_findings(store, [state(finding("late-bet", "BT1", cleared=True), version=2)])
    write_findings(store, [state(finding("device-gap", "BT1", shoe=None, round=None), time=START + 61 * SECOND)])
    counted = finding_minutes(store, _MINUTE, _MINUTE + 120)
    assert [(each.minute - _MINUTE, each.code, each.findings, each.cleared) for each in counted] == [
        (0, "late-bet", 2, 1),
        (60, "device-gap", 1, 0),
    ]


def test_the_shoe_ledger_counts_a_card_once_however_often_it_was_reported(store: Store) -> None:
    floor = evening(["BT1"], 3)
    write_records(store, packed(everything(floor)))
    assert shoe_ledger(store, "BT1", "S1") == {"9S": 3, "KH": 3, "4D": 3, "3C": 3}
    again = Table("BT1", START + 900 * SECOND)
    again.sequences = dict(floor[0].sequences)
    again.say("reader", "card.drawn.v1", shoe="S1", round=3, draw=1, card="9S")
    again.say("reader", "card.drawn.v1", shoe="S1", round=4, draw=1, card="9S")
    (record,) = packed(again.said)
    write_records(store, [type(record)("table.cards", 1, 900, record.arrival, record.raw, record.decoded)])
    assert shoe_ledger(store, "BT1", "S1")["9S"] == 4
    assert shoe_ledger(store, "BT1", "S9") == {}


def test_the_hours_of_a_source_tell_sequences_and_delays(store: Store) -> None:
    floor = evening(["BT1"], 2)
    records = packed(everything(floor))
    write_records(store, records)
    hours = {each.source: each for each in source_hours(store, _MINUTE, _MINUTE + 3600)}
    assert hours.keys() == floor[0].sequences.keys()
    reader = hours["/tables/BT1/reader"]
    assert (reader.first_sequence, reader.last_sequence) == (0, floor[0].sequences["/tables/BT1/reader"] - 1)
    assert reader.fastest_ms <= reader.slowest_ms
    assert source_hours(store, _MINUTE + 3600, _MINUTE + 7200) == []


def test_summaries_of_shoes_come_latest_first_in_their_last_version(store: Store) -> None:
    def summary(shoe: str, version: int, ended: int) -> ShoeSummary:
        return ShoeSummary(
            table="BT1",
            shoe=shoe,
            version=version,
            game="no_commission",
            decks=8,
            loaded=START,
            ended=START + ended,
            rounds=70,
            summarised=ARRIVAL + version,
            summary={"cards": ["9S"], "version": version},
        )

    write_shoes(store, [summary("S1", 2, 10), summary("S2", 1, 20)])
    write_shoes(store, [summary("S1", 1, 10)])
    assert shoe_summaries(store, "BT1") == [summary("S2", 1, 20), summary("S1", 2, 10)]
    assert shoe_summaries(store, "BT1", before=START + 20, count=1) == [summary("S1", 2, 10)]
    assert shoe_summaries(store, "BT2") == []


def test_the_odds_of_wagers_are_kept_exactly(store: Store) -> None:
    odds = WagerOdds(
        game="no_commission", decks=8, wager="player", expected_return=Fraction(-61734, 4998398), deviation=0.95
    )
    write_odds(store, [odds])
    assert wager_odds(store) == [odds]
