"""The life of an alert: who may do what, and one legal history whatever people do at once."""

from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.rows.alerts import AlertStep
from streams.alerting.acts import (
    MAY,
    Act,
    Deed,
    Refusal,
    SystemAct,
    decide,
)
from streams.alerting.life import DISPOSITIONS, ROLES, Role, life_of, raised_step

START = 1_760_000_000_000_000
ALERT = "ab" * 16
RAISED = (raised_step(ALERT, START),)


def act(deed: Deed, by: str = "anna", role: Role = "shift_manager", **more: Any) -> Act:
    given: dict[str, Any] = {"at": START + 1_000_000}
    if deed == "resolve":
        given |= {"disposition": "confirmed", "note": "paid back"}
    elif deed in ("reopen", "note"):
        given["note"] = "look again"
    elif deed == "hand over":
        given |= {"to": "carl", "to_role": "operator"}
    return Act(deed=deed, by=by, role=role, **(given | more))


def after(*acts: Act | SystemAct) -> tuple[AlertStep, ...]:
    steps: tuple[AlertStep, ...] = RAISED
    for each in acts:
        decided = decide(steps, each, ALERT)
        assert not isinstance(decided, Refusal), decided
        steps += decided
    return steps


def refused(steps: tuple[AlertStep, ...], wanted: Act | SystemAct) -> Refusal:
    decided = decide(steps, wanted, ALERT)
    assert isinstance(decided, Refusal), decided
    return decided


def test_an_alert_goes_from_raised_over_acknowledged_and_taken_to_resolved() -> None:
    steps = after(act("acknowledge"), act("take"), act("resolve"))
    life = life_of(steps)
    assert [step.state for step in steps] == ["raised", "acknowledged", "taken", "resolved"]
    assert (life.state, life.holder, life.disposition, life.open) == ("resolved", "anna", "confirmed", False)
    assert steps[-1].note == "paid back"


def test_taking_or_resolving_what_nobody_saw_says_that_it_was_seen() -> None:
    assert [step.state for step in after(act("take"))] == ["raised", "acknowledged", "taken"]
    resolved = after(act("resolve"))
    assert [step.state for step in resolved] == ["raised", "acknowledged", "resolved"]
    assert [step.note for step in resolved] == ["", "", "paid back"]


def test_the_second_who_acknowledges_is_told_who_was_first() -> None:
    steps = after(act("acknowledge"))
    refusal = refused(steps, act("acknowledge", "bob", "operator", at=START + 2_000_000))
    assert "anna (shift manager) was first" in refusal.reason
    assert refusal.first == steps[-1]
    assert "already" in refused(steps, act("acknowledge")).reason


def test_what_one_has_taken_another_resolves_only_after_it_was_handed_over() -> None:
    steps = after(act("take", "bob", "operator"))
    assert "taken by bob" in refused(steps, act("resolve")).reason
    handed = after(act("take", "bob", "operator"), act("hand over", to="anna", to_role="shift_manager"), act("resolve"))
    assert life_of(handed).state == "resolved"
    assert "only bob or a shift manager" in refused(steps, act("hand over", "eve", "operator")).reason


def test_who_takes_an_alert_over_hands_nothing_over_to_herself() -> None:
    mine = act("hand over", to="anna", to_role="shift_manager")
    steps = after(act("take", "bob", "operator"), mine)
    assert (steps[-1].action, steps[-1].by, steps[-1].recipient) == ("taken over", "anna", "")
    assert (steps[-1].detail["from"], life_of(steps).holder) == ("bob", "anna")
    assert "anna (shift manager) took it over." in refused(steps, act("take", "bob", "operator")).reason
    nobodys = after(act("acknowledge", "bob", "operator"), mine)
    assert (nobodys[-1].action, life_of(nobodys).holder) == ("taken", "anna")


@pytest.mark.parametrize("deed", MAY)
@pytest.mark.parametrize("role", ROLES)
def test_each_role_may_do_what_the_list_says_and_no_more(deed: Deed, role: Role) -> None:
    ready: dict[Deed, tuple[AlertStep, ...]] = {"reopen": after(act("resolve")), "hand over": after(act("acknowledge"))}
    decided = decide(ready.get(deed, RAISED), act(deed, "dora", role), ALERT)
    assert isinstance(decided, Refusal) == (role not in MAY[deed])
    if isinstance(decided, Refusal):
        assert "needs one of these roles" in decided.reason


def test_a_resolution_needs_a_disposition_and_a_note() -> None:
    assert "Say what it was" in refused(RAISED, act("resolve", disposition=None)).reason
    assert "Write a note" in refused(RAISED, act("resolve", note="  ")).reason


def test_a_reopened_alert_begins_anew() -> None:
    steps = after(act("take"), act("resolve"), act("reopen", "otto", "auditor"))
    life = life_of(steps)
    assert (life.state, life.holder, life.acknowledged, life.disposition) == ("reopened", "", None, "")
    assert life_of(after(act("resolve"), act("reopen"), act("acknowledge", "bob"))).state == "acknowledged"
    assert "is open" in refused(RAISED, act("reopen")).reason


def test_an_unacknowledged_alert_is_not_handed_over() -> None:
    assert "goes on calling" in refused(RAISED, act("hand over")).reason


def test_an_alert_is_handed_over_only_from_whom_it_is_believed_to_be_at() -> None:
    taken = after(act("take", "bob", "operator"))
    mine = act("hand over", to="carl", to_role="operator", holder="anna")
    assert refused(taken, mine).reason == "It is with bob now: bob (operator) was first and took it."
    assert refused(taken, replace(mine, holder="")).first == taken[-1], "nobody had it"
    assert life_of(taken + after_on(taken, replace(mine, holder="bob"))).holder == "carl"
    assert life_of(taken + after_on(taken, replace(mine, holder=None))).holder == "carl", "whoever has it"
    reopened = after(act("acknowledge"), act("resolve"), act("reopen"), act("acknowledge", "eve"))
    assert refused(reopened, mine).reason.startswith("It is with nobody now: eve (shift manager) was first")


def test_escalation_stops_with_the_first_who_sees_it() -> None:
    escalate = SystemAct(deed="escalate", at=START + 9, role="shift_manager")
    steps = after(escalate, replace(escalate, at=START + 19))
    assert life_of(steps).escalations == 2
    steps += after_on(steps, act("acknowledge"))
    assert "anna (shift manager) was first" in refused(steps, replace(escalate, at=START + 29)).reason


def test_what_the_service_does_again_is_done_once() -> None:
    first = SystemAct(deed="escalate", at=START + 9, role="operator", detail={"opening": 0, "stage": 1})
    second = replace(first, role="shift_manager", detail={"opening": 0, "stage": 2})
    clear = SystemAct(deed="clear", at=START + 9, detail={"opening": 0})
    again = SystemAct(deed="raise again", at=START + 9, detail={"opening": 1})
    cleared_again = replace(clear, detail={"opening": 1})
    steps = after(first, second, clear, again, cleared_again)
    assert [step.action for step in steps[1:]] == ["escalated", "escalated", "cleared", "raised again", "cleared"]
    for number, wanted in enumerate((first, second, clear, again, cleared_again), 1):
        assert decide(steps, wanted, ALERT) == (steps[number],), wanted.deed
    resolved = after(act("resolve"), clear)
    assert decide(resolved, clear, ALERT) == (resolved[-1],)


def test_a_stage_of_the_escalation_that_another_service_has_done_is_refused() -> None:
    first = SystemAct(deed="escalate", at=START + 9, role="operator", detail={"opening": 0, "stage": 1})
    steps = after(first)
    assert refused(steps, replace(first, at=START + 2_009)).reason == "It was escalated."
    assert life_of(after(first, replace(first, at=START + 2_009, detail={"opening": 0, "stage": 2}))).escalations == 2


def test_an_escalation_that_an_earlier_version_stored_twice_counts_once() -> None:
    (first,) = after_on(RAISED, SystemAct(deed="escalate", at=START + 9, role="operator", note="Nobody"))
    twice = replace(first, id="0002.abc", at=START + 10, detail={"said_at": START + 9})
    (seen,) = after_on((*RAISED, first, twice), act("acknowledge"))
    assert seen.id.startswith("0003."), "its place is taken"
    life = life_of((*RAISED, first, twice, seen))
    assert life.standing == (*RAISED, first, seen)
    assert (life.state, life.escalations) == ("acknowledged", 1)


def after_on(steps: tuple[AlertStep, ...], wanted: Act | SystemAct) -> tuple[AlertStep, ...]:
    decided = decide(steps, wanted, ALERT)
    assert not isinstance(decided, Refusal)
    return decided


def test_a_cleared_finding_closes_its_alert_and_leaves_a_resolution_as_it_was() -> None:
    clear = SystemAct(deed="clear", at=START + 5_000_000)
    assert life_of(after(act("take"), clear)).state == "cleared"
    resolved = after(act("resolve"), clear)
    assert life_of(resolved).state == "resolved"
    assert resolved[-1].action == "cleared"
    assert life_of(after(clear, SystemAct(deed="raise again", at=START + 6_000_000))).state == "reopened"


def test_a_clock_that_is_behind_does_not_put_an_act_before_what_it_was_decided_upon() -> None:
    steps = after(act("acknowledge", at=START + 50), act("take", "bob", at=START - 99))
    assert [step.at for step in steps] == [START, START + 50, START + 51]
    assert steps[-1].detail["said_at"] == START - 99


PEOPLE: tuple[tuple[str, Role], ...] = (("anna", "shift_manager"), ("bob", "administrator"))
acts = st.builds(
    lambda deed, who, at, disposition: act(
        deed, *PEOPLE[who], at=at, **({"disposition": disposition} if deed == "resolve" else {})
    ),
    st.sampled_from([*MAY]),
    st.integers(0, 1),
    st.integers(START - 5, START + 60),
    st.sampled_from(DISPOSITIONS),
)
system = st.builds(
    SystemAct, deed=st.sampled_from(["escalate", "clear", "raise again"]), at=st.integers(START - 5, START + 60)
)

LEGAL = {
    ("raised", "acknowledged"),
    ("reopened", "acknowledged"),
    ("escalated", "acknowledged"),
    ("raised", "escalated"),
    ("reopened", "escalated"),
    ("escalated", "escalated"),
    ("acknowledged", "taken"),
    ("taken", "taken"),
    ("acknowledged", "resolved"),
    ("taken", "resolved"),
    ("resolved", "reopened"),
    ("cleared", "reopened"),
    *((state, "cleared") for state in ("raised", "reopened", "escalated", "acknowledged", "taken")),
}


@given(st.lists(st.tuples(st.one_of(acts, system), st.integers(0, 3)), max_size=14), st.randoms())
def test_any_interleaving_of_two_people_and_the_service_gives_one_legal_history(
    moves: list[tuple[Act | SystemAct, int]], random: Random
) -> None:
    """Each act is decided upon a view that may be some steps old, as with two writers at once; all are written."""
    written: list[AlertStep] = [*RAISED]
    for wanted, behind in moves:
        view = tuple(written[: max(1, len(written) - behind)])
        decided = decide(view, wanted, ALERT)
        assert decided == decide(tuple(reversed(view)), wanted, ALERT)
        if not isinstance(decided, Refusal):
            written += decided
    life = life_of(written)
    states = [step.state for step in life.standing if step.state]
    assert states[0] == "raised"
    assert all(pair in LEGAL for pair in pairwise(states)), states
    shuffled = [*written, *written[:3]]
    random.shuffle(shuffled)
    assert life_of(shuffled) == life
    holders = [step for step in life.standing if step.state == "acknowledged"]
    openings = sum(state in ("raised", "reopened") for state in states)
    assert len(holders) <= openings, "one opening is acknowledged once"


@given(st.lists(acts, min_size=1, max_size=10))
def test_one_after_the_other_every_accepted_act_counts(wanted: list[Act]) -> None:
    steps: tuple[AlertStep, ...] = RAISED
    for each in wanted:
        decided = decide(steps, each, ALERT)
        if not isinstance(decided, Refusal):
            steps += decided
            assert life_of(steps).standing[-len(decided) :] == decided
    assert len(life_of(steps).standing) == len(steps)


def test_the_first_at_a_place_counts_and_the_other_is_void() -> None:
    (first,) = after_on(RAISED, act("acknowledge", "anna"))
    (second,) = after_on(RAISED, act("acknowledge", "bob", at=START + 1_000_001))
    for steps in ((*RAISED, first, second), (second, first, *RAISED)):
        life = life_of(steps)
        assert life.acknowledged == first
        assert second not in life.standing
    assert life_of((*RAISED, replace(second, at=START + 5), first)).acknowledged == replace(second, at=START + 5)
