"""Publishing: every line reaches its topic and partition once, in order, packed, on both brokers; bad lines too."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import orjson
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka import KafkaConsumer, TopicPartition
from typer.testing import CliRunner

from schemas.decoding import MAX_EVENT_BYTES, decode_line, decode_record, split_record
from schemas.topics import INPUT, partition_of
from streams.broker_url import Broker, BrokerUnavailable, EmbeddedLog, KafkaBroker, TopicsMissing
from streams.embedded.log import Log, Place, Topic
from streams.packing import Packer
from streams.publish import Counts, publish
from streams.routing import Parcel, Router
from streams.topics import INPUTS, Layout, create
from tablewatch.commands.publish import publish as publish_command
from tablewatch.commands.topics import topics as topics_command
from tests.services.kafka import KafkaBroker as RealBroker
from tests.services.topics import without_topics

pytestmark = pytest.mark.xdist_group("kafka")

PARTITIONS = 4


def event(kind: str, table: str, source: str, sequence: int) -> bytes:
    return orjson.dumps(
        {
            "specversion": "1.0",
            "id": f"{source}-{sequence}",
            "source": f"/tables/{table}/{source}",
            "type": kind,
            "subject": table,
            "time": "2026-01-01T00:00:00Z",
            "sequence": sequence,
            "data": {},
        }
    )


def some_events(count: int) -> list[bytes]:
    kinds = [("card.drawn.v1", "reader"), ("bet.placed.v1", "rfid"), ("round.opened.v1", "dealer")]
    return [
        event(kind, f"T{number % 7}", source, number // 7)
        for number in range(count)
        for kind, source in [*kinds, ("device.heartbeat.v1", "reader")]
    ]


@pytest.fixture(params=["embedded", pytest.param("kafka", marks=pytest.mark.java)])
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Broker:
    if request.param == "embedded":
        target: Broker = EmbeddedLog(tmp_path / "log")
    else:
        target = without_topics(request.getfixturevalue("kafka_broker"))
    create(target, Layout(partitions=PARTITIONS))
    return target


def records(broker: Broker) -> dict[tuple[str, int], list[bytes]]:
    """All records of the input topics by topic and partition."""
    places = [TopicPartition(topic, partition) for topic in INPUTS for partition in range(PARTITIONS)]
    if isinstance(broker, EmbeddedLog):
        with Log(broker.folder) as log:
            return {
                tuple(place): [
                    record.value or b""
                    for record in log.read(place.topic, place.partition, 0, max_records=10_000, max_bytes=1 << 30)
                ]
                for place in places
            }
    consumer = KafkaConsumer(**broker.client_options(), auto_offset_reset="earliest")
    try:
        consumer.assign(places)
        ends = consumer.end_offsets(places)
        found: dict[tuple[str, int], list[bytes]] = {tuple(place): [] for place in places}
        while any(consumer.position(place) < ends[place] for place in places):
            for place, batch in consumer.poll(timeout_ms=1000).items():
                found[tuple(place)] += [record.value for record in batch]
        return found
    finally:
        consumer.close()


def test_every_event_is_at_its_place_once_and_sources_keep_their_order(broker: Broker) -> None:
    lines = some_events(200)
    counts = publish(lines, broker, max_events=20)
    found = {
        place: [raw for record in values for raw in split_record(record)] for place, values in records(broker).items()
    }
    assert sorted(raw for raws in found.values() for raw in raws) == sorted(lines)
    by_source: dict[str, list[bytes]] = {}
    for line in lines:
        by_source.setdefault(orjson.loads(line)["source"], []).append(line)
    for (topic, partition), raws in found.items():
        for source in {orjson.loads(raw)["source"] for raw in raws}:
            assert [raw for raw in raws if orjson.loads(raw)["source"] == source] == by_source[source]
            assert (
                topic == {"reader": "table.cards", "rfid": "table.bets", "dealer": "table.floor"}[source.split("/")[-1]]
            )
            assert partition == partition_of(source.split("/")[2], PARTITIONS)
    assert (counts.lines, counts.events, counts.unreadable, counts.refused) == (800, 800, 0, 0)
    assert counts.records == sum(len(values) for values in records(broker).values()) < 80
    assert counts.topics == {"table.cards": 400, "table.bets": 200, "table.floor": 200}


def test_what_is_no_event_is_sent_as_it_is_and_comes_out_rejected(broker: Broker) -> None:
    good = event("card.drawn.v1", "T1", "reader", 1)
    bad = [
        b"not json",
        b'{"half": ',
        b"\xff\xfe",
        b"42",
        b"[]",
        b'{"type": "card.drawn.v1"}',
        b'{"subject": 7, "type": "no.such.v1"}',
        b"[[" + good + b"]]",
        b"[1, [" + good + b"], 42]",
        b"[1, 2, 3]",
        b'["a", ["b"]]',
        b'[{"type": "card.drawn.v7"}, ["c"]]',
        b"[" + b'{"type": "card.drawn.v8"}' + b", 43]",
        b'{"type": "card.drawn.v9", "subject": "T1"}',
    ]
    counts = publish([*bad, b"", b"  \r"], broker)
    assert (counts.lines, counts.events, counts.unreadable) == (14, 0, 18)
    decoded = [decode_record(value) for values in records(broker).values() for value in values]
    assert not any(one.events for one in decoded)
    rejected = {one.raw for each in decoded for one in each.rejected}
    # The same bytes as an audit of the file rejects, so that they make the same findings.
    assert rejected == {one.raw for line in bad for one in decode_line(line).rejected}


def test_a_line_with_an_array_is_taken_apart(broker: Broker) -> None:
    cards, bet = event("card.drawn.v1", "T1", "reader", 1), event("bet.placed.v1", "T1", "rfid", 1)
    counts = publish([b"[ " + cards + b" , " + bet + b" ]"], broker)
    assert (counts.lines, counts.events) == (1, 2)
    number = partition_of("T1", PARTITIONS)
    found = records(broker)
    assert found["table.cards", number] == [b"[" + cards + b"]"]
    assert found["table.bets", number] == [b"[" + bet + b"]"]


def test_a_large_line_goes_through(broker: Broker) -> None:
    large = orjson.dumps({**orjson.loads(event("card.drawn.v1", "T1", "reader", 1)), "noise": "x" * 3_000_000})
    publish([event("card.drawn.v1", "T1", "reader", 0), large], broker)
    assert [len(value) > 3_000_000 for value in records(broker)["table.cards", partition_of("T1", PARTITIONS)]] == [
        False,
        True,
    ]


def test_what_is_gathered_is_sent_when_no_more_is_at_hand(tmp_path: Path) -> None:
    broker = EmbeddedLog(tmp_path / "log")
    create(broker, Layout(partitions=1))
    seen: list[int] = []

    def lines() -> Iterator[bytes | None]:
        for line in (event("card.drawn.v1", "T1", "reader", 0), None, event("card.drawn.v1", "T1", "reader", 1)):
            with Log(broker.folder) as log:
                seen.append(log.spans()[Place("table.cards", 0)].next)
            yield line

    publish(lines(), broker)
    assert seen == [0, 0, 1]


def test_who_reads_while_a_file_is_published_finds_every_topic_told_up_to_the_same_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streams.publish.ABREAST_LINES", 10)
    broker = EmbeddedLog(tmp_path / "log")
    create(broker, Layout(partitions=PARTITIONS))
    told = some_events(8)
    found: set[int] = set()

    def lines() -> Iterator[bytes]:
        for line in told:
            yield line
            there = [raw for values in records(broker).values() for record in values for raw in split_record(record)]
            assert sorted(there) == sorted(told[: len(there)])
            found.add(len(there))

    publish(lines(), broker, max_events=3)
    assert found == {0, 10, 20, 30}


def test_a_new_embedded_log_gets_its_topics_and_an_old_one_keeps_its_settings(tmp_path: Path) -> None:
    broker = EmbeddedLog(tmp_path / "log")
    publish([b"{}"], broker, layout=Layout(partitions=3))
    with Log(broker.folder) as log:
        assert {topic.partitions for name, topic in log.topics().items() if name in INPUTS} == {3}
        log.create_topic(Topic("table.cards", 3, retention_ms=77))
    publish([b"{}"], broker)
    with Log(broker.folder) as log:
        assert log.topics()["table.cards"].retention_ms == 77


@pytest.mark.java
def test_a_broker_without_topics_is_told_so(kafka_broker: RealBroker) -> None:
    broker = without_topics(kafka_broker, INPUTS)
    missing = "does not have table.cards, table.bets, table.floor: run `tablewatch topics create`"
    # It has answered: there is nothing to be patient for.
    with pytest.raises(TopicsMissing, match=missing):
        publish([b"{}"], broker, patience_seconds=3600)


@pytest.mark.java
def test_topics_that_are_only_just_made_are_waited_for(kafka_broker: RealBroker) -> None:
    broker = without_topics(kafka_broker)
    with ThreadPoolExecutor() as beside:
        sent = beside.submit(publish, [event("card.drawn.v1", "T1", "reader", 1)], broker)
        create(broker, Layout(partitions=PARTITIONS))
        assert sent.result(timeout=60).events == 1


def test_a_broker_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(BrokerUnavailable, match="nothing listens at that port"):
        publish([b"{}"], KafkaBroker(servers=("127.0.0.1:1",)), patience_seconds=0.5)


def test_heartbeats_go_where_their_device_writes() -> None:
    router = Router(1)

    def topic(kind: str, source: str) -> str:
        return router.route(event(kind, "T1", source, 1))[0].topic

    assert topic("device.heartbeat.v1", "reader") == "table.cards"
    assert topic("device.heartbeat.v1", "rfid") == "table.bets"
    assert topic("device.heartbeat.v1", "display") == "table.floor"
    assert topic("device.heartbeat.v1", "box-17") == "table.floor"
    assert topic("bet.placed.v1", "box-17") == "table.bets"
    assert topic("device.heartbeat.v1", "box-17") == "table.bets"
    assert topic("no.such.v1", "box-17") == "table.bets"
    assert topic("card.no-such.v1", "box-17") == "table.cards"


def test_every_type_of_the_contract_has_a_topic() -> None:
    router = Router(1)
    for topic in INPUT:
        for kind in topic.types:
            if kind != "device.heartbeat.v1":
                assert router.route(event(kind, "T1", "x", 1))[0].topic == topic.name


@settings(deadline=None)
@given(
    parcels=st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from([b"1", b'{"a":2}', b"[3]", b'"four"']), st.booleans()), max_size=60
    ),
    max_events=st.integers(1, 8),
    max_bytes=st.integers(2, 40),
)
def test_packing_keeps_everything_in_order_within_its_bounds(
    parcels: list[tuple[int, bytes, bool]], max_events: int, max_bytes: int
) -> None:
    packer = Packer(max_events, max_bytes)
    sent = []
    for partition, raw, alone in parcels:
        sent += packer.add(Parcel("t", partition, b"bad " + raw if alone else raw, alone=alone))
    sent += packer.drain()
    for number in range(3):
        mine = [record for record in sent if record.partition == number]
        unpacked = [raw for record in mine for raw in split_record(record.value)]
        assert unpacked == [b"bad " + raw if alone else raw for partition, raw, alone in parcels if partition == number]
    for record in sent:
        assert record.events <= max_events
        assert len(record.value) <= max_bytes or record.events == 1


def test_the_commands_make_topics_and_publish(tmp_path: Path) -> None:
    run = CliRunner()
    where = ["--broker", f"tablelog://{tmp_path}/log"]
    made = run.invoke(topics_command, ["create", *where, "--partitions", "2"])
    assert (made.exit_code, made.output.count("made ")) == (0, 7)
    right = run.invoke(topics_command, ["check", *where])
    assert (right.exit_code, right.stdout) == (0, "The topics are as they should be.\n")
    named = run.invoke(topics_command, ["check", *where, "--partitions", "3", "--json"])
    assert named.exit_code == 1
    assert orjson.loads(named.output.splitlines()[0]) == {
        "where": "table.cards",
        "what": "partitions",
        "expected": "3",
        "actual": "2",
        "remedy": "that stays: set TABLEWATCH_PARTITIONS to 2",
    }
    file = tmp_path / "events.jsonl"
    file.write_bytes(b"\n".join([*some_events(5), b"nonsense", b""]))
    sent = run.invoke(_app(), [str(file), *where, "--json"])
    assert sent.exit_code == 0
    assert orjson.loads(sent.output) | {"bytes": 0, "records": 0} == {
        "lines": 21,
        "events": 20,
        "unreadable": 1,
        "refused": 0,
        "records": 0,
        "bytes": 0,
        "topics": {"table.cards": 10, "table.bets": 5, "table.floor": 6},
    }
    assert set(Counts().topics) == set(INPUTS)


def test_what_is_sure_to_be_rejected_is_counted(tmp_path: Path) -> None:
    good = event("card.drawn.v1", "T1", "reader", 1)
    large = good[:-1] + b" " * MAX_EVENT_BYTES + b"}"
    bad = [b"{broken", b"[]", b"42", b"null", b"{}", b'"a"', large]
    bad += [good.replace(b'"card.drawn.v1"', other) for other in (b'"card.drawn.v7"', b"[]", b"7")]
    sent = CliRunner().invoke(_app(), ["--broker", f"tablelog://{tmp_path}/log"], input=b"\n".join([good, *bad]))
    assert sent.exit_code == 0
    assert sent.stderr.startswith("1 event in ")
    assert sent.stderr.endswith(
        "\nSent, and sure to be rejected: 10, which lack what an event has, or are larger than 1048576 bytes.\n"
    )


def test_the_commands_say_what_is_wrong(tmp_path: Path) -> None:
    run = CliRunner()
    assert run.invoke(topics_command, ["check", "--broker", "http://x"]).exit_code == 2
    wrong = run.invoke(_app(), ["--broker", "nonsense"], input=b"")
    assert wrong.exit_code == 2
    assert wrong.stderr.startswith("TABLEWATCH_BROKER, or --broker, names no broker: 'nonsense' is neither kafka://")
    missing = run.invoke(_app(), [str(tmp_path / "none"), "--data", str(tmp_path)])
    assert missing.exit_code == 2
    assert missing.stderr == f"{tmp_path / 'none'} cannot be read: No such file or directory.\n"
    away = run.invoke(_app(), ["--broker", "kafka://127.0.0.1:1", "--patience", "1"], input=b"{}\n")
    assert away.exit_code == 3
    assert "127.0.0.1:1 refuses the connection" in away.stderr and "TABLEWATCH_BROKER" in away.stderr
    assert "Waiting for" not in away.stderr


def test_that_the_broker_is_waited_for_is_said_before_it_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewatch.commands.publish.SILENT_SECONDS", 0.1)
    away = CliRunner().invoke(_app(), ["--broker", "kafka://127.0.0.1:1", "--patience", "1"], input=b"{}\n")
    assert away.exit_code == 3
    assert away.stderr.startswith("Waiting for the broker's first answer, 1 seconds at most …\n")


def _app() -> typer.Typer:
    app = typer.Typer()
    app.command()(publish_command)
    return app
