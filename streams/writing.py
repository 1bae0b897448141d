"""What is written to the store, and in which order: a record that is stored says that all that rests on it is."""

from collections.abc import Sequence

from audit.judge import JUDGE_VERSION
from schemas.time import micros
from store.connect import Store
from store.rows.raw import Record, StoredRejection
from store.rows.verdicts import FindingState, JudgedRound, JudgedRoundAgain
from store.write.findings import write_findings
from store.write.raw import write_records, write_rejections
from store.write.verdicts import write_verdicts
from streams.news import News, Published, RefusedLater


def write(store: Store, news: News, records: Sequence[Record], now: int) -> None:
    """Write what was found, and the records that it was found in. ``now`` is when (milliseconds): what is tried again
    must be the same."""
    write_rows(
        store,
        [judged_round(each, now) for each in news.verdicts],
        finding_states(news, now),
        stored_rejections(news),
        records,
    )


def write_rows(
    store: Store,
    rounds: Sequence[JudgedRound | JudgedRoundAgain],
    findings: Sequence[FindingState],
    refused: Sequence[StoredRejection],
    records: Sequence[Record],
) -> None:
    """Verdicts and findings first, and the records last."""
    write_verdicts(store, rounds)
    write_findings(store, findings)
    write_rejections(store, refused)
    write_records(store, records)


def judged_round(published: Published, now: int) -> JudgedRound:
    """A verdict as the store takes it."""
    each, json = published
    return JudgedRound(
        verdict=each.verdict, judge=str(JUDGE_VERSION), judged=now, opened=each.opened, ended=each.ended,
        cards=each.cards, decks=each.decks, pit=each.pit, currency=each.currency, dealer=each.dealer, json=json,
    )  # fmt: skip


def finding_states(news: News, now: int) -> list[FindingState]:
    """Findings as the store takes them."""
    return [
        FindingState(finding=each.finding, version=each.version, time=each.time, raised=now) for each in news.findings
    ]


def stored_rejections(news: News) -> list[StoredRejection]:
    """What was refused after it had been taken, as the store takes it."""
    return [_stored_rejection(each) for each in news.refused]


def _stored_rejection(refused: RefusedLater) -> StoredRejection:
    rejected = refused.rejected
    return StoredRejection(
        key=refused.key, place=rejected.place, arrival=refused.arrival, raw=rejected.raw, reason=rejected.reason,
        table=rejected.subject, source=rejected.source, sequence=rejected.sequence, id=rejected.id, type=rejected.type,
        time=None if rejected.time is None else micros(rejected.time),
    )  # fmt: skip
