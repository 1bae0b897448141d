"""Opening, closing and end of a round: each once and in this order, and nothing afterwards (3.1, 3.2; 1.1.8 of DTB,
1.1.9 of FF4, 1.1.7 of SE, 1.1.2 of DT, 1.1.13 of EB; 5.1.2, 5.9)."""

from itertools import chain, combinations

from audit.announced import in_place, lacks_closing_since
from audit.case import Case
from audit.facts import Fact, RoundFacts, surely_later


def _out_of_order(case: Case, kind: str, message: str, subject: str = "round") -> None:
    case.raise_finding("round-out-of-order", case.clause(subject), message, about=kind)


def check(case: Case) -> None:
    """``round-out-of-order``, once for each kind."""
    if not _once_and_in_order(case.facts):
        _check_missing(case)
        _check_doubled(case)
        _check_order(case)
    _check_reopened(case)


def _once_and_in_order(facts: RoundFacts) -> bool:
    """Whether a round plainly has its three announcements, one of each and one after the other, and nobody ruled on
    anything, as in nearly every round."""
    if facts.rulings or not len(facts.openings) == len(facts.closings) == len(facts.conclusions) == 1:
        return False
    return facts.openings[0].at < facts.closings[0].at < facts.conclusions[0].at


def _check_missing(case: Case) -> None:
    facts = case.facts
    missing = []
    if not facts.openings:
        missing.append("opening")
    if not facts.closings:
        missing.append('"No more bets"')
    elif lacks_closing_since(facts, case.tolerance) is not None:
        missing.append('second "No more bets" after the dealing device was reset')
    if not facts.conclusions:
        missing.append("end")
    if not missing or case.early:
        return
    if case.could_be_lost("announcement"):
        case.lost.extend(f"the round's {what}" for what in missing)
        return
    _out_of_order(case, "missing", f"The round has no {', no '.join(missing)}.")


def _check_doubled(case: Case) -> None:
    facts = case.facts
    doubled = []
    if len(facts.openings) > 1 and len(facts.openings) > len(in_place(facts, facts.openings, case.tolerance)):
        doubled.append("opening")
    if len(facts.closings) > 1 and len(facts.closings) > len(in_place(facts, facts.closings, case.tolerance)):
        doubled.append('"No more bets"')
    if len(facts.conclusions) > 1:
        doubled.append("end")
    if doubled:
        _out_of_order(case, "doubled", f"The round has more than one {', more than one '.join(doubled)}.")


def _check_order(case: Case) -> None:
    """Opening before closing before end; after a reset, a second opening and closing come between them."""
    facts = case.facts
    openings, closings = facts.openings, facts.closings
    if len(openings) > 1 or len(closings) > 1:
        openings, closings = (in_place(facts, each, case.tolerance) for each in (openings, closings))
    steps = (*openings[:1], *closings[:1], *openings[1:][-1:], *closings[1:][-1:], *facts.conclusions[:1])
    if any(surely_later(earlier, later, case.tolerance) for earlier, later in combinations(steps, 2)):
        _out_of_order(case, "wrong order", "Opening, closing of bets and end of the round came in the wrong order.")


def _check_reopened(case: Case) -> None:
    """5.1.2: a bet, card or settlement after the end of the round, or after the next opening."""
    facts = case.facts
    ends = (facts.conclusions[0] if facts.conclusions else None, case.context.next_opening)
    # What no fact at all comes after in the plain order, none comes after beyond doubt.
    last = facts.ordered[-1][:4]
    bounds = [end for end in ends if end is not None and last > end[:4]]
    if not bounds:
        return

    def reopens(fact: Fact) -> bool:
        return any(surely_later(fact, bound, case.tolerance) for bound in bounds)

    if any(reopens(fact) for fact in chain(facts.cards, *facts.acts.values(), *facts.settlements.values())):
        _out_of_order(
            case, "reopened", "A bet, a card or a settlement came after the round was over.", subject="reopened"
        )
