"""Panels by their kind: one call for each, with what all of its kind have in common."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict, Unpack

from dashboards.panel import Column, Panel
from dashboards.sources import Query

_FIGURE_HEIGHT: Final = 4


class Look(TypedDict, total=False):
    """What a panel may say beside its title and its queries, as `Panel` has it."""

    unit: str
    width: int
    decimals: int | None
    thresholds: Sequence[tuple[float, str]]
    columns: Sequence[Column]
    colors: Mapping[str, str]
    custom: Mapping[str, Any]


def figure(title: str, about: str, *queries: Query, **look: Unpack[Look]) -> Panel:
    """Numbers to be read at a glance, of the time shown."""
    return Panel(kind="stat", title=title, about=about, queries=queries, height=_FIGURE_HEIGHT, **look)


def course(title: str, about: str, *queries: Query, height: int = 8, **look: Unpack[Look]) -> Panel:
    """Lines, or bars, in time."""
    return Panel(kind="timeseries", title=title, about=about, queries=queries, height=height, **look)


def bars(title: str, about: str, query: Query, **look: Unpack[Look]) -> Panel:
    """A bar for each name."""
    return Panel(kind="barchart", title=title, about=about, queries=[query], **look)


def shares(title: str, about: str, query: Query, **look: Unpack[Look]) -> Panel:
    """What the whole is made of."""
    return Panel(kind="piechart", title=title, about=about, queries=[query], **look)


def listing(title: str, about: str, query: Query, *, height: int = 8, **look: Unpack[Look]) -> Panel:
    """Rows to be read one by one."""
    return Panel(kind="table", title=title, about=about, queries=[query], height=height, **look)
