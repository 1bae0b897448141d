"""`tablewatch settle` against vectors that a program of its own made from the rule documents: every line of every
paytable, every cell of the Table of Play, odd stakes, and hands that are too short, too long or not of the deck."""

import json
from collections import defaultdict
from fractions import Fraction
from io import BytesIO
from pathlib import Path

from tablewatch.commands.settle import answer_all
from tests.outsiders.stage import GAMES

VECTORS = (Path(__file__).parent / "settle.txt").read_text(encoding="utf-8").splitlines()
WAGERS = {game: wagers.split() for game, wagers in GAMES.values()}


def question(vector: str) -> bytes:
    game, decks, stake, *cards = vector.partition(" -> ")[0].split()
    return json.dumps({"id": vector, "game": game, "decks": int(decks), "cards": cards, "stake": stake}).encode()


def told(answer: dict[str, object]) -> str:
    """An answer as a vector writes it."""
    outcome, net = answer["outcome"], answer["net"]
    if not isinstance(outcome, dict) or not isinstance(net, dict):
        assert outcome is None
        assert net is None
        return str(answer["status"])
    totals = " ".join(map(str, outcome["totals"].values()))
    return f"{answer['status']} {outcome['winner']} {totals} : {' '.join(net.values())}"


def test_every_vector_is_settled_as_the_documents_say() -> None:
    out = BytesIO()
    invalid = answer_all(BytesIO(b"\n".join(map(question, VECTORS))), out)
    answers = [json.loads(line) for line in out.getvalue().splitlines()]
    assert invalid == 0
    assert [answer["id"] for answer in answers] == VECTORS
    assert [f"{answer['id'].partition(' -> ')[0]} -> {told(answer)}" for answer in answers] == VECTORS
    for answer in answers:
        assert list(answer) == ["id", "status", "outcome", "net"]
        if answer["net"] is not None:
            assert list(answer["net"]) == WAGERS[answer["id"].split()[0]]
            assert list(answer["outcome"]) == ["winner", "totals", "hands"]


def test_each_of_the_71_wagers_wins_and_loses_in_the_vectors() -> None:
    nets: dict[tuple[str, str], set[Fraction]] = defaultdict(set)
    for vector in VECTORS:
        asked, _, answer = vector.partition(" -> ")
        game, _, stake, *_ = asked.split()
        amounts = answer.partition(" : ")[2].split()
        for wager, amount in zip(WAGERS[game], amounts, strict=bool(amounts)):
            nets[game, wager].add(Fraction(amount) / Fraction(stake))
    assert len(nets) == 71
    assert [each for each, seen in nets.items() if not (max(seen) > 0 > min(seen))] == []
    assert nets["fa_fa_fabulous_4", "tie"] == {-1, 8, 800}
    assert nets["fa_fa_fabulous_4", "banker"] == {-1, 0, 1, 2}
    assert nets["dragon_tiger", "dragon"] == {-1, Fraction(-1, 2), 1}
    assert nets["tiger", "tiger_pair"] == {-1, 4, 20, 100}
    assert nets["super_6_no_commission", "banker_dragon_bonus"] == {-1, 0, 1, 2, 4, 6, 10, 30}
