"""The topics: what each carries, who may write it, and which partition a table's events go to.

Each kind of device can be given write access to its own topic and no other; heartbeats go where their device writes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from schemas.events import MODELS

HEARTBEAT: Final = "device.heartbeat.v1"
"""The one type that every input topic carries."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic of the pipeline."""

    name: str
    about: str
    """What it is for, in one sentence."""
    writers: tuple[str, ...]
    """The kinds of device or service that may write to it."""
    types: tuple[str, ...]
    """The event types that it carries; none for a topic that comes out of the pipeline."""


def _input(name: str, about: str, writers: tuple[str, ...], kinds: tuple[str, ...]) -> Topic:
    types = tuple(each for each in MODELS if each.partition(".")[0] in kinds)
    return Topic(name, about, writers, (*types, HEARTBEAT))


CARDS = _input("table.cards", "What the dealing device and its card reader see.", ("card-reader",), ("shoe", "card"))
BETS = _input("table.bets", "What the bet sensors of the layout see, and settlements.", ("bet-sensor",), ("bet",))
FLOOR = _input(
    "table.floor",
    "What the dealer, the display and the pit desk announce and decide.",
    ("dealer-panel", "display", "pit-desk"),
    ("table", "round", "bets", "result", "ruling", "incident"),
)
VERDICTS = Topic("audit.verdicts", "The verdict of each round, by revision.", ("worker",), ())
ALERTS = Topic("audit.alerts", "Findings as they are raised, and again when they are cleared.", ("worker",), ())
REJECTED = Topic("audit.rejected", "Events that break the contract, with their bytes and the reason.", ("worker",), ())

INPUT: tuple[Topic, ...] = (CARDS, BETS, FLOOR)
"""They have the same number of partitions, so that a table's facts meet in one worker."""
OUTPUT: tuple[Topic, ...] = (VERDICTS, ALERTS, REJECTED)

_TOPIC_OF: Mapping[str, str] = {each: topic.name for topic in INPUT for each in topic.types if each != HEARTBEAT}
_CARRIED: Mapping[str, frozenset[str]] = {topic.name: frozenset(topic.types) for topic in INPUT}


def topic_of(event_type: str) -> str | None:
    """The topic that an event type belongs to; None for heartbeats, which go where their device writes."""
    return _TOPIC_OF[event_type] if event_type != HEARTBEAT else None


def carries(topic: str, event_type: str) -> bool:
    """Whether an event of this type is in its place on this topic."""
    return event_type in _CARRIED.get(topic, ())


@lru_cache(maxsize=65_536)
def partition_of(table: str, partitions: int) -> int:
    """The partition of a table's events among so many: that of its UTF-8 id, as Kafka's Java client reckons it."""
    if partitions < 1:
        raise ValueError(f"a topic has at least one partition, not {partitions}")
    return (murmur2(table.encode()) & 0x7FFF_FFFF) % partitions


def murmur2(key: bytes) -> int:
    """MurmurHash2 of a key with the seed of Kafka's clients, as an unsigned 32-bit number."""
    mix, mask = 0x5BD1_E995, 0xFFFF_FFFF
    state = 0x9747_B28C ^ len(key)
    whole = len(key) & ~3
    for start in range(0, whole, 4):
        word = int.from_bytes(key[start : start + 4], "little") * mix & mask
        word = (word ^ word >> 24) * mix & mask
        state = state * mix & mask ^ word
    if rest := key[whole:]:
        state = (state ^ int.from_bytes(rest, "little")) * mix & mask
    state = (state ^ state >> 13) * mix & mask
    return state ^ state >> 15
