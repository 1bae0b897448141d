"""Panels by their kind: one call for each, with what all of its kind have in common."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dashboards.panel import Column, Panel
from dashboards.sources import Query

_FIGURE_HEIGHT: Final = 4


def figure(
    title: str,
    about: str,
    *queries: Query,
    width: int,
    unit: str = "none",
    decimals: int | None = None,
    thresholds: Sequence[tuple[float, str]] = (),
    colors: Mapping[str, str] | None = None,
) -> Panel:
    """Numbers to be read at a glance, of the time shown."""
    return Panel(
        kind="stat",
        title=title,
        about=about,
        unit=unit,
        queries=queries,
        width=width,
        height=_FIGURE_HEIGHT,
        decimals=decimals,
        thresholds=thresholds,
        colors=colors or {},
    )


def course(
    title: str,
    about: str,
    *queries: Query,
    unit: str = "none",
    width: int = 12,
    height: int = 8,
    columns: Sequence[Column] = (),
    colors: Mapping[str, str] | None = None,
    custom: Mapping[str, Any] | None = None,
) -> Panel:
    """Lines, or bars, in time."""
    return Panel(
        kind="timeseries",
        title=title,
        about=about,
        unit=unit,
        queries=queries,
        width=width,
        height=height,
        columns=columns,
        colors=colors or {},
        custom=custom or {},
    )


def bars(
    title: str,
    about: str,
    query: Query,
    *,
    unit: str = "none",
    width: int = 12,
    columns: Sequence[Column] = (),
    colors: Mapping[str, str] | None = None,
) -> Panel:
    """A bar for each name."""
    return Panel(
        kind="barchart",
        title=title,
        about=about,
        unit=unit,
        queries=[query],
        width=width,
        columns=columns,
        colors=colors or {},
    )


def shares(title: str, about: str, query: Query, *, width: int = 12) -> Panel:
    """What the whole is made of."""
    return Panel(kind="piechart", title=title, about=about, unit="none", queries=[query], width=width)


def listing(
    title: str,
    about: str,
    query: Query,
    *,
    width: int = 12,
    height: int = 8,
    decimals: int | None = None,
    columns: Sequence[Column] = (),
) -> Panel:
    """Rows to be read one by one."""
    return Panel(
        kind="table",
        title=title,
        about=about,
        unit="none",
        queries=[query],
        width=width,
        height=height,
        decimals=decimals,
        columns=columns,
    )
