"""Events that were refused because their id came again with another content: no story tells them as facts."""

from typing import Any

import orjson
import pytest

from store.connect import Store
from tests.audit.case import DTB, Case
from tests.replay.commands import Run, said_by
from tests.streams.stored import Floor


def with_another(kind: str, of_round: int | None, /, **other: Any) -> list[bytes]:
    """Two rounds; one event of the second, or of their table, comes again with another content under its id, between
    two repeats."""
    case = Case(DTB)
    for _ in range(2):
        case.round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    events = [orjson.loads(line) for line in case.lines()]
    place, event = next(
        (place, each)
        for place, each in enumerate(events)
        if each["type"] == kind and each["data"].get("round") == of_round
    )
    again = {**event, "data": {**event["data"], **other}}
    return [orjson.dumps(each) for each in (*events[: place + 1], event, again, event, *events[place + 1 :])]


@pytest.mark.parametrize("other", [{"shoe": "OTHER"}, {"round": 1}, {"round": 7}, {"amount": 200}])
def test_a_refused_event_is_not_told_as_a_fact(store: Store, run: Run, other: dict[str, Any]) -> None:
    Floor().store(store, with_another("bet.placed.v1", 2, **other))
    said = said_by(run("show", "BT1/S1/2"))
    assert "the placing of bet b1 is not on record" in said
    assert "puts 1.00 on Player" not in said and "0 bets" in said
    assert "Refused, since another event of the same source and id has different content: bet.placed.v1 of" in said
    story = orjson.loads(run("show", "BT1/S1/2", "--json").stdout_bytes)
    assert not [each for each in story["moments"] if each["kind"] == "bet"]
    ((kind, source, _),) = [each.values() for each in story["left_out"]]
    assert kind == "bet.placed.v1" and f"bet.placed.v1 of {source}" in said
    first = said_by(run("show", "BT1/S1/1"))
    assert "puts 1.00 on Player" in first and "VERIFIED" in first


def test_a_round_of_refused_events_alone_is_no_open_round(store: Store, run: Run) -> None:
    Floor().store(store, with_another("bet.placed.v1", 2, shoe="OTHER"))
    done = run("show", "BT1/OTHER/2")
    assert done.exit_code == 1 and not done.stdout
    assert "All events of BT1/OTHER/2 came with two contents under one id: none of them counts." in done.stderr


def test_a_refused_loading_says_nothing_of_the_decks(store: Store, run: Run) -> None:
    Floor().store(store, with_another("shoe.loaded.v1", None, shoe="OTHER", decks=6))
    assert "8 decks" not in said_by(run("show", "BT1/S1/1"))
