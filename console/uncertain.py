"""Acts whose author was told that it is uncertain whether they count: how each of them ended, until he has seen it."""

import secrets
from collections import deque
from dataclasses import dataclass
from typing import Final, Literal

KEPT: Final = 50
"""Of one person: the latest."""

Outcome = Literal["uncertain", "counts", "does not count"]


@dataclass(slots=True)
class UncertainAct:
    """What somebody did at an alert while the store said nothing."""

    id: str
    alert: str
    code: str
    """The alert's finding code; empty: not known."""
    table: str
    deed: str
    note: str
    """So that it need not be written again."""
    at: int
    """Milliseconds since 1970."""
    outcome: Outcome = "uncertain"
    reason: str = ""
    """Why it does not count."""


class UncertainActs:
    """By person, as whoever reloads the page or signs in again wants to know it too."""

    def __init__(self) -> None:
        self._by_person: dict[str, deque[UncertainAct]] = {}

    def begin(self, person: str, *, alert: str, code: str, table: str, deed: str, note: str, at: int) -> UncertainAct:
        """From now on its outcome is waited for."""
        act = UncertainAct(secrets.token_hex(8), alert, code, table, deed, note, at)
        self._by_person.setdefault(person, deque(maxlen=KEPT)).append(act)
        return act

    def of(self, person: str) -> list[UncertainAct]:
        """What is uncertain, and what was and has not been seen since."""
        return list(self._by_person.get(person, ()))

    def seen(self, person: str, act: str) -> bool:
        """It need not be told again; False: there is none of this name that has ended."""
        acts = self._by_person.get(person, deque())
        for each in acts:
            if each.id == act and each.outcome != "uncertain":
                acts.remove(each)
                if not acts:
                    del self._by_person[person]
                return True
        return False
