"""The facts that a verdict rests on, in canonical form (RFC 8785): its digest is their SHA-256."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

import msgspec
import orjson

from audit.context import RoundContext
from audit.facts import Fact
from schemas.identity import canonical
from schemas.records import AnyEvent, canonical_event


def canonical_facts(
    facts: Sequence[Fact], context: RoundContext, copies: Mapping[str, int], players: Iterable[str], settings: Any
) -> bytes:
    """The round's own events (given in order), its configuration and shoe, the copies of its cards dealt earlier in the
    shoe, which of its players had used their one time (5.14), and the settings."""
    written = _write(
        {
            "configuration": _same_for_many_rounds(context.configuration),
            "copies_dealt_earlier": copies,
            "events": [fact[_EVENT] for fact in sorted(facts, key=_SOURCE)],
            "settings": settings,
            "shoe": _same_for_many_rounds(context.loaded),
            "used_their_one_time": sorted(players),
        }
    )
    # As ``schemas.identity.canonical`` writes it; only keys beyond ASCII need its second look.
    return written if written.isascii() else canonical(orjson.loads(written))


_SOURCE = itemgetter(1)
"""The source of a fact. Facts of one source are ordered by sequence and id already, whatever their effective times; so
the order of the whole depends on the events alone."""

_EVENT = Fact._fields.index("event")

_write = msgspec.json.Encoder(order="sorted").encode


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
def _written_once(very: _VeryEvent) -> msgspec.Raw:
    return msgspec.Raw(canonical_event(very.event))


def _same_for_many_rounds(fact: Fact | None) -> msgspec.Raw | None:
    """A configuration or a shoe: it holds for many rounds in a row."""
    return None if fact is None else _written_once(_VeryEvent(fact.event))
