"""The contract's topics on both brokers: made once, every difference named, and rights that hold."""

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import (
    ACL,
    ACLOperation,
    ACLPermissionType,
    ConfigResource,
    ResourcePattern,
    ResourceType,
)
from kafka.errors import GroupAuthorizationFailedError, TopicAuthorizationFailedError

from streams.broker_url import (
    Broker,
    BrokerUnavailable,
    EmbeddedLog,
    KafkaBroker,
    RightsMissing,
    TopicsMissing,
    parse_broker,
)
from streams.embedded.log import Log, Topic
from streams.kafka_topics import administration
from streams.lag import progress_with
from streams.outlets import open_outlet
from streams.packing import PackedRecord
from streams.principals import Principals
from streams.publish import publish
from streams.topics import INPUTS, OUTPUTS, Difference, Layout, check, create
from tests.services.fixtures import own_broker
from tests.services.kafka import KafkaBroker as RealBroker
from tests.services.topics import without_topics

pytestmark = pytest.mark.xdist_group("kafka")

NAMES = "reader", "sensor", "desk", "gateway", "worker", "sealer", "console", "stranger"
USERS = {name: f"{name}-secret" for name in NAMES}
PRINCIPALS = Principals(("reader",), ("sensor",), ("User:desk",), ("gateway",), ("worker",), ("sealer",), ("console",))
GUARDED = Layout(partitions=2, principals=PRINCIPALS)


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.java)])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Broker:
    if request.param == "embedded":
        return EmbeddedLog(tmp_path / "log")
    return without_topics(request.getfixturevalue("kafka_broker"))


def test_topics_are_made_once_and_then_nothing_differs(broker: Broker) -> None:
    layout = Layout(partitions=4)
    assert {difference.where for difference in check(broker, layout)} == {*INPUTS, *OUTPUTS}
    assert len(create(broker, layout)) == len(INPUTS) + len(OUTPUTS)
    assert check(broker, layout) == []
    assert check(broker) == []
    assert create(broker, layout) == []


def test_another_number_of_partitions_is_named_and_left_alone(broker: Broker) -> None:
    create(broker, Layout(partitions=4))
    assert create(broker, Layout(partitions=8)) == []
    assert check(broker, Layout(partitions=8)) == [
        Difference(name, "partitions", "8", "4") for name in (*INPUTS, *OUTPUTS) if name != "audit.checkpoints"
    ]
    assert "set TABLEWATCH_PARTITIONS to 4" in str(check(broker, Layout(partitions=8))[0])


def test_another_retention_is_named_and_set_right(broker: Broker) -> None:
    create(broker, Layout(partitions=1, input_days=1))
    day = 24 * 60 * 60 * 1000
    assert check(broker, Layout(partitions=1)) == [
        Difference(name, "retention.ms", str(7 * day), str(day)) for name in INPUTS
    ]
    assert len(create(broker, Layout(partitions=1))) == 3
    assert check(broker, Layout(partitions=1)) == []


def make_beside(broker: Broker, name: str, partitions: int) -> None:
    """A topic that `create` did not make."""
    if isinstance(broker, EmbeddedLog):
        with Log(broker.folder) as log:
            log.create_topic(Topic(name, partitions))
    else:
        with KafkaAdminClient(**broker.client_options()) as admin:
            admin.create_topics({name: {"num_partitions": partitions}}, wait_for_metadata=True)


def test_inputs_with_unequal_partitions_are_named(broker: Broker) -> None:
    make_beside(broker, "table.bets", 3)
    create(broker, Layout(partitions=4))
    (found,) = (each for each in check(broker) if each.where == "inputs")
    assert found == Difference(
        "inputs", "number of partitions", "the same", "table.cards 4, table.bets 3, table.floor 4"
    )
    assert "delete table.bets (" in str(found)


def test_a_topic_that_a_broker_made_by_itself_is_to_be_deleted_whatever_number_is_asked_for(broker: Broker) -> None:
    make_beside(broker, "table.cards", 1)
    create(broker, Layout(partitions=12))
    (found,) = (each for each in check(broker, Layout(partitions=12)) if each.what == "partitions")
    assert (found.where, found.actual) == ("table.cards", "1")
    assert "delete table.cards" in found.remedy and "TABLEWATCH_PARTITIONS" not in found.remedy
    others = [each for each in check(broker, Layout(partitions=1)) if each.what == "partitions"]
    assert {each.where for each in others} == {*INPUTS, *OUTPUTS} - {"table.cards", "audit.checkpoints"}
    assert all("set TABLEWATCH_PARTITIONS to 12" in each.remedy for each in others)
    with pytest.raises(TopicsMissing, match=r"table\.cards 1, table\.bets 12.* delete table.cards"):
        publish([b"{}"], broker)


def check_until(broker: Broker, layout: Layout, count: int) -> list[Difference]:
    """The differences once there are so many: what one changes on the side takes a moment to come into force."""
    deadline = time.monotonic() + 240
    found = check(broker, layout)
    while len(found) != count and time.monotonic() < deadline:
        found = check(broker, layout)
    return found


@pytest.mark.java
@pytest.mark.parametrize("broker", ["kafka"], indirect=True)
def test_settings_of_a_topic_are_named_one_by_one(broker: Broker) -> None:
    assert isinstance(broker, KafkaBroker)
    create(broker, Layout(partitions=2))
    with KafkaAdminClient(**broker.client_options()) as admin:
        admin.alter_configs(
            [
                ConfigResource("TOPIC", "audit.alerts", {"compression.type": "gzip", "min.insync.replicas": "2"}),
                ConfigResource("TOPIC", "table.bets", {"message.timestamp.type": "CreateTime"}),
            ]
        )
    assert check_until(broker, Layout(partitions=2), 3) == [
        Difference("table.bets", "message.timestamp.type", "LogAppendTime", "CreateTime"),
        Difference("audit.alerts", "compression.type", "lz4", "gzip"),
        Difference("audit.alerts", "min.insync.replicas", "1", "2"),
    ]
    assert create(broker, Layout(partitions=2)) == [
        "set message.timestamp.type=LogAppendTime on table.bets",
        "set compression.type=lz4 on audit.alerts",
        "set min.insync.replicas=1 on audit.alerts",
    ]


@pytest.mark.java
def test_rights_without_an_authorizer_are_a_difference(kafka_broker: RealBroker) -> None:
    broker = parse_broker(kafka_broker.url)
    create(broker, GUARDED)
    assert Difference("rights", "authorizer", "on", "off") in check(broker, GUARDED)


@pytest.mark.java
def test_a_partition_without_a_leader_is_named_as_such(kafka_broker: RealBroker) -> None:
    broker = parse_broker(kafka_broker.url)
    assert isinstance(broker, KafkaBroker)
    with (
        pytest.raises(BrokerUnavailable, match="a partition has no leader at the moment"),
        administration(broker, 10.0) as admin,
    ):
        # So the client looks for the leader of a partition that has none.
        admin._manager.get_connection(-1)


def test_a_broker_that_is_not_there_is_unavailable() -> None:
    nobody = KafkaBroker(servers=("127.0.0.1:1",))
    with pytest.raises(BrokerUnavailable, match=r"127\.0\.0\.1:1"):
        check(nobody, connect_seconds=0.5)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealBroker]:
    """A broker with rights, and the users that the contract tells apart."""
    with own_broker(tmp_path_factory.mktemp("kafka"), secure=True) as broker:
        for name, password in USERS.items():
            broker.add_user(name, password)
        create(parse_broker(broker.url), GUARDED)
        yield broker


def write(broker: RealBroker, user: str, topic: str) -> None:
    # Without idempotence, one who may write nothing at all is told of the topic, too, and not of the producer id.
    options = broker.options_of(user, USERS[user])
    producer = KafkaProducer(**options, max_block_ms=10_000, enable_idempotence=False)
    try:
        producer.send(topic, value=b"{}", partition=0).get(10)
    finally:
        producer.close(timeout=5)


def may_write(broker: RealBroker, user: str) -> set[str]:
    writable = set()
    for topic in (*INPUTS, *OUTPUTS):
        try:
            write(broker, user, topic)
        except TopicAuthorizationFailedError:
            continue
        writable.add(topic)
    return writable


@pytest.mark.java
def test_a_bet_sensor_cannot_write_cards(guarded: RealBroker) -> None:
    write(guarded, "sensor", "table.bets")
    with pytest.raises(TopicAuthorizationFailedError):
        write(guarded, "sensor", "table.cards")


@pytest.mark.java
@pytest.mark.parametrize(
    ("user", "topics"),
    [
        ("reader", {"table.cards"}),
        ("desk", {"table.floor"}),
        ("gateway", set(INPUTS)),
        ("worker", set(OUTPUTS) - {"audit.checkpoints"}),
        ("sealer", {"audit.checkpoints"}),
        ("console", set()),
        ("stranger", set()),
    ],
)
def test_each_writes_its_own_topics_and_no_other(guarded: RealBroker, user: str, topics: set[str]) -> None:
    assert may_write(guarded, user) == topics


def read_first(broker: RealBroker, user: str, topic: str, group: str) -> bytes | None:
    consumer = KafkaConsumer(
        **broker.options_of(user, USERS[user]), group_id=group, auto_offset_reset="earliest", enable_auto_commit=False
    )
    try:
        place = TopicPartition(topic, 0)
        consumer.assign([place])
        found = consumer.poll(timeout_ms=10_000, max_records=1).get(place, [])
        consumer.commit()
        return found[0].value if found else None
    finally:
        consumer.close(autocommit=False)


@pytest.mark.java
def test_who_was_a_worker_and_is_named_as_sealer_keeps_the_rights_of_a_sealer(guarded: RealBroker) -> None:
    """As after an upgrade: until somebody is named for it, the sealing goes on as one of the workers."""
    broker = parse_broker(guarded.url)
    before = replace(PRINCIPALS, workers=("worker", "sealer"), sealers=())
    assert len(create(broker, replace(GUARDED, principals=before))) > 0
    assert may_write(guarded, "sealer") == set(OUTPUTS)
    done = create(broker, GUARDED)
    assert "took away User:worker WRITE topic audit.checkpoints" in done
    assert "took away User:sealer READ group tablewatch" in done
    assert check(broker, GUARDED) == []
    assert may_write(guarded, "sealer") == {"audit.checkpoints"}
    assert create(broker, GUARDED) == []


@pytest.mark.java
def test_the_sealing_sends_its_checkpoints_with_no_other_right(guarded: RealBroker) -> None:
    with open_outlet(parse_broker(guarded.url_of("sealer", USERS["sealer"]))) as outlet:
        outlet.send(PackedRecord("audit.checkpoints", 0, b"{}", 1))
        outlet.finish()
    assert read_first(guarded, "console", "audit.checkpoints", "tablewatch-console-1") == b"{}"


@pytest.mark.java
def test_the_console_sees_how_far_the_workers_are(guarded: RealBroker) -> None:
    options = guarded.options_of("console", USERS["console"])
    with closing(KafkaAdminClient(**options)) as admin:
        assert {place.topic for place in progress_with(admin)} == set(INPUTS)


@pytest.mark.java
def test_workers_read_inputs_in_their_group_and_the_console_reads_outputs(guarded: RealBroker) -> None:
    write(guarded, "reader", "table.cards")
    write(guarded, "worker", "audit.verdicts")
    assert read_first(guarded, "worker", "table.cards", "tablewatch") == b"{}"
    write(guarded, "worker", "audit.alerts")
    assert read_first(guarded, "worker", "audit.alerts", "tablewatch") == b"{}"
    assert read_first(guarded, "console", "audit.verdicts", "tablewatch-console-1") == b"{}"
    with pytest.raises(GroupAuthorizationFailedError):
        read_first(guarded, "console", "audit.verdicts", "tablewatch")
    with pytest.raises(GroupAuthorizationFailedError):
        read_first(guarded, "sensor", "table.bets", "tablewatch")
    with pytest.raises(TopicAuthorizationFailedError):
        read_first(guarded, "worker", "audit.verdicts", "tablewatch")


@pytest.mark.java
def test_rights_too_wide_or_missing_are_named(guarded: RealBroker) -> None:
    broker = parse_broker(guarded.url)
    assert check(broker, GUARDED) == []
    cards = ResourcePattern(ResourceType.TOPIC, "table.cards")
    extra = ACL("User:sensor", "*", ACLOperation.WRITE, ACLPermissionType.ALLOW, cards)
    wide = ACL(
        "User:stranger", "*", ACLOperation.ALL, ACLPermissionType.ALLOW, ResourcePattern(ResourceType.TOPIC, "*")
    )
    denied = ACL("User:reader", "*", ACLOperation.WRITE, ACLPermissionType.DENY, cards)
    with KafkaAdminClient(**guarded.options) as admin:
        admin.create_acls([extra, wide, denied])
        try:
            found = check_until(broker, GUARDED, 3)
        finally:
            admin.delete_acls([extra, wide, denied])
    assert check_until(broker, GUARDED, 0) == []
    assert found == [
        Difference("rights", "User:sensor WRITE topic table.cards", "absent", "given"),
        Difference("rights", "User:stranger ALL topic *", "absent", "given"),
        Difference("rights", "User:reader WRITE topic table.cards", "free", "denied"),
    ]
    newcomer = Layout(partitions=2, principals=Principals(**{**_fields(PRINCIPALS), "readers": ("reader", "reader2")}))
    assert check(broker, newcomer) == [Difference("rights", "User:reader2 WRITE topic table.cards", "given", "missing")]


def _fields(principals: Principals) -> dict[str, tuple[str, ...]]:
    return {name: getattr(principals, name) for name in Principals.__slots__}


@pytest.mark.java
def test_one_without_the_right_to_look_is_told_so(guarded: RealBroker) -> None:
    broker = parse_broker(guarded.url_of("stranger", USERS["stranger"]))
    with pytest.raises(RightsMissing, match="stranger"):
        check(broker, GUARDED)


@pytest.mark.java
def test_a_wrong_password_is_no_broker(guarded: RealBroker) -> None:
    with pytest.raises(BrokerUnavailable):
        check(parse_broker(guarded.url_of("reader", "wrong")), GUARDED, connect_seconds=2)
