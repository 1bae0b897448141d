"""Refunds: what goes back to whom when rounds are void, and by which clause."""

import orjson
import pytest

from replay.refund import GROUNDS, refund, refund_json
from schemas.verdicts import Verdict
from tests.audit.case import DT, DTB, EB, SE, Case
from tests.replay.stored import judged


def _verdicts(case: Case) -> list[Verdict]:
    return [each.verdict for each in judged(case.lines())]


def test_a_20_every_wager_is_returned_those_already_decided_included() -> None:
    case = Case(DTB).round(
        bets={"b1": ("player", 100), "b2": ("banker", 300)}, settled={"b1": (100, 0), "b2": (0, 300)}
    )
    found = refund(_verdicts(case), "foreign-card")
    assert {line.bet: (line.to_player, line.from_player) for line in found.lines} == {"b1": (0, 100), "b2": (300, 0)}
    assert (found.to_players, found.from_players) == (300, 100)
    (player,) = found.players
    assert (player.who, player.bets, player.rounds, player.net) == ("ann", 2, 1, 200)


def test_players_who_are_not_known_are_told_apart_by_table_and_position() -> None:
    case = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}, player=None, position=3)
    case.round(bets={"b1": ("banker", 500)}, settled={"b1": (0, 500)}, player=None, position=3)
    (player,) = refund(_verdicts(case), "decision").players
    assert (player.who, player.known, player.rounds, player.net) == ("BT1, position 3", False, 2, 400)


def test_a_stake_that_was_never_settled_is_handed_back_as_it_lies() -> None:
    case = Case(DTB).round(bets={"b1": ("player", 700)})
    (line,) = refund(_verdicts(case), "decision").lines
    assert (line.on_layout, line.net) == (700, 0)


def test_pushes_and_bets_that_do_not_stand_are_no_lines() -> None:
    case = Case(DTB).round(["4H", "4S", "5H", "5S"], {"b1": ("player", 100)}, {"b1": (0, 0)})
    assert refund(_verdicts(case), "decision").lines == ()


def test_money_on_a_bet_that_nobody_placed_goes_back_too() -> None:
    case = Case(DTB).round()
    case.settle("ghost", 900, 0)
    (line,) = refund(_verdicts(case), "decision").lines
    assert (line.bet, line.position, line.from_player) == ("ghost", None, 900)


def test_what_was_corrected_counts_as_corrected() -> None:
    case = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (900, 0)})
    case.correct("b1", 100, 0)
    (line,) = refund(_verdicts(case), "decision").lines
    assert line.from_player == 100


@pytest.mark.parametrize(
    ("game", "ground", "clause"),
    [
        (DTB, "foreign-card", "5.1"),
        (DTB, "drawn-together", "5.8.2.1"),
        (SE, "wrong-count", "5.2"),
        (DT, "drawn-together", "5.3"),
        (EB, "power-failure", "5.9.1"),
        (DTB, "power-failure", "6.1"),
        (DT, "missing-card", None),
        (SE, "decision", None),
    ],
)
def test_each_document_gives_its_own_clause_or_says_that_it_has_none(
    game: str, ground: str, clause: str | None
) -> None:
    (basis,) = refund(_verdicts(Case(game).round()), ground).bases
    assert basis.clause == clause
    assert "A-20" in basis.words
    assert ("no clause" in basis.words) == (clause is None or clause == "6.1")


def test_rounds_that_are_void_already_are_told() -> None:
    case = Case(DTB).round(bets={"b1": ("player", 100)})
    case.incident("foreign-card")
    case.rule(32_000, "void", "5.1")
    found = refund(_verdicts(case), "foreign-card")
    assert [str(key) for key in found.already_void] == ["BT1/S1/1"]


def test_a_refund_is_plain_json_in_minor_units() -> None:
    case = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    said = refund_json(refund(_verdicts(case), "order-altered", "SGD"))
    assert orjson.loads(orjson.dumps(said)) == said
    assert said["bets"][0]["net"] == -100 and said["currency"] == "SGD"
    assert said["basis"][0]["clause"] == "5.2" and said["ground"] in GROUNDS
