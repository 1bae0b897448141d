"""Fills the store with what every wager is expected to bring; what it has already is left alone."""

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import TypeVar

from games.readings import DEFAULT_READINGS, Readings
from store.connect import Store
from store.expectations import expectations
from store.read.figures import wager_covariances, wager_odds
from store.rows.shoes import WagerCovariance, WagerOdds
from store.write.shoes import write_covariances, write_odds

_Row = TypeVar("_Row", WagerOdds, WagerCovariance)


def fill_expectations(store: Store, readings: Readings = DEFAULT_READINGS) -> int:
    """Brings the odds in the store to those of the rulebook under these readings; tells how many rows that took."""
    known = expectations(readings)
    odds = _changed(
        (
            WagerOdds(
                game=each.game,
                decks=each.decks,
                wager=wager,
                expected_return=mean,
                deviation=each.deviation(wager),
            )
            for each in known
            for wager, mean in each.returns.items()
        ),
        wager_odds(store),
    )
    covariances = _changed(
        (
            WagerCovariance(game=each.game, decks=each.decks, wager=wager, other=other, covariance=covariance)
            for each in known
            for (wager, other), covariance in each.covariances.items()
        ),
        wager_covariances(store),
    )
    write_odds(store, odds)
    write_covariances(store, covariances)
    return len(odds) + len(covariances)


def _changed(wanted: Iterable[_Row], stored: Iterable[_Row]) -> list[_Row]:
    """What is not stored as it is wanted, each row with the version that replaces the stored one."""
    there = {_key(row): row for row in stored}
    changed = []
    for row in wanted:
        old = there.get(_key(row))
        if old is None:
            changed.append(row)
        elif replace(row, version=old.version) != old:
            changed.append(replace(row, version=old.version + 1))
    return changed


def _key(row: WagerOdds | WagerCovariance) -> Hashable:
    return row.game, row.decks, row.wager, row.other if isinstance(row, WagerCovariance) else ""
