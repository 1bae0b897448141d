"""Ids under which a source sent events that contradict each other: the last of them, in little memory."""

from collections.abc import Iterable

MOST_IDS = 256
"""So many are remembered of a source; what was refused is in the store, where an older one is looked up."""
MOST_FORMS = 256
"""So many bytes are remembered of an id. A device that sends everything under one id repeats the last of it at most."""


class RefusedIds(dict[str, dict[int, None]]):
    """What came under each is known by its hash alone."""

    __slots__ = ()

    def has(self, name: str, raw: bytes) -> bool:
        """Whether these bytes were refused under an id."""
        return hash(raw) in self[name]

    def add(self, name: str, refused: Iterable[bytes]) -> None:
        """These bytes are refused under an id."""
        forms = self.pop(name, {})
        for raw in refused:
            forms[hash(raw)] = None
            if len(forms) > MOST_FORMS:
                del forms[next(iter(forms))]
        self[name] = forms

    def forget(self) -> list[str]:
        """Forget the oldest, if they are too many; whoever remembers them otherwise is given them."""
        if len(self) <= MOST_IDS:
            return []
        gone = list(self)[:-MOST_IDS]
        for name in gone:
            del self[name]
        return gone
