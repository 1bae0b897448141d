"""Acts at alerts of which it was uncertain whether they count: their author asks until it is known."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path

from console.api.models import Told
from console.server.gate import SignedIn
from console.server.parts import Console, Parts
from console.server.problems import Refused
from console.uncertain import Outcome
from store.errors import StoreError
from streams.alerting.acts import Act

router = APIRouter(prefix="/api/v1", tags=["alerts"])

ActId = Annotated[str, Path(pattern="^[0-9a-f]{16}$")]
_NEVER_TAKEN = "the store did not take it: do it again if the alert does not show it"


class UncertainActTold(Told):
    """What one did at an alert while the store did not answer."""

    id: str
    alert: str
    code: str
    """The alert's finding code; empty: not known."""
    table: str
    deed: str
    note: str
    """What one wrote then."""
    at: int
    """Milliseconds since 1970."""
    outcome: Outcome
    reason: str
    """Why it does not count."""


@router.get("/uncertain-acts", summary="One's acts that were uncertain")
async def uncertain_acts(session: SignedIn, parts: Console) -> list[UncertainActTold]:
    """Those whose outcome is not known yet, and those whose outcome one has not confirmed to have seen."""
    return [UncertainActTold.model_validate(each, from_attributes=True) for each in parts.uncertain.of(session.name)]


@router.delete("/uncertain-acts/{act}", status_code=204, summary="Confirm to have seen how one ended")
async def seen(act: ActId, session: SignedIn, parts: Console) -> None:
    """It is told no more; what counts stays with the alert."""
    if not parts.uncertain.seen(session.name, act):
        raise Refused(404, "there is no such act, or it has not ended")


def follow(parts: Parts, person: str, alert: str, act: Act, task: asyncio.Task[Any]) -> None:
    """Remember how the act ends that its author waits for no more."""
    known = parts.live.floor.alerts.get(alert)
    code, table = ("", "") if known is None else (known.alert.code, known.alert.table or "")
    waiting = parts.uncertain.begin(
        person, alert=alert, code=code, table=table, deed=act.deed, note=act.note, at=act.at // 1_000
    )

    def ended(task: asyncio.Task[Any]) -> None:
        error = None if task.cancelled() else task.exception()
        if not task.cancelled() and error is None:
            waiting.outcome = "counts"
            return
        waiting.outcome = "does not count"
        if isinstance(error, Refused):
            waiting.reason = error.detail
        elif error is None or isinstance(error, StoreError):
            waiting.reason = _NEVER_TAKEN
        else:
            waiting.reason = "a fault of the console: its log says more"

    task.add_done_callback(ended)
