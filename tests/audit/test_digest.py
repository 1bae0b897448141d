"""The digest: SHA-256 over the RFC 8785 form of the facts that a verdict rests on, and of nothing else."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from random import Random
from typing import Any

import pytest
import rfc8785

from audit.settings import JudgeSettings
from tests.audit.both_judges import judge_lines
from tests.audit.case import CLOSING, FIRST_CARD, TABLE, Case, settled_round, unsettled_round
from tests.oracle.cards import reads
from tests.oracle.judge import judge_in_order_of_play
from tests.oracle.money import player_key
from tests.oracle.record import Holes, Round, build_rounds
from tests.oracle.scenarios import scenario_lines
from tests.oracle.script import say, to_lines
from tests.oracle.stakes import placings
from tests.oracle.timeline import read_file

OWN = ("data", "id", "sequence", "source", "specversion", "subject", "time", "type")


def as_said(event: dict[str, Any] | None) -> dict[str, Any] | None:
    """An event without what the second judge noted on it; an optional field that says nothing is absent."""
    if event is None:
        return None
    data = {name: value for name, value in event["data"].items() if (name, value) != ("mode", "live")}
    return {**{name: event[name] for name in OWN}, "data": data}


def facts_of(r: Round, events: list[dict[str, Any]]) -> dict[str, Any]:
    """What section 4 of the contract lists, put together anew from the second judge's record."""
    of_table = [event for event in events if event["subject"] == r.table]
    configured = [e for e in of_table if e["type"] == "table.configured.v1" and e["eff"] <= r.start["eff"]]
    loaded = [e for e in of_table if e["type"] == "shoe.loaded.v1" and e["data"]["shoe"] == r.shoe]
    dealt = Counter(cards[0] for o in r.earlier for cards in reads(o).values() if len(cards) == 1)
    certain = {cards[0] for cards in reads(r).values() if len(cards) == 1}
    players = {player_key(placing) for placing in placings(r).values()} if configured else set()
    return {
        "configuration": as_said(configured[-1] if configured else None),
        "copies_dealt_earlier": {
            card: dealt[card] if card in certain else 0 for cards in reads(r).values() for card in cards
        },
        "events": [as_said(event) for event in sorted(r.events, key=lambda e: (e["source"], e["sequence"], e["id"]))],
        "settings": JudgeSettings().as_json(),
        "shoe": as_said(loaded[-1] if loaded else None),
        "used_their_one_time": sorted(f"{kind} {name}" for kind, name in players & r.used_5_14),
    }


def check_digests(lines: list[bytes]) -> int:
    """Compare every digest of a file with one made by another implementation of RFC 8785."""
    events, places, _ = read_file(lines)
    rounds = build_rounds(events)
    judge_in_order_of_play(rounds, Holes(events, places))
    digests = judge_lines(lines).digests()
    for r in rounds:
        canonical = rfc8785.dumps(facts_of(r, events))
        assert digests[r.table, r.shoe, r.number] == sha256(canonical).hexdigest()
    return sum(bool(r.used_5_14) for r in rounds)


@pytest.mark.parametrize("seeds", [range(start, start + 10) for start in range(0, 20, 10)], ids=str)
def test_the_digest_is_that_of_the_canonical_facts(seeds: range) -> None:
    for seed in seeds:
        check_digests(scenario_lines(Random(seed)))


def test_players_who_had_used_their_one_time_are_among_the_facts() -> None:
    case = Case().round(bets={"b1": ("player", 50)}, settled={"b1": (50, 0)})
    case.round(bets={"b1": ("player", 50)}, settled={"b1": (0, 0)})
    assert check_digests(case.lines()) == 1


def test_names_in_any_script() -> None:
    case = Case().round(None, {"b1": ("player", 100)}, {"b1": (100, 0)}, player='安娜 𝒜\u2028\x7f"\\\n')
    check_digests(case.lines())


def digest(case: Case) -> str:
    return str(case.verdict()["digest"])


def test_what_has_no_effect_does_not_change_it() -> None:
    events = settled_round().events()
    plain = judge_lines(to_lines(events)).digests()
    for event in events:
        event |= {"datacontenttype": "application/json", "dataschema": "urn:x"}
    events[0]["data"]["mode"] = "live"
    assert judge_lines(to_lines(events)).digests() == plain


@pytest.mark.parametrize("what", ["own event", "configuration", "shoe", "copies", "one time"])
def test_each_part_of_the_facts_changes_it(what: str) -> None:
    def rounds(first: str = "4D", bet: int = 100, **config: Any) -> Case:
        case = Case(**config).round([first, "2D", "5D", "KD"], {"b1": ("player", bet)}, {"b1": (bet, 0)})
        return case.round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})

    usual = digest(rounds())
    if what == "own event":
        assert digest(rounds().show("player")) != usual
    elif what == "configuration":
        assert digest(rounds(positions=9)) != usual
    elif what == "shoe":
        assert digest(rounds(decks=6)) != usual
    elif what == "copies":
        assert digest(rounds(first="4H")) != usual
    else:
        assert digest(rounds(bet=50)) != usual


def test_facts_of_other_rounds_and_devices_do_not_change_it() -> None:
    case = settled_round()
    usual = digest(case)
    case.beat(500, "/tables/BT1/camera", 9_000)
    case.said.append(say(TABLE, case.opened + 1, "table.configured", **case.config))
    assert digest(case) == usual
    following = settled_round().round()
    assert following.audit()["verdicts"][0]["digest"] == usual


def test_the_same_facts_judged_differently_by_late_facts_have_another_digest() -> None:
    case = unsettled_round()
    usual = digest(case)
    assert digest(case.change(CLOSING + 2_000, "b1", 150)) != usual
    assert digest(case.draw(5, "9D", at=FIRST_CARD + 8_000)) != usual
