"""The digest of a verdict: SHA-256 over the canonical form (RFC 8785) of the facts that it rests on."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

import orjson

from audit.context import RoundContext
from audit.facts import Fact
from schemas.events import AnyEvent, Envelope
from schemas.identity import canonical
from schemas.payloads import Payload, RoundOpenedData, TableConfiguredData


def digest(
    facts: Iterable[Fact], context: RoundContext, copies: Mapping[str, int], players: Iterable[str], settings: Any
) -> str:
    """The digest of the round's own events, its configuration and shoe, the copies of its cards dealt earlier in the
    shoe, which of its players had used their one time (5.14), and the settings."""
    configuration, loaded = context.configuration, context.loaded
    return sha256(
        _canonical(
            {
                "configuration": None if configuration is None else configuration.event,
                "copies_dealt_earlier": copies,
                "events": sorted((fact.event for fact in facts), key=_identity),
                "settings": settings,
                "shoe": None if loaded is None else loaded.event,
                "used_their_one_time": sorted(players),
            }
        )
    ).hexdigest()


def _identity(event: AnyEvent) -> tuple[str, str]:
    return event.source, event.id


def _plain(value: object) -> dict[str, Any]:
    """An event or a payload as JSON has it; optional fields that say nothing are absent."""
    if isinstance(value, Envelope):
        event: Any = value
        return {
            "data": event.data,
            "id": event.id,
            "sequence": event.sequence,
            "source": event.source,
            "specversion": event.specversion,
            "subject": event.subject,
            "time": event.time,
            "type": event.type,
        }
    if isinstance(value, TableConfiguredData | RoundOpenedData):
        return value.model_dump(exclude_defaults=True)
    if isinstance(value, Payload):
        return value.__dict__
    raise TypeError(f"{type(value).__name__} is no fact")


def _canonical(value: Any) -> bytes:
    """As ``schemas.identity.canonical``, with events written directly; only keys beyond ASCII need its second look."""
    written = orjson.dumps(value, default=_plain, option=orjson.OPT_SORT_KEYS)
    return written if written.isascii() else canonical(orjson.loads(written))
