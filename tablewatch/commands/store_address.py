"""Where the store is, by the settings: the address that is set, or the embedded server's."""

from tablewatch.settings import value_of

EMBEDDED_URL = "clickhouse://default@127.0.0.1:9000/tablewatch"


def store_url() -> str:
    """The address of the store."""
    return value_of("CLICKHOUSE_URL") or EMBEDDED_URL
