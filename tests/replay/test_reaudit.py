"""The re-audit inside the engine agrees with the rulebook and with the judge, and finds what does not agree."""

import random
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import cast

import pytest

from games.readings import DEFAULT_READINGS, Readings
from games.rulebook import GAMES, Game, rulebook
from games.settlement import outcome_of
from replay.reaudit.dealing import Dealt, dealt_alike
from replay.reaudit.reaudit import reaudit
from replay.reaudit.settlement import Dues
from replay.reaudit.statement import SETTINGS, Statement
from schemas.verdicts import Bet, Outcome, RulesInForce, Settled, Verdict
from schemas.words import Winner
from simulator.floor import simulate
from store.connect import Store
from store.read.rounds import RoundFilter
from store.rows.verdicts import JudgedRound
from store.write.verdicts import write_verdicts
from tests.replay.stored import fill, judged
from tests.store.floor import ARRIVAL, START

OTHER = Readings(
    pair="literal",
    natural_tie="each-natural",
    tiger_pair="cumulative",
    small_tiger="layout",
    tiger_banker="layout",
)


def _due(net: Fraction, stake: int) -> Settled:
    amount = net * stake
    whole = amount.numerator if amount.denominator == 1 else amount
    return Settled(whole, 0) if net > 0 else Settled(0, -whole)


def _rounded(due: Settled, place: int) -> Settled:
    """What was paid: where it is not whole, the amount on either side."""
    up = place % 2
    return Settled(*(int(each) if each == int(each) else int(each) + up for each in (due.paid, due.collected)))


def _round(game: Game, number: int, cards: list[str], stake: int) -> JudgedRound | None:
    """A round with a bet on every wager of the game, settled as the rulebook says."""
    outcome = outcome_of(game, cards)
    if outcome is None:
        return None
    bets = tuple(
        Bet(f"b{place:02d}", 1, None, wager, stake, due, _rounded(due, place))
        for place, (wager, net) in enumerate(outcome.nets.items())
        for due in [_due(net, stake)]
    )
    verdict = Verdict(
        table=f"T-{game.name}",
        shoe="S1",
        round=number,
        revision=1,
        game=game.name,
        rules=RulesInForce(game.document.name, game.document.in_force.isoformat()),
        status="verified",
        outcome=Outcome(
            cast(Winner, outcome.winner),
            dict(outcome.totals),
            dict(outcome.hands),
            outcome.naturals,
            outcome.pairs,
        ),
        displayed=None,
        bets=bets,
        differential=None,
        findings=(),
        settings={},
        digest=f"{number:064x}",
    )
    return JudgedRound(
        verdict=verdict, judge="1", judged=ARRIVAL, opened=START, ended=START, cards=tuple(cards), decks=8
    )  # fmt: skip


def _deals(game: Game, count: int, seed: int) -> Iterator[list[str]]:
    """Random cards, with pairs and repeated ranks far more often than a shoe has them."""
    chance = random.Random(f"{game.name}/{seed}")
    few = chance.sample(game.deck.codes, 6)
    for number in range(count):
        deck = few if number % 3 == 0 else game.deck.codes
        yield chance.choices(deck, k=6 if game.is_baccarat else 2)


@pytest.mark.parametrize("readings", [DEFAULT_READINGS, OTHER], ids=["in force", "other"])
def test_every_wager_of_every_game_settles_in_sql_as_in_the_rulebook(store: Store, readings: Readings) -> None:
    rounds = [
        made
        for game in rulebook(readings).values()
        for number, cards in enumerate(_deals(game, 300, 7), start=1)
        if (made := _round(game, number, cards, 100 + number % 7)) is not None
    ]
    write_verdicts(store, rounds)
    result = reaudit(store, readings=readings, explained=0)
    assert result.listed == []
    assert result.rows == len(rounds)
    assert result.bets == sum(len(made.verdict.bets) for made in rounds)
    assert result.games.keys() == GAMES.keys()
    other = reaudit(store, readings=OTHER if readings == DEFAULT_READINGS else DEFAULT_READINGS, explained=0)
    assert {each.key.table for each in other.listed if "bets" in each.parts} >= {"T-tiger", "T-dragon_tiger_baccarat"}


@pytest.mark.parametrize("games", dealt_alike(GAMES.values()), ids=lambda games: games[0].name)
def test_the_tables_of_games_that_are_dealt_alike_are_small_and_their_odds_whole(games: tuple[Game, ...]) -> None:
    dues = Dues(Dealt(games))
    assert set(dues.numbers) == {wager for game in games for wager in game.wagers}
    assert sorted(dues.numbers.values()) == list(range(1, len(dues.numbers) + 1))
    assert len("".join((*dues.dealt.names.values(), *dues.names.values(), dues.net("number")))) < 200_000
    assert all(
        line.net * dues.scale == int(line.net * dues.scale)
        for game in games
        for wager in game.wagers.values()
        for line in wager.lines
    )


def test_a_simulated_floor_with_faults_agrees_with_the_judge_on_every_round(store: Store) -> None:
    lines = list(simulate(tables=20, rounds=30, seed=11, faults=0.4))
    rounds = fill(store, lines)
    result = reaudit(store)
    assert result.listed == []
    assert result.differing == 0
    assert result.rows + result.unknown == len(rounds)
    assert result.in_doubt > 0
    codes = {finding.code for each in rounds for finding in each.verdict.findings}
    assert {"above-maximum", "below-minimum", "void-required", "void-unfounded", "card-conflict"} <= codes
    alone = reaudit(store, settlement=False)
    assert (alone.rows, alone.differing, alone.in_doubt) == (result.rows, 0, result.in_doubt)
    few = reaudit(store, RoundFilter(tables=(rounds[0].verdict.table,)), settlement=False)
    assert few.rows == sum(1 for each in rounds if each.verdict.table == rounds[0].verdict.table)


@pytest.mark.parametrize("settlement", [True, False])
def test_a_shard_understands_what_the_engine_makes_of_a_statement(store: Store, settlement: bool) -> None:
    fill(store, list(simulate(tables=20, rounds=10, seed=12, faults=0.4)))
    games = set()
    for alike in dealt_alike(GAMES.values()):
        for plain in (True, False):
            statement = Statement(alike, settlement).counted("1", plain=plain)
            # Shards are sent the statement with all its names written out.
            lines = store.query(f"EXPLAIN QUERY TREE dump_tree = 0, dump_ast = 1 {statement}", settings=SETTINGS)
            sent = "\n".join(line for (line,) in lines)
            counted = sorted(store.query(statement, settings=SETTINGS))
            assert sorted(store.query(sent, settings=SETTINGS)) == counted
            games |= {game for game, *_ in counted}
    assert games == GAMES.keys()


_WRONG = [
    ("UPDATE winner = if(winner = 'banker', 'player', 'banker')", "outcome", "the compact row has the winner"),
    ("UPDATE totals = [9, 9]", "outcome", "the compact row has the totals [9, 9]"),
    ("UPDATE naturals = 3 - naturals", "outcome", "the compact row has the naturals"),
    ("UPDATE pairs = 3 - pairs", "outcome", "the compact row has the pairs"),
    (
        "UPDATE cards = arrayMap(card -> toUInt8((card + 4) % 52), cards)",
        "outcome",
        "or the compact row has other cards",
    ),
    ("UPDATE status = 'void'", "bets", "the judge stands by the verdict, and the compact row has the status 'void'"),
    ("UPDATE codes = ['void-required']", "bets", "and the compact row has the codes ['void-required']"),
    ("UPDATE `bets.expected_paid` = arrayMap(each -> each + 1, `bets.expected_paid`)", "bets", "of bet"),
    ("UPDATE `bets.stake` = arrayMap(each -> each + 7, `bets.stake`)", "bets", "of bet"),
    ("UPDATE `bets.paid` = arrayMap(each -> each + 5, `bets.paid`)", "payments", "of bet"),
]


def test_a_row_that_was_changed_is_found_and_the_judge_says_what_is_wrong(store: Store) -> None:
    lines = list(simulate(tables=1, rounds=20, seed=3, games=["no_commission"]))
    rounds = fill(store, lines)
    assert reaudit(store).differing == 0
    chosen = [each.verdict for each in rounds if each.verdict.bets and each.verdict.status == "verified"]
    for verdict, (change, _, _) in zip(chosen, _WRONG, strict=False):
        where = f"table = '{verdict.table}' AND shoe = '{verdict.shoe}' AND round = {verdict.round}"
        store.command(f"ALTER TABLE rounds {change} WHERE {where}", settings={"mutations_sync": 2})
    found = {each.key.round: each for each in reaudit(store).listed}
    assert len(found) == len(_WRONG)
    of_outcome = {verdict.round for verdict, (_, part, _) in zip(chosen, _WRONG, strict=False) if part == "outcome"}
    assert {each.key.round for each in reaudit(store, settlement=False).listed} == of_outcome
    for verdict, (change, part, words) in zip(chosen, _WRONG, strict=False):
        told = found[verdict.round]
        assert part in told.parts, change
        assert words in told.explanation, change
        assert told.judge_agrees


@pytest.mark.parametrize("settlement", [True, False])
def test_an_outcome_that_was_taken_away_is_missed(store: Store, settlement: bool) -> None:
    fill(store, list(simulate(tables=1, rounds=3, seed=3, games=["no_commission"])))
    store.command("ALTER TABLE rounds UPDATE winner = '' WHERE round = 2", settings={"mutations_sync": 2})
    (found,) = reaudit(store, settlement=settlement).listed
    assert (found.key.round, found.parts[0]) == (2, "outcome")


_OF_NO_ROUND = [
    ("totals = [totals[1] - 1, totals[2] + 16]", "dragon_tiger"),
    ("naturals = naturals + 4, totals = [totals[1], totals[2] - 1]", "no_commission"),
    ("cards = arrayMap(card -> card < 36 ? card : 100, cards)", "no_commission"),
]


@pytest.mark.parametrize(("change", "game"), _OF_NO_ROUND)
def test_numbers_that_no_round_has_do_not_pass_for_others(store: Store, change: str, game: str) -> None:
    rounds = fill(store, list(simulate(tables=1, rounds=30, seed=3, games=[game])))
    where = "totals[1] > 0 AND totals[2] > 0 AND arrayExists(card -> card >= 36, cards)"
    store.command(f"ALTER TABLE rounds UPDATE {change} WHERE {where}", settings={"mutations_sync": 2})
    ((changed,),) = store.query("SELECT countIf(arrayMax(totals) > 15 OR naturals > 3 OR has(cards, 100)) FROM rounds")
    result = reaudit(store, settlement=False, explained=0)
    assert 0 < changed < len(rounds)
    assert result.differing == changed


def test_a_verdict_that_was_changed_with_its_row_is_found_by_the_judge(store: Store) -> None:
    lines = list(simulate(tables=1, rounds=5, seed=3, games=["no_commission"]))
    rounds = fill(store, lines)
    first = next(each for each in rounds if each.verdict.bets)
    wrong = tuple(replace(bet, expected=Settled(1, 0)) for bet in first.verdict.bets)
    store.command("TRUNCATE TABLE rounds")
    store.command("TRUNCATE TABLE verdicts")
    write_verdicts(store, [replace(first, verdict=replace(first.verdict, bets=wrong))])
    (found,) = reaudit(store).listed
    assert "bets" in found.parts
    assert not found.judge_agrees
    assert "verdict-differs" in found.explanation
    assert ".paid is " in found.explanation and "stored is 0.01 SGD" in found.explanation


def test_a_late_revision_is_the_one_that_counts(store: Store) -> None:
    lines = list(simulate(tables=1, rounds=5, seed=3, games=["no_commission"]))
    first = next(each for each in judged(lines) if each.verdict.bets)
    wrong = tuple(replace(bet, expected=Settled(1, 0)) for bet in first.verdict.bets)
    write_verdicts(store, [replace(first, verdict=replace(first.verdict, bets=wrong))])
    write_verdicts(store, [replace(first, verdict=replace(first.verdict, revision=2))])
    result = reaudit(store)
    assert result.listed == []
    assert (result.rows, result.bets) == (1, len(first.verdict.bets))


def test_a_round_whose_last_revision_does_not_meet_the_filter_is_not_counted(store: Store) -> None:
    lines = list(simulate(tables=1, rounds=5, seed=3, games=["no_commission"]))
    first, other = [each for each in judged(lines) if each.verdict.bets][:2]
    write_verdicts(store, [replace(each, verdict=replace(each.verdict, status="flagged")) for each in (first, other)])
    write_verdicts(store, [replace(first, verdict=replace(first.verdict, revision=2, status="verified"))])
    assert reaudit(store, RoundFilter(status="flagged")).rows == 1
    assert reaudit(store, RoundFilter(status="verified"), settlement=False).rows == 1


_BEGINS_ANEW = f"toDecimal128('{(1 << 126) // 10**6}.{(1 << 126) % 10**6:06}', 6)"
"""So much that twenty times as much is nothing where numbers of 128 bits begin anew."""


@pytest.mark.parametrize("column", ["expected_paid", "expected_collected"])
def test_an_amount_too_large_to_reckon_with_does_not_pass_for_a_small_one(store: Store, column: str) -> None:
    fill(store, list(simulate(tables=1, rounds=10, seed=3, games=["tiger"])))
    changed = f"arrayMap(each -> if(each > 0, each + {_BEGINS_ANEW}, each), `bets.{column}`)"
    where = f"status = 'verified' AND arrayExists(each -> each > 0, `bets.{column}`)"
    ((rounds,),) = store.query(f"SELECT groupArray(round) FROM rounds WHERE {where}")
    store.command(
        f"ALTER TABLE rounds UPDATE `bets.{column}` = {changed} WHERE {where}", settings={"mutations_sync": 2}
    )
    found = reaudit(store, explained=0).listed
    assert {each.key.round for each in found} == set(rounds) != set()
    assert all("bets" in each.parts for each in found)
