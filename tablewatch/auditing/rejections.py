"""The findings of rejected events: each once, in the order of the lines, in whatever order they were found."""

from array import array
from collections.abc import Iterator
from typing import Final

import numpy as np

from schemas.findings import Finding, finding_json
from tablewatch.auditing.spool import Shelf


class Rejections:
    """What was rejected of the files, kept as it is printed."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._lines = array("q")
        self._starts = array("q")
        self._sizes = array("q")

    def __bool__(self) -> bool:
        return bool(self._lines)

    @property
    def lines(self) -> int:
        """Of how many lines something was rejected."""
        return len(set(self._lines))

    def add(self, finding: Finding, line: int) -> None:
        """Note a finding about bytes of this line."""
        start, size = self._shelf.put(bytes.fromhex(finding.id) + finding_json(finding))
        self._lines.append(line)
        self._starts.append(start)
        self._sizes.append(size)

    def written(self) -> Iterator[bytes]:
        """Each finding as JSON, once for identical bytes: that of the first line which holds them."""
        known: set[bytes] = set()
        for place in np.argsort(np.array(self._lines, np.int64), kind="stable").tolist():
            content = self._shelf.get((self._starts[place], self._sizes[place]))
            identity = content[:_ID]
            if identity not in known:
                known.add(identity)
                yield content[_ID:]


_ID: Final = 16
"""Bytes of a finding's id."""
