"""The digest of a verdict: SHA-256 over the canonical form (RFC 8785) of the facts that it rests on."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from operator import attrgetter
from typing import Any

import orjson

from audit.context import RoundContext
from audit.facts import Fact
from schemas.events import AnyEvent
from schemas.identity import canonical
from schemas.payloads import Payload, RoundOpenedData, TableConfiguredData


def digest(
    facts: Iterable[Fact], context: RoundContext, copies: Mapping[str, int], players: Iterable[str], settings: Any
) -> str:
    """The digest of the round's own events, its configuration and shoe, the copies of its cards dealt earlier in the
    shoe, which of its players had used their one time (5.14), and the settings."""
    configuration, loaded = context.configuration, context.loaded
    written = orjson.dumps(
        {
            "configuration": None if configuration is None else _plain(configuration.event),
            "copies_dealt_earlier": copies,
            "events": [_plain(event) for event in sorted([fact[4] for fact in facts], key=_IDENTITY)],
            "settings": settings,
            "shoe": None if loaded is None else _plain(loaded.event),
            "used_their_one_time": sorted(players),
        },
        default=_plain_payload,
        option=orjson.OPT_SORT_KEYS,
    )
    # As ``schemas.identity.canonical`` writes it; only keys beyond ASCII need its second look.
    return sha256(written if written.isascii() else canonical(orjson.loads(written))).hexdigest()


_IDENTITY = attrgetter("source", "id")


def _plain(event: AnyEvent) -> dict[str, Any]:
    """An event as JSON has it, without the attributes that have no effect."""
    # A copy of what the model holds: reading its fields one by one takes twice as long, and this is done for every
    # event that is ever judged.
    fields = event.__dict__.copy()
    del fields["datacontenttype"], fields["dataschema"]
    data = fields["data"]
    if data.__class__ not in _WITH_OPTIONAL_FIELDS:
        fields["data"] = data.__dict__
    return fields


_WITH_OPTIONAL_FIELDS = (RoundOpenedData, TableConfiguredData)


def _plain_payload(value: object) -> dict[str, Any]:
    """A payload as JSON has it; optional fields that say nothing are absent."""
    if isinstance(value, Payload):
        return value.model_dump(exclude_defaults=True)
    raise TypeError(f"{type(value).__name__} is no fact")
