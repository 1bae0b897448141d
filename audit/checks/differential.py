"""The table differential, judged once, at the first card (DTB 1.1.12, FF4 1.1.11, 5.18)."""

from audit.case import Case


def check(case: Case) -> None:
    """``differential-exceeded``."""
    differential = case.stakes.differential
    if differential is None or differential.limit is None or differential.first_card is None:
        return
    if differential.first_card > differential.limit:
        case.raise_finding(
            "differential-exceeded", case.clause("differential"),
            f"Player and Banker wagers differed by {differential.first_card} at the first card; "
            f"the table allows {differential.limit}.",
            expected=differential.limit, actual=differential.first_card,
        )  # fmt: skip
