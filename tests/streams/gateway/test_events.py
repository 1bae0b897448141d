"""Events over HTTP: on the broker, unchanged, packed and in order, when the device is told so."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
import pytest

from schemas.decoding import decode_record, split_record
from schemas.topics import partition_of
from tests.streams.gateway.floor import BATCH, ONE, PARTITIONS, READER, Floor, card, event, heartbeat, held_up, running
from tests.streams.gateway.floor import until as wait_until


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Floor]:
    with running(tmp_path_factory.mktemp("gateway")) as gateway:
        yield gateway


def source(name: str) -> str:
    return f"/tables/{name}/reader"


def device(floor: Floor, table: str, **other: Any) -> str:
    return floor.device(table, tables=[table], sources=[source(table)], **other)


def on(table: str, sequence: int) -> dict[str, object]:
    return card(sequence, subject=table, source=source(table), id=f"{table}-{sequence}")


@pytest.mark.parametrize(
    ("kind", "table"), [(ONE, "A1"), ("application/json", "A2"), ("Application/CloudEvents+JSON; charset=UTF-8", "A3")]
)
def test_an_event_that_was_accepted_can_be_read_with_the_very_bytes_that_were_sent(
    floor: Floor, kind: str, table: str
) -> None:
    token = device(floor, table)
    body = orjson.dumps(on(table, 7), option=orjson.OPT_INDENT_2)
    answer = floor.post(token, b" \n" + body + b"\n", kind)
    assert (answer.status_code, answer.json()) == (202, {"accepted": 1})
    place = ("table.cards", partition_of(table, PARTITIONS))
    assert floor.records()[place][-1] == b"[" + body + b"]"


@pytest.mark.parametrize(("kind", "table"), [(BATCH, "B1"), ("application/json", "B2")])
def test_a_batch_is_one_record_in_its_order(floor: Floor, kind: str, table: str) -> None:
    token = device(floor, table)
    events = [on(table, number) for number in range(50)]
    answer = floor.post(token, events, kind)
    assert (answer.status_code, answer.json()) == (202, {"accepted": 50})
    last = floor.records()["table.cards", partition_of(table, PARTITIONS)][-1]
    assert orjson.loads(last) == events
    assert len(decode_record(last).events) == 50


def test_nothing_is_accepted_before_the_broker_has_it(floor: Floor) -> None:
    token = device(floor, "C1")
    raw = orjson.dumps(on("C1", 0))
    with ThreadPoolExecutor(1) as pool:
        with held_up(floor):
            waiting = pool.submit(floor.post, token, raw, ONE)
            wait_until(lambda: floor.pending() == len(raw))
            assert not waiting.done()
            assert raw not in floor.raws("table.cards")
        assert waiting.result(60).status_code == 202
    assert floor.raws("table.cards").count(raw) == 1


def test_events_of_many_requests_of_one_partition_are_packed_and_sources_keep_their_order(tmp_path: Path) -> None:
    tables = [f"D{number}" for number in range(6)]
    with running(tmp_path, partitions=1) as floor:
        tokens = {table: device(floor, table) for table in tables}

        def talk(table: str) -> list[int]:
            # A device that waits for each answer before it sends what comes next.
            return [floor.post(tokens[table], [on(table, number)]).status_code for number in range(8)]

        with ThreadPoolExecutor(len(tables)) as pool:
            with held_up(floor):
                talks = [pool.submit(talk, table) for table in tables]
                first = sum(len(orjson.dumps([on(table, 0)])) for table in tables)
                wait_until(lambda: floor.pending() == first)
            assert [each.result(60) for each in talks] == [[202] * 8] * len(tables)
        found = floor.records()["table.cards", 0]
    by_source: dict[str, list[int]] = {}
    for record in found:
        for raw in split_record(record):
            sent = orjson.loads(raw)
            by_source.setdefault(sent["source"], []).append(sent["sequence"])
    assert by_source == {source(table): list(range(8)) for table in tables}
    # While the log was held up, what had come first was on its way; the rest of the first six requests came together.
    assert sum(any(orjson.loads(raw)["sequence"] == 0 for raw in split_record(record)) for record in found) <= 2


def test_a_large_batch_is_cut_into_records_within_their_bounds(floor: Floor) -> None:
    token = device(floor, "E1")
    events = [on("E1", number) for number in range(700)]
    before = len(floor.records().get(("table.cards", partition_of("E1", PARTITIONS)), []))
    assert floor.post(token, events).json() == {"accepted": 700}
    records = floor.records()["table.cards", partition_of("E1", PARTITIONS)][before:]
    assert [len(split_record(record)) for record in records] == [256, 256, 188]
    assert [orjson.loads(raw) for record in records for raw in split_record(record)] == events


def test_heartbeats_go_where_their_kind_of_device_writes(floor: Floor) -> None:
    for kind, topic in (("card-reader", "table.cards"), ("bet-sensor", "table.bets"), ("display", "table.floor")):
        token = floor.device(f"box of a {kind}", kind, sources=["/box/17"])
        raw = orjson.dumps(heartbeat(1, source="/box/17", id=kind))
        assert floor.post(token, raw, ONE).status_code == 202
        assert raw in floor.raws(topic)


def test_a_pit_desk_speaks_for_its_tables_on_the_topics_of_its_events(floor: Floor) -> None:
    token = floor.device("desk", "pit-desk", ["F1", "F2"], ["/pits/P3/desk"])
    paid = {"shoe": "S", "round": 1, "bet": "b", "paid": 1, "collected": 0, "by": "pit_supervisor"}
    correction = event("bet.corrected.v1", paid, source="/pits/P3/desk", subject="F1", id="x")
    closing = event("bets.closed.v1", {"shoe": "S", "round": 1}, source="/pits/P3/desk", subject="F2", id="y")
    assert floor.post(token, [correction, closing]).status_code == 202
    assert orjson.dumps(correction) in floor.raws("table.bets")
    assert orjson.dumps(closing) in floor.raws("table.floor")


def test_what_is_sent_again_is_accepted_again_with_the_same_bytes(floor: Floor) -> None:
    token = device(floor, "G1")
    raw = orjson.dumps(on("G1", 1))
    assert [floor.post(token, raw, ONE).status_code for _ in range(2)] == [202, 202]
    assert floor.raws("table.cards").count(raw) == 2


def test_the_gateway_describes_itself(floor: Floor) -> None:
    assert floor.get("/healthz").json() == {"status": "ok"}
    assert floor.get("/readyz").json() == {"status": "ready"}
    described = floor.get("/openapi.json").json()
    assert described["paths"]["/readyz"]["get"]["responses"].keys() == {"200", "503"}
    post = described["paths"]["/v1/events"]["post"]
    assert set(post["responses"]) == {"202", "400", "401", "403", "408", "413", "415", "422", "429", "503"}
    assert set(post["requestBody"]["content"]) == {ONE, BATCH, "application/json"}
    assert "All or nothing" in described["info"]["description"]
    text = orjson.dumps(described).decode()
    for reference in {part.split('"')[0] for part in text.split('"$ref":"#/components/schemas/')[1:]}:
        assert reference in described["components"]["schemas"]
    assert "CardDrawn" in described["components"]["schemas"]


def test_metrics_count_what_was_done(floor: Floor) -> None:
    def counted(name: str) -> float:
        lines = floor.get("/metrics").text.splitlines()
        return next((float(line.split()[-1]) for line in lines if line.startswith(name)), 0.0)

    token = device(floor, "H1")
    names = (
        'tablewatch_gateway_events_total{topic="table.cards"}',
        'tablewatch_gateway_requests_total{status="202"}',
        'tablewatch_gateway_refused_events_total{fault="table"}',
        'tablewatch_gateway_requests_total{status="403"}',
    )
    before = [counted(name) for name in names]
    floor.post(token, [on("H1", 0), on("H1", 1)])
    floor.post(token, [on("H2", 0)])
    assert [counted(name) - old for name, old in zip(names, before, strict=True)] == [2, 1, 1, 1]
    assert counted("tablewatch_gateway_broker_away") == 0
    assert floor.pending() == 0


def test_the_default_reader_may_send_what_its_kind_sends(floor: Floor) -> None:
    token = floor.device()
    loaded = event("shoe.loaded.v1", {"shoe": "S1", "decks": 8}, 0, source=READER)
    assert floor.post(token, [loaded, card(1), heartbeat(2)]).json() == {"accepted": 3}
