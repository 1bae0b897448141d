"""The board behind the desk: which closed alerts it keeps, and of what it tells pages."""

from console.live.alerts import CLOSED_KEPT, AlertBoard
from store.rows.alerts import AlertHistory, AlertStep
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
