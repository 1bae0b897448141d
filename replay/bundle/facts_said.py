"""The facts behind the verdict of a round, as its digest was taken of them: so whoever lacks an event sees it."""

from hashlib import sha256

from audit.settings import JudgeSettings
from audit.table import facts_behind
from replay.rounds import StoredRound
from replay.verify import settings_in
from replay.windows import shoe_windows
from store.connect import Store


def facts_said(store: Store, found: StoredRound) -> bytes | None:
    """In canonical form; None where there is no verdict that this version can give anew."""
    settings = None if found.last is None else settings_in(found.last)
    if settings is None or found.last is None:
        return None
    written = _facts(store, found, settings, from_records=False)
    if written is None or sha256(written).hexdigest() != found.last.digest:
        # Event rows of earlier rounds may be gone: what they dealt the records say as well.
        return _facts(store, found, settings, from_records=True) or written
    return written


def _facts(store: Store, found: StoredRound, settings: JudgeSettings, *, from_records: bool) -> bytes | None:
    key = found.key.shoe, found.key.round
    for window in shoe_windows(store, found.key.table, [found.key.shoe], from_records=from_records):
        written = facts_behind(window.facts, settings, key, used=window.used, over=window.facts.rounds)
        if written is not None:
            return written
    return None
