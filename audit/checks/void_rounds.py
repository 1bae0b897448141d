"""Void rounds: one that had to be void and was settled, one declared void without a ground (5.1 to 5.9, 6.1)."""

from audit.case import Case


def check(case: Case) -> None:
    """``void-required`` and ``void-unfounded``, each once for a round."""
    void = case.void
    if void.required is not None and case.facts.settled:
        case.raise_finding(
            "void-required", void.required.clause,
            f"The round was settled although it is void by the rules: {void.required.reason}.",
            expected="void", actual="settled",
        )  # fmt: skip
    if void.declared is not None and not void.founded and case.decks is not None and not case.early:
        case.raise_finding(
            "void-unfounded", None,
            f"The round was declared void by clause {void.declared.data.clause}, and nothing on record makes it so.",
            expected=None, actual=void.declared.data.clause,
        )  # fmt: skip
