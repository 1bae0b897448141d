"""The number of cards in the hands: exactly what the Table of Play asks for (DTB, FF4 3.14, SE 3.9, EB 3.8; DT 3.4)."""

from audit.case import Case


def check(case: Case) -> None:
    """``card-missing`` and ``card-extra``; neither where a foreign card is or the shoe ran out."""
    dealing = case.dealing
    if dealing.foreign or dealing.ran_out:
        return
    clause = case.clause("table-of-play")
    if dealing.over:
        draw = dealing.draws[dealing.required]
        case.raise_finding(
            "card-extra", clause,
            f"{len(dealing.cards)} cards were drawn and the Table of Play asks for {dealing.required}: "
            f"draw {draw} belongs to no hand.",
            expected=dealing.required, actual=len(dealing.cards), draw=draw,
        )  # fmt: skip
    elif dealing.short and case.void.declared is None and not case.void.rightly_void and not case.early:
        if case.cards_lost:
            if case.needs_cards:
                case.lost.append(f"draw {len(dealing.cards) + 1}")
            return
        case.raise_finding(
            "card-missing", clause,
            f"Only {len(dealing.cards)} cards were drawn and the Table of Play asks for {dealing.required}.",
            expected=dealing.required, actual=len(dealing.cards),
        )  # fmt: skip
