"""Structured logs: one JSON object a line, with the table, shoe and round where one is meant."""

import logging
import sys
import traceback
from datetime import UTC, datetime

import orjson

_OWN = ("table", "shoe", "round", "event", "partition")


class JsonLines(logging.Formatter):
    """A log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: getattr(record, name) for name in _OWN if hasattr(record, name)}
        if record.exc_info:
            line["trace"] = "".join(traceback.format_exception(*record.exc_info))
        return orjson.dumps(line, default=str).decode()


def log_to_stderr(level: int = logging.INFO) -> None:
    """All logs of this process as JSON lines on standard error; libraries only when something is wrong."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in ("streams", "store", "tablewatch", "__main__"):
        logging.getLogger(name).setLevel(level)
