"""The command `tablewatch`: one subcommand for each thing that people do, loaded only when it is called."""

import os
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any, Final, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command

from tablewatch.settings import InvalidSetting, load_file

WRONG_USE: Final = 2


class Command(NamedTuple):
    """A subcommand: where it is, and what it is for."""

    place: str
    """The module, and in it the function or the group of commands."""
    about: str


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
    "alerts": Command("tablewatch.commands.alerts:app", "Tell people of findings; who is told, and what they did."),
    "doctor": Command("tablewatch.commands.doctor:doctor", "What is reachable, and how far the workers are behind."),
    "replay": Command("tablewatch.commands.replay:replay", "What was stored, as it was judged."),
    "bench": Command("tablewatch.commands.bench:bench", "Measure it, side by side with what it is held against."),
    "chain": Command("tablewatch.commands.chain:chain", "Seal the store under signed checkpoints."),
    "keys": Command("tablewatch.commands.keys:keys", "The keys that checkpoints are signed with."),
    "demo": Command("tablewatch.commands.demo:demo", "All of it, embedded, with a simulated floor."),
}


class _Commands(TyperGroup):
    """Imports a command when it is asked for: `settle` must not wait for what only the agents need."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].place.partition(":")
        found: Any = getattr(import_module(module), attribute)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer()
            alone.command(cmd_name)(found)
            found = alone
        found._add_completion = False
        found.rich_markup_mode = None
        command = get_command(found)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Lists the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.about) for name, command in COMMANDS.items()])


app = typer.Typer(cls=_Commands, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)


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
    try:
        load_file(os.environ)
    except InvalidSetting as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(WRONG_USE)
    app()
