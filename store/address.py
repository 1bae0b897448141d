"""Where the store is: ``clickhouse://user:password@host:port/database``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

from store.errors import WrongAddress

NATIVE_PORT = 9000
SETTING = "TABLEWATCH_CLICKHOUSE_URL"
"""Where people set the address."""
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_FORM = "clickhouse://user:password@host:port/database"


@dataclass(frozen=True, slots=True)
class Address:
    """One store, and who asks."""

    host: str
    port: int = NATIVE_PORT
    user: str = "default"
    password: str = field(default="", repr=False)
    database: str = "tablewatch"
    secure: bool = False
    """TLS, as ``clickhouses://`` asks for."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """ClickHouse settings from the query part, e.g. ``?insert_quorum=2``."""

    def __str__(self) -> str:
        return f"{self.host}:{self.port}/{self.database}"

    @property
    def on_this_machine(self) -> bool:
        """Whether the way there leads over no network."""
        return self.host in _LOOPBACK


def parse_address(url: str, named: str = SETTING) -> Address:
    """Reads an address, which people have set as ``named``; the password never gets into an error message."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise WrongAddress(f"{named} should be {_FORM}: {error}") from None
    if parts.scheme not in ("clickhouse", "clickhouses") or not parts.hostname:
        raise WrongAddress(f"{named} should be {_FORM}, and begins with {parts.scheme!r}")
    database = unquote(parts.path.strip("/")) or "tablewatch"
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", database):
        raise WrongAddress(f"{named}: {database!r} is no name for a database: letters, digits and underscores")
    return Address(
        host=parts.hostname,
        port=port or NATIVE_PORT,
        user=unquote(parts.username or "default"),
        password=unquote(parts.password or ""),
        database=database,
        secure=parts.scheme == "clickhouses",
        settings=dict(parse_qsl(parts.query)),
    )
