"""The chain over a real store: what is sealed stays provable, and whatever is done to a row is found and named."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import count
from pathlib import Path

import pytest

from audit.merkle import check_inclusion, inclusion_proof, root_of
from replay.chain.compare import Tampering
from replay.chain.keys import KeyRing
from replay.chain.note import sign
from replay.chain.published import published, read_published
from replay.chain.rows import BY_KIND, rows_of
from replay.chain.seal import ChainBroken, Sealer
from replay.chain.tree import StoredTree
from replay.chain.verify import ChainReport, verify_chain
from store.connect import Store
from store.read.checkpoints import checkpoints
from store.read.proof import leaves
from store.retention import retained_tables
from store.rows.alerts import AlertStep
from store.rows.proof import AccessEntry, Leaf
from store.tombstones import bury
from store.write.alerts import claim_place, write_alert_steps
from store.write.findings import write_findings
from store.write.proof import write_access, write_checkpoints, write_keys, write_leaves
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.replay.evidence import LATER, NOW, ring_in, sealed_evening
from tests.replay.stored import mutate
from tests.store.contents import merge_all
from tests.store.floor import ARRIVAL, START, Table, finding, judged, packed, state


def _found(store: Store) -> list[tuple[str, str, str]]:
    return [(each.what, each.kind, each.key) for each in verify_chain(store).tampering]


def test_a_sealed_store_is_whole(store: Store, ring: KeyRing) -> None:
    checkpoint = sealed_evening(store, ring)
    report = verify_chain(store)
    assert report.tampering == []
    assert report.size == checkpoint.size == len(list(leaves(store, "main")))
    assert report.waiting == 0
    kinds = {leaf.kind for leaf in leaves(store, "main")}
    assert {"record", "rejected", "verdict", "round", "finding", "access", "alert-step"} <= kinds
    assert {leaf.table for leaf in leaves(store, "main") if leaf.kind == "record"} >= {"BT1", "BT2", "BT3"}


def test_what_comes_later_or_is_revised_becomes_new_leaves_and_nothing_is_sealed_twice(
    store: Store, ring: KeyRing
) -> None:
    first = sealed_evening(store, ring)
    clock = count(LATER).__next__
    sealer = Sealer(store, ring, clock)
    assert sealer.seal() is None
    write_verdicts(store, [judged("BT1", revision=2, at=LATER - 5)])
    write_findings(store, [state(finding("late-bet", "BT1"), version=2, raised=LATER - 4)])
    write_access(store, [AccessEntry(id="e9", at=LATER * 1000, who="otto", role="auditor", action="replay")])
    assert verify_chain(store).waiting == 4
    second = sealer.seal()
    assert second is not None
    assert second.size == first.size + 4
    assert [leaf.kind for leaf in leaves(store, "main", first.size)] == ["round", "verdict", "finding", "access"]
    merge_all(store)
    report = verify_chain(store)
    assert report.tampering == []
    assert report.superseded == 2
    assert Sealer(store, ring, clock).seal() is None


def test_an_act_on_an_alert_that_was_left_alone_for_long_is_no_insertion(store: Store, ring: KeyRing) -> None:
    """Its claim of a place in the alert's history has the time of the step before it; the step itself has its own."""
    sealed_evening(store, ring)
    at = NOW + 3_600_000
    claim_place(store, "A1", 7, 0, START, "first")
    claim_place(store, "A1", 8, 0, START, "second")
    write_alert_steps(store, [AlertStep(alert="A1", id="late", at=at * 1_000, action="acknowledged", by="mei")])
    Sealer(store, ring, lambda: at).seal()
    assert verify_chain(store).tampering == []
    write_alert_steps(store, [AlertStep(alert="A1", id="forged", at=START, action="acknowledged", by="eve")])
    assert _found(store) == [("inserted", "alert-step", "A1/forged")]


def test_a_worker_that_is_hours_behind_is_sealed_all_the_same(store: Store, ring: KeyRing) -> None:
    sealed_evening(store, ring)
    late = Table("BT1", START + 3600_000_000)
    late.sequences = {"/tables/BT1/dealer": 500}
    late.play("S1", 9)
    records = [
        record.__class__(record.topic, record.partition, record.offset + 1000, ARRIVAL + 3_600_000, *rest)
        for record in packed(late.said)
        for rest in [(record.raw, record.decoded)]
    ]
    write_records(store, records)
    assert Sealer(store, ring, lambda: LATER).seal() is not None
    assert verify_chain(store).tampering == []


_CHANGES = [
    ("ALTER TABLE records UPDATE raw = replaceOne(raw, '500', '501') WHERE {place} AND offset = 1",
     ("changed", "record", "table.bets/{partition}/1")),
    ("ALTER TABLE verdicts UPDATE verdict = replaceOne(verdict, '500', '501') WHERE table = 'BT1' AND round = 2",
     ("changed", "verdict", "BT1/S1/2/1/{digest}")),
    ("ALTER TABLE rounds UPDATE winner = 'player' WHERE table = 'BT1' AND round = 2",
     ("changed", "round", "BT1/S1/2/1")),
    ("ALTER TABLE rounds UPDATE `bets.paid` = arrayMap(each -> 7, `bets.paid`) WHERE table = 'BT1' AND round = 3",
     ("changed", "round", "BT1/S1/3/1")),
    ("ALTER TABLE findings UPDATE message = 'Nothing.' WHERE table = 'BT1'", ("changed", "finding", "{finding}/1")),
    ("ALTER TABLE access_log UPDATE who = 'anna' WHERE entry = 'e1'", ("changed", "access", "e1")),
    ("ALTER TABLE alert_steps UPDATE disposition = 'false alarm' WHERE alert = 'A-BT1'",
     ("changed", "alert-step", "A-BT1/s1")),
    ("ALTER TABLE rejected UPDATE reason = 'none' WHERE 1", ("changed", "rejected", "table.floor/0/900/0")),
    ("ALTER TABLE events UPDATE card = 'KS' WHERE table = 'BT1' AND round = 1 AND draw = 2",
     ("changed", "event", "{second}")),
    ("ALTER TABLE events UPDATE time = time + INTERVAL 1 SECOND WHERE table = 'BT1' AND round = 1 AND draw = 3",
     ("changed", "event", "{third}")),
]  # fmt: skip

_REMOVALS_AND_INSERTIONS = [
    ("ALTER TABLE records DELETE WHERE {place} AND offset = 1", ("removed", "record", "table.bets/{partition}/1")),
    ("ALTER TABLE verdicts DELETE WHERE table = 'BT1' AND round = 2", ("removed", "verdict", "BT1/S1/2/1/{digest}")),
    ("ALTER TABLE findings DELETE WHERE table = 'BT1'", ("removed", "finding", "{finding}/1")),
    ("ALTER TABLE access_log DELETE WHERE entry = 'e1'", ("removed", "access", "e1")),
    ("ALTER TABLE events DELETE WHERE table = 'BT1' AND round = 1 AND draw = 2", ("removed", "event", "{second}")),
    ("INSERT INTO records SELECT log, topic, partition, 77, arrival, events, rejected, raw, held FROM records"
     " WHERE {place} AND offset = 0", ("inserted", "record", "table.bets/{partition}/77")),
    ("INSERT INTO access_log SELECT at, 'e2', 'anna', role, action, table, shoe, round, address, detail, held"
     " FROM access_log WHERE entry = 'e0'", ("inserted", "access", "e2")),
]  # fmt: skip


@pytest.mark.parametrize("alterations", [_CHANGES, _REMOVALS_AND_INSERTIONS], ids=["changed", "removed and inserted"])
def test_whatever_is_done_to_rows_is_found_and_named(
    store: Store, ring: KeyRing, alterations: list[tuple[str, tuple[str, str, str]]]
) -> None:
    sealed_evening(store, ring)
    (partition,) = store.query("SELECT partition FROM events WHERE table = 'BT1' AND topic = 'table.bets' LIMIT 1")[0]
    (digest,) = store.query("SELECT lower(hex(digest)) FROM verdicts WHERE table = 'BT1' AND round = 2")[0]
    draws = store.query(
        "SELECT topic, partition, offset, place FROM events WHERE table = 'BT1' AND round = 1 AND draw IN (2, 3)"
        " ORDER BY draw"
    )
    names = {
        "place": f"topic = 'table.bets' AND partition = {partition}",
        "partition": partition,
        "digest": digest,
        "finding": finding("late-bet", "BT1").id,
        "second": "/".join(map(str, draws[0])),
        "third": "/".join(map(str, draws[1])),
    }
    for sql, _ in alterations:
        mutate(store, sql.format(**names))
    assert sorted(_found(store)) == sorted((what, kind, key.format(**names)) for _, (what, kind, key) in alterations)


def test_two_records_that_changed_places_are_both_told_as_moved(store: Store, ring: KeyRing) -> None:
    sealed_evening(store, ring)
    ((partition,),) = store.query("SELECT DISTINCT partition FROM events WHERE table = 'BT1'")
    place = f"topic = 'table.bets' AND partition = {partition} AND offset IN (0, 1)"
    rows = store.columns(f"SELECT offset, arrival, events, rejected, raw FROM records WHERE {place}", as_bytes=True)
    mutate(store, f"ALTER TABLE records DELETE WHERE {place}")
    store.insert(
        "records",
        {
            "topic": ["table.bets"] * 2,
            "partition": [partition] * 2,
            "offset": [1 - offset for offset in rows[0]],
            **{name: list(rows[n]) for n, name in enumerate(("arrival", "events", "rejected", "raw"), start=1)},
        },
    )
    assert _found(store) == [("moved", "record", f"table.bets/{partition}/{offset}") for offset in (0, 1)]


def test_leaves_that_are_tampered_with_are_blamed_and_their_rows_are_not(store: Store, ring: KeyRing) -> None:
    sealed_evening(store, ring)
    first = list(leaves(store, "main"))

    def put(wanted: list[Leaf]) -> None:
        store.command("TRUNCATE TABLE leaves")
        write_leaves(store, wanted)

    def changed(position: int, **fields: object) -> list[Leaf]:
        return [
            Leaf(**({name: getattr(leaf, name) for name in Leaf.__slots__} | fields))
            if leaf.position == position
            else leaf
            for leaf in first
        ]

    put(changed(5, leaf=bytes(32)))
    assert _found(store) == [("changed", "leaf", "5")]
    put(changed(5, chain=bytes([1]) * 32))
    assert _found(store) == [("changed", "leaf", "5")]
    put(changed(5, key="elsewhere"))
    assert _found(store) == [("changed", "leaf", "5")]
    put(first[:5] + first[6:])
    assert _found(store) == [("removed", "leaf", "5")]
    put([*first, *[each for each in changed(5, leaf=bytes(32)) if each.position == 5]])
    assert _found(store) == [("inserted", "leaf", "5")]
    swapped = [
        Leaf(**({name: getattr(leaf, name) for name in Leaf.__slots__} | {"position": {5: 9, 9: 5}[leaf.position]}))
        for leaf in (first[5], first[9])
    ]
    put([*first[:5], *first[6:9], *first[10:], *swapped])
    assert _found(store) == [("moved", "leaf", "5"), ("moved", "leaf", "9")]


def test_a_row_changed_together_with_its_leaf_is_named_by_the_chain_of_its_table(store: Store, ring: KeyRing) -> None:
    sealed_evening(store, ring)
    mutate(store, "ALTER TABLE rounds UPDATE winner = 'player' WHERE table = 'BT1' AND round = 2")
    (row,) = rows_of(store, BY_KIND["round"], "table = 'BT1' AND round = 2")
    put = [
        Leaf(**({name: getattr(leaf, name) for name in Leaf.__slots__} | {"leaf": row.leaf}))
        if (leaf.kind, leaf.key) == ("round", "BT1/S1/2/1") else leaf
        for leaf in leaves(store, "main")
    ]  # fmt: skip
    store.command("TRUNCATE TABLE leaves")
    write_leaves(store, put)
    assert _found(store) == [("changed", "round", "BT1/S1/2/1")]


def test_what_went_when_its_time_was_over_is_told_from_what_was_taken(own_store: Store, ring: KeyRing) -> None:
    store = own_store
    sealed_evening(store, ring)
    years_later = NOW + 51 * 366 * 86_400_000
    bury(store, years_later, by="sweep")
    sealer = Sealer(store, ring, lambda: years_later + 1000)
    assert sealer.seal() is not None
    for table, ttl in retained_tables(store).items():
        column = ttl.strip("(").split(" ")[0]
        store.command(f"ALTER TABLE {table} MODIFY TTL {column} + INTERVAL 1 SECOND DELETE WHERE held = 0")
    merge_all(store)
    assert store.query("SELECT count() FROM verdicts") == [(0,)]
    report = verify_chain(store)
    assert report.tampering == []
    assert report.expired > 20
    mutate(store, "ALTER TABLE tombstones DELETE WHERE store_table = 'verdicts' AND scope = 'BT1'")
    found = _found(store)
    assert [each for each in found if each[1] == "tombstone"] != []
    assert {each[1] for each in found} == {"tombstone", "verdict"}
    assert all("BT1" in key for _, _, key in found)


def test_a_tombstone_forged_for_rows_that_are_young_explains_nothing(store: Store, ring: KeyRing) -> None:
    sealed_evening(store, ring)
    mutate(store, "ALTER TABLE verdicts DELETE WHERE table = 'BT1' AND round = 2")
    store.insert(
        "tombstones",
        {
            "store_table": ["verdicts"], "scope": ["BT1"], "month": [date(2026, 1, 1)],
            "before": [NOW], "rows": [1], "first": [""], "last": [""], "digest": [bytes(32)], "years": [5],
            "written": [NOW + 1], "by": ["sweep"],
        },
    )  # fmt: skip
    assert ("removed", "verdict") in {each[:2] for each in _found(store)}


def test_checkpoints_that_are_changed_forged_or_taken_out_are_named(
    store: Store, ring: KeyRing, tmp_path: Path
) -> None:
    first = sealed_evening(store, ring)
    elsewhere = published(first)
    write_verdicts(store, [judged("BT1", revision=2, at=LATER - 5)])
    second = Sealer(store, ring, lambda: LATER).seal()
    assert second is not None
    elsewhere += published(second)
    kept = list(read_published(elsewhere.decode().splitlines(keepends=True)))
    assert kept == checkpoints(store, "main") == [first, second]
    assert verify_chain(store, elsewhere=kept).tampering == []

    mutate(store, f"ALTER TABLE checkpoints DELETE WHERE size = {second.size}")
    told = verify_chain(store, elsewhere=kept).tampering
    assert [(each.what, each.kind, each.key) for each in told] == [("removed", "checkpoint", str(second.size))]

    # Somebody with a key of his own signs another history.
    strange = ring_in(tmp_path / "strange")
    key, private = strange.current()
    write_keys(store, [key])
    write_checkpoints(store, [sign(private, "main", second.size, bytes(32), LATER, bytes(32), first)])
    forged = verify_chain(store).tampering
    assert [(each.what, each.kind, each.key) for each in forged] == [("inserted", "checkpoint", str(second.size))]
    assert "nobody vouches for" in forged[0].detail


def test_a_checkpoint_taken_out_of_the_middle_is_missed_by_the_next(store: Store, ring: KeyRing) -> None:
    first = sealed_evening(store, ring)
    write_verdicts(store, [judged("BT1", revision=2, at=LATER - 5)])
    second = Sealer(store, ring, lambda: LATER).seal()
    assert second is not None
    mutate(store, f"ALTER TABLE checkpoints DELETE WHERE size = {first.size}")
    assert _found(store) == [("removed", "checkpoint", f"before {second.size}")]


def test_what_is_wrong_is_listed_by_numbers_and_not_by_their_digits() -> None:
    keys = ["10874", "2747", "before 300", "before 9", "BT1/S1/10/1", "BT1/S1/9/1", "13825"]
    listed = [each.key for each in sorted(Tampering("changed", "checkpoint", key) for key in keys)]
    assert listed == ["2747", "10874", "13825", "BT1/S1/9/1", "BT1/S1/10/1", "before 9", "before 300"]


def test_a_signature_with_one_bit_changed_is_not_believed(store: Store, ring: KeyRing) -> None:
    first = sealed_evening(store, ring)
    wrong = bytes([first.signature[0] ^ 1, *first.signature[1:]])
    mutate(store, f"ALTER TABLE checkpoints UPDATE signature = unhex('{wrong.hex()}') WHERE 1")
    assert ("inserted", "checkpoint", str(first.size)) in _found(store)
    with pytest.raises(ChainBroken, match="cannot be continued"):
        Sealer(store, ring, lambda: LATER)


def test_a_sealer_that_was_stopped_between_leaves_and_checkpoint_is_continued(store: Store, ring: KeyRing) -> None:
    first = sealed_evening(store, ring)
    write_verdicts(store, [judged("BT1", revision=2, at=LATER - 5)])

    def stopped_when_it_signs() -> Iterator[int]:
        yield LATER
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Sealer(store, ring, stopped_when_it_signs().__next__).seal()
    assert len(list(leaves(store, "main"))) == first.size + 2
    assert len(checkpoints(store, "main")) == 1
    write_access(store, [AccessEntry(id="e9", at=LATER * 1000, who="otto", role="auditor", action="replay")])
    again = Sealer(store, ring, lambda: LATER).seal()
    assert again is not None
    assert again.size == first.size + 3
    assert verify_chain(store).tampering == []


def test_leaves_that_somebody_puts_ahead_of_the_sealer_stop_it(store: Store, ring: KeyRing) -> None:
    first = sealed_evening(store, ring)
    write_leaves(
        store,
        [
            Leaf(
                tree="main",
                position=first.size,
                leaf=bytes(32),
                kind="verdict",
                key="BT1/S1/7/1/x",
                at=NOW,
                table="BT1",
            )
        ],
    )
    with pytest.raises(ChainBroken, match=f"leaf {first.size}"):
        Sealer(store, ring, lambda: LATER).seal()


def test_a_report_says_it_in_words() -> None:
    told = Tampering("changed", "verdict", "BT1/S1/2/1/ab", "BT1", "it is not what leaf 7 was made of")
    assert str(told) == "verdict BT1/S1/2/1/ab of table BT1 was changed: it is not what leaf 7 was made of"
    assert not ChainReport(tampering=[told]).whole


def test_a_large_tree_is_proved_from_kept_nodes_and_continued(store: Store, ring: KeyRing) -> None:
    looks = [
        AccessEntry(id=f"e{number:04d}", at=START + number, who="otto", role="auditor", action="replay")
        for number in range(1200)
    ]
    write_access(store, looks[:700])
    assert Sealer(store, ring, lambda: NOW).seal() is not None
    write_access(store, [replace(look, at=(NOW + 1) * 1000 + number) for number, look in enumerate(looks[700:])])
    last = Sealer(store, ring, lambda: LATER).seal()
    assert last is not None
    assert last.size >= 1200
    kept = store.query("SELECT level, count() FROM tree_nodes GROUP BY level ORDER BY level")
    assert kept[0][0] == 8
    tree = StoredTree(store, "main")
    hashes = [leaf.leaf for leaf in leaves(store, "main")]
    for index in (0, 255, 256, 700, last.size - 1):
        check_inclusion(hashes[index], index, last.size, inclusion_proof(index, last.size, tree), last.root)
    # What was kept only helps to find: without it the leaves themselves are read.
    store.command("TRUNCATE TABLE tree_nodes")
    assert root_of(last.size, StoredTree(store, "main")) == last.root
    assert verify_chain(store).tampering == []
