"""A shift's figures: each round once, in its last state, in the shift that it was opened in; currencies apart."""

from dataclasses import replace

from store.connect import Store
from store.read.reports import Decided, FindingCount, decided, figures, finding_counts, staked
from store.read.rounds import RoundFilter, latest_summaries
from store.write.findings import write_findings
from store.write.verdicts import write_verdicts
from tests.store.floor import ARRIVAL, SECOND, START, bet, finding, judged, state

HOUR = 3600 * SECOND
PRICED = [("no_commission", 8, wager) for wager in ("player", "banker", "tie")]


def _shift(store: Store) -> None:
    two = (
        bet("b1", "P1", "player", 500, expected=(0, 500), actual=(0, 500)),
        bet("b2", "P2", "banker", 300, expected=(300, 0), actual=(300, 0)),
        bet("b3", "P1", "tie", 20, expected=(0, 20), actual=(0, 20)),
    )
    write_verdicts(
        store,
        [
            judged("BT1", number=1, bets=two),
            judged("BT1", number=2, opened=START + 60 * SECOND, bets=two, findings=(finding("late-bet", "BT1"),)),
            judged("BT1", number=3, opened=START + 120 * SECOND, bets=two, status="void"),
            judged("BT2", number=1, opened=START + HOUR, bets=two),
        ],
    )


def test_a_table_has_its_rounds_handle_and_win_and_a_void_round_has_no_handle(store: Store) -> None:
    _shift(store)
    (row,) = figures(store, "table", START, START + HOUR)
    assert (row.name, row.currency, row.rounds, row.void, row.flagged, row.bets) == ("BT1", "SGD", 3, 1, 1, 9)
    assert (row.handle, row.win, row.findings) == (2 * 820, 3 * 220, 1)


def test_a_round_belongs_to_the_shift_that_it_was_opened_in(store: Store) -> None:
    _shift(store)
    assert [row.name for row in figures(store, "table", START, START + HOUR + 1)] == ["BT1", "BT2"]
    assert [row.name for row in figures(store, "table", START + HOUR, START + 2 * HOUR)] == ["BT2"]
    assert figures(store, "table", START, START + HOUR, tables=("BT2",)) == []
    assert [row.name for row in figures(store, "table", START, START + HOUR + 1, besides=("BT1",))] == ["BT2"]


def test_a_player_has_the_own_bets_alone_and_a_dealer_the_whole_round(store: Store) -> None:
    _shift(store)
    first, second = figures(store, "player", START, START + HOUR)
    assert (first.name, first.rounds, first.handle, first.win, first.findings) == ("P1", 3, 1040, 3 * 520, None)
    assert (second.name, second.rounds, second.handle, second.win) == ("P2", 3, 600, -900)
    (dealer,) = figures(store, "dealer", START, START + HOUR)
    assert (dealer.rounds, dealer.handle) == (3, 1640)


def test_a_round_judged_again_counts_as_it_was_judged_last(store: Store) -> None:
    _shift(store)
    write_verdicts(store, [judged("BT1", number=1, revision=2, bets=(), at=ARRIVAL + 99_000)])
    (row,) = figures(store, "table", START, START + HOUR)
    assert (row.rounds, row.handle) == (3, 820)


def test_what_was_staked_is_summed_by_wager_and_by_two_wagers_of_one_round(store: Store) -> None:
    _shift(store)
    rows = {(row.first, row.second): row for row in staked(store, "table", START, START + HOUR, PRICED)}
    assert len(rows) == 9
    assert (rows["player", "player"].stakes, rows["player", "player"].products) == (1000, 2 * 500 * 500)
    assert (rows["player", "banker"].stakes, rows["player", "banker"].products) == (0, 2 * 500 * 300)
    assert rows["banker", "player"].products == rows["player", "banker"].products
    of_players = {(row.name, row.first, row.second) for row in staked(store, "player", START, START + HOUR, PRICED)}
    assert ("P1", "player", "tie") in of_players
    assert not any(name == "P1" and "banker" in (first, second) for name, first, second in of_players)


def test_money_held_against_the_odds_is_that_of_rounds_which_the_cards_decided(store: Store) -> None:
    _shift(store)
    assert decided(store, "table", START, START + HOUR, PRICED) == [Decided("BT1", "SGD", 2, 1640, 440)]
    assert decided(store, "table", START, START + HOUR, PRICED[:1]) == [Decided("BT1", "SGD", 2, 1000, 1000)]


def test_findings_are_counted_by_code_with_what_became_of_them(store: Store) -> None:
    write_findings(
        store,
        [
            state(finding("late-bet", "BT1")),
            state(finding("late-bet", "BT1", number=2, cleared=True)),
            state(replace(finding("device-gap", "BT2"), shoe=None, round=None)),
        ],
    )
    assert finding_counts(store, START, START + HOUR) == [
        FindingCount("late-bet", finding("late-bet", "BT1").severity, 2, 1, 0, 1),
        FindingCount("device-gap", "high", 1, 0, 0, 0),
    ]
    assert finding_counts(store, START, START + HOUR, tables=("BT9",)) == []


def test_a_clock_that_was_wrong_counts_when_it_was_found_and_not_at_the_time_that_it_gave(store: Store) -> None:
    clock = replace(finding("device-clock", "BT1"), shoe=None, round=None)
    ahead = state(clock, time=START + 9 * HOUR, raised=START // 1_000)
    write_findings(store, [ahead, state(replace(clock, id="f" * 32), raised=START // 1_000 + HOUR // 1_000)])
    (counted,) = finding_counts(store, START, START + HOUR)
    assert (counted.code, counted.findings, counted.rounds) == ("device-clock", 1, 0)
    assert sum(each.findings for each in finding_counts(store, START, START + HOUR + 1_000)) == 2
    assert finding_counts(store, START + 9 * HOUR, START + 10 * HOUR) == []


def test_rounds_are_found_a_page_at_a_time_the_latest_first(store: Store) -> None:
    _shift(store)
    total, first = latest_summaries(store, RoundFilter(tables=("BT1",)), 2)
    assert (total, [row.key.round for row in first]) == (3, [3, 2])
    total, rest = latest_summaries(store, RoundFilter(tables=("BT1",)), 2, skip=2)
    assert (total, [row.key.round for row in rest]) == (3, [1])
    assert latest_summaries(store, RoundFilter(player="P2", status="void"), 5)[0] == 1
