"""The facts behind the verdict of a round, as its digest was taken of them: so whoever lacks an event sees it."""

import json
from hashlib import sha256

from audit.settings import JudgeSettings
from audit.table import facts_behind
from replay.bundle.check_case import Wrong, counting, resting_on
from replay.chain.prove import NotAsSealed
from replay.rounds import StoredRound
from replay.verify import settings_in
from replay.windows import shoe_windows
from store.connect import Store
from store.rows.raw import StoredEvent


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


def check_facts(found: StoredRound, written: bytes, around: list[StoredEvent]) -> None:
    """As the bundle's own check does it: what would be found wrong there is not handed out."""
    assert found.last is not None
    events, beside = counting([each.raw for each in found.events]), [json.loads(each.raw) for each in around]
    try:
        resting_on(written, json.loads(found.last.json), events, beside)
    except Wrong as error:
        raise NotAsSealed(
            f"a bundle of round {found.key} would be rejected by its own check: {error}; run: tablewatch replay verify"
            " --chain, which names the rows"
        ) from error
