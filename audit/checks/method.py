"""The dealing method: C in the HLGA alone, none in games that have none, one per round (DTB 3.9, FF4 3.8)."""

from audit.case import Case


def check(case: Case) -> None:
    """``method-not-allowed``, once for each kind."""
    methods = [opening.data.method for opening in case.facts.openings if opening.data.method is not None]
    if not methods:
        return
    if not case.document.methods:
        case.raise_finding(
            "method-not-allowed", None, f"Method {methods[0]} was reported, and this game has no dealing methods.",
            expected=None, actual=methods[0], about="no methods",
        )  # fmt: skip
        return
    if "C" in methods and case.configuration.area != "hlga":
        case.raise_finding(
            "method-not-allowed", case.clause("method"), "Method C was used outside the HLGA.",
            expected=["A", "B"], actual="C", about="outside the HLGA",
        )  # fmt: skip
    if len(set(methods)) > 1:
        case.raise_finding(
            "method-not-allowed", case.clause("method"),
            f"The dealing method changed in the course of the round: {', then '.join(methods)}.",
            expected=methods[0], actual=methods, about="changed",
        )  # fmt: skip
