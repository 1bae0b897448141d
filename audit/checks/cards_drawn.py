"""Draws that are doubtful: two cards for one draw, or a draw skipped (DTB 3.13, FF4 3.12, SE 3.7, DT 3.4, EB 3.6)."""

from audit.case import Case


def check(case: Case) -> None:
    """``card-conflict``; a skipped draw that a hole of the reader could hide is lost, not in conflict."""
    dealing = case.dealing
    if not dealing.doubtful:
        return
    clause = case.clause("draw-order")
    for draw in dealing.conflicting:
        cards = dealing.read[draw]
        case.raise_finding(
            "card-conflict", clause,
            f"Draw {draw} was reported as {' and as '.join(cards)}; check the camera and the reader.",
            actual=list(cards), draw=draw,
        )  # fmt: skip
    if case.early:
        return
    if dealing.skipped and case.cards_lost:
        if case.needs_cards:
            case.lost.extend(f"draw {draw}" for draw in dealing.skipped)
        return
    for draw in dealing.skipped:
        case.raise_finding(
            "card-conflict", clause,
            f"Draw {draw} was skipped: later cards were read, this one was not, and the reader lost no event.",
            draw=draw,
        )  # fmt: skip
