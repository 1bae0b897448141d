"""What a cited clause is about, in our own words, from the register of clauses."""

from collections.abc import Iterable
from typing import Final

from games.register import REGISTER

_SUBJECTS: Final = {f"{clause.document} {clause.number}": clause.subject for clause in REGISTER}


def clause_subject(cited: str) -> str | None:
    """What a clause such as ``dragon-tiger-baccarat 5.15`` is about; None for one that is not in the register."""
    return _SUBJECTS.get(cited)


def clause_subjects(cited: Iterable[str | None]) -> dict[str, str]:
    """By clause, what each of these is about; several may be cited at once, as ``document 4.1, 4.2``."""
    found: dict[str, str] = {}
    for each in cited:
        document, _, numbers = (each or "").partition(" ")
        for number in numbers.split(", "):
            subject = clause_subject(f"{document} {number}")
            if subject is not None:
                found[f"{document} {number}"] = subject
    return found
