"""A chain is checked in spans of time that memory holds; where one ends nothing is lost or looked at twice."""

from dataclasses import replace
from itertools import pairwise

import pytest

from replay.chain import spans
from replay.chain.keys import KeyRing
from replay.chain.note import TREE
from replay.chain.rows import BY_KIND, CHAINED
from replay.chain.seal import Sealer
from replay.chain.spans import HOUR_MS, Span, spans_of
from replay.chain.verify import verify_chain
from store.connect import Store
from store.rows.proof import AccessEntry
from store.write.proof import write_access
from tests.replay.evidence import LATER, NOW, fill_evening
from tests.replay.stored import mutate
from tests.store.floor import START

HOUR = START // 1000 // HOUR_MS


def _look(number: int, at: int) -> AccessEntry:
    return AccessEntry(id=f"b{number}", at=at, who="otto", role="auditor", action="replay")


@pytest.fixture
def at_the_edges(store: Store) -> Store:
    """Entries at both sides of the ends of five hours, to the microsecond: of seven hours."""
    edges = [(HOUR + hour) * HOUR_MS * 1000 + beside for hour in (0, 1, 2, 4, 5) for beside in (-1, 0, 1)]
    write_access(store, [_look(number, at) for number, at in enumerate(edges)])
    return store


@pytest.mark.parametrize("at_once", [1, 4, 6, 1_000])
def test_every_row_is_in_one_span(at_the_edges: Store, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    store, access = at_the_edges, BY_KIND["access"]
    monkeypatch.setattr(spans, "AT_ONCE", at_once)
    found = list(spans_of(store, TREE, (access,)))
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert len(found) == {1: 7, 4: 5, 6: 3, 1_000: 1}[at_once]
    counts = [store.query(f"SELECT count() FROM access_log WHERE {span.of('at')}")[0][0] for span in found]
    assert sum(counts) == 15
    assert all(count <= at_once or span.end - span.start == HOUR_MS for count, span in zip(counts, found, strict=True))


def test_of_a_kind_without_rows_and_leaves_there_is_no_span(store: Store) -> None:
    assert list(spans_of(store, TREE, [chained for chained in CHAINED if chained.kind != "retention"])) == []


@pytest.mark.parametrize("at_once", [1, 7, 50_000])
def test_what_a_check_finds_does_not_depend_on_the_spans(
    at_the_edges: Store, ring: KeyRing, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    store = at_the_edges
    fill_evening(store)
    assert Sealer(store, ring, lambda: NOW).seal() is not None
    assert Sealer(store, ring, lambda: LATER).seal() is None
    monkeypatch.setattr(spans, "AT_ONCE", at_once)
    assert verify_chain(store).whole
    mutate(store, "ALTER TABLE access_log UPDATE who = 'eve' WHERE entry = 'b4'")
    mutate(store, "ALTER TABLE verdicts UPDATE judge = 'none' WHERE table = 'BT1' AND round = 2")
    mutate(store, "ALTER TABLE access_log DELETE WHERE entry = 'b3'")
    write_access(store, [replace(_look(99, START + 1), who="zoe")])
    found = [(each.what, each.kind, each.key) for each in verify_chain(store).tampering]
    verdict = next(key for _, kind, key in found if kind == "verdict")
    assert found == [
        ("changed", "access", "b4"), ("changed", "verdict", verdict), ("inserted", "access", "b99"),
        ("removed", "access", "b3"),
    ]  # fmt: skip


def test_a_span_says_when_it_begins() -> None:
    assert Span(START // 1000, START // 1000 + HOUR_MS).began == "2026-01-01 12:00 UTC"
