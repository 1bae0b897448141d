"""The contract's topics and rights on a Kafka cluster, through kafka-python's admin client."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kafka import KafkaAdminClient
from kafka.admin import ConfigResource
from kafka.errors import (
    AuthorizationError,
    KafkaError,
    TopicAlreadyExistsError,
    TopicAuthorizationFailedError,
    UnknownBrokerIdError,
    UnknownTopicOrPartitionError,
    for_code,
)

from streams.broker_url import BrokerUnavailable, KafkaBroker, RightsMissing
from streams.kafka_clients import opened
from streams.kafka_refusal import unavailable
from streams.rights import Right, grant, granted, harmless, outlived, take_away, wanted
from streams.topic_layout import INPUTS, OUTPUTS, Difference, Layout, partition_differences, plans


@contextmanager
def administration(broker: KafkaBroker, connect_seconds: float) -> Iterator[KafkaAdminClient]:
    """The admin client, with its errors named by what happens next."""
    try:
        timeout_ms = int(connect_seconds * 1000)
        with opened(KafkaAdminClient, **broker.client_options(), bootstrap_timeout_ms=timeout_ms) as admin:
            yield admin
    except AuthorizationError as error:
        raise RightsMissing(f"{broker} does not let {broker.user or 'an unknown user'} do that: {error}") from error
    except UnknownBrokerIdError as error:
        # The client asks the leader of a partition, which is broker -1 while there is none.
        raise BrokerUnavailable(f"{broker}: a partition has no leader at the moment") from error
    except (KafkaError, OSError) as error:
        raise unavailable(broker, error) from error


def create(broker: KafkaBroker, admin: KafkaAdminClient, layout: Layout) -> list[str]:
    """Make what is missing and set right what can be; returns what was done when it is in force."""
    done: list[str] = []
    found, replication = _described(admin, layout)
    fresh = [plan for plan in plans(layout) if plan.name not in found]
    if fresh:
        try:
            admin.create_topics(
                {
                    plan.name: {
                        "num_partitions": plan.partitions,
                        "replication_factor": replication,
                        "configs": plan.settings(layout, replication),
                    }
                    for plan in fresh
                },
                wait_for_metadata=True,
            )
        except TopicAlreadyExistsError as error:
            raise BrokerUnavailable(f"someone else is making the topics of {broker} just now: {error}") from error
        done += [f"made {plan.name} with {plan.partitions} partitions, {replication} copies" for plan in fresh]
    wrong = _wrong_settings(found, layout)
    if wrong:
        answers = admin.alter_configs([ConfigResource("TOPIC", name, settings) for name, settings in wrong.items()])
        for name, answer in answers["topic"].items():
            if answer != "OK":
                raise BrokerUnavailable(f"{broker} did not take the settings of {name}: {answer}")
        _await("the settings", lambda: not _wrong_settings(_described(admin, layout)[0], layout))
        done += [
            f"set {each}={value} on {name}" for name, settings in wrong.items() for each, value in settings.items()
        ]
    missing = _missing_rights(admin, layout)
    if missing:
        failed = grant(admin, missing)
        if failed:
            raise BrokerUnavailable(f"{broker} did not take the rights: {'; '.join(failed)}")
        _await("the rights", lambda: not _missing_rights(admin, layout))
        done += [f"gave {right}" for right in sorted(missing)]
    outdated = _outlived_rights(admin, layout)
    if outdated:
        take_away(admin, outdated)
        _await("the rights", lambda: not _outlived_rights(admin, layout))
        done += [f"took away {right}" for right in sorted(outdated)]
    return done


def check(admin: KafkaAdminClient, layout: Layout) -> list[Difference]:
    """Every difference between the cluster and the layout."""
    found, replication = _described(admin, layout)
    differences = partition_differences(layout, {name: topic.partitions for name, topic in found.items()})
    wrong = _wrong_settings(found, layout)
    for name, topic in found.items():
        if topic.replication < replication:
            remedy = f"that stays: set TABLEWATCH_REPLICATION to {topic.replication}, or have Kafka make other copies"
            differences.append(Difference(name, "replication", str(replication), str(topic.replication), remedy))
        differences += [
            Difference(name, setting, expected, topic.settings.get(setting, "not set"))
            for setting, expected in wrong.get(name, {}).items()
        ]
    return differences + _right_differences(admin, layout)


def described_topics(admin: KafkaAdminClient, names: Sequence[str]) -> dict[str, Any]:
    """Those of the topics that are there. To whom the broker does not show one, it does not say whether it is."""
    described: list[dict[str, Any]] = admin.describe_topics(list(names))
    hidden = [topic["name"] for topic in described if topic["error_code"] == TopicAuthorizationFailedError.errno]
    if hidden:
        raise TopicAuthorizationFailedError(f"look at {', '.join(hidden)}")
    for topic in described:
        if topic["error_code"] not in (0, UnknownTopicOrPartitionError.errno):
            raise for_code(topic["error_code"])(topic["name"])
    return {topic["name"]: topic for topic in described if topic["error_code"] == 0}


def check_shown(broker: KafkaBroker, names: Sequence[str], connect_seconds: float = 10.0) -> None:
    """RightsMissing where topics that a client does not find are there for others, perhaps."""
    with administration(broker, connect_seconds) as admin:
        described_topics(admin, names)


@dataclass(frozen=True, slots=True)
class _Described:
    partitions: int
    replication: int
    settings: dict[str, str]


def _described(admin: KafkaAdminClient, layout: Layout) -> tuple[dict[str, _Described], int]:
    """The topics that are there, in the order of the plans, and how many copies they should have."""
    replication = layout.replication or min(3, len(admin.describe_cluster()["brokers"]))
    described = described_topics(admin, [plan.name for plan in plans(layout)])
    present = {name: topic["partitions"] for name, topic in described.items()}
    if not present:
        return {}, replication
    configs = admin.describe_configs([ConfigResource("TOPIC", name) for name in present], config_filter="all")["topic"]
    # To whom the settings are not shown the client gives none, and no error; a topic always has some.
    hidden = [plan.name for plan in plans(layout) if plan.name in present and not configs.get(plan.name)]
    if hidden:
        raise TopicAuthorizationFailedError(f"look at the settings of {', '.join(hidden)}")
    return {
        plan.name: _Described(
            len(present[plan.name]),
            min(len(partition["replica_nodes"]) for partition in present[plan.name]),
            {name: entry["value"] for name, entry in configs[plan.name].items()},
        )
        for plan in plans(layout)
        if plan.name in present
    }, replication


def _wrong_settings(found: dict[str, _Described], layout: Layout) -> dict[str, dict[str, str]]:
    """The settings of topics that are there and not as they should be, with their right values."""
    wrong = {
        plan.name: {
            name: value
            # By the copies that the topic has: to ask for more in sync than there are would stop all writing.
            for name, value in plan.settings(layout, found[plan.name].replication).items()
            if found[plan.name].settings.get(name) != value
        }
        for plan in plans(layout)
        if plan.name in found
    }
    return {name: settings for name, settings in wrong.items() if settings}


def _missing_rights(admin: KafkaAdminClient, layout: Layout) -> frozenset[Right]:
    """The rights that the named users need and do not have; none where the broker has no authorizer."""
    if not layout.principals.any():
        return frozenset()
    rights = granted(admin, (*INPUTS, *OUTPUTS), layout.group)
    return frozenset() if rights is None else wanted(layout.principals, OUTPUTS, layout.group) - rights[0]


def _outlived_rights(admin: KafkaAdminClient, layout: Layout) -> frozenset[Right]:
    """The rights that an earlier version gave to the named users, and that they still have."""
    if not layout.principals.sealers:
        return frozenset()
    rights = granted(admin, (*INPUTS, *OUTPUTS), layout.group)
    return frozenset() if rights is None else outlived(layout.principals, OUTPUTS, layout.group) & rights[0]


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


def _await(what: str, holds: Callable[[], bool], seconds: float = 30.0) -> None:
    """The controller takes a change at once; the broker that has to keep to it hears of it a moment later."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise BrokerUnavailable(f"{what} have not come into force in {seconds:.0f} s")
        time.sleep(0.05)
