"""The words that searches, refund sheets and what-ifs choose from, read from the rulebook itself."""

from functools import cache

from fastapi import APIRouter

from console.api.models import Told
from games.readings import choices
from games.rulebook import GAMES, WAGERS
from replay.refund import GROUNDS
from schemas.findings import SEVERITY
from schemas.verdicts import STATUSES

router = APIRouter(prefix="/api/v1", tags=["rounds"])


class GameTold(Told):
    """A game and its wagers."""

    name: str
    title: str
    document: str
    cards: list[str]
    """Every card of its deck."""
    wagers: dict[str, str]
    """By name, the wager as the layout prints it."""


class CatalogueTold(Told):
    """What can be chosen."""

    games: list[GameTold]
    wagers: dict[str, str]
    """Every wager that some game has, by its name, as the layout prints it."""
    codes: dict[str, str]
    """By code of a finding, its severity."""
    statuses: list[str]
    readings: dict[str, list[str]]
    """By name of an unclear rule, its readings; the one in force first."""
    grounds: dict[str, str]
    """By name, why a round can be void."""


@router.get("/catalogue", summary="Games, wagers, codes of findings, readings and grounds of a void round")
async def catalogue() -> CatalogueTold:
    """It does not change while the console runs."""
    return _catalogue()


@cache
def _catalogue() -> CatalogueTold:
    return CatalogueTold(
        games=[
            GameTold(
                name=game.name,
                title=game.title,
                document=game.document.title,
                cards=list(game.deck.codes),
                wagers={name: wager.title for name, wager in game.wagers.items()},
            )
            for game in GAMES.values()
        ],
        wagers=dict(WAGERS),
        codes=dict(SEVERITY),
        statuses=list(STATUSES),
        readings={name: list(each) for name, each in choices().items()},
        grounds=dict(GROUNDS),
    )
