"""The picture of the floor: the same whatever the topics' pace and however often a record is repeated."""

import random
from collections import defaultdict
from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.live.detail import sections_of
from console.live.floor import Floor
from console.live.health import Health
from console.live.room import now_ms
from console.live.rows import row_of
from console.live.table import HISTORY, Judged, TablePicture
from console.masking import MASK
from games.rulebook import GAMES
from schemas.decoding import decode_line
from schemas.findings import finding_json
from schemas.records import AnyEvent
from schemas.topics import ALERTS, topic_of
from simulator.floor import simulate
from tests.console.house import made_up_finding

GAMES_PLAYED = ["dragon_tiger_baccarat", "sands_elements_no_commission", "dragon_tiger"]


def events(seed: int, faults: float = 0.0, rounds: int = 3) -> list[AnyEvent]:
    return [
        event for line in simulate(3, rounds, seed, faults, games=GAMES_PLAYED) for event in decode_line(line).events
    ]


def folded(said: list[AnyEvent]) -> Floor:
    floor = Floor()
    for event in said:
        floor.take_event(event, 1)
    return floor


def shown(floor: Floor) -> dict[str, Any]:
    return {
        name: [row_of(each, floor.alerts), sections_of(each, [], masking=False)]
        for name, each in sorted(floor.tables.items())
    }


@given(seed=st.integers(0, 50), pace=st.integers(0, 10_000))
def test_topics_read_at_their_own_pace_give_the_same_picture(seed: int, pace: int) -> None:
    said = events(seed)
    waiting: dict[str, list[AnyEvent]] = defaultdict(list)
    for event in said:
        waiting[topic_of(event.type) or "table.floor"].append(event)
    chance = random.Random(pace)
    mixed: list[AnyEvent] = []
    while any(waiting.values()):
        topic = chance.choice([name for name, left in waiting.items() if left])
        for _ in range(min(len(waiting[topic]), chance.randint(1, 6))):
            mixed.append(waiting[topic].pop(0))
            if chance.random() < 0.2:
                mixed.append(mixed[-1])
    # Within a round topics may run ahead of each other; the settled end of the floor is the same.
    assert _ends(folded(mixed)) == _ends(folded(said))


def _ends(floor: Floor) -> dict[str, Any]:
    return {
        name: (each.round.number if each.round else None, each.round.in_order if each.round else None, each.ledger())
        for name, each in floor.tables.items()
    }


def test_repeats_change_nothing() -> None:
    said = events(3, faults=0.5)
    twice = [event for event in said for _ in range(2)]
    assert shown(folded(twice)) == shown(folded(said))


def test_bets_cards_and_totals_are_those_of_the_events() -> None:
    said = events(5, rounds=1)
    floor = folded(said)
    for name, picture in floor.tables.items():
        mine = [event for event in said if event.subject == name]
        drawn = {e.data.draw: e.data.card for e in mine if e.type == "card.drawn.v1"}
        assert picture.round is not None
        assert picture.round.cards == drawn
        placed = {e.data.bet: e.data.amount for e in mine if e.type == "bet.placed.v1"}
        changed = {e.data.bet: e.data.amount for e in mine if e.type == "bet.changed.v1"}
        gone = {e.data.bet: 0 for e in mine if e.type == "bet.withdrawn.v1"}
        assert {bet: each.amount for bet, each in picture.round.bets.items()} == placed | changed | gone
        sections: Any = sections_of(picture, [], masking=False)
        made = sections["round"]["recomputed"]
        assert made["complete"]
        assert made["winner"] == sections["round"]["displayed"]["winner"]
        assert made["totals"] == sections["round"]["displayed"]["totals"]
        assert sections["shoe"]["drawn"] == len(drawn)


def _asked(said: list[AnyEvent]) -> Any:
    (picture,) = folded(said).tables.values()
    return sections_of(picture, [], masking=False)["round"]["recomputed"]  # type: ignore[index,call-overload]  # JSON, as the page gets it


def _until_third_card() -> list[AnyEvent]:
    """A round of Dragon Tiger Baccarat up to its third card, whatever else there is to be said of it."""
    lines = simulate(1, 1, 4, games=["dragon_tiger_baccarat"])
    said = [event for line in lines for event in decode_line(line).events]
    cards = [place for place, event in enumerate(said) if event.type == "card.drawn.v1"]
    return said[: cards[3]]


def _about(said: list[AnyEvent], kind: str, **data: Any) -> AnyEvent:
    """Another event of the table and round."""
    opened = next(event for event in said if event.type == "round.opened.v1")
    about = {"shoe": opened.data.shoe, "round": opened.data.round}
    if kind.startswith("shoe."):
        del about["round"]
    line = {
        "specversion": "1.0", "id": f"made-up {kind}", "source": "/made/up", "type": kind, "subject": opened.subject,
        "time": "2026-11-15T08:00:00Z", "sequence": 0, "data": about | data,
    }  # fmt: skip
    (event,) = decode_line(orjson.dumps(line)).events
    return event


def test_a_round_that_goes_on_says_what_the_table_of_play_asks_for_next() -> None:
    asked = _asked(_until_third_card())
    assert (asked["next"], asked["over"]) == ("Banker gets the next card of the initial deal", None)
    assert asked["rule"] == "dragon-tiger-baccarat 3.13"


@pytest.mark.parametrize(
    ("kind", "data", "over"),
    [
        ("round.closed.v1", {}, "the round is closed"),
        ("shoe.ended.v1", {"remaining": None}, "the shoe ran out"),
        ("ruling.made.v1", {"ruling": "void", "clause": "6.1", "by": "gaming_shift_manager"}, "the round is void"),
    ],
)
def test_a_round_that_is_over_does_not_say_which_card_comes_next(kind: str, data: dict[str, Any], over: str) -> None:
    said = _until_third_card()
    asked = _asked([*said, _about(said, kind, **data)])
    assert (asked["next"], asked["over"], asked["complete"]) == (None, over, False)


def test_a_shoe_whose_cards_are_all_drawn_has_no_next_one() -> None:
    said = _until_third_card()
    said = [_about(said, "shoe.loaded.v1", decks=1) if event.type == "shoe.loaded.v1" else event for event in said]
    rest = [_about(said, "card.drawn.v1", draw=draw, card=card) for draw, card in enumerate(["AS"] * 49, 4)]
    assert _asked([*said, *rest[:-1]])["over"] is None
    assert _asked([*said, *rest])["over"] == "the shoe ran out"


def test_a_round_that_is_complete_says_why_also_when_it_is_closed() -> None:
    lines = simulate(1, 1, 4, games=["dragon_tiger_baccarat"])
    asked = _asked([event for line in lines for event in decode_line(line).events])
    assert (asked["complete"], asked["over"]) == (True, "the round is closed")
    assert asked["next"]


def test_for_an_operator_no_player_id_is_in_the_picture() -> None:
    said = events(7)
    players = {e.data.player for e in said if e.type == "bet.placed.v1" and e.data.player}
    assert players
    for picture in folded(said).tables.values():
        told = orjson.dumps(sections_of(picture, [], masking=True)).decode()
        assert not [player for player in players if player in told]
        assert picture.round is not None
        if any(bet.player for bet in picture.round.bets.values()):
            assert MASK in told


def test_a_finding_that_names_a_player_is_masked() -> None:
    from console.live.desk import alert_json

    floor = Floor()
    finding = made_up_finding(
        1, "player-over-expectation", message="Player M100004 is ahead.", basis="statistics", p_value=0.001,
        actual={"player": "M100004"}, rule=None, bet=None,
    )  # fmt: skip
    floor.take_record(ALERTS.name, finding_json(finding), 5)
    picture = floor.alerts.get(finding.id)
    assert picture is not None
    assert "M100004" in orjson.dumps(alert_json(picture, masking=False)).decode()
    assert "M100004" not in orjson.dumps(alert_json(picture, masking=True)).decode()


@pytest.mark.parametrize("raw", [b"", b"null", b"{}", b"[1]", b"\xff\xfe", b'{"id": 1}', b"[" * 10_000])
@pytest.mark.parametrize("topic", ["table.cards", "table.bets", "table.floor", "audit.verdicts", "audit.alerts"])
def test_nothing_on_a_topic_stops_the_picture(topic: str, raw: bytes) -> None:
    floor = Floor()
    floor.take_record(topic, raw, 1)
    assert floor.tables == {}
    assert floor.unreadable == 1


def test_an_alert_counts_for_its_table_until_it_is_cleared() -> None:

    floor = Floor()
    finding = made_up_finding(1)
    floor.take_record(ALERTS.name, finding_json(finding), 5)
    floor.take_record(ALERTS.name, finding_json(finding), 5)
    assert floor.alerts.open_of("BT01")["critical"] == 1
    floor.take_record(ALERTS.name, finding_json(replace(finding, cleared=True)), 6)
    assert floor.alerts.open_of("BT01")["critical"] == 0
    assert len(floor.alerts) == 1


def test_a_table_says_what_is_wrong_by_its_worst_open_alert_and_of_those_the_last() -> None:
    floor = Floor()

    def say(number: int, code: str, **more: Any) -> str | None:
        finding = made_up_finding(number, code, **more)
        floor.take_record(ALERTS.name, finding_json(finding), number)
        worst: str | None = row_of(floor.tables["BT01"], floor.alerts)["worst"]
        return worst

    assert say(1, "card-before-close") == "card-before-close"
    assert say(2, "payout-wrong") == "payout-wrong"
    assert say(3, "position-not-on-layout") == "payout-wrong"
    assert say(4, "late-bet") == "late-bet"
    assert say(4, "late-bet", cleared=True) == "payout-wrong"
    assert say(2, "payout-wrong", cleared=True) == "card-before-close"
    assert say(1, "card-before-close", cleared=True) == "position-not-on-layout"
    assert say(3, "position-not-on-layout", cleared=True) is None


def test_a_late_word_about_an_old_shoe_does_not_bring_it_back() -> None:
    said = events(2, rounds=2)
    floor = folded(said)
    name, picture = next(iter(floor.tables.items()))
    assert picture.shoe is not None
    old = picture.shoe.name
    loaded = next(e for e in said if e.subject == name and e.type == "shoe.loaded.v1")
    fresh = type(loaded)(
        specversion="1.0", id="new", source=loaded.source, subject=name, time=loaded.time, sequence=9999,
        data=type(loaded.data)(shoe="next shoe", decks=8),
    )  # fmt: skip
    floor.take_event(fresh, 2)
    late = next(e for e in said if e.subject == name and e.type == "card.drawn.v1" and e.data.shoe == old)
    floor.take_event(late, 3)
    assert picture.shoe.name == "next shoe"
    assert picture.ledger().total() == 0


def test_workers_that_let_records_wait_are_said_to_have_stopped() -> None:
    health = Health(stalled_seconds=10)
    start = health._moved
    health.measured(0, start)
    assert health.workers.state == "ok"
    health.measured(50, start + 2)
    assert health.workers.state == "ok"
    health.measured(80, start + 11)
    assert health.workers.state == "stopped"
    health.measured(30, start + 12)
    assert health.workers.state == "ok"
    health.measured(5000, start + 13)
    assert health.workers.state == "behind"


def test_workers_are_said_to_have_stopped_since_they_judged_last_and_not_since_it_was_noticed() -> None:
    health = Health(stalled_seconds=10)
    start = health._moved
    health.measured(0, start)
    health.measured(50, start + 5)
    before = now_ms()
    health.measured(80, start + 14)
    after = now_ms()
    assert before - 14_000 <= health.workers.since <= after - 14_000
    since = health.workers.since
    health.measured(90, start + 19)
    assert health.workers.since == since


def test_every_game_has_words_for_the_wall() -> None:
    from importlib.resources import files

    words = files("console").joinpath("static", "app", "format.js").read_text()
    for name in GAMES:
        assert f"{name}: [" in words


def _judged(shoe: str, number: int, at: int, revision: int = 1) -> Judged:
    return Judged(shoe, number, revision, "verified", "player", {}, (), (), (), (), 100, 0, at)


def test_rounds_that_the_store_tells_after_the_topics_come_before_those_that_were_played_later() -> None:
    picture = TablePicture("BT1")
    for number in range(30, 36):
        picture.remember(_judged("S2", number, number))
    for number in range(1, 31):
        picture.remember(_judged("S2", number, number))
    picture.remember(_judged("S1", 70, 0))
    assert [(each.shoe, each.round) for each in picture.history] == [("S1", 70), *(("S2", n) for n in range(1, 36))]
    picture.remember(_judged("S2", 4, 900, revision=2))
    assert picture.last == _judged("S2", 35, 35), "what is judged anew was not played anew"
    shown = sections_of(picture, [], masking=False)["history"]
    assert isinstance(shown, list)
    assert [each["round"] for each in shown] == [*range(35, 0, -1), 70]


def test_of_more_rounds_than_are_remembered_the_first_are_forgotten_whoever_tells_of_them() -> None:
    picture = TablePicture("BT1")
    for number in [*range(201, 206), *range(1, HISTORY + 1)]:
        picture.remember(_judged("S1", number, number))
    assert [each.round for each in picture.history] == [*range(6, HISTORY + 1), *range(201, 206)]
