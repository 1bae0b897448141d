"""Whoever waits for the store is answered in time, also where the store says nothing: it hangs, or its machine does."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeVar

from console.server.problems import Refused

logger = logging.getLogger(__name__)

ANSWER_SECONDS: Final = 5.0
"""So long a person waits for a word."""

T = TypeVar("T")
_going_on: set[asyncio.Task[Any]] = set()


async def in_time(
    work: Coroutine[Any, Any, T], otherwise: str, unanswered: Callable[[asyncio.Task[T]], None] | None = None
) -> T:
    """What the work gives; or 503 with these words, while the work goes on to its end. ``unanswered`` gets it then, of
    what may count all the same: the answer is 504."""
    task = asyncio.create_task(work)
    done, _ = await asyncio.wait({task}, timeout=ANSWER_SECONDS)
    if done:
        return task.result()
    _going_on.add(task)
    task.add_done_callback(_told_in_time)
    if unanswered is not None:
        unanswered(task)
        raise Refused(504, otherwise)
    raise Refused(503, otherwise, {"Retry-After": "5"})


def _told_in_time(task: asyncio.Task[Any]) -> None:
    _going_on.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        logger.warning("what nobody waits for any more came to nothing: %s", error)
