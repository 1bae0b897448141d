"""`python -m store.embedded`: the server as a process, at the address of a ClickHouse URL."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from urllib.parse import unquote, urlsplit

from store.embedded.faults import CannotStart
from store.embedded.server import serve


def main() -> int:
    """Prints `ready PORT` when clients can connect; exits 0 after an orderly stop, 3 when it cannot start."""
    parser = argparse.ArgumentParser(prog="python -m store.embedded", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the data folder")
    parser.add_argument(
        "--url",
        default=os.environ.get("TABLEWATCH_CLICKHOUSE_URL", "clickhouse://default@127.0.0.1:9000/default"),
        help="clickhouse://user:password@host:port/database; by default TABLEWATCH_CLICKHOUSE_URL; port 0: a free one",
    )
    parser.add_argument("--with-parent", action="store_true", help="stop when the standard input is closed")
    chosen = parser.parse_args()
    url = urlsplit(chosen.url)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    if chosen.with_parent:
        threading.Thread(target=_stop_with_parent, name="with-parent", daemon=True).start()
    try:
        serve(
            chosen.data,
            url.hostname or "127.0.0.1",
            url.port if url.port is not None else 9000,
            unquote(url.username or "default"),
            unquote(url.password or ""),
            unquote(url.path.lstrip("/")) or "default",
            ready=_tell,
        )
    except CannotStart as reason:
        sys.stderr.write(f"{reason}\n")
        return 3
    return 0


def _tell(port: int) -> None:
    sys.stdout.write(f"ready {port}\n")
    sys.stdout.flush()


def _stop_with_parent() -> None:
    while os.read(0, 1 << 10):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    raise SystemExit(main())
