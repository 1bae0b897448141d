"""The second judge: a file of events in, verdicts (section 4, without digest) and all findings out."""

from __future__ import annotations

from typing import Any

from tests.oracle.cards import Cards, early_cards, shoe_findings
from tests.oracle.floor import display_findings, method_findings, order_findings
from tests.oracle.money import (
    NOTHING,
    Amounts,
    actual,
    due,
    payout_findings,
    settled_bets,
    shown,
    uses_5_14,
    void_findings,
)
from tests.oracle.record import Holes, Round, build_rounds
from tests.oracle.rules import IN_FORCE
from tests.oracle.stakes import Standing, bet_findings, differential, placings
from tests.oracle.timeline import Finding, device_findings, finding, read_file
from tests.oracle.void import founded, requires_void, role_findings

Verdict = dict[str, Any]
SETTINGS = {"tolerance_ms": 500, "clock_tolerance_ms": 2000, "silence_s": 60}


def audit_lines(lines: list[bytes]) -> dict[str, list[Any]]:
    events, places, findings = read_file(lines)
    findings += device_findings(events, places)
    rounds = build_rounds(events)
    holes = Holes(events, places)
    verdicts = judge_in_order_of_play(rounds, holes)
    findings += shoe_findings(events, rounds, holes)
    findings += [found for verdict in verdicts for found in verdict["findings"]]
    return {"verdicts": verdicts, "findings": findings}


def judge_in_order_of_play(rounds: list[Round], holes: Holes) -> list[Verdict]:
    """The verdict on each round; who had used their one time of 5.14 follows from the rounds before it."""
    judged: dict[tuple[str, str, int], Verdict] = {}
    used: dict[str, set[tuple[str, Any]]] = {}  # by table
    for r in sorted(rounds, key=lambda r: r.start["key"]):
        r.used_5_14 = set(used.get(r.table, ()))
        verdict = judged[r.table, r.shoe, r.number] = judge_round(r, holes)
        if r.is_dtb_or_ff4 and verdict["status"] != "void":  # a void round has no outcome to pay or collect on
            used.setdefault(r.table, set()).update(uses_5_14(r, all_standings(r)))
    return [judged[r.table, r.shoe, r.number] for r in rounds]


def all_standings(r: Round) -> dict[str, Standing]:
    return {bet: Standing(r, bet) for bet in placings(r)}


def incomplete(r: Round, missing: list[str]) -> Finding:
    return finding("round-incomplete", r.table, **r.about(), expected=missing)


def judge_round(r: Round, holes: Holes) -> Verdict:
    standings = all_standings(r)
    if r.config is None:
        missing = ["table.configured"] if r.ended else ["the end of the round"]
        return write_verdict(r, "unverifiable", [incomplete(r, missing)], None, {}, standings)
    cards = Cards(r, holes)
    void_rulings = r.rulings("void")
    declared = bool(void_rulings)
    required = requires_void(r, cards) and not declared
    rightly_void = founded(r, cards) if declared else required and not settled_bets(r)
    expected = what_is_due(r, standings, cards, returned=rightly_void or required, judged=not declared)
    if r.decks is None:
        cards.outcome = None
    if not r.ended:  # "what a file leaves open as round-incomplete alone"
        found = [incomplete(r, ["the end of the round"])]
        return write_verdict(r, "unverifiable", found, cards, expected, standings)

    findings, missing = order_findings(r, holes)
    findings += method_findings(r) + role_findings(r) + early_cards(r) + bet_findings(r, standings)
    findings += cards.findings(void=declared or rightly_void)
    if cards.hidden and not declared and not required:
        missing.append("a draw")

    if r.decks is None:  # display, payouts and void are not judged
        missing.append("shoe.loaded")
    elif rightly_void:
        findings += void_findings(r)
        findings += display_findings(r, cards, void_rulings[0] if declared else None)
    elif declared:
        findings.append(finding("void-unfounded", r.table, **r.about()))
    elif required:
        findings.append(finding("void-required", r.table, **r.about()))
    elif cards.short and not cards.hidden:  # card-missing: display and payouts are not judged
        pass
    else:
        judge_amounts = cards.outcome is not None
        payouts, lost = payout_findings(r, standings, cards, judge_amounts, holes)
        findings += payouts
        missing += lost
        findings += display_findings(r, cards, None)

    if missing:
        findings.append(incomplete(r, missing))
    if rightly_void:
        status = "void"
    elif missing or any(found["code"] == "card-conflict" for found in findings):
        status = "unverifiable"
    else:
        status = "flagged" if findings else "verified"
    return write_verdict(r, status, findings, cards, expected, standings)


def what_is_due(
    r: Round, standings: dict[str, Standing], cards: Cards, returned: bool, judged: bool
) -> dict[str, Amounts | None]:
    """By bet: (paid, collected) by the rules. Nothing where the round is or had to be void; not known where the shoe is
    not, or where a void without ground keeps it from being judged; always nothing for bets that do not stand."""
    expected: dict[str, Amounts | None] = {}
    for bet, placing in placings(r).items():
        if returned or not standings[bet].stake:
            expected[bet] = NOTHING
        elif r.decks is None or not judged:
            expected[bet] = None
        else:
            expected[bet] = due(r, placing, standings[bet], cards)
    return expected


def write_verdict(
    r: Round,
    status: str,
    findings: list[Finding],
    cards: Cards | None,
    expected: dict[str, Any],
    standings: dict[str, Standing],
) -> Verdict:
    displays = r.of("result.displayed.v1")
    bets = []
    for bet, placing in placings(r).items():
        bets.append(
            {
                "bet": bet,
                "position": placing["data"]["position"],
                "player": placing["data"]["player"],
                "wager": placing["data"]["wager"],
                "stake": standings[bet].stake,
                "expected": shown(expected.get(bet)),
                "actual": shown(actual(r, bet)),
            }
        )
    rules = None if r.config is None else {"document": r.document, "in_force": IN_FORCE[r.document]}
    return {
        "table": r.table,
        "shoe": r.shoe,
        "round": r.number,
        "revision": 1,
        "game": None if r.config is None else r.game,
        "rules": rules,
        "status": status,
        "outcome": cards.outcome if cards else None,
        "displayed": {key: displays[-1]["data"][key] for key in ("winner", "totals")} if displays else None,
        "bets": bets,
        "differential": None if r.config is None else differential(r),
        "findings": findings,
        "settings": SETTINGS,
    }
