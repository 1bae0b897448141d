"""What was paid and collected against the recomputed settlement (4 of all documents; DTB, FF4 5.14 to 5.16)."""

from fractions import Fraction

from audit.case import Case
from audit.facts import Fact
from audit.payouts import NOTHING, Moved, due, is_nothing, is_right
from audit.stakes import Stake
from schemas.verdicts import Settled


def expected_of(case: Case) -> dict[str, Settled | None]:
    """By bet: what is due on it; None where it cannot be said."""
    bets = case.stakes.bets
    if case.void.rightly_void or case.void.required is not None:
        return dict.fromkeys((stake.bet for stake in bets), NOTHING)
    outcome = case.dealing.outcome
    if not case.outcome_judged or outcome is None:
        return {stake.bet: None if stake.standing else NOTHING for stake in bets}
    game, configuration, used_once = case.game, case.configuration, case.context.used_once
    return {stake.bet: due(game, outcome.nets, stake, configuration, used_once) for stake in bets}


def _amounts(fact: Fact) -> dict[str, int]:
    return {"paid": fact.data.paid, "collected": fact.data.collected}


def _due(expected: Settled) -> dict[str, object]:
    return {"paid": expected.paid, "collected": expected.collected}


def check(case: Case, moved: dict[str, Moved], expected: dict[str, Settled | None]) -> None:
    """``payout-wrong``, ``payout-missing``, ``payout-unexpected``; in a void round ``void-not-returned``."""
    if case.void.rightly_void:
        for bet in sorted(moved):
            _check_void(case, bet, moved[bet])
        return
    if not case.outcome_judged and not case.only_cards_unclear:
        return
    stakes = {stake.bet: stake for stake in case.stakes.bets}
    for bet in sorted(moved):
        stake, money = stakes.get(bet), moved[bet]
        again, corrections, amounts = money[1:]
        if stake is None:
            _check_unknown(case, bet, money)
        elif stake.standing and amounts is expected[bet] and not again and not corrections:
            # It was settled once and what is due, the rule: equal amounts are the same object.
            continue
        elif case.rests_on_lost_closing(bet):
            _check_again(case, bet, stake, money, put_right=False)
        elif not stake.standing:
            _check_not_standing(case, bet, stake, money, "does not stand")
        else:
            due_now = expected[bet]
            if due_now is not None:
                _check_standing(case, stake, money, due_now)
            _check_again(case, bet, stake, money, put_right=_put_right(money, due_now))
    if not case.early:
        _check_missing(case, moved)


def _put_right(moved: Moved, expected: Settled | None) -> bool:
    """Whether a correction that is right replaced what was settled."""
    return bool(moved.corrections) and expected is not None and is_right(moved.corrections[-1], expected)


def _check_standing(case: Case, stake: Stake, moved: Moved, expected: Settled) -> None:
    last = moved.counting
    put_right = _put_right(moved, expected)
    clause = _clause(case, stake)
    for fact in (moved.first, *moved.corrections):
        if fact is None or is_right(fact, expected):
            continue
        is_first = fact is moved.first
        amounts = fact.data
        case.raise_finding(
            "payout-wrong", clause,
            f"Bet {stake.bet} of {stake.standing} on {stake.wager} was "
            f"{'settled' if is_first else 'corrected'} as paid {amounts.paid}, collected {amounts.collected}; "
            f"due is paid {_words(expected.paid)}, collected {_words(expected.collected)}.",
            expected=_due(expected), actual=_amounts(fact), bet=stake.bet, about=case.about(fact),
            corrected=put_right and fact is not last,
        )  # fmt: skip


def _clause(case: Case, stake: Stake | None) -> str | None:
    """What a bet is settled by: the clause of its wager. Of a bet that nobody placed, that of the game's first wager:
    each game of EB has one of its own."""
    if stake is None:
        return next(iter(case.game.wagers.values())).clause
    wager = case.game.wagers.get(stake.wager)
    return wager.clause if wager is not None else case.clause("wagers-offered")


def _words(amount: int | Fraction) -> str:
    return str(amount) if isinstance(amount, int) else str(float(amount))


def _check_again(case: Case, bet: str, stake: Stake | None, moved: Moved, *, put_right: bool) -> None:
    """A bet is settled once; what moves again is not due."""
    for fact in moved.again:
        if not is_nothing(fact):
            corrected = put_right and fact < moved.corrections[-1]
            _unexpected(case, bet, stake, fact, "was settled already", corrected=corrected)


def _check_not_standing(case: Case, bet: str, stake: Stake | None, moved: Moved, why: str) -> None:
    put_right = _put_right(moved, NOTHING)
    for fact in (moved.first, *moved.corrections):
        if fact is not None and not is_nothing(fact):
            _unexpected(case, bet, stake, fact, why, corrected=put_right)
    _check_again(case, bet, stake, moved, put_right=put_right)


def _unexpected(case: Case, bet: str, stake: Stake | None, fact: Fact, why: str, *, corrected: bool) -> None:
    case.raise_finding(
        "payout-unexpected", _clause(case, stake),
        f"Bet {bet} {why}, and money moved on it: paid {fact.data.paid}, collected {fact.data.collected}.",
        expected=_due(NOTHING), actual=_amounts(fact), bet=bet, about=case.about(fact), corrected=corrected,
    )  # fmt: skip


def _check_unknown(case: Case, bet: str, moved: Moved) -> None:
    """A settlement of a bet that was never placed, unless its placing may have been lost."""
    if case.early:
        return
    if case.could_be_lost("placing"):
        case.lost.append(f"the placing of bet {bet}")
        return
    _check_not_standing(case, bet, None, moved, "was never placed")


def _check_missing(case: Case, moved: dict[str, Moved]) -> None:
    missing = [stake for stake in case.standing() if stake.bet not in moved]
    if not missing:
        return
    if case.could_be_lost("settlement"):
        case.lost.extend(f"the settlement of bet {stake.bet}" for stake in missing)
        return
    for stake in missing:
        if case.rests_on_lost_closing(stake.bet):
            continue
        case.raise_finding(
            "payout-missing", _clause(case, stake),
            f"Bet {stake.bet} of {stake.standing} on {stake.wager} stands and was not settled.", bet=stake.bet,
        )  # fmt: skip


def _check_void(case: Case, bet: str, moved: Moved) -> None:
    """A void round returns every wager (reading A-20)."""
    facts = [fact for fact in (moved.first, *moved.again, *moved.corrections) if fact is not None]
    if all(is_nothing(fact) for fact in facts):
        return
    returned = _put_right(moved, NOTHING) and all(is_nothing(fact) or fact < moved.corrections[-1] for fact in facts)
    amounts = next(fact for fact in reversed(facts) if not is_nothing(fact))
    case.raise_finding(
        "void-not-returned", case.void.grounds[0].clause if case.void.grounds else case.clause("decision"),
        f"The round is void, and money moved on bet {bet}: paid {amounts.data.paid}, "
        f"collected {amounts.data.collected}.",
        expected=_due(NOTHING), actual=_amounts(amounts), bet=bet, corrected=returned,
    )  # fmt: skip
