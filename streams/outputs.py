"""Out of the pipeline: alerts, verdicts and rejections on their topics, sent until the broker has them."""

import asyncio
import logging
import time
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import faust
from aiokafka.errors import MessageSizeTooLargeError

from schemas.findings import finding_json
from schemas.rejections import rejection_json, rejection_of
from schemas.topics import ALERTS, REJECTED, VERDICTS
from store.rows.raw import Record
from streams import metrics
from streams.alerting.raising import PLACE_HEADER, TIME_HEADER, written_place
from streams.news import News, RaisedFinding, RefusedLater

logger = logging.getLogger(__name__)

FIRST_PAUSE = 0.05
LONGEST_PAUSE = 5.0


class Message(NamedTuple):
    """A record to send."""

    topic: str
    key: bytes | None
    """The table, which decides the partition."""
    value: bytes
    headers: tuple[tuple[str, bytes], ...] = ()


def alerts(findings: Iterable[RaisedFinding]) -> list[Message]:
    """What people are to be told: findings of tables that are live."""
    return [
        Message(
            ALERTS.name,
            _key(each.finding.table),
            finding_json(each.finding),
            _headers(each),
        )
        for each in findings
        if each.for_people
    ]


async def tell(app: faust.App, findings: Sequence[RaisedFinding], last_arrival: float = 0.0) -> None:
    """Alerts go out first: a person must hear, also while the store is away. ``last_arrival`` is when the last record
    came that they rest on (seconds since 1970; 0: none did)."""
    await send(app, alerts(findings))
    for each in findings:
        metrics.FINDINGS.labels(each.finding.code).inc()
        if last_arrival:
            metrics.ALERT_SECONDS.observe(max(0.0, time.time() - last_arrival))
        if each.fetched is not None:
            metrics.FETCH_SECONDS.observe(time.monotonic() - each.fetched)


def _headers(raised: RaisedFinding) -> tuple[tuple[str, bytes], ...]:
    at = (TIME_HEADER, str(raised.time).encode())
    return (at,) if raised.place is None else (at, (PLACE_HEADER, written_place(raised.place)))


def verdicts(news: News) -> list[Message]:
    """What was judged."""
    return [verdict_message(each.concluded.verdict.table, each.json) for each in news.verdicts]


def verdict_message(table: str, published: bytes) -> Message:
    """A verdict on its topic."""
    return Message(VERDICTS.name, _key(table), published)


def rejections(refused_later: Iterable[RefusedLater], records: Iterable[Record]) -> list[Message]:
    """What was refused."""
    refused = [(each, record.key) for record in records for each in record.decoded.rejected]
    refused += [(each.rejected, each.key) for each in refused_later]
    return [
        Message(
            REJECTED.name,
            _key(rejected.subject),
            rejection_json(rejection_of(rejected, key.topic, key.partition, key.offset)),
        )
        for rejected, key in refused
    ]


async def send(app: faust.App, messages: Sequence[Message]) -> None:
    """Send all and wait for the broker; what it does not take is sent again, for ever. What it will never take, because
    it is too large, is in the store alone."""
    pause = FIRST_PAUSE
    left = list(messages)
    while left:
        failed = await _send(app, left)
        if not failed:
            return
        logger.warning("the broker did not take %d records: %s", len(failed), failed[0][1])
        left = [message for message, _ in failed]
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


async def _send(app: faust.App, messages: Sequence[Message]) -> list[tuple[Message, BaseException]]:
    """Send in order and wait; what the broker did not take, and why."""
    producer = app.producer
    on_the_way: list[Any] = []
    stopped: Exception | None = None
    for message in messages:
        try:
            on_the_way.append(
                await producer.send(
                    message.topic, message.key, message.value, None, None, list(message.headers) or None
                )
            )
        except Exception as error:  # the broker is away: what follows would fail too, each after a time-out of its own
            stopped = error
            break
    answers = await asyncio.gather(*on_the_way, return_exceptions=True)
    failed: list[tuple[Message, BaseException]] = []
    for message, answer in zip(messages, answers, strict=False):
        if isinstance(answer, asyncio.CancelledError):
            raise answer
        if isinstance(answer, MessageSizeTooLargeError):
            logger.error("%d bytes are more than the broker takes on %s", len(message.value), message.topic)
            metrics.FAILED.inc()
        elif isinstance(answer, BaseException):
            failed.append((message, answer))
    return failed + ([] if stopped is None else [(message, stopped) for message in messages[len(on_the_way) :]])


def _key(table: str | None) -> bytes | None:
    return None if table is None else table.encode()
