"""The contract's topics on a broker: made as they should be, and every difference named.

create(parse_broker("kafka://host:9092"), Layout(partitions=12))
for difference in check(parse_broker("kafka://host:9092")):
    print(difference)
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource
from kafka.errors import (
    AuthorizationError,
    KafkaError,
    TopicAlreadyExistsError,
    UnknownTopicOrPartitionError,
    for_code,
)

from schemas.decoding import MAX_RECORD_BYTES
from schemas.topics import INPUT, OUTPUT, Topic
from streams.broker_url import Broker, BrokerUnavailable, EmbeddedLog, KafkaBroker, RightsMissing
from streams.embedded import log as embedded
from streams.embedded.layout import LogError, TopicDiffers
from streams.rights import Principals, grant, granted, harmless, wanted

GROUP = "tablewatch"
"""The workers' group."""

CHECKPOINTS = Topic(
    "audit.checkpoints", "The heads of the verdicts' hash chain, signed, for others to keep.", ("worker",), ()
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

    def __str__(self) -> str:
        return f"{self.where}: {self.what} should be {self.expected}, is {self.actual}"


@dataclass(frozen=True, slots=True)
class _Plan:
    """One topic as it should be."""

    name: str
    partitions: int | None
    days: int | None
    keep_for: tuple[str, ...]

    @property
    def retention_ms(self) -> int:
        return _FOREVER if self.days is None else self.days * _DAY_MS

    def config(self, layout: Layout, replication: int) -> dict[str, str]:
        return {
            "cleanup.policy": "delete",
            "retention.ms": str(self.retention_ms),
            "compression.type": layout.compression,
            # Two of three copies have a record before it is acknowledged, so that one broker can be away or lost.
            "min.insync.replicas": str(max(1, replication - 1)),
            "unclean.leader.election.enable": "false",
            # The largest record that decoding looks at, and the batch around it.
            "max.message.bytes": str(MAX_RECORD_BYTES + 65_536),
        }


def _plans(layout: Layout) -> list[_Plan]:
    inputs = [_Plan(name, layout.partitions, layout.input_days, (layout.group,)) for name in INPUTS]
    outputs = [_Plan(topic.name, layout.partitions, layout.output_days, ()) for topic in OUTPUT]
    # Few and small, and worth most when they are old.
    return [*inputs, *outputs, _Plan(CHECKPOINTS.name, 1, None, ())]


def create(broker: Broker, layout: Layout | None = None, *, connect_seconds: float = 10.0) -> list[str]:
    """Make what is missing and set right what can be; returns what was done, one line each.

    The number of partitions or copies of a topic that exists is left as it is: `check` names it.
    """
    layout = layout or Layout()
    if layout.partitions is None:
        raise ValueError("a topic is made with a number of partitions")
    if isinstance(broker, EmbeddedLog):
        return _create_embedded(broker, layout)
    with _admin(broker, connect_seconds) as admin:
        return _create_on_kafka(broker, admin, layout)


def check(broker: Broker, layout: Layout | None = None, *, connect_seconds: float = 10.0) -> list[Difference]:
    """Every difference between the broker and the layout; none if all is well."""
    layout = layout or Layout(partitions=None)
    if isinstance(broker, EmbeddedLog):
        return _check_embedded(broker, layout)
    with _admin(broker, connect_seconds) as admin:
        found, replication = _described(admin, layout)
        differences = _partition_differences(layout, {name: topic.partitions for name, topic in found.items()})
        for plan in _plans(layout):
            topic = found.get(plan.name)
            if topic is None:
                continue
            if topic.replication < replication:
                differences.append(Difference(plan.name, "replication", str(replication), str(topic.replication)))
            differences += [
                Difference(plan.name, setting, expected, topic.config.get(setting, "not set"))
                for setting, expected in plan.config(layout, topic.replication).items()
                if topic.config.get(setting) != expected
            ]
        return differences + _right_differences(admin, layout)


@dataclass(frozen=True, slots=True)
class _Described:
    partitions: int
    replication: int
    config: dict[str, str]


def _described(admin: KafkaAdminClient, layout: Layout) -> tuple[dict[str, _Described], int]:
    """The topics that are there, and how many copies they should have."""
    replication = layout.replication or min(3, len(admin.describe_cluster()["brokers"]))
    names = [plan.name for plan in _plans(layout)]
    described = admin.describe_topics(names)
    for topic in described:
        if topic["error_code"] not in (0, UnknownTopicOrPartitionError.errno):
            raise for_code(topic["error_code"])(topic["name"])
    present = [topic for topic in described if topic["error_code"] == 0]
    if not present:
        return {}, replication
    configs = admin.describe_configs([ConfigResource("TOPIC", topic["name"]) for topic in present], config_filter="all")
    return {
        topic["name"]: _Described(
            len(topic["partitions"]),
            min(len(partition["replica_nodes"]) for partition in topic["partitions"]),
            {name: entry["value"] for name, entry in configs["topic"][topic["name"]].items()},
        )
        for topic in present
    }, replication


def _create_on_kafka(broker: KafkaBroker, admin: KafkaAdminClient, layout: Layout) -> list[str]:
    done: list[str] = []
    found, replication = _described(admin, layout)
    fresh = [plan for plan in _plans(layout) if plan.name not in found]
    if fresh:
        try:
            admin.create_topics(
                {
                    plan.name: {
                        "num_partitions": plan.partitions,
                        "replication_factor": replication,
                        "configs": plan.config(layout, replication),
                    }
                    for plan in fresh
                },
                wait_for_metadata=True,
            )
        except TopicAlreadyExistsError as error:
            raise BrokerUnavailable(f"someone else is making the topics of {broker} just now: {error}") from error
        done += [f"made {plan.name} with {plan.partitions} partitions, {replication} copies" for plan in fresh]
    for plan in _plans(layout):
        topic = found.get(plan.name)
        if topic is None:
            continue
        wrong = {
            name: value
            for name, value in plan.config(layout, topic.replication).items()
            if topic.config.get(name) != value
        }
        if wrong:
            answer = admin.alter_configs([ConfigResource("TOPIC", plan.name, wrong)])["topic"][plan.name]
            if answer != "OK":
                raise BrokerUnavailable(f"{broker} did not take the settings of {plan.name}: {answer}")
            done += [f"set {name}={value} on {plan.name}" for name, value in wrong.items()]
    if layout.principals.any():
        rights = granted(admin, (*INPUTS, *OUTPUTS), layout.group)
        if rights is not None:
            missing = wanted(layout.principals, OUTPUTS, layout.group) - rights[0]
            failed = grant(admin, missing)
            if failed:
                raise BrokerUnavailable(f"{broker} did not take the rights: {'; '.join(failed)}")
            _await_rights(admin, layout)
            done += [f"gave {right}" for right in sorted(missing)]
    return done


def _await_rights(admin: KafkaAdminClient, layout: Layout, seconds: float = 10.0) -> None:
    """The controller takes a rule at once; the broker that has to keep to it hears of it a moment later."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        rights = granted(admin, (*INPUTS, *OUTPUTS), layout.group)
        if rights is not None and wanted(layout.principals, OUTPUTS, layout.group) <= rights[0]:
            return
        time.sleep(0.05)
    raise BrokerUnavailable(f"the rights given have not come into force in {seconds:.0f} s")


def _right_differences(admin: KafkaAdminClient, layout: Layout) -> list[Difference]:
    if not layout.principals.any():
        return []
    rights = granted(admin, (*INPUTS, *OUTPUTS), layout.group)
    if rights is None:
        return [Difference("rights", "authorizer", "on", "off")]
    allowed, denied = rights
    plan = wanted(layout.principals, OUTPUTS, layout.group)
    users = {right.principal for right in plan}
    return [
        *(Difference("rights", str(right), "given", "missing") for right in sorted(plan - allowed)),
        *(
            Difference("rights", str(right), "absent", "given")
            for right in sorted(allowed - plan)
            if not harmless(right)
        ),
        *(Difference("rights", str(right), "free", "denied") for right in sorted(denied) if right.principal in users),
    ]


def _create_embedded(broker: EmbeddedLog, layout: Layout) -> list[str]:
    done: list[str] = []
    with _open(broker) as log:
        before = log.topics()
        for plan in _plans(layout):
            topic = _embedded_topic(plan)
            if before.get(plan.name) == topic:
                continue
            try:
                fresh = log.create_topic(topic)
            except TopicDiffers:
                continue
            done.append(
                f"made {plan.name} with {plan.partitions} partitions" if fresh else f"set the retention of {plan.name}"
            )
    return done


def _check_embedded(broker: EmbeddedLog, layout: Layout) -> list[Difference]:
    with _open(broker) as log:
        found = log.topics()
    differences = _partition_differences(layout, {name: topic.partitions for name, topic in found.items()})
    for plan in _plans(layout):
        topic = found.get(plan.name)
        if topic is None:
            continue
        expected = _embedded_topic(plan)
        differences += [
            Difference(plan.name, what, str(wanted_value), str(actual))
            for what, wanted_value, actual in (
                ("retention.ms", expected.retention_ms, topic.retention_ms),
                ("keep for", expected.keep_for, topic.keep_for),
            )
            if wanted_value != actual
        ]
    return differences


def _embedded_topic(plan: _Plan) -> embedded.Topic:
    return embedded.Topic(
        plan.name,
        plan.partitions or 1,
        retention_ms=None if plan.days is None else plan.retention_ms,
        keep_for=plan.keep_for,
    )


def _partition_differences(layout: Layout, found: dict[str, int]) -> list[Difference]:
    differences: list[Difference] = []
    for plan in _plans(layout):
        if plan.name not in found:
            differences.append(Difference(plan.name, "topic", "there", "missing"))
        elif plan.partitions is not None and found[plan.name] != plan.partitions:
            differences.append(Difference(plan.name, "partitions", str(plan.partitions), str(found[plan.name])))
    counts = {name: found[name] for name in INPUTS if name in found}
    if layout.partitions is None and len(set(counts.values())) > 1:
        listed = ", ".join(f"{name} {count}" for name, count in counts.items())
        differences.append(Difference("inputs", "number of partitions", "the same", listed))
    return differences


@contextmanager
def _open(broker: EmbeddedLog) -> Iterator[embedded.Log]:
    try:
        with embedded.Log(broker.folder) as log:
            yield log
    except LogError as error:
        raise BrokerUnavailable(str(error)) from error


@contextmanager
def _admin(broker: KafkaBroker, connect_seconds: float) -> Iterator[KafkaAdminClient]:
    try:
        with KafkaAdminClient(**broker.client_options(), bootstrap_timeout_ms=int(connect_seconds * 1000)) as admin:
            yield admin
    except AuthorizationError as error:
        raise RightsMissing(f"{broker} does not let {broker.user or 'an unknown user'} do that: {error}") from error
    except (KafkaError, OSError) as error:
        raise BrokerUnavailable(f"{broker}: {error}") from error
