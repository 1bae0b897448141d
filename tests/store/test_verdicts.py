"""Verdicts, rounds and bets: written by revision, read in their last state, by every filter."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from schemas.verdicts import Verdict, parse_verdict, verdict_json
from store.connect import Store
from store.read.players import bets, player_bets
from store.read.progress import last_revisions
from store.read.rounds import RoundFilter, last_summaries, revisions, summaries, verdict, verdicts
from store.rows.verdicts import JudgedRound, RoundKey, revision_and_time
from store.write.verdicts import write_verdicts
from tests.store.floor import ARRIVAL, CARDS, SECOND, START, bet, finding, judged

_MONTH = 31 * 24 * 3600 * SECOND


def _fill(store: Store) -> dict[RoundKey, JudgedRound]:
    """Rounds of two tables in two months; one flagged, one revised, one with a player of its own."""
    tie = bet("b3", "P7", "tie", 200, expected=(0, 200), actual=None)
    rounds = [
        judged("BT1", number=1),
        judged("BT1", number=2, opened=START + 60 * SECOND, findings=(finding("late-bet", "BT1", number=2),)),
        judged("BT1", shoe="S2", number=1, opened=START + _MONTH, bets=(tie,)),
        judged("BT2", number=1, opened=START + 5 * SECOND),
        judged("BT2", number=10, opened=START + 90 * SECOND, status="void"),
        judged("BT2", number=9, opened=START + 80 * SECOND),
        judged("BT2", number=9, revision=2, opened=START + 81 * SECOND, at=ARRIVAL + 99, bets=(tie,)),
    ]
    write_verdicts(store, rounds)
    return {each.key: each for each in rounds}


def _keys(store: Store, **wanted: Any) -> list[str]:
    return [str(each.key) for each in verdicts(store, RoundFilter(**wanted))]


def test_a_verdict_comes_back_byte_for_byte(store: Store) -> None:
    for key, each in _fill(store).items():
        found = verdict(store, key)
        assert found is not None
        assert found.json == verdict_json(each.verdict)
        assert parse_verdict(found.json) == each.verdict
        assert (found.digest, found.judge, found.judged) == (each.verdict.digest, "1.0", each.judged)
    assert verdict(store, RoundKey("BT1", "S1", 99)) is None


def test_every_revision_is_kept_and_the_last_one_counts(store: Store) -> None:
    last = _fill(store)
    key = RoundKey("BT2", "S1", 9)
    assert [each.revision for each in revisions(store, key)] == [1, 2]
    first = verdict(store, key, revision=1)
    assert first is not None
    assert parse_verdict(first.json).revision == 1
    assert last_revisions(store, [key, RoundKey("BT1", "S1", 1), RoundKey("BT9", "S1", 1)]) == {
        key: (2, last[key].verdict.digest),
        RoundKey("BT1", "S1", 1): (1, last[RoundKey("BT1", "S1", 1)].verdict.digest),
    }
    assert last_revisions(store, []) == {}


def test_of_one_revision_told_twice_the_verdict_judged_first_counts(store: Store) -> None:
    late = judged("BT1", revision=3, at=ARRIVAL + 2_000, status="void", findings=(finding("late-bet", "BT1"),))
    first = judged("BT1", revision=3, at=ARRIVAL + 1_000)
    again = judged("BT1", revision=3, at=ARRIVAL + 9_000)
    older = judged("BT1", revision=2, at=ARRIVAL)
    for each in (late, again, first, older):
        write_verdicts(store, [each])
    found = verdict(store, first.key)
    assert found is not None
    assert (found.revision, found.judged, found.json) == (3, first.judged, verdict_json(first.verdict))
    assert [(each.revision, each.judged, each.digest) for each in revisions(store, first.key)] == [
        (2, older.judged, older.verdict.digest),
        (3, first.judged, first.verdict.digest),
        (3, late.judged, late.verdict.digest),
    ]
    assert verdict(store, first.key, revision=1) is None


@pytest.mark.parametrize(
    ("revision", "at"), [(1, ARRIVAL), (2, ARRIVAL + 1), (2**20 - 1, ARRIVAL), (7, 4_291_747_199_999)], ids=str
)
def test_revision_and_time_come_back_out_of_the_precedence(store: Store, revision: int, at: int) -> None:
    write_verdicts(store, [judged("BT1", revision=revision, at=at)])
    (stored,) = store.query("SELECT precedence, revision, toUnixTimestamp64Milli(judged) FROM verdicts")
    assert revision_and_time(stored[0]) == stored[1:] == (revision, at)


def test_rounds_are_listed_in_the_order_of_table_shoe_and_round(store: Store) -> None:
    _fill(store)
    expected = ["BT1/S1/1", "BT1/S1/2", "BT1/S2/1", "BT2/S1/1", "BT2/S1/9", "BT2/S1/10"]
    assert _keys(store) == expected
    assert [str(each.key) for each in summaries(store)] == expected


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ({"tables": ("BT2",)}, ["BT2/S1/1", "BT2/S1/9", "BT2/S1/10"]),
        ({"tables": ("BT1",), "shoe": "S1"}, ["BT1/S1/1", "BT1/S1/2"]),
        ({"start": START + 60 * SECOND, "end": START + 90 * SECOND}, ["BT1/S1/2", "BT2/S1/9"]),
        ({"start": START + 80 * SECOND, "end": START + 81 * SECOND}, []),
        ({"player": "P7"}, ["BT1/S2/1", "BT2/S1/9"]),
        ({"player": "P7", "start": START, "end": START + _MONTH}, ["BT2/S1/9"]),
        ({"player": "P1", "tables": ("BT2",)}, ["BT2/S1/1", "BT2/S1/10"]),
        ({"code": "late-bet"}, ["BT1/S1/2"]),
        ({"status": "void"}, ["BT2/S1/10"]),
        ({"wager": "tie"}, ["BT1/S2/1", "BT2/S1/9"]),
        ({"game": "tiger"}, []),
        ({"pit": "P1", "round": 1}, ["BT1/S1/1", "BT1/S2/1", "BT2/S1/1"]),
        ({"player": "'; DROP TABLE rounds; --"}, []),
    ],
)
def test_a_filter_looks_at_the_last_revision_alone(store: Store, wanted: dict[str, Any], expected: list[str]) -> None:
    _fill(store)
    assert _keys(store, **wanted) == expected
    assert [str(each.key) for each in summaries(store, RoundFilter(**wanted))] == expected


def test_pages_of_rounds_follow_each_other_without_gap_or_repeat(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    _fill(store)
    for size in (1, 2, 6):
        monkeypatch.setattr("store.read.rounds._PAGE", size)
        assert len(_keys(store)) == len(set(_keys(store))) == 6
        assert len(list(summaries(store))) == 6


def test_a_summary_tells_cards_money_and_findings(store: Store) -> None:
    _fill(store)
    (flagged,) = summaries(store, RoundFilter(code="late-bet"))
    assert flagged.cards == CARDS
    assert (flagged.handle, flagged.win) == (800, 200)
    assert (flagged.winner, flagged.displayed_winner, flagged.codes) == ("banker", "banker", ("late-bet",))
    assert (flagged.game, flagged.document, flagged.pit, flagged.dealer) == (
        "no_commission",
        "electronic-baccarat",
        "P1",
        "D7",
    )
    assert (flagged.opened, flagged.ended) == (START + 60 * SECOND, START + 90 * SECOND)


def test_the_last_games_of_a_table_come_latest_first(store: Store) -> None:
    _fill(store)
    assert [str(each.key) for each in last_summaries(store, "BT2", 2)] == ["BT2/S1/10", "BT2/S1/9"]


def test_one_players_month_holds_that_players_bets_alone(store: Store) -> None:
    _fill(store)
    found = player_bets(store, "P7", START, START + _MONTH)
    assert [(str(each.key), each.bet, each.wager, each.stake) for each in found] == [("BT2/S1/9", "b3", "tie", 200)]
    assert (found[0].expected_paid, found[0].expected_collected, found[0].paid) == (Decimal(0), Decimal(200), None)
    assert len(player_bets(store, "P7", START, START + 2 * _MONTH)) == 2
    assert player_bets(store, "P1", START + _MONTH, START + 2 * _MONTH) == []
    assert {each.player for each in bets(store, RoundFilter(tables=("BT1",), wager="banker"))} == {None}


def test_half_a_minor_unit_is_stored_exactly(store: Store) -> None:
    exact = bet("b1", "P1", "banker", 2**53 - 1, expected=(Fraction(5, 2), 2**53 - 1), actual=(2**53 - 1, 0))
    write_verdicts(store, [judged("BT1", bets=(exact,))])
    (found,) = bets(store, RoundFilter())
    assert (found.stake, found.paid) == (2**53 - 1, 2**53 - 1)
    assert (found.expected_paid, found.expected_collected) == (Decimal("2.5"), Decimal(2**53 - 1))


def test_a_round_without_configuration_or_outcome_is_stored(store: Store) -> None:
    whole = judged("BT1").verdict
    bare = Verdict(
        table="BT1",
        shoe="S1",
        round=1,
        revision=1,
        game=None,
        rules=None,
        status="unverifiable",
        outcome=None,
        displayed=None,
        bets=(),
        differential=None,
        findings=(finding("round-incomplete", "BT1"),),
        settings={},
        digest=whole.digest,
    )
    write_verdicts(
        store,
        [JudgedRound(verdict=bare, judge="1.0", judged=ARRIVAL, opened=START, ended=START, cards=("LG", "9S"))],
    )
    (found,) = summaries(store)
    assert (found.game, found.winner, found.document, found.handle) == (None, None, None, 0)
    assert found.cards == ("LG", "9S")


@pytest.mark.parametrize(
    ("game", "cards", "numbers"),
    [
        ("no_commission", ("AS", "KC", "AF"), [0, 51, 128]),
        ("fa_fa_fabulous_4", ("AF", "FA", "KC"), [0, 64, 179]),
        ("dragon_tiger", ("2S", "2C"), [4, 7]),
    ],
)
def test_cards_are_numbered_by_their_place_in_the_games_deck(
    game: str, cards: tuple[str, ...], numbers: list[int]
) -> None:
    from store.card_numbers import card_codes, card_numbers

    assert card_numbers(game, cards) == numbers
    assert card_codes(game, numbers) == cards


def test_the_compact_form_speaks_in_numbers_for_bulk_audit(store: Store) -> None:
    write_verdicts(store, [judged("BT1")])
    assert store.query(
        "SELECT cards, totals, naturals, pairs, displayed_totals, decks, toString(in_force) FROM rounds"
    ) == [([32, 49, 14, 11], [3, 3], 0, 2, [3, 3], 8, "2019-01-01")]


def test_a_revision_beyond_what_can_be_ordered_is_refused() -> None:
    with pytest.raises(ValueError, match="beyond what the store can put in order"):
        judged("BT1", revision=1 << 20)
