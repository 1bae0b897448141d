"""The command `tablewatch`: one subcommand for each thing that people do, loaded only when it is called."""

import os
import signal
import sys
from importlib.metadata import version
from typing import Annotated, Final

import typer

from tablewatch.commands.lazily import Command, lazily
from tablewatch.output import told_if_lost
from tablewatch.settings import InvalidSetting, load_file, mistyped

WRONG_USE: Final = 2


COMMANDS: Final[dict[str, Command]] = {
    "settle": Command("tablewatch.commands.settle:settle", "Settle rounds exactly, from their cards."),
    "audit": Command("tablewatch.commands.audit:audit", "Judge a file of events offline."),
    "simulate": Command("tablewatch.commands.simulate:simulate", "Make the events of a floor, with faults on demand."),
    "rules": Command("tablewatch.commands.rules:rules", "Print a game's paytable with its clauses."),
    "odds": Command("tablewatch.commands.odds:odds", "The exact odds of every wager of a game."),
    "topics": Command("tablewatch.commands.topics:topics", "Make the topics of the contract, and check them."),
    "publish": Command("tablewatch.commands.publish:publish", "Send a file of events to their topics."),
    "clickhouse": Command("tablewatch.commands.clickhouse:clickhouse", "The embedded ClickHouse server."),
    "store": Command("tablewatch.commands.store:app", "The schema, backups, legal holds and retention of the store."),
    "worker": Command("tablewatch.commands.worker:worker", "Judge what the tables say, as it comes."),
    "gateway": Command("tablewatch.commands.gateway:gateway", "Take events of devices over HTTP."),
    "console": Command("tablewatch.commands.console:console", "The surveillance room in a browser."),
    "alerts": Command("tablewatch.commands.alerts:alerts", "Tell people of findings; who is told, and what they did."),
    "watches": Command("tablewatch.commands.watches:app", "Watch what many rounds show: shuffles, cards, wins."),
    "dashboards": Command("tablewatch.commands.dashboards:dashboards", "Bring the dashboards to a Grafana."),
    "doctor": Command("tablewatch.commands.doctor:doctor", "What is reachable, and how far the workers are behind."),
    "replay": Command("tablewatch.commands.replay:replay", "What was stored, as it was judged."),
    "bench": Command("tablewatch.commands.bench:bench", "Measure it, side by side with what it is held against."),
    "chain": Command("tablewatch.commands.chain:chain", "Seal the store under signed checkpoints."),
    "keys": Command("tablewatch.commands.keys:keys", "The keys that checkpoints are signed with."),
    "demo": Command("tablewatch.commands.demo:demo", "All of it, embedded, with a simulated floor."),
}


ACTING: Final = ("topics", "publish", "gateway", "console", "alerts", "watches", "dashboards", "chain", "keys")

app = typer.Typer(
    cls=lazily(COMMANDS, ACTING), no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tablewatch {version('tablewatch')}")
        raise typer.Exit


@app.callback()
def tablewatch(
    _version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Examples:

    \b
      tablewatch simulate --tables 4 --rounds 20 --faults 0.05 > events.jsonl
      tablewatch audit --findings events.jsonl
      tablewatch settle < rounds.jsonl
      tablewatch odds tiger --decks 8
      tablewatch rules dragon_tiger

    Watches live baccarat-family tables: recomputes every round from its cards, and tells what was wrong.
    """


def main() -> None:
    """The entry point."""
    if sys.argv[1:2] == ["worker"]:
        # Until it judges, which takes it seconds, or as long as it waits for its store, it has nothing in hand.
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    try:
        load_file(os.environ)
        for wrong in mistyped():
            sys.stderr.write(f"{wrong}\n")
        with told_if_lost():
            app()
    except InvalidSetting as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(WRONG_USE)
