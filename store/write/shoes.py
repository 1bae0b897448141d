"""Writes summaries of shoes and the odds of wagers; a higher version replaces a lower one."""

from collections.abc import Sequence
from typing import Any

import orjson

from store.connect import Store
from store.rows.shoes import ShoeSummary, WagerCovariance, WagerOdds
from store.ticks import arrival_ticks, device_ticks
from store.write.token import batch_token


def write_shoes(store: Store, shoes: Sequence[ShoeSummary]) -> None:
    """Stores summaries of shoes."""
    if not shoes:
        return
    columns: dict[str, list[Any]] = {
        "table": [each.table for each in shoes],
        "shoe": [each.shoe for each in shoes],
        "version": [each.version for each in shoes],
        "game": [each.game or "" for each in shoes],
        "decks": [each.decks or 0 for each in shoes],
        "loaded": [device_ticks(each.loaded) for each in shoes],
        "ended": [device_ticks(each.ended) for each in shoes],
        "rounds": [each.rounds for each in shoes],
        "summarised": [arrival_ticks(each.summarised) for each in shoes],
        "summary": [orjson.dumps(dict(each.summary)) for each in shoes],
    }
    store.insert("shoes", columns, batch_token("shoes", (repr(each).encode() for each in shoes)))


def write_odds(store: Store, odds: Sequence[WagerOdds]) -> None:
    """Stores what wagers are expected to bring."""
    if not odds:
        return
    columns: dict[str, list[Any]] = {
        "game": [each.game for each in odds],
        "decks": [each.decks for each in odds],
        "wager": [each.wager for each in odds],
        "expected_return": [f"{each.expected_return.numerator}/{each.expected_return.denominator}" for each in odds],
        "expectation": [float(each.expected_return) for each in odds],
        "deviation": [each.deviation for each in odds],
        "version": [each.version for each in odds],
    }
    store.insert("wager_odds", columns, batch_token("wager_odds", (repr(each).encode() for each in odds)))


def write_covariances(store: Store, covariances: Sequence[WagerCovariance]) -> None:
    """Stores how the wagers of a round hang together."""
    if not covariances:
        return
    columns: dict[str, list[Any]] = {
        "game": [each.game for each in covariances],
        "decks": [each.decks for each in covariances],
        "wager": [each.wager for each in covariances],
        "other": [each.other for each in covariances],
        "covariance": [each.covariance for each in covariances],
        "version": [each.version for each in covariances],
    }
    token = batch_token("wager_covariances", (repr(each).encode() for each in covariances))
    store.insert("wager_covariances", columns, token)
