"""When the fact came that decides a finding: what a camera is looked at for."""

from typing import Any

import pytest

from audit.live.table import LiveTable
from audit.settings import JudgeSettings
from schemas.decoding import decode_lines
from schemas.time import micros
from tests.audit.case import TABLE, Case
from tests.store.floor import finding

MOMENTS = [
    ("payout-wrong", {"bet": "b1"}, "bet.settled.v1"),
    ("payout-missing", {"bet": "b2"}, "round.closed.v1"),
    ("above-maximum", {"bet": "b1"}, "bet.placed.v1"),
    ("foreign-card", {"draw": 2}, "card.drawn.v1"),
    ("display-mismatch", {}, "result.displayed.v1"),
    ("void-required", {}, "round.closed.v1"),
]


@pytest.mark.parametrize(("code", "about", "kind"), MOMENTS, ids=[code for code, _, _ in MOMENTS])
def test_the_moment_of_a_finding_is_that_of_the_fact_that_decides_it(
    code: str, about: dict[str, Any], kind: str
) -> None:
    case = Case().round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)}).show("player").round()
    table = LiveTable(TABLE, JudgeSettings())
    for event in decode_lines(case.lines()).events:
        table.take(event)
    said = [each for each in case.events() if each["type"] == kind and each["data"]["round"] == 1]
    wanted = next((each for each in said if each["data"].get("draw") == about.get("draw")), said[-1])
    shoe = said[0]["data"]["shoe"]
    found = finding(code, TABLE, shoe, 1, **about)
    assert table.moment_of(found) == micros(wanted["time"])
    assert table.moment_of(finding(code, TABLE, shoe, 99, **about)) == table.latest
