"""A name that a device uses again long after: refused live as an audit refuses it, though the first is let go of."""

import asyncio
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.intake import Identity
from audit.live import refused_ids
from audit.live import table as live_table
from audit.live.names_gone import NAMES_KNOWN, NamesGone
from replay.verify import verify
from schemas.time import micros
from store.connect import Store
from store.read.rejections import rejections
from tests.audit.case import RFID, TABLE, Case
from tests.oracle.script import to_lines
from tests.streams.parts import Events, killed, play_parts
from tests.streams.simulated_time import LONG_AFTER, Scene, scene
from tests.streams.stored import BET, LONG, two_shoes

ROUNDS = 12
BETWEEN = [lambda _: None, killed]


def _parts(name_again: Callable[[Events], None]) -> list[Events]:
    """A round by itself and the others, the last of which is by itself again; ``name_again`` renames."""
    case = Case()
    for _ in range(ROUNDS):
        case.round(**BET)
    events = case.events()
    name_again(events)
    numbers = [event["data"].get("round", 1) for event in events]
    parts: list[Events] = [[], [], []]
    for event, number in zip(events, numbers, strict=True):
        parts[0 if number == 1 else 2 if number == ROUNDS else 1].append(event)
    return parts


def _placed(events: Events) -> Events:
    return [event for event in events if event["type"] == "bet.placed.v1"]


def _first_bets_name_in_the_last_round(events: Events) -> None:
    _placed(events)[-1]["id"] = _placed(events)[0]["id"]


@pytest.mark.parametrize("between", BETWEEN, ids=["the-same-worker", "the-next-worker"])
def test_a_name_used_again_after_its_round_was_let_go_of_refuses_both(
    store: Store, between: Callable[[Scene], None]
) -> None:
    parts = _parts(_first_bets_name_in_the_last_round)
    # Without the bet there is a settlement of nothing; the verdict of the first round is taken back with it.
    assert len(play_parts(store, parts, between)) == 2
    assert len(rejections(store, table=TABLE)) == 2


def test_a_name_used_again_by_an_event_that_is_sent_twice_refuses_both(store: Store) -> None:
    parts = _parts(_first_bets_name_in_the_last_round)
    parts[-1] += _placed(parts[-1])
    assert len(play_parts(store, parts)) == 2
    assert len({each.raw for each in rejections(store, table=TABLE)}) == 2


@pytest.mark.parametrize("between", BETWEEN, ids=["the-same-worker", "the-next-worker"])
def test_a_device_that_names_its_events_anew_in_every_round_is_refused_as_an_audit_refuses_it(
    store: Store, between: Callable[[Scene], None]
) -> None:
    """An integrator's mistake that is easily made: ids that are unique within a round alone."""

    def by_round(events: Events) -> None:
        for event in _placed(events):
            event["id"] = "placed-1"

    play_parts(store, _parts(by_round), between)
    assert len(rejections(store, table=TABLE)) == ROUNDS


@pytest.mark.parametrize("between", BETWEEN, ids=["the-same-worker", "the-next-worker"])
def test_a_configuration_whose_name_is_used_again_holds_for_no_round_any_more(
    store: Store, between: Callable[[Scene], None]
) -> None:
    """Also for those that were judged by it and let go of."""
    case = Case()
    for _ in range(ROUNDS):
        case.round(**BET)
    events = case.events()
    configured = events[0]
    assert configured["type"] == "table.configured.v1"
    again = {**configured, "data": {**configured["data"], "positions": 6}}
    assert play_parts(store, [events, [again]], between) == [[], ["round-incomplete"]]
    assert len(rejections(store, table=TABLE)) == 2


def _refused_together(events: Events, *rounds: tuple[int, int]) -> None:
    """The bets of each two rounds have one name."""
    placed = _placed(events)
    for one, other in rounds:
        placed[other - 1]["id"] = placed[one - 1]["id"]


@pytest.mark.parametrize("between", BETWEEN, ids=["the-same-worker", "the-next-worker"])
def test_a_name_that_comes_a_third_time_when_others_were_refused_since_is_read_again_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, between: Callable[[Scene], None]
) -> None:
    def thrice(events: Events) -> None:
        placed = _placed(events)
        placed[1]["id"] = placed[-1]["id"] = placed[0]["id"]
        _refused_together(events, (4, 5), (6, 7))

    monkeypatch.setattr(refused_ids, "MOST_IDS", 1)
    play_parts(store, _parts(thrice), between)
    assert len(rejections(store, table=TABLE)) == 7


def test_a_name_that_seems_to_have_been_used_and_is_used_again_after_is_read_again_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was asked for at every reading, without end: only what was refused in it was forgotten in it, and the filter
    took a name for one of these that was used for the first time; what the store has of it was in conflict indeed."""
    twice: list[str] = []

    class Mistaken(NamesGone):
        def __contains__(self, name: Identity) -> bool:
            return bool(self._places) and name[1] in twice

    def again(events: Events) -> None:
        placed = _placed(events)
        twice.append(placed[7]["id"])
        placed[-1]["id"] = placed[7]["id"]
        _refused_together(events, (2, 3), (4, 5))

    monkeypatch.setattr(live_table, "NamesGone", Mistaken)
    monkeypatch.setattr(refused_ids, "MOST_IDS", 1)
    play_parts(store, _parts(again))
    assert len(rejections(store, table=TABLE)) == 6


def test_a_name_is_known_to_a_table_that_was_read_again_since_and_not_as_far_back(store: Store) -> None:
    """A card comes late, and the shoe in play is read again: the name is of the shoe before."""
    events = two_shoes().round(**BET).events()
    _first_bets_name_in_the_last_round(events)
    last = [event for event in events if event["data"].get("round") == LONG + 1]
    late = [event for event in events if event["type"] == "card.drawn.v1" and event["data"]["shoe"] == "S2"][:1]
    before = [event for event in events if event not in last and event not in late]
    assert len(play_parts(store, [before, late, last])) == 2
    assert len(rejections(store, table=TABLE)) == 2


def test_a_name_that_only_seems_to_have_been_used_is_looked_up_and_nothing_comes_of_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[Identity] = []

    class Mistaken(NamesGone):
        def __contains__(self, name: Identity) -> bool:
            looked_up.append(name)
            return True

    monkeypatch.setattr(live_table, "NamesGone", Mistaken)
    assert len(play_parts(store, _parts(lambda _: None))) == 1
    assert looked_up
    assert not rejections(store, table=TABLE)


@given(st.integers(0, 3 * NAMES_KNOWN), st.integers(0, 2**32))
def test_the_last_names_that_were_let_go_of_are_always_known(count: int, seed: int) -> None:
    rng = random.Random(seed)
    gone = [(RFID, f"{number}") for number in range(count)]
    names = NamesGone()
    rest = list(gone)
    while rest:
        size = rng.randrange(1, 200)
        names.add(rest[:size])
        del rest[:size]
    assert all(name in names for name in gone[-NAMES_KNOWN:])


def test_names_that_were_not_let_go_of_are_seldom_taken_for_such() -> None:
    names = NamesGone()
    names.add((RFID, f"{number}") for number in range(3 * NAMES_KNOWN))
    mistaken = sum((RFID, f"other-{number}") in names for number in range(20_000))
    assert mistaken < 100, "about two are expected"


def test_a_name_that_is_no_longer_known_is_found_when_the_store_is_verified(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forgetful(NamesGone):
        def __contains__(self, name: Identity) -> bool:
            return False

    monkeypatch.setattr(live_table, "NamesGone", Forgetful)
    parts = _parts(_first_bets_name_in_the_last_round)

    async def play() -> None:
        for part in parts:
            played.publish(to_lines(part))
            await played.finish()

    with scene(store, 1, micros(parts[0][0]["time"]) / 1e6 + LONG_AFTER) as played:
        asyncio.run(play())
    assert not rejections(store, table=TABLE)
    assert {each.key.round for each in verify(store).deviating} == {1, ROUNDS}
