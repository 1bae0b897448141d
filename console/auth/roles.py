"""The roles of the console, and what each is for."""

from collections.abc import Mapping
from typing import Final, Literal, get_args

Role = Literal["operator", "shift_manager", "auditor", "administrator"]

ROLES: Final[tuple[Role, ...]] = get_args(Role)

ABOUT: Final[Mapping[Role, str]] = {
    "operator": "watches the tables; sees no player ids",
    "shift_manager": "watches, and acts on alerts",
    "auditor": "watches, replays rounds, draws evidence and reports",
    "administrator": "manages people and sees who looked at what",
}

SEES_PLAYERS: Final[frozenset[Role]] = frozenset({"shift_manager", "auditor"})
"""Who needs player ids for the work; all others see them masked."""
