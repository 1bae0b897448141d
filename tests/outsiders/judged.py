"""Judges all scenes in one run of the command and holds what comes out against what they expect."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from tests.outsiders.stage import Scene

Line = dict[str, Any]


def by_scene(lines: Iterable[Line]) -> dict[str, list[Line]]:
    """Verdicts or findings by the scene that their table belongs to."""
    found: dict[str, list[Line]] = defaultdict(list)
    for line in lines:
        scene, _, _ = str(line["table"]).rpartition(".")
        found[scene].append(line)
    return found


def place(line: Line) -> str:
    """The round of a verdict or finding as a scene writes it."""
    if line["round"] is None:
        return "-"
    table = line["table"].rpartition(".")[2]
    shoe = f"{line['shoe']}/"
    if table != "T1":
        return f"{table}:{shoe}{line['round']}"
    return f"{'' if line['shoe'] == 'S1' else shoe}{line['round']}"


def told_finding(finding: Line) -> tuple[str, ...]:
    """Code, round, and the bet or draw that is meant."""
    what = finding["bet"] or (f"d{finding['draw']}" if finding["draw"] is not None else None)
    corrected = ("corrected",) if finding.get("corrected") else ()
    return (finding["code"], place(finding), *([what] if what else []), *corrected)


def differences(scene: Scene, verdicts: list[Line], findings: list[Line]) -> list[str]:
    """What came otherwise than the scene expects, a line each."""
    rounds = {place(verdict): verdict for verdict in verdicts}
    statuses = {where: verdict["status"] for where, verdict in rounds.items()}
    wanted: Counter[tuple[str, ...]] = Counter()
    wrong = []
    for expected in scene.expected:
        match expected:
            case ["many", status, count]:
                for where in [str(number + 1) for number in range(int(count))]:
                    if statuses.pop(where, None) != status:
                        wrong.append(f"round {where} is not {status}")
            case [where, ("verified" | "flagged" | "void" | "unverifiable") as status]:
                if (got := statuses.pop(where, None)) != status:
                    wrong.append(f"round {where} is {got}, not {status}")
            case ["bet", where, bet, *amounts]:
                wrong += bet_differs(rounds[where], bet, amounts)
            case ["outcome", where, *words]:
                outcome = rounds[where]["outcome"]
                got_words = [outcome["winner"], *map(str, outcome["totals"].values())] if outcome else ["null"]
                if got_words != words:
                    wrong.append(f"outcome of {where} is {got_words}, not {words}")
            case ["differential", where, *words]:
                got_words = [str(value).lower() for value in (rounds[where]["differential"] or {"": None}).values()]
                if got_words != [word.replace("null", "none") for word in words]:
                    wrong.append(f"differential of {where} is {got_words}, not {words}")
            case code:
                wanted[tuple(code)] += 1
    wrong += [f"round {where} is {status}, not expected" for where, status in statuses.items()]
    found = Counter(told_finding(finding) for finding in findings if finding["basis"] == "rule")
    wrong += [f"not found: {' '.join(code)}" for code in (wanted - found).elements()]
    return wrong + [f"found: {' '.join(code)}" for code in (found - wanted).elements()]


def bet_differs(verdict: Line, bet: str, amounts: list[str]) -> list[str]:
    """Stake, paid and collected that are due on a bet, where they are not as expected."""
    (line,) = [line for line in verdict["bets"] if line["bet"] == bet]
    due = line["expected"]
    got = [str(line["stake"]), *(map(str, due.values()) if due else ["null"])]
    return [] if got == amounts else [f"bet {bet} is {got}, not {amounts}"]


def read(lines: bytes) -> list[Line]:
    """JSON lines as they came out."""
    return [json.loads(line) for line in lines.splitlines()]
