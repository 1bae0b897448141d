"""A shoe that runs out before the round is complete (DTB, FF4, EB 5.3; SE, DT 5.5)."""

from audit.case import Case


def check(case: Case) -> None:
    """``insufficient-cards``."""
    if case.dealing.ran_out:
        case.raise_finding(
            "insufficient-cards", case.clause("insufficient-cards"),
            f"The shoe ran out after {len(case.dealing.cards)} cards of a round that needs {case.dealing.required}: "
            "the round must be void.",
            expected=case.dealing.required, actual=len(case.dealing.cards),
        )  # fmt: skip
