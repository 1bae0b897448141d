"""How fast the engine re-audits rounds and bets, beside a plain scan, numpy and the judge; and does the judge agree?

python -m bench.reaudit [--millions 1 5] [--simulated 20000] [--seed 1]

The first half times the statements over rows made by the engine itself, of all ten games, each with three bets, and
numpy over as many rounds of one game that are in memory already; the second plays simulated floors with faults, has the
judge judge them, and re-audits what it stored: nothing may differ. Rates are by the clock, and by the time that the
engine spent on the processor, which other work on the machine does not slow down; ratios to a scan are by the latter.
"""

import argparse
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.page.figures import RATIO, tell
from bench.page.processes import cpu_seconds
from bench.replay_peers.dealing_by_numpy import rounds_a_second
from games.rulebook import GAMES, Game
from replay.reaudit.dealing import Dealt, dealt_alike
from replay.reaudit.reaudit import count_games, reaudit
from replay.reaudit.settlement import Dues
from replay.reaudit.statement import SETTINGS, Statement
from simulator.floor import simulate
from store.connect import Store, connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from store.write.verdicts import write_verdicts
from tests.replay.stored import judged
from tests.store.floor import LONG

_ROUNDS_A_FLOOR = 4_000
_TURNS = 10
"""Of three, the spread was less than what the machine's mood makes of the same work within an hour."""


def main() -> int:
    """Run both halves and print the figures."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--millions", type=float, nargs="+", default=[5.0], help="rounds to time, as they grow")
    options.add_argument("--simulated", type=int, default=20_000, help="rounds to judge and re-audit")
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder, EmbeddedClickHouse(Path(folder) / "clickhouse") as server:
        base = connect(server.url)
        wrong = 0
        in_engine = 0.0
        for number, millions in enumerate(filter(None, asked.millions)):
            timed = base.in_database(f"timed_{number}")
            migrate(timed, LONG)
            differing, in_engine = _timed(timed, server.pid, int(millions * 1_000_000 / len(GAMES)))
            wrong += differing
        if asked.simulated:
            simulated = base.in_database("simulated")
            migrate(simulated, LONG)
            wrong += _agreement(simulated, asked.simulated, asked.seed, in_engine)
        base.close()
    return 1 if wrong else 0


def _timed(store: Store, engine: int, rounds: int) -> tuple[int, float]:
    """How many differ, and how many rounds a second are settled."""
    for number, game in enumerate(GAMES.values()):
        _make(store, game, rounds, number)
    store.command("OPTIMIZE TABLE rounds FINAL")
    took: dict[str, list[float]] = defaultdict(list)
    spent: dict[str, list[float]] = defaultdict(list)
    wrong = rows = bets = 0
    for _ in range(_TURNS):
        for name in ("scan", "outcomes", "scan of bets", "settlement"):
            began, on_processor = time.perf_counter(), cpu_seconds(engine)
            rows = bets = 0
            for alike in dealt_alike(GAMES.values()):
                if name.startswith("scan"):
                    _scan(store, alike, _OUTCOME_COLUMNS if name == "scan" else _BET_COLUMNS)
                    continue
                for found in count_games(store, Statement(alike, name == "settlement"), "1", {}).values():
                    rows, bets, wrong = rows + found.rows, bets + found.bets, wrong + found.differing
            took[name].append(time.perf_counter() - began)
            spent[name].append(max(cpu_seconds(engine) - on_processor, _TICK))
    print(f"{rows:,} rounds, {bets:,} bets, {wrong} differ (best of {_TURNS} turns)")
    by_numpy = rounds_a_second(GAMES["no_commission"], rows, _TURNS)
    # Of few rounds most of the time is the planning of the statements, and the bars are about many.
    bars = {"outcomes": 5_000_000} if rows >= 1_000_000 else {}
    rate = "rounds a second"
    for name, seconds in took.items():
        _tell_rate(rate, rows, seconds, "rounds/s", of=_SAID[name], at=rows, at_least=bars.get(name))
    tell(rate, max(by_numpy), "rounds/s", of="numpy: winner alone, cards in memory", at=rows, turns=by_numpy)
    bar = 2_000_000 if bars else None
    _tell_rate("bets settled a second by SQL", bets, took["settlement"], "bets/s", at=rows, at_least=bar)
    for name, seconds in spent.items():
        _tell_rate("rounds a second of the processor", rows, seconds, "rounds/s", of=_SAID[name], at=rows)
    _tell_rate("bets settled a second of the processor by SQL", bets, spent["settlement"], "bets/s", at=rows)
    _tell_ratio("outcomes by SQL, by a plain scan", spent["scan"], spent["outcomes"], rows)
    _tell_ratio("settlement by SQL, by a plain scan", spent["scan of bets"], spent["settlement"], rows)
    _tell_ratio("outcomes by SQL, by numpy", [rows / each for each in by_numpy], took["outcomes"], rows)
    return wrong, rows / min(took["settlement"])


def _tell_rate(name: str, count: int, seconds: Sequence[float], unit: str, **more: Any) -> None:
    """So many in the best of several turns."""
    tell(name, count / min(seconds), unit, turns=[count / each for each in seconds], **more)


def _tell_ratio(name: str, theirs: Sequence[float], ours: Sequence[float], rows: int) -> None:
    """The best turn of each, and turn by turn; seconds."""
    turns = [their / our for their, our in zip(theirs, ours, strict=True)]
    tell(name, min(theirs) / min(ours), RATIO, at=rows, turns=turns)


_TICK = 0.01
"""Time on the processor is told in such steps."""
_SAID = {
    "scan": "plain scan of the cards, nothing computed",
    "outcomes": "SQL: winner, totals, naturals, pairs",
    "scan of bets": "plain scan of cards and bets",
    "settlement": "SQL: and every bet settled",
}


def _scan(store: Store, games: tuple[Game, ...], columns: str) -> None:
    names = ", ".join(f"'{game.name}'" for game in games)
    store.query(f"SELECT {columns} FROM rounds WHERE game IN ({names}) GROUP BY game", settings=SETTINGS)


_OUTCOME_COLUMNS = (
    "sum(length(cards)), sum(cards[1]), sum(totals[1]), sum(naturals), sum(pairs), uniq(winner), sum(decks)"
)
_BET_COLUMNS = (
    f"{_OUTCOME_COLUMNS}, sum(arraySum(bets.stake)), countIf(has(bets.wager, 'tie')), sum(length(codes)), uniq(status),"
    " sum(arraySum(arrayMap(each -> assumeNotNull(each), bets.expected_paid))),"
    " sum(arraySum(arrayMap(each -> assumeNotNull(each), bets.expected_collected))),"
    " sum(arraySum(arrayMap(each -> assumeNotNull(each), bets.paid))),"
    " sum(arraySum(arrayMap(each -> assumeNotNull(each), bets.collected)))"
)


def _make(store: Store, game: Game, rounds: int, number: int) -> None:
    """Rounds of a game with random cards and three bets each, settled as they should be."""
    dealt = Dealt((game,))
    dues = Dues(dealt)
    names = ", ".join(f"{sql} AS {name}" for name, sql in (dealt.names | dues.names).items())
    first, second = game.hands
    net = dues.net("number_of_wager")
    due, scale = dealt.outcome_due, dues.scale
    store.command(
        "INSERT INTO rounds (table, shoe, round, revision, judged, opened, ended, game, decks, status, cards, winner,"
        " totals, naturals, pairs, bets.bet, bets.position, bets.player, bets.wager, bets.stake, bets.expected_paid,"
        " bets.expected_collected, bets.paid, bets.collected)"
        f" WITH '{game.name}' AS game, {names},"
        f" arrayMap(i -> {list(game.wagers)}[1 + (cityHash64(number, i) % {len(game.wagers)})], [1, 2, 3])"
        f" AS named, arrayMap(number_of_wager -> toInt64({net}), arrayMap(name -> {dues.wager_number('name')}, named))"
        f" AS nets, arrayMap(i -> toInt64({scale} * (1 + cityHash64(number, i, 7) % 5000)), [1, 2, 3]) AS stakes,"
        f" arrayMap((net, stake) -> intDiv(greatest(net, 0) * stake, {scale}), nets, stakes) AS won,"
        f" arrayMap((net, stake) -> intDiv(greatest(-net, 0) * stake, {scale}), nets, stakes) AS lost"
        f" SELECT concat('T{number}', toString(intDiv(number, 50000))), toString(intDiv(number, 70)), number % 70, 1,"
        " toDateTime64('2026-01-01 00:00:00', 3), toDateTime64('2026-01-01 00:00:00', 6),"
        f" toDateTime64('2026-01-01 00:00:00', 6), '{game.name}', 8, 'verified', cards,"
        f" ['tie', '{first}', '{second}'][({due}) % 4 + 1], [intDiv({due}, 262144), intDiv({due}, 1024) % 256],"
        f" intDiv({due}, 4) % 256, {dealt.pairs_due}, ['b1', 'b2', 'b3'], [1, 2, 3], ['p1', 'p2', ''], named, stakes,"
        " won, lost, won, lost FROM (SELECT number, arrayMap(i ->"
        f" toUInt8(cityHash64(number, i, {number}) % {game.deck.size}), range(1, {7 if game.is_baccarat else 3}))"
        " AS cards"
        f" FROM numbers({rounds}))",
        settings=SETTINGS,
    )


def _agreement(store: Store, rounds: int, seed: int, in_engine: float) -> int:
    """The judge's verdicts on simulated floors with faults, re-audited floor by floor."""
    done = bets = doubtful = unknown = differing = 0
    began = time.perf_counter()
    by_judge: list[float] = []
    while done < rounds:
        lines = list(simulate(tables=40, rounds=_ROUNDS_A_FLOOR // 40, seed=seed, faults=0.25))
        start = time.process_time()
        verdicts = judged(lines)
        judging = time.process_time() - start
        write_verdicts(store, verdicts)
        result = reaudit(store, explained=3)
        for each in result.listed[:20]:
            print(f"{each.key} differs in {', '.join(each.parts)}: {each.explanation}", file=sys.stderr)
        by_judge.append((result.rows + result.unknown) / judging)
        done += result.rows + result.unknown
        bets, doubtful, unknown = bets + result.bets, doubtful + result.in_doubt, unknown + result.unknown
        differing += result.differing
        # Said as it goes: a run that is cut short has told how far it came.
        print(f"{done:,} rounds, {bets:,} bets, {differing} differ (seed {seed})", flush=True)
        store.command("TRUNCATE TABLE rounds")
        store.command("TRUNCATE TABLE verdicts")
        seed += 1
    took = time.perf_counter() - began
    print(
        f"{done:,} simulated rounds with faults, {bets:,} bets: {differing} differ from the judge; of {doubtful} it is"
        f" not clear what was dealt, of {unknown} the game is not known; {took:.0f} s, seeds up to {seed - 1}"
    )
    said = "the judge: all checks, decoding included"
    tell("rounds a second", max(by_judge), "rounds/s", of=said, at=done, turns=by_judge)
    tell("rounds that SQL and the judge see differently", differing, at=done, at_most=0)
    if in_engine:
        shares = [in_engine / each for each in by_judge]
        tell("settlement by SQL, by the judge", in_engine / max(by_judge), RATIO, turns=shares)
    return differing


if __name__ == "__main__":
    sys.exit(main())
