"""Which rounds a person means: the filters that the replay commands share, checked before the store is asked."""

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from typing import Annotated, Any, Final

import typer

from games.rulebook import GAMES, WAGERS
from schemas.findings import SEVERITY
from schemas.verdicts import STATUSES
from store.read.rounds import RoundFilter

Tables = Annotated[
    list[str] | None, typer.Option("--table", metavar="TABLE", help="Only rounds of this table; may be repeated.")
]
Shoe = Annotated[str | None, typer.Option("--shoe", metavar="SHOE", help="Only rounds of this shoe.")]
FromTime = Annotated[
    str | None,
    typer.Option("--from-time", metavar="TIME", help="Opened at or after, e.g. 2026-01-31 or 2026-01-31T20:00Z."),
]
ToTime = Annotated[
    str | None, typer.Option("--to-time", metavar="TIME", help="Opened before; a day alone is meant whole.")
]
Player = Annotated[
    str | None, typer.Option("--player", metavar="PLAYER", help="Only rounds in which this player had a bet.")
]
Code = Annotated[
    str | None, typer.Option("--code", metavar="CODE", help="Only rounds with this finding, e.g. payout-wrong.")
]
Status = Annotated[
    str | None, typer.Option("--status", metavar="STATUS", help=f"Only rounds that are {', '.join(STATUSES)}.")
]
Wager = Annotated[str | None, typer.Option("--wager", metavar="WAGER", help="Only rounds with a bet on this wager.")]
GameName = Annotated[str | None, typer.Option("--game", metavar="GAME", help="Only rounds of this game.")]

_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(Z|[+-]\d{2}:\d{2})?)?")


def filter_of(
    table: list[str] | None = None,
    shoe: str | None = None,
    from_time: str | None = None,
    to_time: str | None = None,
    player: str | None = None,
    code: str | None = None,
    status: str | None = None,
    wager: str | None = None,
    game: str | None = None,
) -> RoundFilter:
    """The filter that a person wrote; what cannot be meant ends the command with exit code 2."""
    start = None if from_time is None else moment_of(from_time, "--from-time")
    end = None if to_time is None else moment_of(to_time, "--to-time", whole_day=True)
    if start is not None and end is not None and start >= end:
        raise typer.BadParameter(f"--from-time {from_time} is not before --to-time {to_time}.")
    for named, value in (("--shoe", shoe), ("--player", player), *(("--table", each) for each in table or ())):
        if value == "":
            raise typer.BadParameter(f"{named} is empty.")
    return RoundFilter(
        tables=tuple(table or ()),
        shoe=shoe,
        start=start,
        end=end,
        player=player,
        code=_one_of(code, SEVERITY, "--code", "finding"),
        status=_one_of(status, STATUSES, "--status", "status"),
        wager=_one_of(wager, WAGERS, "--wager", "wager"),
        game=_one_of(game, GAMES, "--game", "game"),
    )


_OPTIONS: Final = {
    "table": Tables, "shoe": Shoe, "from_time": FromTime, "to_time": ToTime, "player": Player, "code": Code,
    "status": Status, "wager": Wager, "game": GameName,
}  # fmt: skip
"""The options of a filter, by the names of `filter_of`."""


def filtered(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes all options of a filter, and is handed the filter as ``wanted``."""
    own = inspect.signature(command, eval_str=True)
    kept = [each for each in own.parameters.values() if each.name != "wanted"]
    options = [
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=kind)
        for name, kind in _OPTIONS.items()
    ]

    def asked(**given: Any) -> None:
        wanted = filter_of(**{name: given.pop(name) for name in _OPTIONS})
        command(wanted=wanted, **given)

    asked.__doc__ = command.__doc__
    asked.__annotations__ = {each.name: each.annotation for each in (*kept, *options)}
    # Typer reads it.
    asked.__signature__ = inspect.Signature([*kept, *options])  # type: ignore[attr-defined]  # Python has no type for it
    return asked


def asked_for(wanted: RoundFilter) -> dict[str, Any]:
    """What was asked for, for the access log."""
    return {name: value for name, value in asdict(wanted).items() if value not in (None, ())}


def _one_of(value: str | None, known: Iterable[str], option: str, what: str) -> str | None:
    names = list(known)
    if value is None or value in names:
        return value
    near = get_close_matches(value, names, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}."
    raise typer.BadParameter(f"{option}: there is no {what} {value!r}; {hint}")


def moment_of(text: str, option: str, *, whole_day: bool = False) -> int:
    """A time that a person wrote, in microseconds since 1970; without a zone it is UTC, as everywhere here."""
    match = _TIME.fullmatch(text.strip())
    try:
        if match is None:
            raise ValueError(text)
        day, clock, zone = match.groups()
        moment = datetime.fromisoformat(f"{day}T{clock or '00:00'}{'' if zone in (None, 'Z') else zone}")
    except ValueError as error:
        raise typer.BadParameter(
            f"{option} {text!r} is no time; write 2026-01-31, 2026-01-31T20:00Z or 2026-01-31T20:00+08:00."
        ) from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    if whole_day and clock is None:
        moment += timedelta(days=1)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
