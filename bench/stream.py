"""Our Faust worker beside what one would take in its place, on a real Kafka: the same records, the same work.

    python -m bench.stream [--events 120000] [--sustained 480000] [--turns 2] [--pairs 3] [--peers ours,aiokafka,…]
    python -m bench.stream --peers ours --per-record 3 --tables 2000

Each turn has topics, a store and a process of its own, and decodes, judges and inserts the same floor: once with 100
events packed into a record, once with every event in a record of its own. The broker has been at work before. Then
events come at a steady rate, and the time is taken from a record on the broker to its rows in the store. The worker
does more than the peers in the same time: it sends alerts and verdicts out, keeps a backlog for a store that is away,
and survives being killed. It writes by a process beside it, whose time and memory count as its own.

What our worker sustains is taken from turns of its own with more events: in a short one, a second of starting and the
last batch, which nothing overlaps, count as much as a fifth of it.

Ours, the peer that was the fastest and the barest loop then have more turns, one after the other: on a machine that
others use as well, the best of many peers' few turns is the luckiest of them, not the fastest.
"""

import argparse
import sys
import time
from dataclasses import dataclass
from itertools import islice, zip_longest

from bench.page.figures import RATIO, tell
from bench.peers.turn import INSTALL, MODULES, OURS, PeerFailed, Setting, Turn, broker_at_work, installed, run
from simulator.floor import simulate
from tests.services.kafka import KafkaBroker

PACKED = 100
SUSTAINED = 50_000
"""The bar: packed, events a second through our worker, for as long as it lasts."""
LEVEL = 0.9
"""The bar: packed, of the fastest peer."""
BARE, OF_BARE = "confluent-kafka", 0.6
"""The loop with the least in it, and the bar: packed, of its pace."""
EVENTS_OF_ROUND = 25
"""Fewer than a round has, so that the floor lasts."""


@dataclass(frozen=True, slots=True)
class Measured:
    """All turns of one way to pack."""

    name: str
    turns: dict[str, list[Turn]]

    def values(self, peer: str, field: str) -> list[float]:
        """One figure of all turns of a peer, in their order."""
        found = [getattr(turn, field) for turn in self.turns[peer]]
        return [value for value in found if value is not None]

    def compared(self) -> list[str]:
        """Our path, the fastest other by what was measured so far and the barest; nobody where there is no other."""
        others = [peer for peer in self.turns if peer != OURS]
        if OURS not in self.turns or not others:
            return []
        fastest = max(others, key=lambda peer: max(self.values(peer, "events_per_s")))
        return list(dict.fromkeys([OURS, fastest, *(peer for peer in others if peer == BARE)]))


def main() -> int:
    """Measure everyone in turn, and say how they compare."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--events", type=int, default=120_000, help="packed; unpacked it is a third of them")
    options.add_argument("--sustained", type=int, default=480_000, help="packed, of the longer turns of ours")
    options.add_argument("--turns", type=int, default=2, help="of each peer")
    options.add_argument(
        "--pairs", type=int, default=3, help="turns more of ours, the fastest and the barest; unpacked it is one less"
    )
    options.add_argument(
        "--minutes", type=float, default=5.5, help="after which no more of those are begun; one is always"
    )
    options.add_argument("--per-record", type=int, default=PACKED, help="events of a packed record, at most")
    options.add_argument("--tables", type=int, default=200)
    options.add_argument("--rate", type=int, default=2_000, help="events a second for the latency")
    options.add_argument("--seconds", type=float, default=5.0, help="of the steady rate")
    options.add_argument("--peers", default=",".join([OURS, *MODULES]))
    asked = options.parse_args()
    peers = [peer for peer in (OURS, *MODULES) if peer in asked.peers.replace("ours", OURS).split(",")]
    for peer in [peer for peer in peers if not installed(peer)]:
        peers.remove(peer)
        print(f"  {peer} is not installed, and is left out; `{INSTALL}` installs it")
        tell("not installed", 1, of=peer)
    if not peers:
        return 0
    paced = int(asked.rate * asked.seconds)
    most = max(asked.events + paced, asked.sustained)
    rounds = most // (asked.tables * EVENTS_OF_ROUND) + 2
    floor = list(islice(simulate(asked.tables, rounds, 1), most))
    lines = floor[: asked.events + paced]
    settings = {
        "packed": Setting(lines, paced, asked.rate, asked.per_record),
        "sustained": Setting(floor[: asked.sustained], 0, asked.rate, asked.per_record),
        "unpacked": Setting(lines[: asked.events // 3 + paced], paced, asked.rate, 1),
    }
    tell("events in a record, packed", asked.per_record)
    tell("events, packed", asked.events)
    tell("events, sustained", asked.sustained)
    tell("events, unpacked", asked.events // 3)
    tell("tables", asked.tables)
    held = True
    with broker_at_work(settings["packed"]) as broker:
        for name, setting in settings.items():
            began = time.monotonic()
            taking_part = [peer for peer in peers if name != "sustained" or peer == OURS]
            measured = Measured(name, {peer: [] for peer in taking_part})
            for number in range(asked.turns):
                first = number % max(1, len(taking_part))
                for peer in taking_part[first:] + taking_part[:first]:
                    measured.turns[peer].append(_turn(peer, setting, broker))
            compared = measured.compared()
            for number in range(asked.pairs - (name == "unpacked")):
                if number and time.monotonic() - began > asked.minutes * 60:
                    break
                for peer in compared:
                    measured.turns[peer].append(_turn(peer, setting, broker))
                compared.reverse()
            held &= say(measured)
            held &= compare(measured)
    return 0 if held else 1


def _turn(peer: str, setting: Setting, broker: KafkaBroker) -> Turn:
    for again in (True, False):
        try:
            turn = run(peer, setting, broker)
            break
        except PeerFailed as error:
            # A machine that stands still for seconds ends a peer by its time-outs: once is not held against it.
            if not again:
                raise SystemExit(f"{peer} failed twice: {error}") from error
            print(f"  … {peer} failed, and has another turn", file=sys.stderr)
    late = "" if turn.p50_ms is None else f", p50 {turn.p50_ms:.0f} ms"
    print(f"  … {peer}: {turn.events_per_s:,.0f} events/s, {turn.verdicts} rounds judged{late}", file=sys.stderr)
    return turn


def say(measured: Measured) -> bool:
    """The figures of everyone; whether the bar is held."""
    held = True
    for figure, field, unit, best in (
        ("events a second", "events_per_s", "events/s", max),
        ("processor time of an event, peer", "cpu_us", "µs", min),
        ("processor time of an event, store", "store_us", "µs", min),
        ("memory", "memory_mb", "MB", min),
        ("p50 latency", "p50_ms", "ms", min),
        ("p99 latency", "p99_ms", "ms", min),
        ("rounds judged", "verdicts", "", min),
    ):
        for peer in measured.turns:
            if values := measured.values(peer, field):
                bar = SUSTAINED if (measured.name, peer, field) == ("sustained", OURS, "events_per_s") else None
                name = f"{figure}, {measured.name}"
                told = tell(name, best(values), unit, of=peer, turns=values, at_least=bar)
                held &= told.holds is not False
    return held


def compare(measured: Measured) -> bool:
    """Our best turn by the best turn of the best peer, and the spread turn by turn; whether the bar is held."""
    others = [peer for peer in measured.turns if peer != OURS]
    if OURS not in measured.turns or not others:
        return True
    held = True
    for figure, field, more_is_better in (
        ("events a second", "events_per_s", True),
        ("processor time of an event, peer", "cpu_us", False),
        ("memory", "memory_mb", False),
        ("p50 latency", "p50_ms", False),
        ("p99 latency", "p99_ms", False),
    ):
        best = max if more_is_better else min
        ours = measured.values(OURS, field)
        by_turn = zip_longest(*(measured.values(peer, field) for peer in others))
        theirs = [best(value for value in values if value is not None) for values in by_turn]
        if not ours or not theirs:
            continue

        def ratio(mine: float, other: float, more: bool = more_is_better) -> float:
            return mine / other if more else other / mine

        bar = LEVEL if (measured.name, field) == ("packed", "events_per_s") else None
        told = tell(
            f"{figure}, {measured.name}: as good as the best peer", ratio(best(ours), best(theirs)), RATIO,
            turns=[ratio(*each) for each in zip(ours, theirs, strict=True)], at_least=bar,
        )  # fmt: skip
        held &= told.holds is not False
    if measured.name == "packed" and BARE in others:
        ours, bare = (measured.values(peer, "events_per_s") for peer in (OURS, BARE))
        told = tell(
            f"events a second, packed: as good as a bare {BARE} loop", max(ours) / max(bare), RATIO,
            turns=[mine / other for mine, other in zip(ours, bare, strict=True)], at_least=OF_BARE,
        )  # fmt: skip
        held &= told.holds is not False
    return held


if __name__ == "__main__":
    sys.exit(main())
