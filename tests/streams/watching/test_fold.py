"""Folding: in whatever order shoes come to be known, the book and the findings are those of their own order."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from audit.watches.players import PlayersState, watch_players
from audit.watches.settings import WatchSettings
from audit.watches.watch import WatchState, watch_shoe
from schemas.findings import Finding
from store.connect import Store
from store.read.shoes import ShoePlace, stored_shoes
from store.write.shoes import write_shoes
from streams.watching.book import Book
from streams.watching.entry import Entry
from streams.watching.fold import fold
from streams.watching.step import players_of
from tests.audit.watches.dealt_shoes import fair_shoe
from tests.streams.watching.shoes import with_false_shuffle
from tests.tablewatch.test_audit_watches import foreseen

START = 1_767_268_800_000_000
HOUR = 3_600_000_000
SETTINGS = WatchSettings(slug_shoes=3, fewest_rounds=60)


def entries() -> list[Entry]:
    """Three tables: two share a lucky player, one of them has another, and a slug comes again at the third."""
    random = Random(11)
    shoes = [
        *(replace(foreseen(fair_shoe(random, f"B{n}", stop_after=180), "P1"), table="BT1") for n in range(3)),
        *(
            replace(foreseen(fair_shoe(random, f"C{n}", stop_after=180), f"P{1 + n % 2}"), table="BT2")
            for n in range(4)
        ),
        *(replace(shoe, table="BT3") for shoe in with_false_shuffle()),
    ]
    return [
        Entry(
            place=ShoePlace(START + int(shoe.shoe[1:]) * HOUR + number, shoe.table, shoe.shoe), loaded=START, heard=1,
            judged=1, mode="live", rounds=len(shoe.rounds), summary=shoe,
        )
        for number, shoe in enumerate(shoes)
    ]  # fmt: skip


def in_their_order(known: Sequence[Entry]) -> list[Finding]:
    """All findings, by the watches alone."""
    found: list[Finding] = []
    tables: dict[str, WatchState] = {}
    players = PlayersState()
    for entry in sorted(known, key=lambda each: each.place):
        assert entry.summary is not None
        state, findings = watch_shoe(tables.get(entry.place.table, WatchState()), entry.summary, SETTINGS)
        tables[entry.place.table] = state
        found += findings
        if players_of(entry.summary):
            players, findings = watch_players(players, entry.summary, SETTINGS)
            found += findings
    return found


def name_players(store: Store, known: Sequence[Entry]) -> None:
    """What verdicts would have said of where players were."""
    rows = [
        (player, START // 86_400_000_000, entry.place.table, entry.place.shoe, 1, START // 86_400_000_000)
        for entry in known
        if entry.summary is not None
        for player in players_of(entry.summary)
    ]
    store.command(
        "INSERT INTO player_rounds (player, day, table, shoe, round, month) SELECT * FROM VALUES("
        "'player String, day Int32, table String, shoe String, round UInt64, month UInt16', "
        + ", ".join(str(row) for row in rows)
        + ")"
    )


@pytest.mark.parametrize("seed", range(3))
def test_shoes_that_come_in_any_order_and_company_give_the_same_book_and_findings(store: Store, seed: int) -> None:
    known = entries()
    expected = {finding.id: finding for finding in in_their_order(known)}
    assert {finding.code for finding in expected.values()} >= {"shuffle-repeat", "player-over-expectation"}
    name_players(store, known)
    random = Random(seed)
    left = random.sample(known, len(known))
    standing: dict[str, dict[str, Finding]] = {}
    while left:
        count = random.randint(1, 4)
        some, left = left[:count], left[count:]
        book = Book(store)
        folded = fold(book, some, SETTINGS)
        assert [each.entry.place for each in folded] == sorted(each.entry.place for each in folded)
        write_shoes(store, [each.entry.to_row(each.entry.version + 1, START // 1000) for each in folded])
        for each in folded:
            standing[each.entry.place.shoe] = {finding.id: finding for finding in each.findings}
    assert {name: finding for found in standing.values() for name, finding in found.items()} == expected
    alone = fold(Book(store), known, SETTINGS)
    rows = stored_shoes(store, [entry.key for entry in known])
    for each in alone:
        row = Entry.from_row(rows[each.entry.key])
        assert (row.after, row.accounts) == (each.entry.after, each.entry.accounts)


def test_an_entry_is_read_back_as_it_was_written(store: Store) -> None:
    known = entries()[:4]
    name_players(store, known)
    folded = fold(Book(store), known, SETTINGS)
    write_shoes(store, [each.entry.to_row(1, START // 1000) for each in folded])
    rows = stored_shoes(store, [entry.key for entry in known])
    for each in folded:
        assert Entry.from_row(rows[each.entry.key]) == replace(each.entry, version=1)
