"""A proof of a round is of all that was sealed of it: a row that is gone is no smaller round."""

from dataclasses import replace
from pathlib import Path

import pytest

from replay.chain.prove import NotAsSealed, NotInChain, prove_round
from replay.chain.seal import Sealer
from replay.chain.tree import TreeIncomplete
from schemas.decoding import Decoded, Rejected
from store.connect import Store
from store.read.events import round_events
from store.rows.verdicts import JudgedRound
from store.write.findings import write_findings
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.audit.case import Case
from tests.replay.evidence import NOW, ring_in
from tests.replay.stored import fill, judged, mutate, packed
from tests.store.floor import state


@pytest.fixture
def wrong(store: Store, tmp_path: Path) -> JudgedRound:
    """A round with a finding, sealed in two revisions, the first of which had none, beside another round."""
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (50, 0)}).round()
    rounds = fill(store, case.lines())
    flagged = replace(rounds[0], verdict=replace(rounds[0].verdict, revision=2), judged=rounds[0].judged + 1)
    write_verdicts(store, [flagged])
    [found] = flagged.verdict.findings
    write_findings(store, [state(found), state(found, version=2)])
    assert Sealer(store, ring_in(tmp_path), lambda: NOW).seal() is not None
    assert _prove(store, flagged) >= 4
    return flagged


def _prove(store: Store, judged: JudgedRound) -> int:
    key = judged.key
    records = [each.key for each in round_events(store, key.table, key.shoe, key.round)]
    return len(prove_round(store, key, records).rows)


@pytest.mark.parametrize("gone", ["findings WHERE 1", "rounds WHERE round = 1", "verdicts WHERE revision = 2"])
def test_a_row_that_is_gone_is_not_as_sealed(store: Store, wrong: JudgedRound, gone: str) -> None:
    table, _, condition = gone.partition(" WHERE ")
    store.command(f"ALTER TABLE {table} DELETE WHERE {condition} SETTINGS mutations_sync = 2")
    with pytest.raises(NotAsSealed, match="was sealed and is gone; run: tablewatch replay verify --chain"):
        _prove(store, wrong)


@pytest.mark.parametrize("said", ["{broken", "[]", '{"findings": 1}'])
def test_a_verdict_that_cannot_be_read_is_not_as_sealed(store: Store, wrong: JudgedRound, said: str) -> None:
    mutate(store, f"ALTER TABLE verdicts UPDATE verdict = '{said}' WHERE revision = 2")
    with pytest.raises(NotAsSealed, match=r"verdict BT1/S1/1/2/.* is not what was sealed"):
        _prove(store, wrong)


def test_a_row_whose_leaf_was_removed_is_not_called_not_sealed_yet(store: Store, wrong: JudgedRound) -> None:
    """Also where it is so young that the next checkpoint may be still to come for it."""
    mutate(store, "ALTER TABLE checkpoints UPDATE at = fromUnixTimestamp64Milli(1) WHERE 1")
    [(position, key)] = store.query(
        "SELECT position, key FROM leaves WHERE kind = 'verdict' AND key LIKE 'BT1/S1/1/2/%'"
    )
    mutate(store, f"ALTER TABLE leaves DELETE WHERE position = {position}")
    with pytest.raises(TreeIncomplete, match=f"verdict {key} has no leaf, and leaf {position} is not in the store"):
        _prove(store, wrong)
    mutate(store, "ALTER TABLE leaves DELETE WHERE position < 2")
    with pytest.raises(TreeIncomplete, match="leaf 0 is not in the store"):
        _prove(store, wrong)


def test_rows_of_another_round_may_go(store: Store, wrong: JudgedRound) -> None:
    store.command("ALTER TABLE rounds DELETE WHERE round = 2 SETTINGS mutations_sync = 2")
    store.command("ALTER TABLE verdicts DELETE WHERE round = 2 SETTINGS mutations_sync = 2")
    assert _prove(store, wrong) >= 4


def test_an_earlier_revision_may_be_past_its_time(store: Store, wrong: JudgedRound) -> None:
    store.command("ALTER TABLE verdicts DELETE WHERE revision = 1 AND round = 1 SETTINGS mutations_sync = 2")
    assert _prove(store, wrong) >= 3


def test_a_row_that_was_put_in_is_not_said_to_be_sealed_soon(store: Store, wrong: JudgedRound) -> None:
    [found] = wrong.verdict.findings
    write_findings(store, [state(replace(found, id="0" * 32))])
    with pytest.raises(NotInChain, match="whether it came late or was put in"):
        _prove(store, wrong)


_ONE_BY_ONE = {"cards": "type = 'card.drawn.v1'", "every bet": "type LIKE 'bet.%'"}


@pytest.fixture
def apart(store: Store, tmp_path: Path) -> JudgedRound:
    """The second of three sealed rounds, each event of which is a record of its own."""
    case = Case().round().round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).round()
    rounds = fill(store, case.lines(), per_record=1)
    assert Sealer(store, ring_in(tmp_path), lambda: NOW).seal() is not None
    assert _prove(store, rounds[1]) > 8
    return rounds[1]


def _one_card(store: Store, round: int) -> tuple[str, str]:
    """A record that holds a card of a round: where it is, and its key."""
    [(topic, partition, offset)] = store.query(
        f"SELECT topic, partition, offset FROM events WHERE round = {round} AND type = 'card.drawn.v1' AND draw = 2"
    )
    return f"topic = '{topic}' AND partition = {partition} AND offset = {offset}", f"{topic}/{partition}/{offset}"


@pytest.mark.parametrize("per_record", [1, 40])
@pytest.mark.parametrize("gone", _ONE_BY_ONE)
def test_a_round_whose_event_rows_are_gone_is_no_smaller_round(
    store: Store, tmp_path: Path, per_record: int, gone: str
) -> None:
    case = Case().round().round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    rounds = fill(store, case.lines(), per_record=per_record)
    assert Sealer(store, ring_in(tmp_path), lambda: NOW).seal() is not None
    mutate(store, f"ALTER TABLE events DELETE WHERE round = 2 AND {_ONE_BY_ONE[gone]}")
    with pytest.raises(NotAsSealed, match=r"event table\.\w+/\d/\d+/\d+ is gone .*verify --chain"):
        _prove(store, rounds[1])
    assert _prove(store, rounds[0]) > 2


def test_an_event_row_that_says_otherwise_than_its_record_is_not_as_sealed(store: Store, apart: JudgedRound) -> None:
    mutate(store, "ALTER TABLE events UPDATE card = '2C' WHERE round = 2 AND draw = 1")
    with pytest.raises(NotAsSealed, match="is not the event that stands there in its record"):
        _prove(store, apart)


def test_an_event_row_of_another_round_is_not_taken_for_one_of_this(store: Store, apart: JudgedRound) -> None:
    where, key = _one_card(store, 3)
    columns = "log, topic, partition, offset, place, table, shoe, type, source, sequence, id_mark, time, arrival, draw"
    store.command(f"INSERT INTO events (round, {columns}, card) SELECT 2, {columns}, card FROM events WHERE {where}")
    with pytest.raises(NotAsSealed, match=f"event {key}/0 was put in"):
        _prove(store, apart)


@pytest.mark.parametrize("what", ["DELETE", "UPDATE raw = concat(raw, ' ')", "UPDATE raw = '{}'"])
def test_without_its_event_row_a_record_is_missed_as_well(store: Store, apart: JudgedRound, what: str) -> None:
    """What is derived from a record is no proof that there was none."""
    where, key = _one_card(store, 2)
    mutate(store, f"ALTER TABLE events DELETE WHERE {where}")
    mutate(store, f"ALTER TABLE records {what} WHERE {where}")
    with pytest.raises(NotAsSealed, match=f"record {key} .*run: tablewatch replay verify --chain"):
        _prove(store, apart)


def test_a_refusal_that_was_put_in_excuses_no_event_row(store: Store, apart: JudgedRound) -> None:
    where, key = _one_card(store, 2)
    row = "log, topic, partition, offset, place, table, arrival"
    store.command(
        f"INSERT INTO rejected ({row}, reason, digest) SELECT {row}, 'x', unhex(repeat('00', 32)) FROM events"
        f" WHERE {where}"
    )
    mutate(store, f"ALTER TABLE events DELETE WHERE {where}")
    with pytest.raises(NotAsSealed, match=f"event {key}/0 is gone"):
        _prove(store, apart)


def test_what_was_refused_of_a_round_is_not_missed(store: Store, tmp_path: Path) -> None:
    lines = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).lines()
    rounds = judged(lines)
    write_verdicts(store, rounds)
    records = packed(lines, per_record=1)
    refused = [each for each in records if each.decoded.events[0].type == "bet.placed.v1"]
    for each in refused:
        found = Rejected(each.raw, 0, "its id came again", "x", "BT1", 1, "b", "bet.placed.v1")
        records[records.index(each)] = replace(each, decoded=Decoded([], [], [found]))
    write_records(store, records)
    assert Sealer(store, ring_in(tmp_path), lambda: NOW).seal() is not None
    assert refused and _prove(store, rounds[0]) > 4


def test_event_rows_that_are_past_their_time_are_not_missed(store: Store, tmp_path: Path) -> None:
    """A record is kept for the sake of one event, and the rows of its others go."""
    rounds = fill(store, Case().round().lines(), per_record=1)
    ring = ring_in(tmp_path)
    assert Sealer(store, ring, lambda: NOW).seal() is not None
    where, _ = _one_card(store, 1)
    scope = "concat(log, '/', topic, '/', toString(partition))"
    [(place, at)] = store.query(f"SELECT {scope}, toUnixTimestamp64Milli(arrival) FROM records WHERE {where}")
    store.command(
        "INSERT INTO tombstones (store_table, scope, month, before, rows, first, last, digest, years, written, by)"
        f" VALUES ('records', '{place}', '2026-01-01', fromUnixTimestamp64Milli({at + 86_400_000}), 1, '', '',"
        f" unhex(repeat('00', 32)), 1, fromUnixTimestamp64Milli({at + 400 * 86_400_000}), 'x')"
    )
    mutate(store, f"ALTER TABLE events DELETE WHERE {where}")
    with pytest.raises(NotAsSealed, match="is gone"):
        _prove(store, rounds[0])
    assert Sealer(store, ring, lambda: NOW + 1).seal() is not None
    assert _prove(store, rounds[0]) > 4


def test_a_sealed_finding_that_no_verdict_names_is_missed_by_the_rounds_that_it_may_be_of(
    store: Store, tmp_path: Path
) -> None:
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (50, 0)}).round()
    rounds = fill(store, case.lines())
    [found] = rounds[0].verdict.findings
    write_findings(store, [state(found), state(replace(found, id="0" * 32))])
    assert Sealer(store, ring_in(tmp_path), lambda: NOW).seal() is not None
    assert _prove(store, rounds[0]) > 4
    mutate(store, f"ALTER TABLE findings DELETE WHERE id = '{'0' * 32}'")
    for each in rounds:
        with pytest.raises(NotAsSealed, match=f"finding {'0' * 32}/1 .* was sealed and is gone; no verdict names it"):
            _prove(store, each)


def test_a_finding_that_is_known_to_be_of_another_round_is_not_missed(store: Store, wrong: JudgedRound) -> None:
    other = replace(wrong, verdict=replace(wrong.verdict, round=2))
    mutate(store, "ALTER TABLE findings DELETE WHERE 1")
    assert _prove(store, other) > 2


@pytest.mark.parametrize("what", ["DELETE", "UPDATE raw = '{}'"])
def test_a_record_of_a_later_round_is_no_matter_of_this_one(store: Store, apart: JudgedRound, what: str) -> None:
    where, key = _one_card(store, 3)
    mutate(store, f"ALTER TABLE events DELETE WHERE {where}")
    mutate(store, f"ALTER TABLE records {what} WHERE {where}")
    assert _prove(store, apart) > 8
    with pytest.raises(NotAsSealed, match=f"record {key} "):
        _prove(store, replace(apart, verdict=replace(apart.verdict, round=3)))
