"""Rulings and corrections by a role below the one that the clause names (6.2; see ``audit.roles``)."""

from audit.case import Case
from audit.roles import may_act, role_needed


def _words(role: str) -> str:
    return role.replace("_", " ")


def check(case: Case) -> None:
    """``ruling-not-authorised``, for each ruling; it takes effect all the same."""
    for ruling in case.facts.rulings:
        data = ruling.data
        needed = role_needed(case.document, data.ruling, data.clause)
        if not may_act(data.by, needed):
            case.raise_finding(
                "ruling-not-authorised", data.clause,
                f"The ruling {data.ruling} by clause {data.clause} was made by a {_words(data.by)}; "
                f"it takes a {_words(needed)}.",
                expected=needed, actual=data.by, about=case.about(ruling),
            )  # fmt: skip
    for corrections in case.facts.corrections.values():
        for correction in corrections:
            if not may_act(correction.data.by, "pit_supervisor"):
                case.raise_finding(
                    "ruling-not-authorised", None,
                    f"Bet {correction.data.bet} was corrected by a {_words(correction.data.by)}; "
                    "it takes a pit supervisor.",
                    expected="pit_supervisor", actual=correction.data.by, bet=correction.data.bet,
                    about=case.about(correction),
                )  # fmt: skip
