"""The summaries of a table's shoes, from its facts and the verdicts on its rounds."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import floor

from audit.beside_rounds import game_of
from audit.outline import RoundKey, configuration_at
from audit.settings import JudgeSettings
from audit.table import TableFacts
from audit.watches.summary import DealtRound, SettledBet, ShoeSummary
from games.rulebook import GAMES
from schemas.records import Limits
from schemas.verdicts import Bet, Verdict

Bets = tuple[SettledBet, ...]

_VOID = frozenset({"void-required", "void-unfounded"})
"""Rounds with these findings were settled as they should not have been, or not settled at all."""


def settled_bets(verdict: Verdict, limits: Mapping[str, Limits]) -> Bets:
    """The bets of a round that stood and were settled; none of a round that is void or cannot be verified.

    A bet counts with what its cards brought by the rules. Where something else was paid, that is a finding of its own,
    and one mistake is not told twice: what is watched here is whether the cards fall as they do by chance.
    """
    if verdict.game is None or verdict.outcome is None or verdict.status not in {"verified", "flagged"}:
        return ()
    if any(finding.code in _VOID for finding in verdict.findings):
        return ()
    by_limits = GAMES[verdict.game].document.limits_settle
    return tuple(each for bet in verdict.bets if (each := _settled(bet, limits if by_limits else {})) is not None)


def _settled(bet: Bet, limits: Mapping[str, Limits]) -> SettledBet | None:
    """One bet; under DTB and FF4 with no more at risk than the maximum (5.15), and none under the minimum, which may
    have been returned (5.14)."""
    expected, limit = bet.expected, limits.get(bet.wager)
    if expected is None or bet.actual is None or not bet.stake or (limit is not None and bet.stake < limit.min):
        return None
    stake = bet.stake if limit is None else min(bet.stake, limit.max)
    return SettledBet(bet.player, bet.wager, floor(stake), floor(expected.paid) - floor(expected.collected))


def bets_of(facts: TableFacts, verdict: Verdict) -> Bets:
    """The bets of one round of a table; see ``settled_bets``."""
    outline = facts.outline
    moment = outline.rounds[verdict.shoe, verdict.round].beginning.at
    configuration = configuration_at(outline.configurations, moment)
    return () if configuration is None else settled_bets(verdict, configuration.data.limits)


def summaries(
    facts: TableFacts, bets: Mapping[RoundKey, Bets], settings: JudgeSettings
) -> Iterator[tuple[int, ShoeSummary]]:
    """The shoes of a table that were loaded and ended, each with the effective time of its end, in that order."""
    outline = facts.outline
    dealt: dict[str, list[RoundKey]] = defaultdict(list)
    for key in facts.surroundings.in_time:
        dealt[key[0]].append(key)
    ends = sorted((shoe.ended[-1].at, name) for name, shoe in outline.shoes.items() if shoe.loaded and shoe.ended)
    for ended, name in ends:
        shoe, keys = outline.shoes[name], dealt.get(name, [])
        game = game_of(outline, shoe, keys, settings)
        if game is None:
            continue
        remaining = shoe.ended[-1].data.remaining
        yield (
            ended,
            ShoeSummary(
                table=outline.table,
                shoe=name,
                game=game.name,
                decks=shoe.loaded[-1].data.decks,
                rounds=tuple(
                    DealtRound(key[1], _cards(outline.rounds[key].read), _of_game(game.name, bets.get(key, ())))
                    for key in keys
                ),
                remaining=None if remaining is None else tuple(remaining),
            ),
        )


def _cards(read: Mapping[int, tuple[str, ...]]) -> tuple[str, ...]:
    """The cards of a round in the order of the draws, without those of which two were reported for one draw."""
    return tuple(read[draw][0] for draw in sorted(read) if len(read[draw]) == 1)


def _of_game(game: str, bets: Bets) -> Bets:
    """The bets on wagers of the game that the shoe was loaded for; a table may change it in between."""
    wagers = GAMES[game].wagers
    return tuple(bet for bet in bets if bet.wager in wagers)
