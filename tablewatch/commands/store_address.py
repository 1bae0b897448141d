"""Where the store is, by the settings: the address that is set, or the embedded server's; and waiting for it."""

from store.connect import Patience, Store, connect
from store.migrate import check
from tablewatch.settings import value_of

EMBEDDED_URL = "clickhouse://default@127.0.0.1:9000/tablewatch"


def store_url() -> str:
    """The address of the store."""
    return value_of("CLICKHOUSE_URL") or EMBEDDED_URL


def awaited_store() -> Store:
    """The store, for a service that starts: it may be away for a minute, and must have the schema of this version."""
    store = connect(store_url(), patience=Patience(total=60.0))
    check(store)
    return store
