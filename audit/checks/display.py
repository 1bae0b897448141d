"""What the display showed, against the cards (DTB, FF4, EB 6.3; the cards decide in all games, reading A-38)."""

from collections.abc import Mapping
from typing import Any

from audit.case import Case
from audit.facts import Fact, surely_later
from games.settlement import Outcome


def _shows(display: Fact, outcome: Outcome) -> bool:
    data = display.data
    return data.winner == outcome.winner and (data.totals is None or data.totals == outcome.totals)


def _shown(display: Fact) -> dict[str, Any]:
    return {"winner": display.data.winner, "totals": display.data.totals}


def check(case: Case) -> None:
    """``display-mismatch``, for each display, also one that a later one put right. Those before a void ruling are
    judged by the cards; later ones must say void, and within the tolerance either is right."""
    if not case.facts.displays:
        return
    if case.void.rightly_void:
        _check_void_round(case)
    elif case.outcome_judged and case.dealing.outcome is not None:
        for display in case.facts.displays:
            if not _shows(display, case.dealing.outcome):
                _mismatch(case, display, case.dealing.outcome)


def _check_void_round(case: Case) -> None:
    void, outcome = case.void.declared, case.dealing.outcome
    for display in case.facts.displays:
        says_void = display.data.winner == "void"
        after = void is not None and surely_later(display, void, case.tolerance)
        before = void is None or surely_later(void, display, case.tolerance)
        by_the_cards = outcome is None or _shows(display, outcome)
        if after and not says_void:
            case.raise_finding(
                "display-mismatch", case.clause("display") or case.clause("winner"),
                f"The display showed {display.data.winner} after the round was declared void.",
                expected={"winner": "void"}, actual=_shown(display), about=case.about(display),
            )  # fmt: skip
        elif outcome is not None and not by_the_cards and (before or not says_void) and not after:
            _mismatch(case, display, outcome)


def _mismatch(case: Case, display: Fact, outcome: Outcome) -> None:
    shown = f"{display.data.winner}{_totals(display, outcome)}"
    dealt = f"{outcome.winner} ({_in_words(outcome.totals)})"
    case.raise_finding(
        "display-mismatch", case.clause("display") or case.clause("winner"),
        f"The display showed {shown}; the cards say {dealt}.",
        expected={"winner": outcome.winner, "totals": dict(outcome.totals)}, actual=_shown(display),
        about=case.about(display),
    )  # fmt: skip


def _totals(display: Fact, outcome: Outcome) -> str:
    """The totals that were shown, and which hands had none: that alone may be what is wrong."""
    totals = display.data.totals
    if totals is None:
        return ""
    without = " or ".join(hand.capitalize() for hand in outcome.totals if hand not in totals)
    shown = [_in_words(totals)] if totals else []
    return f" ({', '.join([*shown, f'no total for {without}'] if without else shown)})"


def _in_words(totals: Mapping[str, Any]) -> str:
    return ", ".join(f"{hand.capitalize()} {total}" for hand, total in totals.items())
