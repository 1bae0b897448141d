"""How the contract's topics should be: partitions, retention, copies, compression; and what a difference is."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from schemas.decoding import MAX_RECORD_BYTES
from schemas.topics import INPUT, OUTPUT, REJECTED, Topic
from streams.principals import Principals

GROUP = "tablewatch"
"""The workers' group."""

CHECKPOINTS = Topic(
    "audit.checkpoints", "Signed heads of the verdicts' hash chain, for others to keep.", ("sealing",), ()
)

INPUTS: tuple[str, ...] = tuple(topic.name for topic in INPUT)
OUTPUTS: tuple[str, ...] = (*(topic.name for topic in OUTPUT), CHECKPOINTS.name)

_DAY_MS = 24 * 60 * 60 * 1000
_FOREVER = -1


@dataclass(frozen=True, slots=True)
class Layout:
    """How the topics should be."""

    partitions: int | None = 12
    """Of every input and output topic; a table stays in its partition for good, so choose it once. Null, for `check`:
    as it is, provided that the inputs have the same."""
    replication: int | None = None
    """Null: three, or as many as there are brokers."""
    input_days: int = 7
    """Events are in the store long before; this is how long the store may be away."""
    output_days: int = 30
    compression: str = "lz4"
    principals: Principals = field(default_factory=Principals)
    """None named: rights are neither given nor checked."""
    group: str = GROUP


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing on the broker that is not as it should be."""

    where: str
    what: str
    expected: str
    actual: str
    remedy: str = field(default="", compare=False)
    """What to do where `create` does not set it right."""

    def __str__(self) -> str:
        says = f"{self.where}: {self.what} should be {self.expected}, is {self.actual}"
        return f"{says}; {self.remedy}" if self.remedy else says


@dataclass(frozen=True, slots=True)
class Plan:
    """One topic as it should be."""

    name: str
    partitions: int | None
    days: int | None
    """Null: kept for ever."""
    keep_for: tuple[str, ...]
    """Groups that must have read a record of the embedded log before it may go."""

    @property
    def retention_ms(self) -> int:
        return _FOREVER if self.days is None else self.days * _DAY_MS

    def settings(self, layout: Layout, replication: int) -> dict[str, str]:
        """Kafka's settings of the topic when it has so many copies."""
        return {
            "cleanup.policy": "delete",
            "retention.ms": str(self.retention_ms),
            "compression.type": layout.compression,
            # Two of three copies have a record before it is acknowledged, so that one broker can be away or lost.
            "min.insync.replicas": str(max(1, replication - 1)),
            "unclean.leader.election.enable": "false",
            # A record that is sent again keeps its row: its arrival is the broker's own time, not the sender's.
            "message.timestamp.type": "LogAppendTime",
            "max.message.bytes": str(_most_bytes(self.name)),
        }


def _most_bytes(topic: str) -> int:
    """The largest record that decoding looks at, and the batch around it; rejected, it is told in base64."""
    return (MAX_RECORD_BYTES * 4 // 3 if topic == REJECTED.name else MAX_RECORD_BYTES) + 65_536


def plans(layout: Layout) -> list[Plan]:
    """All topics of the contract."""
    inputs = [Plan(name, layout.partitions, layout.input_days, (layout.group,)) for name in INPUTS]
    outputs = [Plan(topic.name, layout.partitions, layout.output_days, ()) for topic in OUTPUT]
    # Checkpoints are few and small, and worth most when they are old.
    return [*inputs, *outputs, Plan(CHECKPOINTS.name, 1, None, ())]


def partition_differences(layout: Layout, found: dict[str, int]) -> list[Difference]:
    """Topics that are missing or have another number of partitions."""
    differences: list[Difference] = []
    usual = _usual(found)
    for plan in plans(layout):
        count = found.get(plan.name)
        if count is None:
            differences.append(Difference(plan.name, "topic", "there", "missing"))
        elif plan.partitions is not None and count != plan.partitions:
            # With another number tables would speak on other partitions than before, in the middle of their shoes.
            stays = plan.name != CHECKPOINTS.name and count == usual
            remedy = f"that stays: set TABLEWATCH_PARTITIONS to {count}" if stays else odd_one(plan.name)
            differences.append(
                Difference(plan.name, "partitions", str(plan.partitions), str(count), remedy),
            )
    counts = {name: found[name] for name in INPUTS if name in found}
    if layout.partitions is None and (unequal := odd_ones(counts, usual)):
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        differences.append(Difference("inputs", "number of partitions", "the same", listed, odd_one(*unequal)))
    return differences


def _usual(found: Mapping[str, int]) -> int:
    """The number of partitions that most topics have; of several the largest, as a broker makes one by itself."""
    counts = Counter(count for name, count in found.items() if name != CHECKPOINTS.name)
    return max(counts, key=lambda count: (counts[count], count), default=0)


def odd_ones(counts: Mapping[str, int], usual: int | None = None) -> list[str]:
    """Topics that have not as many partitions as the others, where all should have the same."""
    usual = _usual(counts) if usual is None else usual
    return [name for name, count in counts.items() if count != usual] if len(set(counts.values())) > 1 else []


def odd_one(*names: str) -> str:
    """What to do about topics with a number of partitions of their own: a broker that makes topics by itself, on the
    first record, gives them one."""
    listed = " and ".join(names)
    return (
        f"that cannot be changed: delete {listed} (`kafka-topics.sh --delete`, after you have seen that nothing in"
        " there is needed), and run `tablewatch topics create`"
    )
