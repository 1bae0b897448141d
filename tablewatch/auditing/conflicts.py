"""Events of one source and id that speak about two tables: they differ in that at least, so all of them are rejected.

Most sources speak about one table, and repeats and conflicts within a table show when it is judged. Only the ids of
sources that speak about several tables, such as a pit's desk, are compared here, by hashes that fit into memory.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
import orjson
from numpy.typing import NDArray

from audit.intake import Identity
from schemas.decoding import decode_line
from tablewatch.auditing.filing import Origin
from tablewatch.auditing.spool import Spool


def conflicts_between_tables(spool: Spool[Origin]) -> dict[str, set[Identity]]:
    """The identities that events of several tables share, by source."""
    tables: dict[str, list[str]] = defaultdict(list)
    for table, source in spool:
        tables[source].append(table)
    found: dict[str, set[Identity]] = {}
    for source, speaks_of in tables.items():
        if len(speaks_of) > 1:
            identities = _shared(spool, source, sorted(speaks_of))
            if identities:
                found[source] = identities
    return found


def _shared(spool: Spool[Origin], source: str, tables: list[str]) -> set[Identity]:
    hashes = [_unique(hash(each) for _, each in _ids(spool, (table, source))) for table in tables]
    values, counts = np.unique(np.concatenate(hashes), return_counts=True)
    suspected = set(values[counts > 1].tolist())
    if not suspected:
        return set()
    tables_of: dict[str, set[str]] = defaultdict(set)
    for table in tables:
        for line, each in _ids(spool, (table, source)):
            if hash(each) in suspected:
                # One that breaks the contract is rejected by itself, and in conflict with none.
                for event in decode_line(line).events:
                    tables_of[event.id].add(table)
    return {(source, each) for each, speaks_of in tables_of.items() if len(speaks_of) > 1}


def _unique(hashes: Iterable[int]) -> NDArray[np.int64]:
    return np.unique(np.fromiter(hashes, np.int64))


def _ids(spool: Spool[Origin], origin: Origin) -> Iterator[tuple[bytes, str]]:
    """The lines of a source about a table that have an id, with it."""
    for lines, _ in spool.read(origin):
        for line in lines:
            try:
                each = orjson.loads(line).get("id")
            except orjson.JSONDecodeError:
                continue
            if isinstance(each, str):
                yield line, each
