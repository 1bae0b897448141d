"""Mends the engine's deduplication logs after a crash, so that a batch sent again is not taken for one that is there.

The engine notes a batch's token in the log of its table and then renames the part into place. Killed between the two,
it finds the token on the next start and no part; a client that sends the batch again is told that it is stored, and it
is not. Worse, the number of the part is given to the next one, and then nothing tells the two apart. So, before the
engine opens the folder, every token whose part is not there is taken out of the log.
"""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import Final

_PART: Final = re.compile(r"([^_]+)_(\d+)_(\d+)_\d+(?:_\d+)?")
"""Partition, first and last block number, level, version of the data: `202611_5_9_2_14`."""
_ADDED: Final = "1"
_DROPPED: Final = "2"
_logger: Final = logging.getLogger(__name__)


def mend(data: Path) -> int:
    """Goes through all tables under an engine's folder that is not open; gives the number of tokens taken out."""
    folders = [*data.glob("store/*/*/deduplication_logs"), *data.glob("data/*/*/deduplication_logs")]
    return sum(_mend_table(folder) for folder in folders)


def _mend_table(folder: Path) -> int:
    files = sorted(folder.glob("deduplication_log_*.txt"), key=lambda file: int(file.stem.rpartition("_")[2]))
    if not files:
        return 0
    _cut_torn_line(files[-1])
    known: dict[str, str] = {}
    for file in files:
        for line in file.read_text().splitlines():
            match line.split("\t"):
                case [operation, part, token] if operation == _ADDED:
                    known[token] = part
                case [_, _, token]:
                    known.pop(token, None)
    there = _parts(folder.parent)
    orphans = {token: part for token, part in known.items() if not _covered(part, there)}
    if orphans:
        with files[-1].open("a") as log:
            log.writelines(f"{_DROPPED}\t{part}\t{token}\n" for token, part in orphans.items())
            log.flush()
            os.fsync(log.fileno())
        _logger.warning("%s: %d tokens without their part were taken out", folder.parent.name, len(orphans))
    return len(orphans)


def _cut_torn_line(file: Path) -> None:
    raw = file.read_bytes()
    whole = raw.rfind(b"\n") + 1
    if whole != len(raw):
        os.truncate(file, whole)


def _parts(table: Path) -> dict[str, list[tuple[int, int]]]:
    """The ranges of block numbers that are there, by partition. Parts that were not renamed begin with `tmp_`."""
    ranges: dict[str, list[tuple[int, int]]] = {}
    for entry in os.scandir(table):
        found = _PART.fullmatch(entry.name)
        if found is not None and entry.is_dir():
            ranges.setdefault(found[1], []).append((int(found[2]), int(found[3])))
    return ranges


def _covered(part: str, there: dict[str, list[tuple[int, int]]]) -> bool:
    """Whether a part, or one that it was merged into, is there."""
    found = _PART.fullmatch(part)
    if found is None:
        return True  # not a name that can be judged: left as the engine wrote it
    first, last = int(found[2]), int(found[3])
    return any(low <= first and last <= high for low, high in there.get(found[1], ()))
