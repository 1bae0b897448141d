"""Rejections: an event that breaks the contract, as kept and published: its bytes, where it came from, why not."""

from base64 import b64encode
from dataclasses import dataclass
from typing import Annotated

from pydantic import Base64Bytes, ConfigDict, Field, TypeAdapter

from schemas.decoding import Rejected
from schemas.words import Sequence, Text, Time
from schemas.written import written

Place = Annotated[int, Field(ge=0)]
"""Counted from 0: a partition, an offset, a place in a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """One rejected event; bytes that are no event at all are kept in the same way."""

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid", use_attribute_docstrings=True)

    topic: Text
    partition: Place
    offset: Place
    place: Place
    """Its place in the record."""
    reason: Text
    raw: Base64Bytes
    """The bytes as they came; base64 in JSON, because they may be anything."""
    source: Text | None
    """Null here and below: could not be read."""
    subject: Text | None
    sequence: Sequence | None
    id: Text | None
    type: Text | None
    time: Time | None


def rejection_of(rejected: Rejected, topic: str, partition: int, offset: int) -> Rejection:
    """What was rejected, with the place that it came from."""
    return Rejection(
        topic=topic,
        partition=partition,
        offset=offset,
        place=rejected.place,
        reason=rejected.reason,
        raw=rejected.raw,
        source=rejected.source,
        subject=rejected.subject,
        sequence=rejected.sequence,
        id=rejected.id,
        type=rejected.type,
        time=rejected.time,
    )


def rejection_json(rejection: Rejection) -> bytes:
    """A rejection as one line of JSON."""
    return written(
        {
            "topic": rejection.topic,
            "partition": rejection.partition,
            "offset": rejection.offset,
            "place": rejection.place,
            "reason": rejection.reason,
            "raw": b64encode(rejection.raw).decode("ascii"),
            "source": rejection.source,
            "subject": rejection.subject,
            "sequence": rejection.sequence,
            "id": rejection.id,
            "type": rejection.type,
            "time": rejection.time,
        }
    )


REJECTION: TypeAdapter[Rejection] = TypeAdapter(Rejection)


def parse_rejection(raw: bytes) -> Rejection:
    """A rejection read back from its JSON."""
    return REJECTION.validate_json(raw)
