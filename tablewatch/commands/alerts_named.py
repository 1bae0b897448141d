"""Which alert is meant by the first characters of an id, as messages and lists show them."""

from typing import Final

import typer

from store.connect import Store
from store.rows.alerts import AlertHistory
from streams.alerting.acts import Deed
from streams.alerting.desk import alerts_beginning, open_alerts
from streams.alerting.life import life_of, moment
from tablewatch.commands.services import WRONG_USE

WHOLE: Final = 32
"""Characters of a whole id."""
MOST_TOLD: Final = 10
"""Of several that begin alike so many are named."""
_OF_OPEN_ONES: Final[tuple[Deed, ...]] = ("acknowledge", "take", "resolve", "hand over")


def whole_id(store: Store, start: str, deed: Deed | None = None) -> str:
    """The id that begins so, or what was given; of several, the open one if the deed can be done to no other."""
    if len(start) >= WHOLE:
        return start
    if deed in _OF_OPEN_ONES:
        meant = [history.alert.id for history in open_alerts(store) if history.alert.id.startswith(start)]
        if len(meant) == 1:
            return meant[0]
    found = alerts_beginning(store, start, MOST_TOLD + 1)
    if len(found) > 1:
        count = str(len(found)) if len(found) <= MOST_TOLD else f"More than {MOST_TOLD}"
        typer.echo(f"{count} alerts begin with {start!r}; write more of the id:", err=True)
        for history in found[:MOST_TOLD]:
            typer.echo(_told(history), err=True)
        raise typer.Exit(WRONG_USE)
    return found[0].alert.id if found else start


def _told(history: AlertHistory) -> str:
    alert = history.alert
    state = life_of(history.steps).state or "raised"
    return f"{alert.id}  {moment(alert.raised * 1000)}  {alert.table or 'no table'}  {alert.code}  {state}"
