"""Whether the self-test of the alerts came through: for those who must know that they can rely on the desk."""

from fastapi import APIRouter

from console.api.models import Told
from console.live.self_test import Outcome
from console.server.gate import SignedIn
from console.server.parts import Console

router = APIRouter(prefix="/api/v1", tags=["alerts"])


class SelfTestTold(Told):
    """The last run of the self-test that is known."""

    outcome: Outcome
    """none: no run in the last day, or none that this console has heard of."""
    at: int | None
    """When it ended, in milliseconds since 1970."""


@router.get("/self-test", summary="Whether alerts come through")
async def self_test(_: SignedIn, parts: Console) -> SelfTestTold:
    """The outcome of the last run of the daily self-test. Its table stands on no floor and is shown nowhere."""
    picture = parts.live.floor.self_test
    return SelfTestTold(outcome=picture.outcome, at=picture.at)
