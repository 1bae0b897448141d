"""The ground of a void round is that of the clause that its ruling names."""

import pytest

from replay.rounds import load_round
from replay.void_ruling import VoidRuling, void_ruling
from schemas.verdicts import Verdict
from store.connect import Store
from tests.audit.case import DTB, EB, SE, Case
from tests.replay.stored import fill


def _void_by(store: Store, case: Case) -> tuple[VoidRuling | None, Verdict]:
    (judged,) = fill(store, case.lines())
    return void_ruling(load_round(store, judged.key).facts, judged.verdict), judged.verdict


@pytest.mark.parametrize(
    ("game", "incident", "clause", "ground"),
    [
        (DTB, "foreign-card", "5.1", "foreign-card"),
        (DTB, "unshuffled-cards", "5.1", "unshuffled-cards"),
        (DTB, "missing-card", "5.1.1", "missing-card"),
        (SE, "order-altered", "5.4", "order-altered"),
        (EB, "cards-drawn-together", "5.5.1", None),
    ],
)
def test_the_ground_is_that_of_the_clause_that_the_ruling_names(
    store: Store, game: str, incident: str, clause: str, ground: str | None
) -> None:
    case = Case(game).round(bets={"b1": ("player", 100)}).incident(incident).rule(32_000, "void", clause)
    found, verdict = _void_by(store, case)
    assert verdict.status == "void"
    assert found is not None
    assert (found.clause, found.ground) == (clause, ground)


def test_a_round_that_nobody_declared_void_has_no_ruling(store: Store) -> None:
    assert _void_by(store, Case(DTB).round(bets={"b1": ("player", 100)}))[0] is None
