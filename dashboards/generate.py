"""The files that Grafana reads, dashboards and alert rules: ``python -m dashboards.generate`` writes them anew."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import orjson

from dashboards.board import Board
from dashboards.boards.devices import DEVICES
from dashboards.boards.findings import FINDINGS_BOARD
from dashboards.boards.floor import FLOOR
from dashboards.boards.money import MONEY_BOARD
from dashboards.boards.pipeline import PIPELINE
from dashboards.boards.table import TABLE_BOARD
from dashboards.rules import provisioning

BOARDS: Final[Sequence[Board]] = (FLOOR, TABLE_BOARD, FINDINGS_BOARD, MONEY_BOARD, DEVICES, PIPELINE)
FOLDER: Final = Path(__file__).parent / "files"
SHIFT: Final = "$SHIFT_EMAIL"
"""Grafana puts the environment's value in place of it."""


def dashboards() -> dict[str, dict[str, Any]]:
    """Every dashboard by its uid, as Grafana reads it."""
    return {board.uid: board.json(BOARDS) for board in BOARDS}


def written() -> Mapping[Path, bytes]:
    """The content of every file that is written from code."""
    files = {FOLDER / "dashboards" / f"{uid}.json": _json(board) for uid, board in dashboards().items()}
    files[FOLDER / "provisioning" / "alerting" / "tablewatch.json"] = _json(provisioning(SHIFT))
    return files


def _json(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def main() -> None:
    """Writes the files."""
    for path, content in written().items():
        path.write_bytes(content)


if __name__ == "__main__":
    main()
