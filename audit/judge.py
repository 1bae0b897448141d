"""The judge: the facts of a round and its surroundings in, the verdict out."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from audit.case import Case
from audit.checks import (
    announcements,
    area_maximum,
    cards_drawn,
    differential,
    display,
    early_cards,
    foreign_cards,
    insufficient_cards,
    late_acts,
    limits,
    method,
    rulings,
    settlement,
    table_of_play,
    void_rounds,
    wagers_offered,
)
from audit.context import RoundContext, who
from audit.digest import canonical_facts
from audit.facts import RoundFacts
from audit.payouts import NO_MONEY, Moved, money_moved
from audit.settings import MILLISECOND, JudgeSettings
from audit.stakes import Differential as StakesDifferential
from audit.stakes import Stake, standing_stakes
from games.rulebook import Game, rulebook
from games.settlement import Outcome as DealtOutcome
from schemas.findings import SEVERITIES, Finding, finding_about
from schemas.verdicts import Bet, Differential, Displayed, Outcome, RulesInForce, Settled, Status, Verdict

JUDGE_VERSION = 3
"""Raised when the same facts and settings may be judged differently, or in other words; kept beside each verdict in the
store."""

_SEVERITY_ORDER = {severity: place for place, severity in enumerate(SEVERITIES)}


def judge(
    facts: RoundFacts, context: RoundContext, settings: JudgeSettings, games: Mapping[str, Game] | None = None
) -> Verdict:
    """Judge a round that has come to an end, or, where ``context.over`` says it has not, as incomplete; ``games`` is
    another rulebook than the one in force."""
    case, expected, moved = _look(facts, context, settings, early=False, games=games)
    if case is None:
        missing = "configuration" if context.configuration is None else "shoe.loaded event"
        return _unverifiable(facts, context, settings, [f"the table's {missing}"])
    if not context.over:
        case.findings.clear()
        case.lost[:] = ["the end of the round"]
    elif case.decks is None:
        case.lost.append("the loading of its shoe")
    if case.lost:
        case.findings.append(_incomplete(context, case.lost))
    return _verdict(case, expected, moved)


_OF_THE_LAYOUT = frozenset(
    {"wager-not-offered", "position-not-on-layout", "below-minimum", "above-maximum", "too-many-wagers"}
)
"""Found of the bets as they lie there: nothing that is in order afterwards, but another act or ruling, changes it."""


class SoFar(NamedTuple):
    """What an early look at a round gave."""

    findings: list[Finding]
    due: dict[str, Settled] | None = None
    """By bet: the settlement that would be in order next, of bets that have none. None unless the dealing is in order
    so far and the round goes on: then such a settlement gives nothing new to find."""
    cards_may_come: bool = False
    """Whether cards that are in order will give nothing new to find; the first, where the bets keep the differential
    (5.18)."""


def look_so_far(facts: RoundFacts, context: RoundContext, settings: JudgeSettings) -> SoFar:
    """What can already be said of a round that goes on: only what rests on facts that are there."""
    case, expected, moved = _look(facts, context, settings, early=True)
    if case is None:
        return SoFar([])
    found = _sorted(case.findings)
    if any(finding.code not in _OF_THE_LAYOUT for finding in found):
        return SoFar(found)
    cards_may_come = bool(facts.cards) or _is_balanced(case.stakes.differential)
    ended = facts.conclusions or context.next_opening is not None or context.over
    if ended or not case.outcome_judged or case.void.founded:
        return SoFar(found, None, cards_may_come)
    due = {
        stake.bet: amounts
        for stake in case.stakes.bets
        if stake.standing and stake.bet not in moved and (amounts := expected[stake.bet]) is not None
    }
    return SoFar(found, due, cards_may_come)


def _is_balanced(differential: StakesDifferential | None) -> bool:
    if differential is None or differential.limit is None:
        return True
    return differential.closing is not None and differential.closing <= differential.limit


def findings_so_far(facts: RoundFacts, context: RoundContext, settings: JudgeSettings) -> list[Finding]:
    """The findings of an early look."""
    return look_so_far(facts, context, settings).findings


def _look(
    facts: RoundFacts,
    context: RoundContext,
    settings: JudgeSettings,
    *,
    early: bool,
    games: Mapping[str, Game] | None = None,
) -> tuple[Case | None, dict[str, Settled | None], dict[str, Moved]]:
    """Put a round on the desk and run every check over it."""
    if context.configuration is None:
        return None, {}, {}
    game = (games or rulebook(settings.readings))[context.configuration.data.game]
    decks = context.loaded.data.decks if context.loaded is not None else None
    case = Case(facts, context, settings, game, decks, early=early)
    moved = money_moved(facts, case.tolerance)
    expected = settlement.expected_of(case)
    cards_drawn.check(case)
    foreign_cards.check(case)
    insufficient_cards.check(case)
    table_of_play.check(case)
    void_rounds.check(case)
    display.check(case)
    wagers_offered.check(case)
    if not early or facts.closings:
        # Limits hold for what stands at the closing; before it, nothing is out of them yet.
        limits.check(case)
        area_maximum.check(case)
    differential.check(case)
    late_acts.check(case)
    early_cards.check(case)
    announcements.check(case)
    method.check(case)
    rulings.check(case)
    settlement.check(case, moved, expected)
    return case, expected, moved


def _verdict(case: Case, expected: dict[str, Settled | None], moved: dict[str, Moved]) -> Verdict:
    context, dealing = case.context, case.dealing
    if case.void.rightly_void and case.decks is not None and context.over:
        status: Status = "void"
    elif case.lost or (dealing.doubtful and any(finding.code == "card-conflict" for finding in case.findings)):
        status = "unverifiable"
    else:
        status = "flagged" if case.findings else "verified"
    differential = case.stakes.differential
    return Verdict(
        table=context.table,
        shoe=context.shoe,
        round=context.round,
        revision=1,
        game=case.game.name,
        rules=_rules(case.document.name, case.document.in_force.isoformat()),
        status=status,
        outcome=_outcome(dealing.outcome) if case.decks is not None else None,
        displayed=_displayed(case.facts),
        bets=tuple(
            Bet(
                stake.bet, stake.position, stake.player, stake.wager, stake.standing, expected[stake.bet],
                moved.get(stake.bet, NO_MONEY).amounts,
            )
            for stake in case.stakes.bets
        ),
        differential=None
        if differential is None
        else Differential(differential.closing, differential.first_card, differential.limit),
        findings=tuple(_sorted(case.findings)),
        settings=_settings_json(case.settings),
        digest=_digest(case.facts, context, case.settings, case.stakes.bets),
    )  # fmt: skip


def _unverifiable(facts: RoundFacts, context: RoundContext, settings: JudgeSettings, lost: list[str]) -> Verdict:
    """The verdict on a round of which not even the game is known."""
    tolerance = settings.tolerance_ms * MILLISECOND
    moved = money_moved(facts, tolerance)
    bets = tuple(
        Bet(
            stake.bet, stake.position, stake.player, stake.wager, stake.standing, None,
            moved.get(stake.bet, NO_MONEY).amounts,
        )
        for stake in standing_stakes(None, None, facts, tolerance).bets
    )  # fmt: skip
    return Verdict(
        table=context.table,
        shoe=context.shoe,
        round=context.round,
        revision=1,
        game=None,
        rules=None,
        status="unverifiable",
        outcome=None,
        displayed=_displayed(facts),
        bets=bets,
        differential=None,
        findings=(_incomplete(context, lost),),
        settings=_settings_json(settings),
        digest=_digest(facts, context, settings, ()),
    )


def _incomplete(context: RoundContext, lost: list[str]) -> Finding:
    return finding_about(
        "round-incomplete", context.table, f"The round cannot be verified: {_list(lost)} is not on record.",
        shoe=context.shoe, round=context.round, expected=lost,
    )  # fmt: skip


def _list(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _sorted(findings: list[Finding]) -> list[Finding]:
    if len(findings) < 2:
        return findings
    return sorted(
        findings,
        key=lambda each: (_SEVERITY_ORDER[each.severity], each.code, each.bet or "", each.draw or 0, each.id),
    )


def _outcome(outcome: DealtOutcome | None) -> Outcome | None:
    if outcome is None:
        return None
    winner: Any = outcome.winner
    return Outcome(winner, dict(outcome.totals), dict(outcome.hands), outcome.naturals, outcome.pairs)


def _displayed(facts: RoundFacts) -> Displayed | None:
    if not facts.displays:
        return None
    last = facts.displays[-1].data
    return Displayed(last.winner, last.totals)


@lru_cache(maxsize=64)
def _rules(document: str, in_force: str) -> RulesInForce:
    return RulesInForce(document, in_force)


@lru_cache(maxsize=64)
def _settings_json(settings: JudgeSettings) -> dict[str, Any]:
    return settings.as_json()


def _digest(facts: RoundFacts, context: RoundContext, settings: JudgeSettings, bets: Sequence[Stake | Bet]) -> str:
    return sha256(_rests_on(facts, context, settings, bets)).hexdigest()


def _rests_on(facts: RoundFacts, context: RoundContext, settings: JudgeSettings, bets: Sequence[Stake | Bet]) -> bytes:
    earlier = context.earlier
    copies = {card: earlier.get(card, 0) for cards in facts.read.values() for card in cards} if facts.cards else {}
    players = {who(bet.player, bet.position) for bet in bets} & context.used_once if context.used_once else ()
    return canonical_facts(facts.ordered, context, copies, players, _settings_json(settings))


def rests_on(verdict: Verdict, facts: RoundFacts, context: RoundContext, settings: JudgeSettings) -> bytes:
    """The canonical facts that a verdict rests on, of which its digest is the SHA-256."""
    return _rests_on(facts, context, settings, () if verdict.game is None else verdict.bets)
