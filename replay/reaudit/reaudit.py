"""A re-audit: every game's rounds held against the rulebook inside the engine, and the judge's word on what differs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from games.readings import DEFAULT_READINGS, Readings
from games.rulebook import rulebook
from replay.fields import field_words
from replay.reaudit.dealing import dealt_alike
from replay.reaudit.statement import SETTINGS, Statement
from replay.verify import Deviation, verify
from store.connect import Store
from store.read.rounds import ALL, RoundFilter, currencies_of, read_verdict, verdict
from store.rows.verdicts import RoundKey, StoredVerdict
from store.write.verdicts import outcome_columns

MOST_LISTED = 1_000
MOST_EXPLAINED = 50
"""The judge is asked about so many; when there are more, something is wrong with all of them."""


@dataclass(frozen=True, slots=True)
class RowDiffers:
    """A stored round that is not what its cards and stakes come to."""

    key: RoundKey
    revision: int
    parts: tuple[str, ...]
    """What differs: outcome, bets (what they are due), payments (what moved, and no finding says so)."""
    explanation: str = ""
    """The judge's word on it; empty where it was not asked."""
    judge_agrees: bool = False
    """Whether the judge, asked anew, stands by the stored verdict: then readings or the compact row differ."""


@dataclass(slots=True)
class Reaudited:
    """What a re-audit came to."""

    rows: int = 0
    """Rounds, each in its last state."""
    bets: int = 0
    in_doubt: int = 0
    """Rounds whose verdict says, and whose cards alone cannot tell, that it is not clear what was dealt."""
    unknown: int = 0
    """Rounds of which not even the game is known."""
    differing: int = 0
    listed: list[RowDiffers] = field(default_factory=list)
    """Those that differ in their last state; the first ones where there are very many."""
    games: dict[str, int] = field(default_factory=dict)
    """Rows by game."""


class Counts(NamedTuple):
    """Rows, bets, rows that differ, and rows in doubt."""

    rows: int
    bets: int
    differing: int
    in_doubt: int


_NOTHING = Counts(0, 0, 0, 0)


def reaudit(
    store: Store,
    wanted: RoundFilter = ALL,
    *,
    readings: Readings = DEFAULT_READINGS,
    settlement: bool = True,
    explained: int = MOST_EXPLAINED,
    told: Callable[[str], None] = lambda _game: None,
) -> Reaudited:
    """Hold the stored rounds that meet a filter against the rulebook."""
    result = Reaudited()
    condition, parameters = wanted.conditions()
    if store.query(_ANY_REPLACED):
        condition = f"NOT {_IS_REPLACED} AND {condition}"
    games = rulebook(readings)
    found = store.query(f"SELECT game, count() FROM rounds WHERE {condition} GROUP BY game", parameters)
    rows_of_game = {name: int(rows) for name, rows in found}
    result.unknown = rows_of_game.get("", 0)
    statement_of: dict[str, Statement] = {}
    counts: dict[str, Counts] = {}
    for alike in dealt_alike(games.values()):
        statement = Statement(alike, settlement)
        statement_of |= {game.name: statement for game in alike}
        if titles := [game.title for game in alike if game.name in rows_of_game]:
            told(", ".join(titles))
            counts |= count_games(store, statement, condition, parameters)
    for name in filter(counts.__contains__, games):
        of_game = counts[name]
        result.games[name] = of_game.rows
        result.rows += of_game.rows
        result.bets += of_game.bets
        result.in_doubt += of_game.in_doubt
        if of_game.differing:
            for each in _listed(store, statement_of[name], f"game = '{name}' AND ({condition})", parameters):
                result.differing += 1
                if len(result.listed) < MOST_LISTED:
                    asked = len(result.listed) < explained
                    result.listed.append(_explained(store, *each) if asked else RowDiffers(*each))
    return result


def count_games(store: Store, statement: Statement, condition: str, parameters: Mapping[str, Any]) -> dict[str, Counts]:
    """What is counted of each game that a statement is about, where there are rounds of it."""

    def counted(*, plain: bool) -> dict[str, Counts]:
        found = store.query(statement.counted(condition, plain=plain), parameters, settings=SETTINGS)
        return {game: Counts(*map(int, numbers)) for game, *numbers in found}

    if not statement.settlement:
        every = counted(plain=True)
        without = counted(plain=False) if any(each.in_doubt for each in every.values()) else {}
        return {
            game: Counts(each.rows, each.bets, each.differing + more.differing, more.in_doubt)
            for game, each in every.items()
            for more in [without.get(game, _NOTHING)]
        }
    totals: dict[str, Counts] = {}
    for plain in _halves(store, statement, condition, parameters):
        for game, more in counted(plain=plain).items():
            totals[game] = Counts(*map(sum, zip(totals.get(game, _NOTHING), more, strict=True)))
    return totals


def _halves(store: Store, statement: Statement, condition: str, parameters: Mapping[str, Any]) -> tuple[bool, ...]:
    """Which statements are needed: the one for plain rounds, and the other where there are others."""
    if not statement.settlement or store.query(statement.any_other(condition), parameters):
        return (True, False)
    return (True,)


def _listed(
    store: Store, statement: Statement, condition: str, parameters: Mapping[str, Any]
) -> Iterator[tuple[RoundKey, int, tuple[str, ...]]]:
    """The rows that differ, the first ones where there are very many."""
    for plain in _halves(store, statement, condition, parameters):
        rows = store.query(
            statement.listed(condition, 10 * MOST_LISTED, plain=plain), parameters, settings=SETTINGS
        )  # fmt: skip
        for table, shoe, number, revision, *parts in rows:
            named = zip(("outcome", "bets", "payments"), parts, strict=True)
            yield RoundKey(table, shoe, number), revision, tuple(name for name, differs in named if differs)


_REPLACED = (
    "SELECT table, shoe, round, revision FROM"
    " (SELECT table, shoe, round, revision, max(revision) OVER (PARTITION BY table, shoe, round) AS last FROM rounds"
    " WHERE (table, shoe, round) GLOBAL IN (SELECT table, shoe, round FROM rounds WHERE revision > 1))"
    " WHERE revision < last"
)
"""Revisions behind which there is a later one. They are few, until the engine has merged them: FINAL, which looks for
them among all rows, would take several times as long as all that is asked here."""
_ANY_REPLACED = f"{_REPLACED} LIMIT 1"
_IS_REPLACED = f"((table, shoe, round, revision) GLOBAL IN ({_REPLACED}))"


def _explained(store: Store, key: RoundKey, revision: int, parts: tuple[str, ...]) -> RowDiffers:
    """Ask the judge: is it the verdict that is wrong, or the compact row, or do readings differ?"""
    stored = verdict(store, key)
    if stored is None:
        return RowDiffers(key, revision, parts, "the row is there and its verdict is not", judge_agrees=False)
    result = verify(store, RoundFilter(tables=(key.table,), shoe=key.shoe, round=key.round))
    deviations = [each for each in result.deviating if each.key == key]
    if deviations:
        words = _words(deviations[0], currencies_of(store, [key]).get(key))
        return RowDiffers(key, revision, parts, words, judge_agrees=False)
    row = _row_says_otherwise(store, key, stored)
    if row:
        return RowDiffers(key, revision, parts, f"the judge stands by the verdict, and {row}", judge_agrees=True)
    words = (
        "the judge stands by the verdict under its own settings: the readings of this re-audit differ from those, or"
        " the compact row has other cards or decks than were dealt"
    )
    return RowDiffers(key, revision, parts, words, judge_agrees=True)


def _words(deviation: Deviation, currency: str | None) -> str:
    fields = ", ".join(
        f"{each.path} is {field_words(each.path, each.judged, currency)},"
        f" stored is {field_words(each.path, each.stored, currency)}"
        for each in deviation.differences[:4]
    )
    return f"the judge deviates from the stored verdict ({deviation.kind}): {fields}" if fields else deviation.kind


def _row_says_otherwise(store: Store, key: RoundKey, stored: StoredVerdict) -> str:
    """In what the compact row of a round differs from its verdict."""
    said = read_verdict(stored)
    outcome = outcome_columns([said])
    rows = store.query(
        f"SELECT {', '.join(outcome)}, `bets.bet`, `bets.stake`, `bets.expected_paid`, `bets.expected_collected`,"
        " `bets.paid`, `bets.collected` FROM rounds FINAL"
        " WHERE table = %(table)s AND shoe = %(shoe)s AND round = %(round)s",
        {"table": key.table, "shoe": key.shoe, "round": key.round},
    )
    if not rows:
        return "the compact row of the round is not there"
    row_has, columns = rows[0][: len(outcome)], rows[0][len(outcome) :]
    for (name, [wanted]), found in zip(outcome.items(), row_has, strict=True):
        if (list(found) if isinstance(wanted, list) else found) != wanted:
            return f"the compact row has the {name.replace('_', ' ')} {found!r}"
    for bet, row in zip(said.bets, zip(*columns, strict=True), strict=False):
        due = (None, None) if bet.expected is None else (bet.expected.paid, bet.expected.collected)
        moved = (None, None) if bet.actual is None else (bet.actual.paid, bet.actual.collected)
        if row != (bet.bet, bet.stake, *due, *moved):
            return f"the compact row says something else of bet {bet.bet}"
    return "" if len(said.bets) == len(columns[0]) else "the compact row has other bets"
