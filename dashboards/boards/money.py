"""Money: handle, win and hold against their exact expectation with its band, by game, wager and table.

Hold is theoretical, win over handle: drop and fills are not known here.
"""

from typing import Final

from dashboards.board import Board
from dashboards.choosing import CURRENCY, EVERYWHERE, MINOR, MONEY, REPLAY, TO_TABLE, marks
from dashboards.expected_win import BAND, sums, sums_by_wager
from dashboards.kinds import bars, course, figure, listing
from dashboards.panel import GREEN, ORANGE, RED, Column
from dashboards.pictures import win_so_far
from dashboards.sources import Sql

_ALL: Final = sums("'all' AS name")
_BY_GAME: Final = sums("game")
_BY_TABLE: Final = sums("table")
_HELD: Final = (
    "win / nullIf(handle, 0) AS held, expected / nullIf(handle, 0) AS expected_hold,"
    f" (expected - {BAND} * sqrt(variance)) / nullIf(handle, 0) AS band_from,"
    f" (expected + {BAND} * sqrt(variance)) / nullIf(handle, 0) AS band_to"
)
_BESIDE: Final = "if(variance = 0, 0, (win - expected) / sqrt(variance)) AS deviations"
_AMOUNTS: Final = "handle / ${minor} AS staked, win / ${minor} AS won, expected / ${minor} AS expected_win"
_BAND_ABOUT: Final = (
    "The band holds 19 of 20 such results if all is well; beyond it is a reason to look and accuses nobody."
)
_FULL_SHOE: Final = "Exact odds of a full shoe; wagers of one round are taken together, as the same cards settle them."

_PERCENT: Final = tuple(Column(name, unit="percentunit") for name in ("held", "expected_hold", "band_from", "band_to"))
_MONEY: Final = tuple(Column(name, unit="locale") for name in ("staked", "won", "expected_win"))
_DEVIATIONS: Final = Column(
    "deviations", unit="none", thresholds=[(-1e9, ORANGE), (-1.96, GREEN), (1.96, ORANGE), (4, RED)]
)

_STANDING: Final = (
    figure(
        "Handle and win (${currency})",
        "Sum of all stakes that stood, and what the house collected less what it paid. Void rounds are left out.",
        Sql(
            "SELECT toFloat64(sum(handle)) / ${minor} AS staked, toFloat64(sum(win)) / ${minor} AS won"
            f" FROM round_figures FINAL WHERE {MONEY} AND status != 'void'"
        ),
        unit="locale",
        width=6,
    ),
    figure(
        "Win against its expectation (${currency})",
        f"Win and what the stakes give on average, over stakes whose odds are known. {_FULL_SHOE}",
        Sql(f"SELECT win / ${{minor}} AS won, expected / ${{minor}} AS expected_win FROM ({_ALL})"),
        unit="locale",
        width=6,
    ),
    figure(
        "Hold, expected hold and its band",
        f"Win over handle: theoretical, as drop and fills are not known here. {_BAND_ABOUT}",
        Sql(f"SELECT {_HELD} FROM ({_ALL})"),
        unit="percentunit",
        decimals=2,
        width=8,
    ),
    figure(
        "Paid wrongly (${currency})",
        "What the house won less what it should have won by the cards, over rounds that could be judged.",
        Sql(
            "SELECT (toFloat64(sum(win)) - toFloat64(sum(due_win))) / ${minor} AS difference"
            f" FROM round_figures FINAL WHERE {MONEY} AND status IN ('verified', 'flagged')"
        ),
        unit="locale",
        width=4,
    ),
)

_COURSE: Final = (
    win_so_far(f"Added up over the time shown. {_BAND_ABOUT} {_FULL_SHOE}", MONEY, 16, 10),
    course(
        "Handle by game (${currency})",
        "Stakes that stood, by the time their round was opened.",
        Sql(
            "SELECT $__timeInterval(opened) AS time, game, toFloat64(sum(handle)) / ${minor} AS staked"
            f" FROM round_figures FINAL WHERE {MONEY} GROUP BY time, game ORDER BY time",
            series=True,
        ),
        unit="locale",
        width=8,
        height=10,
        custom={"stacking": {"mode": "normal", "group": "A"}},
    ),
)

_SPLIT: Final = (
    listing(
        "By game (${currency})",
        f"Deviations: how many standard deviations the win lies off its expectation. {_BAND_ABOUT}",
        Sql(f"SELECT game, {_AMOUNTS}, {_HELD}, {_BESIDE} FROM ({_BY_GAME}) ORDER BY handle DESC, game"),
        decimals=2,
        width=24,
        columns=[*_MONEY, *_PERCENT, _DEVIATIONS],
    ),
    listing(
        "By wager (${currency})",
        f"Every wager of every game against its own odds. {_BAND_ABOUT}",
        Sql(
            f"SELECT game, wager, bets, {_AMOUNTS}, {_HELD}, {_BESIDE} FROM ({sums_by_wager()})"
            " ORDER BY handle DESC, game, wager"
        ),
        decimals=2,
        width=24,
        height=12,
        columns=[*_MONEY, *_PERCENT, _DEVIATIONS],
    ),
    listing(
        "By table (${currency})",
        f"Tables whose win lies farthest off its expectation first. {_BAND_ABOUT}",
        Sql(
            f"SELECT table, {_AMOUNTS}, {_HELD}, {_BESIDE} FROM ({_BY_TABLE})"
            " ORDER BY abs(deviations) DESC, table LIMIT 500"
        ),
        decimals=2,
        width=24,
        height=12,
        columns=[Column("table", link=TO_TABLE), *_MONEY, *_PERCENT, _DEVIATIONS],
    ),
    bars(
        "Hold by game against its expectation",
        "Win over handle by game, beside what the stakes give on average.",
        Sql(
            "SELECT toString(game) AS name, win / nullIf(handle, 0) AS held,"
            f" expected / nullIf(handle, 0) AS expected_hold FROM ({_BY_GAME}) ORDER BY name"
        ),
        unit="percentunit",
    ),
    listing(
        "Largest rounds (${currency})",
        "The rounds in which most money moved. A click on the number replays the round in the console.",
        Sql(
            "SELECT table, shoe, round, opened, game, toFloat64(handle) / ${minor} AS staked,"
            f" toFloat64(win) / ${{minor}} AS won, status FROM round_figures FINAL WHERE {MONEY}"
            " ORDER BY abs(win) DESC, table, shoe, round LIMIT 50"
        ),
        columns=[
            Column("table", link=TO_TABLE),
            Column("round", link=REPLAY),
            Column("opened", unit="dateTimeAsIso"),
            *_MONEY[:2],
        ],
    ),
)

MONEY_BOARD: Final = Board(
    uid="tablewatch-money",
    title="Money",
    about="Handle, win and hold against their exact expectation with its band, by game, wager and table.",
    rows=[("Now", _STANDING), ("Course", _COURSE), ("Split", _SPLIT)],
    variables=(*EVERYWHERE[:3], CURRENCY, MINOR, EVERYWHERE[3]),
    marks=marks(shoes=False),
    since="now-24h",
    refresh="1m",
)
