"""The board behind the desk: which closed alerts it keeps, and of what it tells pages."""

from dataclasses import replace

import pytest

from console.live.alerts import CLOSED_KEPT, AlertBoard, Closing
from store.rows.alerts import AlertHistory, AlertStep
from streams.alerting.acts import Act, Deed, SystemAct, decide
from streams.alerting.life import SYSTEM, raised_step
from streams.alerting.raising import UNKNOWN_PLACE, alert_of
from tests.console.house import made_up_finding

AT = 1_700_000_000_000


def closed(number: int, at: int) -> AlertHistory:
    """An alert raised in the order of the numbers, and cleared at this moment."""
    alert = alert_of(made_up_finding(number), UNKNOWN_PLACE, AT + number, {})
    cleared = AlertStep(alert=alert.id, id="0001.x", at=at * 1000, action="cleared", state="cleared", by=SYSTEM)
    return AlertHistory(alert, (raised_step(alert.id, alert.raised * 1000), cleared))


def test_what_was_closed_before_the_start_is_shown_and_no_news() -> None:
    board = AlertBoard()
    known = closed(1, AT + 10_000)
    board.recall(known)
    picture = board.get(known.alert.id)
    assert picture is not None
    assert not picture.open
    assert board.changed == set()
    assert board.open_count.total() == 0


def test_an_alert_that_the_topic_told_of_as_open_is_closed_by_what_the_store_knows() -> None:
    board = AlertBoard()
    known = closed(1, AT + 10_000)
    board.take_finding(made_up_finding(1), AT, AT * 1000, UNKNOWN_PLACE)
    board.changed.clear()
    board.recall(known)
    assert board.open_count.total() == 0
    assert board.changed == {known.alert.id}, "pages have it as open"


def test_those_that_were_closed_last_are_kept_however_early_they_were_raised() -> None:
    board = AlertBoard()
    late = closed(0, AT + 10_000_000)
    board.recall(late)
    others = [closed(number, AT + 10_000 + number) for number in range(1, 2 * CLOSED_KEPT + 1)]
    for each in reversed(others):
        board.recall(each)
    assert len(board) == CLOSED_KEPT + 1, "and the one that was just taken in"
    assert board.get(late.alert.id) is not None
    assert board.get(others[-1].alert.id) is not None


def test_an_old_alert_that_somebody_looks_at_is_not_forgotten_at_once() -> None:
    board = AlertBoard()
    for number in range(1, 2 * CLOSED_KEPT + 1):
        board.recall(closed(number, AT + 10_000 + number))
    old = closed(0, AT)
    board.take_history(old)
    assert board.get(old.alert.id) is not None


@pytest.mark.parametrize("before", ["acknowledge", "resolve"])
def test_what_a_person_reopens_is_open_though_the_topic_has_cleared_it(before: Deed) -> None:
    """And closed again by the next clearing, once the finding has been raised again."""
    board = AlertBoard()
    finding = made_up_finding(1)
    alert = alert_of(finding, UNKNOWN_PLACE, AT, {})
    steps = [raised_step(alert.id, AT * 1000)]

    def person(deed: Deed) -> None:
        record(Act(deed=deed, by="mei", role="shift_manager", at=AT * 1000, note="seen", disposition="confirmed"))

    def record(act: Act | SystemAct) -> None:
        made = decide(steps, act, alert.id)
        assert isinstance(made, tuple)
        steps.extend(made)
        board.take_history(AlertHistory(alert, tuple(steps)))

    def hear(*, cleared: bool) -> None:
        board.take_finding(replace(finding, cleared=cleared), AT, AT * 1000, UNKNOWN_PLACE)

    def state() -> str:
        picture = board.get(alert.id)
        assert picture is not None
        assert board.open_count.total() == picture.open
        return picture.state

    hear(cleared=False)
    person(before)
    hear(cleared=True)
    record(SystemAct(deed="clear", at=AT * 1000))
    assert state() == ("resolved" if before == "resolve" else "cleared")
    person("reopen")
    assert state() == "reopened"
    hear(cleared=True)
    assert state() == "reopened", "what is told again changes nothing"
    person("acknowledge")
    person("resolve")
    hear(cleared=False)
    record(SystemAct(deed="raise again", at=AT * 1000))
    assert state() == "reopened"
    hear(cleared=True)
    assert state() == "cleared", "before the store knows of it"


def test_how_an_alert_was_closed_is_by_whom_and_when() -> None:
    board = AlertBoard()
    alert = alert_of(made_up_finding(1), UNKNOWN_PLACE, AT, {})
    steps = [raised_step(alert.id, AT * 1000)]

    def closing() -> Closing | None:
        board.take_history(AlertHistory(alert, tuple(steps)))
        picture = board.get(alert.id)
        assert picture is not None
        return picture.closing

    def record(act: Act | SystemAct) -> None:
        made = decide(steps, act, alert.id)
        assert isinstance(made, tuple)
        steps.extend(made)

    assert closing() is None
    taken = Act(deed="take", by="tom", role="operator", at=(AT + 1_000) * 1000)
    handed = Act(deed="hand over", by="tom", role="operator", at=(AT + 2_000) * 1000, to="mei", to_role="shift_manager")
    resolved = Act(
        deed="resolve", by="mei", role="shift_manager", at=(AT + 3_000) * 1000, note="seen", disposition="test"
    )
    for act in (taken, handed, resolved):
        record(act)
    assert closing() == Closing("mei", AT + 3_000)
    record(SystemAct(deed="clear", at=(AT + 4_000) * 1000))
    assert closing() == Closing("mei", AT + 3_000), "what a person has resolved stays as he said"
    record(Act(deed="reopen", by="mei", role="shift_manager", at=(AT + 5_000) * 1000, note="again"))
    assert closing() is None
    record(SystemAct(deed="clear", at=(AT + 7_000) * 1000))
    assert closing() == Closing("", AT + 7_000)


def test_what_only_the_topic_has_cleared_was_closed_when_the_log_took_that() -> None:
    """Where no alert service runs, no step tells of it."""
    board = AlertBoard()
    finding = made_up_finding(1)
    board.take_finding(finding, AT, AT * 1000, UNKNOWN_PLACE)
    cleared = replace(finding, cleared=True)
    for arrival in (AT + 5_000, AT + 9_000):  # told twice
        board.take_finding(cleared, arrival, AT * 1000, UNKNOWN_PLACE)
    picture = board.get(finding.id)
    assert picture is not None
    assert picture.closing == Closing("", AT + 5_000)
    board.take_history(AlertHistory(picture.alert, (raised_step(finding.id, AT * 1000),)))
    picture = board.get(finding.id)
    assert picture is not None
    assert picture.closing == Closing("", AT + 5_000)


def test_what_the_topic_cleared_last_is_kept_however_early_it_was_raised() -> None:
    board = AlertBoard()
    late = made_up_finding(0)
    board.take_finding(late, AT, AT * 1000, UNKNOWN_PLACE)
    board.take_finding(replace(late, cleared=True), AT + 10_000_000, AT * 1000, UNKNOWN_PLACE)
    for number in range(1, 2 * CLOSED_KEPT + 1):
        board.recall(closed(number, AT + 10_000 + number))
    assert board.get(late.id) is not None
