"""A small floor for the tests of the store: events of tables, packed into records, and verdicts about their rounds."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson

from schemas.decoding import decode_record
from schemas.findings import SEVERITY, Finding, finding_id
from schemas.topics import partition_of, topic_of
from schemas.verdicts import Bet, Displayed, Outcome, RulesInForce, Settled, Status, Verdict
from store.render import SchemaSettings
from store.rows.raw import Record
from store.rows.verdicts import FindingState, JudgedRound

START = 1_767_268_800_000_000
"""2026-01-01T12:00:00Z in microseconds."""
ARRIVAL = START // 1000
SECOND = 1_000_000
PARTITIONS = 4

LONG = SchemaSettings(years=50)
"""Keeps the rows of these tests, whose dates are fixed, whenever they run."""
CARDS = ("9S", "KH", "4D", "3C")


def iso(micros: int) -> str:
    """A time as events carry it."""
    return datetime.fromtimestamp(micros // SECOND, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{micros % SECOND:06d}Z"


@dataclass
class Table:
    """One table that deals rounds; everything it says is the same each time."""

    name: str
    now: int = START
    sequences: dict[str, int] = field(default_factory=dict)
    said: list[dict[str, Any]] = field(default_factory=list)

    def say(self, desk: str, kind: str, **data: Any) -> dict[str, Any]:
        source = f"/tables/{self.name}/{desk}"
        sequence = self.sequences.get(source, 0)
        self.sequences[source] = sequence + 1
        digest = hashlib.sha256(f"{source}/{sequence}".encode()).digest()
        event = {
            "specversion": "1.0",
            "id": str(UUID(bytes=digest[:16], version=4)),
            "source": source,
            "type": kind,
            "subject": self.name,
            "time": iso(self.now),
            "sequence": sequence,
            "data": data,
        }
        self.now += SECOND // 2
        self.said.append(event)
        return event

    def configure(self) -> None:
        self.say(
            "dealer",
            "table.configured.v1",
            game="no_commission",
            currency="SGD",
            area="main",
            positions=9,
            max_wagers_per_area=None,
            differential_limit=None,
            limits={"player": {"min": 100, "max": 100_000}, "banker": {"min": 100, "max": 100_000}},
            pit="P1",
        )

    def load(self, shoe: str) -> None:
        self.say("reader", "shoe.loaded.v1", shoe=shoe, decks=8)

    def play(self, shoe: str, number: int, *, closed: bool = True) -> None:
        """One round: two bets, four cards, a display, two settlements."""
        about = {"shoe": shoe, "round": number}
        self.say("dealer", "round.opened.v1", **about, method=None, dealer="D7")
        self.say("rfid", "bet.placed.v1", **about, bet="b1", position=1, player="P1", wager="player", amount=500)
        self.say("rfid", "bet.placed.v1", **about, bet="b2", position=2, player=None, wager="banker", amount=300)
        self.say("dealer", "bets.closed.v1", **about)
        for draw, card in enumerate(CARDS, start=1):
            self.say("reader", "card.drawn.v1", **about, draw=draw, card=card)
        self.say("display", "result.displayed.v1", **about, winner="banker", totals={"player": 3, "banker": 3})
        self.say("rfid", "bet.settled.v1", **about, bet="b1", paid=0, collected=500)
        self.say("rfid", "bet.settled.v1", **about, bet="b2", paid=300, collected=0)
        if closed:
            self.say("dealer", "round.closed.v1", **about)
        self.now += 20 * SECOND

    def end(self, shoe: str) -> None:
        self.say("reader", "shoe.ended.v1", shoe=shoe, remaining=None)


def evening(tables: Iterable[str] = ("BT1", "BT2", "BT3"), rounds: int = 3) -> list[Table]:
    """Tables that have dealt some rounds of one shoe."""
    floor = []
    for place, name in enumerate(tables):
        table = Table(name, START + place * 7 * SECOND)
        table.configure()
        table.load("S1")
        for number in range(1, rounds + 1):
            table.play("S1", number)
        floor.append(table)
    return floor


def packed(events: Iterable[dict[str, Any]], per_record: int = 7) -> list[Record]:
    """Events in the order of their times, packed per topic and partition as a gateway does."""
    waiting: dict[tuple[str, int], list[dict[str, Any]]] = {}
    offsets: dict[tuple[str, int], int] = {}
    records: list[Record] = []

    def flush(place: tuple[str, int]) -> None:
        batch = waiting.pop(place)
        offset = offsets.get(place, 0)
        offsets[place] = offset + 1
        raw = orjson.dumps(batch) if len(batch) > 1 else orjson.dumps(batch[0])
        arrival = ARRIVAL + len(records) * 250
        records.append(Record(*place, offset, arrival, raw, decode_record(raw)))

    for event in sorted(events, key=lambda event: (event["time"], event["source"], event["sequence"])):
        topic = topic_of(event["type"]) or "table.floor"
        place = (topic, partition_of(event["subject"], PARTITIONS))
        waiting.setdefault(place, []).append(event)
        if len(waiting[place]) == per_record:
            flush(place)
    for place in sorted(waiting):
        flush(place)
    return records


def everything(floor: Iterable[Table]) -> Iterator[dict[str, Any]]:
    """All that the tables of a floor have said."""
    for table in floor:
        yield from table.said


def finding(code: str, table: str | None, shoe: str | None = "S1", number: int = 1, **changes: Any) -> Finding:
    """A finding about a round."""
    fields: dict[str, Any] = {
        "id": finding_id(code, table, shoe, number, about=changes.pop("about", "")),
        "code": code,
        "severity": SEVERITY[code],
        "rule": None,
        "table": table,
        "shoe": shoe,
        "round": number,
        "bet": None,
        "draw": None,
        "expected": None,
        "actual": None,
        "message": f"{code} at table {table}",
    }
    return Finding(**(fields | changes))


def state(found: Finding, version: int = 1, time: int = START, raised: int = ARRIVAL) -> FindingState:
    return FindingState(finding=found, version=version, time=time, raised=raised)


def judged(
    table: str,
    shoe: str = "S1",
    number: int = 1,
    revision: int = 1,
    *,
    findings: tuple[Finding, ...] = (),
    bets: tuple[Bet, ...] | None = None,
    opened: int = START,
    at: int = ARRIVAL,
    status: Status | None = None,
) -> JudgedRound:
    """A verdict about a round of the floor, as a judge would give it."""
    if bets is None:
        bets = (
            bet("b1", "P1", "player", 500, expected=(0, 500), actual=(0, 500)),
            bet("b2", None, "banker", 300, expected=(300, 0), actual=(300, 0)),
        )
    verdict = Verdict(
        table=table,
        shoe=shoe,
        round=number,
        revision=revision,
        game="no_commission",
        rules=RulesInForce("electronic-baccarat", "2019-01-01"),
        status=status or ("flagged" if findings else "verified"),
        outcome=Outcome(
            winner="banker",
            totals={"player": 3, "banker": 3},
            hands={"player": CARDS[::2], "banker": CARDS[1::2]},
            naturals=(),
            pairs=("banker",),
        ),
        displayed=Displayed("banker", {"player": 3, "banker": 3}),
        bets=bets,
        differential=None,
        findings=findings,
        settings={"tolerance_ms": 500},
        digest=hashlib.sha256(repr((table, shoe, number, revision, findings, bets)).encode()).hexdigest(),
    )
    return JudgedRound(
        verdict=verdict,
        judge="1.0",
        judged=at,
        opened=opened,
        ended=opened + 30 * SECOND,
        cards=CARDS,
        decks=8,
        pit="P1",
        currency="SGD",
        dealer="D7",
    )


def bet(
    name: str,
    player: str | None,
    wager: str,
    stake: int,
    *,
    expected: tuple[Any, Any] | None,
    actual: tuple[int, int] | None,
) -> Bet:
    return Bet(
        bet=name,
        position=1,
        player=player,
        wager=wager,
        stake=stake,
        expected=None if expected is None else Settled(*expected),
        actual=None if actual is None else Settled(*actual),
    )
