"""Commands that are loaded only when they are called: none must wait for what only another one needs."""

import gc
import os
import select
import sys
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command


class Command(NamedTuple):
    """A subcommand: where it is, and what it is for."""

    place: str
    """The module, and in it the function or the group of commands."""
    about: str


def lazily(commands: Mapping[str, Command], acting: Collection[str] = ()) -> type[TyperGroup]:
    """A group of these commands that imports each when it is asked for, and lists them without importing any. Those
    that are ``acting`` change something while they print, or end with what they found."""

    class Commands(TyperGroup):
        def invoke(self, ctx: Any) -> Any:
            try:
                answer = super().invoke(ctx)
                # Nobody may have given it one.
                if sys.stdout is not None:
                    sys.stdout.flush()
            except SystemExit as ended:
                # So Rich ends a command whose tables nobody reads any more.
                if not isinstance(ended.__context__, BrokenPipeError):
                    raise
            except BrokenPipeError:
                if not _nobody_reads():
                    raise
                # Whoever reads has had enough. Python would complain once more when it flushes at its end.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            else:
                return answer
            if ctx.invoked_subcommand in acting:
                # It may not have done all that it was asked for.
                raise typer.Exit(1)
            return None

        def list_commands(self, ctx: Any) -> list[str]:
            return list(commands)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if cmd_name not in commands:
                return None
            module, _, attribute = commands[cmd_name].place.partition(":")
            found: Any = getattr(_load(module), attribute)
            if not isinstance(found, typer.Typer):
                alone = typer.Typer()
                alone.command(cmd_name)(found)
                found = alone
            found._add_completion = False
            found.rich_markup_mode = None
            command = get_command(found)
            command.name = cmd_name
            _say_in_lists(command)
            return command

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            # Typer would look for near ones among the commands that are loaded, of which there are none.
            if args and args[0] not in commands and not ctx.resilient_parsing:
                near = get_close_matches(args[0], commands, 1)
                if near:
                    ctx.fail(f"There is no command {args[0]!r}; did you mean {near[0]}?")
            return super().resolve_command(ctx, args)

        def format_commands(self, ctx: Any, formatter: Any) -> None:
            with formatter.section("Commands"):
                formatter.write_dl([(name, command.about) for name, command in commands.items()])

    return Commands


def _nobody_reads() -> bool:
    """Whether the other end of standard output is closed: a connection to a service may break, too."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0))


def _load(module: str) -> ModuleType:
    """Import without looking for cycles: what is loaded stays, and to look through it again and again took a tenth of
    the time that a command needs to begin."""
    looked = gc.isenabled()
    gc.disable()
    try:
        return import_module(module)
    finally:
        if looked:
            gc.enable()


def _say_in_lists(command: Any) -> None:
    """Help begins with examples; what a list of commands says of one is the sentence behind them."""
    for below in getattr(command, "commands", {}).values():
        paragraphs = (below.help or "").split("\n\n")
        if below.short_help is None and paragraphs[0].startswith("Examples:"):
            told = next(text for text in paragraphs[1:] if not text.lstrip().startswith("\b"))
            below.short_help = " ".join(told.split()).split(". ")[0].rstrip(".") + "."
        _say_in_lists(below)
