"""The numbers that dashboards show are those of an audit of the same events, and of the exact odds."""

from collections import Counter, defaultdict
from fractions import Fraction
from math import sqrt

import pytest

from dashboards.boards.findings import FINDINGS_BOARD
from dashboards.boards.floor import FLOOR
from dashboards.boards.money import MONEY_BOARD
from dashboards.choosing import MONEY
from dashboards.expected_win import so_far, sums, sums_by_wager
from dashboards.generate import BOARDS
from dashboards.panel import Panel
from dashboards.sources import Sql
from games.odds import odds
from games.rulebook import GAMES
from schemas.verdicts import Verdict
from tests.dashboards.conftest import Filled


def panel(title: str, board: str) -> str:
    """The query of a panel."""
    (found,) = [each for each in _board(board) if each.title == title and each.kind == "stat"]
    (query,) = found.queries
    assert isinstance(query, Sql)
    return query.sql


def _board(uid: str) -> list[Panel]:
    (found,) = [each for each in BOARDS if each.uid == uid]
    return found.panels


def _won(verdict: Verdict) -> int:
    return sum(int(bet.actual.collected) - int(bet.actual.paid) for bet in verdict.bets if bet.actual is not None)


def _stakes(verdict: Verdict) -> dict[str, int]:
    stakes: Counter[str] = Counter()
    for bet in verdict.bets:
        stakes[bet.wager] += int(bet.stake)
    return dict(stakes)


def _decks(filled: Filled) -> dict[tuple[str, str, int], int]:
    rows = filled.client.execute("SELECT table, shoe, round, decks FROM rounds FINAL")
    return {(table, shoe, number): decks for table, shoe, number, decks in rows}


def test_rounds_by_status_are_those_of_the_audit(filled: Filled) -> None:
    counted = Counter(verdict.status for verdict in filled.verdicts.values())
    assert filled.ask(panel("Rounds", FLOOR.uid))[0] == [(len(filled.verdicts),)]
    flagged = filled.ask(panel("Flagged and unverifiable", FLOOR.uid))[0]
    assert flagged == [(counted["flagged"], counted["unverifiable"])]
    ((verified,),) = filled.ask(panel("Verified", FLOOR.uid))[0]
    assert verified == pytest.approx(counted["verified"] / (len(filled.verdicts) - counted["void"]))
    assert all(counted[status] for status in ("verified", "flagged", "void")), "this floor has them all"


def test_handle_and_win_are_those_of_the_audit(filled: Filled) -> None:
    judged = [verdict for verdict in filled.verdicts.values() if verdict.status != "void"]
    handle = sum(sum(_stakes(verdict).values()) for verdict in judged)
    win = sum(_won(verdict) for verdict in judged)
    assert filled.ask(panel("Handle and win (${currency})", MONEY_BOARD.uid))[0] == [(handle / 100, win / 100)]


def test_expectation_and_band_by_game_are_exact(filled: Filled) -> None:
    decks = _decks(filled)
    expected: defaultdict[str, Fraction] = defaultdict(Fraction)
    variance: defaultdict[str, Fraction] = defaultdict(Fraction)
    for key, verdict in filled.verdicts.items():
        if verdict.status == "void" or verdict.game is None or decks[key] not in GAMES[verdict.game].decks:
            continue
        exact = odds(GAMES[verdict.game], decks[key])
        stakes = {wager: stake for wager, stake in _stakes(verdict).items() if wager in exact.wagers}
        expected[verdict.game] -= exact.mean_of(stakes)
        variance[verdict.game] += exact.variance_of(stakes)
    rows = {game: rest for game, *rest in filled.ask(sums("game"))[0]}
    assert rows.keys() == expected.keys()
    for game, (_, _, mean, spread) in rows.items():
        assert mean == pytest.approx(float(expected[game]), rel=1e-9), game
        assert sqrt(spread) == pytest.approx(sqrt(variance[game]), rel=1e-6), game


def test_the_sums_of_every_split_agree(filled: Filled) -> None:
    by_game, by_table = filled.ask(sums("game"))[0], filled.ask(sums("table"))[0]
    by_wager = filled.ask(sums_by_wager())[0]
    ((_, handle, win, expected, variance),) = filled.ask(sums("'all' AS name"))[0]
    for rows, first in ((by_game, 1), (by_table, 1), (by_wager, 3)):
        assert sum(row[first] for row in rows) == pytest.approx(handle)
        assert sum(row[first + 1] for row in rows) == pytest.approx(win)
        assert sum(row[first + 2] for row in rows) == pytest.approx(expected)
    for rows in (by_game, by_table):
        assert sum(row[4] for row in rows) == pytest.approx(variance)
    last = filled.ask(so_far(MONEY))[0][-1]
    assert last[1] == pytest.approx(win / 100)
    assert last[2] == pytest.approx(expected / 100)
    assert last[4] - last[3] == pytest.approx(2 * 1.96 * sqrt(variance) / 100)


def test_findings_are_those_of_the_audit(filled: Filled) -> None:
    ((*shown,),) = filled.ask(panel("Findings that stand", FINDINGS_BOARD.uid))[0]
    found = filled.client.execute("SELECT severity, count() FROM findings FINAL WHERE cleared = 0 GROUP BY severity")
    assert shown == [dict(found).get(severity, 0) for severity in ("critical", "high", "medium", "low")]
    of_rounds = Counter(finding.code for verdict in filled.verdicts.values() for finding in verdict.findings)
    stored = filled.client.execute(
        "SELECT code, count() FROM findings FINAL"
        " WHERE cleared = 0 AND round != 0 AND code != 'event-rejected' GROUP BY code"
    )
    assert dict(stored) == of_rounds


def test_times_to_acknowledge_and_to_resolve_are_those_of_the_steps(filled: Filled) -> None:
    assert filled.ask(panel("Time to acknowledge", FINDINGS_BOARD.uid))[0] == [(60.0, 60.0)]
    assert filled.ask(panel("Time to resolve", FINDINGS_BOARD.uid))[0] == [(300.0, 300.0)]
    ((raised, unattended, still_open),) = filled.ask(panel("Alerts", FINDINGS_BOARD.uid))[0]
    ((alerts,),) = filled.client.execute("SELECT count() FROM alerts FINAL")
    assert raised == alerts
    assert unattended == alerts - -(-alerts // 3)
    assert still_open == alerts - -(-alerts // 6)
