"""One table: its rounds with a way into their replay, its money, its shoes and cards, its findings."""

from typing import Final

from dashboards.board import Board
from dashboards.choosing import (
    CONSOLE,
    CURRENCY,
    GAME,
    LATELY,
    MINOR,
    ONE_TABLE,
    OPENED,
    PIT,
    REPLAY,
    marks,
)
from dashboards.kinds import bars, figure, listing, shares
from dashboards.panel import BLUE, ORANGE, RED, Column
from dashboards.pictures import findings_by_severity, rounds_by_status, win_so_far
from dashboards.sources import Sql

_HERE: Final = "table = '${table}'"
_ROUNDS: Final = f"{OPENED} AND {_HERE}"
_MONEY: Final = f"{_ROUNDS} AND currency = '${{currency}}'"
_FINDINGS: Final = f"$__timeFilter(time) AND raised >= {LATELY} AND {_HERE} AND cleared = 0"

_STANDING: Final = (
    figure(
        "Rounds",
        "Rounds of this table by how they were judged.",
        Sql(
            "SELECT count() AS rounds, countIf(status = 'flagged') AS flagged,"
            " countIf(status = 'unverifiable') AS unverifiable, countIf(status = 'void') AS void"
            f" FROM round_figures FINAL WHERE {_ROUNDS}"
        ),
        width=10,
        colors={"flagged": RED, "unverifiable": ORANGE, "void": BLUE},
    ),
    figure(
        "Handle and win (${currency})",
        "Sum of the stakes that stood, and what the house collected less what it paid. Void rounds are left out.",
        Sql(
            "SELECT toFloat64(sum(handle)) / ${minor} AS staked, toFloat64(sum(win)) / ${minor} AS won"
            f" FROM round_figures FINAL WHERE {_MONEY} AND status != 'void'"
        ),
        unit="locale",
        width=8,
    ),
    figure(
        "Paid or collected wrongly (${currency})",
        "What the house won less what it should have won by the cards. Zero when every payout was right.",
        Sql(
            "SELECT (toFloat64(sum(win)) - toFloat64(sum(due_win))) / ${minor} AS difference"
            f" FROM round_figures FINAL WHERE {_MONEY} AND status IN ('verified', 'flagged')"
        ),
        unit="locale",
        width=6,
    ),
)

_COURSE: Final = (
    win_so_far(
        "Win added up over the time shown. The band holds it 19 times out of 20 if all is well; leaving it is a "
        "reason to look and accuses nobody. Exact odds of a full shoe, wagers of one round taken together.",
        _MONEY,
        12,
        8,
    ),
    rounds_by_status("Rounds by the time they were opened.", _ROUNDS),
)

_LISTS: Final = (
    listing(
        "Rounds",
        "The latest rounds, newest first. A click on the number replays the round in the console.",
        Sql(
            "SELECT table, shoe, round, opened, status, winner, displayed_winner AS displayed, dealer,"
            " arrayStringConcat(codes, ', ') AS findings, length(bets.bet) AS placed, revision"
            f" FROM rounds FINAL WHERE {_ROUNDS} ORDER BY opened DESC, round DESC LIMIT 200"
        ),
        width=24,
        height=11,
        columns=[
            Column("table", hidden=True),
            Column("round", link=REPLAY),
            Column("opened", unit="dateTimeAsIso"),
        ],
    ),
    listing(
        "Findings",
        "What stands against this table, its shoes and its devices, newest first.",
        Sql(
            "SELECT table, shoe, round, time, severity, code, rule, message FROM findings FINAL"
            f" WHERE {_FINDINGS} ORDER BY time DESC LIMIT 200"
        ),
        width=24,
        height=10,
        columns=[
            Column("table", hidden=True),
            Column("round", link=REPLAY),
            Column("time", unit="dateTimeAsIso"),
        ],
    ),
)

_SHOES: Final = (
    listing(
        "Shoes",
        "Shoes of this table: when the first and the last round shown were opened, and how they were judged.",
        Sql(
            "SELECT shoe, min(opened) AS first_round, max(opened) AS last_round, count() AS rounds,"
            " countIf(status = 'flagged') AS flagged, countIf(status = 'void') AS void"
            f" FROM round_figures FINAL WHERE {_ROUNDS} GROUP BY shoe ORDER BY first_round DESC LIMIT 100"
        ),
        columns=[Column("first_round", unit="dateTimeAsIso"), Column("last_round", unit="dateTimeAsIso")],
    ),
    bars(
        "Cards of the last shoe",
        "How often each card of the shoe was read in the time shown, once however often it was reported. No card "
        "can come more often than the shoe has decks.",
        Sql(
            "SELECT card, uniqExact(round, draw) AS seen FROM events"
            f" WHERE type = 'card.drawn.v1' AND {_HERE} AND $__timeFilter(time) AND arrival >= {LATELY}"
            f" AND shoe = (SELECT argMax(shoe, opened) FROM round_figures WHERE {_ROUNDS})"
            " GROUP BY card ORDER BY card"
        ),
    ),
    shares(
        "Findings by code",
        "What is found at this table, by the contract's codes.",
        Sql(
            "SELECT code, count() AS findings FROM findings FINAL"
            f" WHERE {_FINDINGS} GROUP BY code ORDER BY findings DESC, code"
        ),
    ),
    findings_by_severity(_FINDINGS),
)

TABLE_BOARD: Final = Board(
    uid="tablewatch-table",
    title="Table",
    about="One table: its rounds with a way into their replay, its money, its shoes and its findings.",
    rows=[("Now", _STANDING), ("Course", _COURSE), ("Rounds and findings", _LISTS), ("Shoes and cards", _SHOES)],
    variables=(PIT, GAME, ONE_TABLE, CURRENCY, MINOR, CONSOLE),
    marks=marks(shoes=True),
)
