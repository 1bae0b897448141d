"""Verdicts that a worker stored and may not have lived to send: the next one sends them, as nobody judges them again.

A verdict is sent when it is stored, so that nobody hears of a revision that is never kept. Who follows the topic may
hear of one twice; table, shoe, round and revision are its name.
"""

from collections.abc import Collection

from schemas.topics import partition_of
from store.connect import Store
from store.read.folding import last_judged, verdicts_since
from streams.outputs import Message, verdict_message

CLOCKS_APART_MS = 10_000
"""By so much the clocks of two workers may differ that had the partition one after the other. All verdicts of one
insert have one time, and the next insert waits until they are sent: on one clock it would be the last time alone."""


def stored_last(store: Store, since: int, partitions: Collection[int], count: int) -> list[Message]:
    """What was stored last of each of these partitions, of ``count`` in all, to be sent again; what was judged before
    ``since`` (milliseconds since 1970) was sent."""
    judged: dict[int, dict[str, int]] = {}
    for table, moment in last_judged(store, since).items():
        judged.setdefault(partition_of(table, count), {})[table] = moment
    starts: dict[str, int] = {}
    for partition in judged.keys() & partitions:
        first = max(judged[partition].values()) - CLOCKS_APART_MS
        starts |= {table: first for table, moment in judged[partition].items() if moment >= first}
    return [verdict_message(table, published) for table, published in verdicts_since(store, starts)]
