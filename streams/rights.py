"""Who may do what on the broker: each kind of device writes its own topic, workers read inputs and write outputs, of
which they read the alerts again, and the sealing alone writes checkpoints.

The rights of the contract's topics as Kafka access rules, and every difference between them and what the broker has.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kafka import KafkaAdminClient
from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
)
from kafka.errors import NoError, SecurityDisabledError

from schemas.topics import ALERTS, BETS, CARDS, FLOOR, INPUT
from streams.principals import Principals
from streams.topic_layout import CHECKPOINTS


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """One thing that one user may do."""

    principal: str
    operation: str
    """`READ` or `WRITE`, or another word of Kafka's access rules."""
    kind: str
    """`TOPIC` or `GROUP`."""
    name: str
    prefix: bool = False
    """Whether it holds for all names that begin so."""

    def __str__(self) -> str:
        return f"{self.principal} {self.operation} {self.kind.lower()} {self.name}{'*' if self.prefix else ''}"


def wanted(principals: Principals, outputs: tuple[str, ...], group: str) -> frozenset[Right]:
    """The rights that these users need, and no more."""
    return frozenset(_wanted(principals, outputs, group))


def _wanted(principals: Principals, outputs: tuple[str, ...], group: str) -> Iterator[Right]:
    inputs = tuple(topic.name for topic in INPUT)
    for users, topics in (
        (principals.readers, (CARDS.name,)),
        (principals.sensors, (BETS.name,)),
        (principals.desks, (FLOOR.name,)),
        (principals.gateways, inputs),
        # Where nobody else is named for it, one of them seals.
        (principals.workers, tuple(name for name in outputs if name != CHECKPOINTS.name or not principals.sealers)),
        (principals.sealers, (CHECKPOINTS.name,)),
    ):
        for user in users:
            yield from (Right(_named(user), "WRITE", "TOPIC", topic) for topic in topics)
    for user in principals.workers:
        # Alerts too: what a worker told and did not live to store, the next one takes up.
        yield from (Right(_named(user), "READ", "TOPIC", topic) for topic in (*inputs, ALERTS.name))
        yield Right(_named(user), "READ", "GROUP", group)
    for user in principals.sealers:
        # The way into the broker asks how many partitions the inputs have.
        yield from (Right(_named(user), "DESCRIBE", "TOPIC", topic) for topic in inputs)
    for user in principals.console:
        yield from (Right(_named(user), "READ", "TOPIC", topic) for topic in (*inputs, *outputs))
        yield Right(_named(user), "READ", "GROUP", f"{group}-console", prefix=True)
        # How far the workers are: it may look at their group, and not read as one of them.
        yield Right(_named(user), "DESCRIBE", "GROUP", group)


def outlived(principals: Principals, outputs: tuple[str, ...], group: str) -> frozenset[Right]:
    """What these users were given while those who seal were named among the workers, and do not need any more."""
    as_workers = replace(principals, workers=(*principals.workers, *principals.sealers), sealers=())
    return wanted(as_workers, outputs, group) - wanted(principals, outputs, group)


def granted(admin: KafkaAdminClient, topics: tuple[str, ...], group: str) -> tuple[set[Right], set[Right]] | None:
    """What is allowed and what is denied on these topics and the group; null if the broker has no authorizer."""
    allowed: set[Right] = set()
    denied: set[Right] = set()
    for kind, name in [(ResourceType.TOPIC, topic) for topic in topics] + [
        (ResourceType.GROUP, group),
        (ResourceType.GROUP, f"{group}-console"),
    ]:
        # MATCH finds every rule that touches the name: literal, by prefix, and for all names.
        pattern = ResourcePatternFilter(kind, name, ACLResourcePatternType.MATCH)
        try:
            rules, _ = admin.describe_acls(ACLFilter(None, None, ACLOperation.ANY, ACLPermissionType.ANY, pattern))
        except SecurityDisabledError:
            return None
        for rule in rules:
            right = Right(
                rule.principal,
                rule.operation.name,
                rule.resource_pattern.resource_type.name,
                rule.resource_pattern.resource_name,
                rule.resource_pattern.pattern_type == ACLResourcePatternType.PREFIXED,
            )
            (denied if rule.permission_type == ACLPermissionType.DENY else allowed).add(right)
    return allowed, denied


def grant(admin: KafkaAdminClient, rights: frozenset[Right]) -> list[str]:
    """Give the rights; returns the reasons why the broker did not take some of them."""
    rules = [
        ACL(
            right.principal,
            "*",
            ACLOperation[right.operation],
            ACLPermissionType.ALLOW,
            ResourcePattern(
                ResourceType[right.kind],
                right.name,
                ACLResourcePatternType.PREFIXED if right.prefix else ACLResourcePatternType.LITERAL,
            ),
        )
        for right in sorted(rights)
    ]
    return [str(failure) for failure in admin.create_acls(rules)["failed"]] if rules else []


def take_away(admin: KafkaAdminClient, rights: frozenset[Right]) -> None:
    """Take rights away from those who have them, wherever they come from."""
    answers = admin.delete_acls(
        [
            ACLFilter(
                right.principal,
                None,
                ACLOperation[right.operation],
                ACLPermissionType.ALLOW,
                ResourcePatternFilter(ResourceType[right.kind], right.name, ACLResourcePatternType.LITERAL),
            )
            for right in sorted(rights)
        ]
    )
    for _, _, error in answers:
        if error is not NoError:
            raise error


def harmless(right: Right) -> bool:
    """Whether a right beyond the plan is none that reads, writes or changes anything."""
    return right.operation in ("DESCRIBE", "DESCRIBE_CONFIGS")


def _named(user: str) -> str:
    return user if ":" in user else f"User:{user}"
