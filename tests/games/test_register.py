"""The register of clauses: whole, consistent, and carrying every clause that the rulebook cites."""

import pytest

from games.clauses import Clause
from games.documents import DOCUMENTS
from games.register import REGISTER
from games.rulebook import GAMES

BY_DOCUMENT = {
    document.name: {clause.number: clause for clause in REGISTER if clause.document == document.name}
    for document in DOCUMENTS
}
NUMBERED = [clause for clause in REGISTER if clause.number[0].isdigit()]
HOW_MANY = {
    "dragon-tiger-baccarat": 118,
    "fa-fa-fabulous-4": 119,
    "sands-elements-no-commission": 46,
    "dragon-tiger": 33,
    "electronic-baccarat": 80,
}


def key(clause: Clause) -> str:
    """A clause as a finding cites it."""
    return f"{clause.document} {clause.number}"


def test_every_clause_has_one_entry() -> None:
    assert len({key(clause) for clause in REGISTER}) == len(REGISTER)
    counted = {name: sum(clause.document == name for clause in NUMBERED) for name in BY_DOCUMENT}
    assert counted == HOW_MANY


@pytest.mark.parametrize("document", BY_DOCUMENT)
def test_numbers_run_without_a_hole(document: str) -> None:
    numbers = [number for number in BY_DOCUMENT[document] if number[0].isdigit()]
    for number in numbers:
        parent, _, last = number.rpartition(".")
        if int(last) > 1:
            assert f"{parent}.{int(last) - 1}" in numbers, number
        if parent.count("."):
            assert parent in numbers, number
    order = [tuple(map(int, number.split("."))) for number in numbers]
    assert order == sorted(order)


def test_a_clause_says_what_is_checked_or_why_not() -> None:
    for clause in REGISTER:
        assert clause.subject, key(clause)
        assert bool(clause.checks) is (clause.kind in {"checkable", "partly"}), key(clause)
        assert bool(clause.why_not) is (clause.kind in {"partly", "not checkable"}), key(clause)
        assert list(clause.checks) == sorted(set(clause.checks)), key(clause)


def test_every_clause_that_a_check_cites_is_in_the_register() -> None:
    for document in DOCUMENTS:
        for subject, number in document.clauses.items():
            assert BY_DOCUMENT[document.name][number].checks, f"{document.name} {subject}"
        for number in (*document.withdrawal_clauses, *document.pit_manager_clauses, *document.dealer_clauses):
            assert BY_DOCUMENT[document.name][number].checks, f"{document.name} {number}"


def test_every_line_of_every_paytable_cites_a_clause_on_settlement() -> None:
    for game in GAMES.values():
        for wager in game.wagers.values():
            for number in (wager.clause, *(line.clause for line in wager.lines)):
                assert "settlement" in BY_DOCUMENT[game.document.name][number].checks, f"{game.name} {number}"
