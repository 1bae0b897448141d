"""What was let go of is not forgotten: a fact about it asks for the store."""

from audit.live.table import LiveTable
from audit.settings import JudgeSettings
from schemas.decoding import decode_lines
from tests.audit.case import FIRST_BET, Case

LONG_AFTER = 2**60


def test_a_fact_of_a_shoe_that_was_let_go_asks_for_the_shoe_again() -> None:
    """A topic that is read late, or a correction the day after: no round is made of that fact alone."""
    case = Case().round(**FIRST_BET).end_shoe(None).load("S2").round(**FIRST_BET)
    events = decode_lines(case.lines()).events
    bets = [event for event in events if event.type.startswith("bet.") and event.data.shoe == "S1"]
    table = LiveTable(case.said[0]["subject"], JudgeSettings())
    for event in events:
        if event not in bets:
            table.take(event)
    table.look(LONG_AFTER)
    table.release(LONG_AFTER)
    assert ("S1", 1) not in table.rounds
    for event in bets:
        table.take(event)
    seen = table.look(LONG_AFTER)
    assert seen.reload == {"S1"} or [event for event, _ in seen.late] == bets
    assert ("S1", 1) not in table.rounds
