"""Where the store is, by the settings: the address that is set, or the embedded server's; and waiting for it."""

import logging
from collections.abc import Callable

from store.connect import Patience, Store, connect
from store.errors import StoreUnavailable
from store.migrate import check
from tablewatch.settings import value_of

logger = logging.getLogger(__name__)

AWAITED_SECONDS = 60.0
EMBEDDED_URL = "clickhouse://default@127.0.0.1:9000/tablewatch"


def store_url() -> str:
    """The address of the store."""
    return value_of("CLICKHOUSE_URL") or EMBEDDED_URL


def awaited_store() -> Store:
    """The store, for a service that starts: it may be away for a minute, and must have the schema of this version."""
    store = connect(store_url(), patience=Patience(total=AWAITED_SECONDS))
    check(store.patient(Patience(total=AWAITED_SECONDS, told=_told_once())))
    return store


def _told_once() -> Callable[[StoreUnavailable, float], None]:
    """Whoever looks at the log sees at once why nothing happens; how it ends is said by the command."""
    told = False

    def tell(error: StoreUnavailable, _pause: float) -> None:
        nonlocal told
        if not told:
            logger.warning("waiting up to %.0f seconds for the store: %s", AWAITED_SECONDS, error)
        told = True

    return tell
