"""The digest of a verdict: SHA-256 over the canonical form (RFC 8785) of the facts that it rests on."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from typing import Any

import orjson

from audit.context import RoundContext
from audit.facts import Fact
from schemas.events import AnyEvent
from schemas.identity import canonical
from schemas.payloads import PAYLOADS, Payload


def digest(
    facts: Sequence[Fact], context: RoundContext, copies: Mapping[str, int], players: Iterable[str], settings: Any
) -> str:
    """The digest of the round's own events (given in order), its configuration and shoe, the copies of its cards dealt
    earlier in the shoe, which of its players had used their one time (5.14), and the settings."""
    written = _write(
        {
            "configuration": _same_for_many_rounds(context.configuration),
            "copies_dealt_earlier": copies,
            "events": [_plain(fact.event) for fact in sorted(facts, key=_SOURCE)],
            "settings": settings,
            "shoe": _same_for_many_rounds(context.loaded),
            "used_their_one_time": sorted(players),
        }
    )
    # As ``schemas.identity.canonical`` writes it; only keys beyond ASCII need its second look.
    return sha256(written if written.isascii() else canonical(orjson.loads(written))).hexdigest()


_SOURCE = itemgetter(1)
"""The source of a fact. Facts of one source are ordered by sequence and id already, whatever their effective times; so
the order of the whole depends on the events alone."""


def _plain(event: AnyEvent) -> dict[str, Any]:
    """An event as JSON has it, without the attributes that have no effect."""
    # A copy of what the model holds: reading its fields one by one takes twice as long, and this is done for every
    # event that is ever judged.
    fields = event.__dict__.copy()
    del fields["datacontenttype"], fields["dataschema"]
    data = fields["data"]
    if data.__class__ not in _OPTIONAL_FIELDS:
        fields["data"] = data.__dict__
    return fields


_OPTIONAL_FIELDS = {
    payload: optional
    for payload in PAYLOADS
    if (optional := {name: each.default for name, each in payload.model_fields.items() if not each.is_required()})
}
"""By payload: its optional fields and what they are where they say nothing."""


def _plain_payload(value: object) -> dict[str, Any]:
    """A payload as JSON has it; optional fields that say nothing are absent."""
    if not isinstance(value, Payload):
        raise TypeError(f"{type(value).__name__} is no fact")
    optional = _OPTIONAL_FIELDS.get(value.__class__, {})
    return {name: each for name, each in value.__dict__.items() if name not in optional or each != optional[name]}


def _write(value: dict[str, Any]) -> bytes:
    return orjson.dumps(value, default=_plain_payload, option=orjson.OPT_SORT_KEYS)


class _VeryEvent:
    """An event, told apart by being that very object: comparing configurations field by field takes too long."""

    __slots__ = ("event",)

    def __init__(self, event: AnyEvent) -> None:
        self.event = event

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _VeryEvent) and other.event is self.event

    def __hash__(self) -> int:
        return id(self.event)


@lru_cache(maxsize=64)
def _written_once(very: _VeryEvent) -> orjson.Fragment:
    return orjson.Fragment(_write(_plain(very.event)))


def _same_for_many_rounds(fact: Fact | None) -> orjson.Fragment | None:
    """A configuration or a shoe: it holds for many rounds in a row."""
    return None if fact is None else _written_once(_VeryEvent(fact.event))
