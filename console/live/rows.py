"""A table in one line, for the wall: small, and told again only where it has changed."""

from collections.abc import Mapping
from typing import Any, Final

from console.live.alerts import AlertBoard
from console.live.table import Judged, TablePicture
from schemas.findings import SEVERITIES

BEADS: Final = 24

_LETTERS: Final[Mapping[str, str]] = {
    "player": "P", "banker": "B", "tie": "T", "dragon": "D", "tiger": "G", "void": "V",
}  # fmt: skip

Row = dict[str, Any]


def row_of(picture: TablePicture, alerts: AlertBoard) -> Row:
    """The table as the wall shows it."""
    counted, worst = alerts.open_of(picture.table), alerts.worst_of(picture.table)
    configured, round, last = picture.configured, picture.round, picture.last
    silent = picture.silent()
    return {
        "game": configured.game if configured else None,
        "pit": configured.pit if configured else None,
        "area": configured.area if configured else None,
        "mode": configured.mode if configured else None,
        "state": picture.state,
        "shoe": picture.shoe.name if picture.shoe else None,
        "round": round.number if round else None,
        "cards": len(round.cards) if round else 0,
        "winner": last.winner if last else None,
        "totals": list(last.totals.values()) if last else [],
        "status": last.status if last else None,
        "beads": beads_of(picture),
        "findings": [counted[severity] for severity in SEVERITIES],
        "worst": worst.code if worst else None,
        "heard": picture.heard,
        "judged_after": picture.judged_after,
        "devices": [len(picture.devices), len(silent)],
    }


def beads_of(picture: TablePicture) -> str:
    """The last results of the shoe, two signs each: the letter of the winner, and ``!`` where something was found."""
    return "".join(_bead(each) for each in picture.of_shoe[-BEADS:])


def _bead(judged: Judged) -> str:
    letter = "V" if judged.status == "void" else _LETTERS.get(judged.winner or "", "?")
    return letter + ("!" if judged.codes else ".")


def difference(before: Row | None, after: Row) -> Row:
    """What of a row is new."""
    if before is None:
        return after
    return {name: value for name, value in after.items() if before[name] != value}
