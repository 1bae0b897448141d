"""A round's story as the page gets it: every clause with its subject, and player ids only for those who need them."""

from dataclasses import asdict
from typing import Any

from console.clauses import clause_subjects
from console.findings import told_finding
from console.masking import MASK, masked
from replay.rounds import StoredRound
from replay.story import story_json
from schemas.money import decimals_of

UNKNOWN_PLAYER = "An unknown player"
"""What a story says of a bet whose player no device knows."""


def story_told(round: StoredRound, *, masking: bool) -> dict[str, Any]:
    """The story as JSON, with the subjects of its clauses and what else stands on the page."""
    told = story_json(round.story())
    told["findings"] = [told_finding(each, told["currency"], masking=masking) for each in told["findings"]]
    if masking:
        _mask(told)
    told["decimals"] = decimals_of(told["currency"])
    cited = [*told["clauses"], *(f"{told['document']} {each}" for each in _ruling_clauses(round))]
    told["subjects"] = clause_subjects(cited)
    verdict = round.verdict
    displayed = None if verdict is None else verdict.displayed
    told["displayed"] = None if displayed is None else asdict(displayed)
    differential = None if verdict is None else verdict.differential
    told["differential"] = None if differential is None else asdict(differential)
    configuration = round.configuration
    limits = {} if configuration is None else configuration.data.limits
    told["limits"] = {wager: {"min": limit.min, "max": limit.max} for wager, limit in limits.items()}
    told["settings"] = {} if verdict is None else dict(verdict.settings)
    return told


def _ruling_clauses(round: StoredRound) -> list[str]:
    return [stored.event.data.clause for stored in round.counting if stored.event.type == "ruling.made.v1"]


def _mask(told: dict[str, Any]) -> None:
    for line in told["bets"]:
        line["player"] = masked(line["player"])
    for moment in told["moments"]:
        if moment["kind"] == "bet":
            moment["words"] = _without_name(moment["words"])


def _without_name(words: str) -> str:
    """A placed bet is the one sentence that names a player: it begins with who sits at the position."""
    who, place, rest = words.rpartition(" at position ")
    return words if not place or who == UNKNOWN_PLAYER else f"{MASK}{place}{rest}"
