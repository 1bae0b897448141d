"""Shoes that the watches have something to say of, and what `tablewatch audit` says of the same lines."""

import io
from random import Random
from typing import Any

import orjson

from audit.settings import JudgeSettings
from audit.watches.summary import ShoeSummary
from tablewatch.auditing.filing import Filing
from tablewatch.auditing.judging import judge_filed
from tests.audit.watches.dealt_shoes import deal, fair_shoe, picked_up, with_slug
from tests.tablewatch.test_audit_watches import GAME, foreseen


def with_false_shuffle(seed: int = 2) -> list[ShoeSummary]:
    """Four shoes; a slug of the first comes again in the last."""
    random = Random(seed)
    shoes = [fair_shoe(random, f"A{n}", stop_after=240) for n in range(3)]
    slug = picked_up(random, shoes[0].rounds[20:30], reverse=False)
    return [*shoes, deal(with_slug(random, slug, GAME.name, 8, 150), "A3", stop_after=240)]


def of_lucky_player(seed: int = 5, count: int = 4) -> list[ShoeSummary]:
    """Shoes in which one player backs the winner of every round."""
    random = Random(seed)
    return [foreseen(fair_shoe(random, f"B{n}", stop_after=300), "P1") for n in range(count)]


def audited(lines: list[bytes]) -> dict[str, dict[str, Any]]:
    """The statistical findings of an audit of these lines, by their ids."""
    out = io.BytesIO()
    with Filing() as filing:
        filing.take(list(lines))
        judge_filed(filing, JudgeSettings(), out, findings=True)
    found = (orjson.loads(line) for line in out.getvalue().splitlines())
    return {each["id"]: each for each in found if each["basis"] == "statistics"}
