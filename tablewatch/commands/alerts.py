"""`tablewatch alerts`: tells people of findings, shows who is told of what, and lets people act without the console."""

from typing import Final

import typer

from tablewatch.commands.lazily import Command, lazily

COMMANDS: Final[dict[str, Command]] = {
    "run": Command("tablewatch.commands.alerts_run:run", "Tell people of findings as they come, until SIGTERM."),
    "check": Command("tablewatch.commands.alerts_check:check", "Who would be told of what, by the routing file."),
    "test-message": Command("tablewatch.commands.alerts_test_message:test_message", "Send somebody a test."),
    "list": Command("tablewatch.commands.alerts_desk:list_alerts", "The open alerts, or those closed last."),
    "show": Command("tablewatch.commands.alerts_desk:show", "One alert with everything that happened to it."),
    "ack": Command("tablewatch.commands.alerts_desk:ack", "Say that you have seen it."),
    "take": Command("tablewatch.commands.alerts_desk:take", "Say that you look after it."),
    "resolve": Command("tablewatch.commands.alerts_desk:resolve", "Say what it was, and close it."),
    "reopen": Command("tablewatch.commands.alerts_desk:reopen", "Open it again."),
    "hand-over": Command("tablewatch.commands.alerts_desk:hand_over", "Give it to somebody else."),
    "note": Command("tablewatch.commands.alerts_desk:note", "Add a note."),
    "self-test": Command("tablewatch.commands.alerts_self_test:self_test", "Prove that an alert comes through."),
}

alerts = typer.Typer(cls=lazily(COMMANDS), no_args_is_help=True, rich_markup_mode=None)


@alerts.callback()
def _telling_people() -> None:
    """Examples:

    \b
      tablewatch alerts check
      tablewatch alerts run
      tablewatch alerts test-message anna
      tablewatch alerts list
      tablewatch alerts ack 3f9a21c4
      tablewatch alerts resolve 3f9a21c4 --disposition "false alarm" --note "The reader was being cleaned."
      tablewatch alerts list --closed
      tablewatch alerts reopen 3f9a21c4 --note "The video shows otherwise."
      tablewatch alerts self-test

    Tells people of findings, by the routing file that TABLEWATCH_ALERTS_ROUTES names.
    """
