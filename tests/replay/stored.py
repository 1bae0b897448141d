"""Fills a store with a floor's events and the verdicts on them, as a worker does, without a broker."""

from collections.abc import Iterable

from audit.intake import Intake
from audit.judge import JUDGE_VERSION
from audit.live.concluded import conclude
from audit.settings import JudgeSettings
from audit.table import assemble, judge_table
from schemas.decoding import decode_lines
from schemas.topics import partition_of, topic_of
from store.connect import Store
from store.rows.raw import Record
from store.rows.verdicts import JudgedRound
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from streams.intake import read_record

ARRIVAL = 1_767_268_800_000
PARTITIONS = 3


def packed(lines: Iterable[bytes], per_record: int = 40) -> list[Record]:
    """The lines as records of their topics; bytes that are no event go to table.floor."""
    waiting: dict[tuple[str, int], list[bytes]] = {}
    offsets: dict[tuple[str, int], int] = {}
    records: list[Record] = []

    def flush(place: tuple[str, int]) -> None:
        batch = waiting.pop(place)
        raw = b"[" + b",".join(batch) + b"]" if len(batch) > 1 else batch[0]
        offset = offsets[place] = offsets.get(place, -1) + 1
        records.append(read_record(*place, offset, ARRIVAL + len(records) * 250, raw, PARTITIONS))

    for line in lines:
        events = decode_lines([line]).events
        if events:
            place = topic_of(events[0].type) or "table.floor", partition_of(events[0].subject, PARTITIONS)
        else:
            place = "table.floor", 0
        waiting.setdefault(place, []).append(line)
        if not events or len(waiting[place]) >= per_record:
            flush(place)
    for place in sorted(waiting):
        flush(place)
    return records


def judged(
    lines: list[bytes], settings: JudgeSettings | None = None, judge: str = str(JUDGE_VERSION)
) -> list[JudgedRound]:
    """The verdicts on these lines, as `audit` gives them."""
    settings = settings or JudgeSettings()
    intake, decoded = Intake(), decode_lines(lines)
    intake.take(decoded, lambda index: lines[decoded.places[index]])
    rounds = []
    for table, (events, places) in intake.tables().items():
        facts = assemble(table, events, places)
        for verdict in judge_table(facts, settings):
            key = verdict.shoe, verdict.round
            context = facts.surroundings.context(key, frozenset())
            if not context.over:
                continue
            done = conclude(verdict, facts.rounds[key], context)
            rounds.append(
                JudgedRound(
                    verdict=verdict,
                    judge=judge,
                    judged=ARRIVAL,
                    opened=done.opened,
                    ended=done.ended,
                    cards=done.cards,
                    decks=done.decks,
                    pit=done.pit,
                    currency=done.currency,
                    dealer=done.dealer,
                )
            )
    return rounds


def fill(
    store: Store, lines: list[bytes], settings: JudgeSettings | None = None, per_record: int = 40
) -> list[JudgedRound]:
    """Store these lines and the verdicts on them."""
    rounds = judged(lines, settings)
    write_verdicts(store, rounds)
    write_records(store, packed(lines, per_record))
    return rounds


def mutate(store: Store, sql: str) -> None:
    """Change what is stored, as only somebody who forges would, and wait for it."""
    store.command(sql, settings={"mutations_sync": 2})
