"""Workers in simulated time, on topics of any pace, killed at any moment: does the store end as an audit has it?

    python -m bench.interleavings [--seeds 200] [--first 0] [--halts] [--spoil lost|refused|renamed]

Each seed is played twice, as it happens and as arrears of long ago. A scene that ends otherwise is named by its seed,
which plays it again: `tests/streams/test_any_interleaving.py` tells what differs.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from bench.page.figures import tell
from store.connect import connect
from store.embedded.process import EmbeddedClickHouse
from store.migrate import migrate
from tests.store.floor import LONG
from tests.streams.test_any_interleaving import play_and_check, with_losses, with_names_again, with_refused

SPOILT = {"lost": with_losses, "refused": with_refused, "renamed": with_names_again}


def main() -> int:
    """Play them all; 1 if one ended otherwise."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seeds", type=int, default=200)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--halts", action="store_true", help="workers also stand still for longer than their session")
    options.add_argument("--spoil", choices=SPOILT, help="some of what comes is lost, is refused or uses a name again")
    asked = options.parse_args()
    wrong: list[str] = []
    events = kills = 0
    with tempfile.TemporaryDirectory() as folder, EmbeddedClickHouse(Path(folder)) as server:
        base = connect(server.url)
        for seed in range(asked.first, asked.first + asked.seeds):
            for live in (True, False):
                store = base.in_database(f"scene_{seed}_{live}")
                migrate(store, LONG)
                try:
                    played, lines = play_and_check(
                        store, seed, live=live, halts=asked.halts, spoil=SPOILT.get(asked.spoil)
                    )
                    events, kills = events + len(lines), kills + played.kills
                except AssertionError:
                    wrong.append(f"{seed} {'live' if live else 'arrears'}")
                store.command(f"DROP DATABASE `{store.address.database}` SYNC")
                store.close()
            print(f"  … seed {seed}: {events} events, {kills} kills, otherwise: {wrong or 'none'}", file=sys.stderr)
        base.close()
    tell("scenes in simulated time", 2 * asked.seeds)
    tell("kills in simulated time", kills)
    tell("scenes that ended otherwise than an audit", len(wrong), at_most=0)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
