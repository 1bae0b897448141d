"""`tablewatch replay`: the auditor's tool; one subcommand for each thing that auditors do."""

from typing import Final

import typer

from tablewatch.commands.lazily import Command, lazily

COMMANDS: Final[dict[str, Command]] = {
    "show": Command("tablewatch.commands.replay_show:show", "One round as a story."),
    "list": Command("tablewatch.commands.replay_list:list_rounds", "Stored rounds that meet a filter."),
    "last": Command("tablewatch.commands.replay_list:last", "The last rounds of a table."),
    "shoe": Command("tablewatch.commands.replay_shoe:shoe", "A shoe's roads and the account of its cards."),
    "verify": Command("tablewatch.commands.replay_verify:verify_rounds", "Judge anew, against what is stored."),
    "what-if": Command("tablewatch.commands.replay_what_if:what_if_rounds", "The same rounds, something otherwise."),
    "refund": Command("tablewatch.commands.replay_refund:refund_rounds", "What goes back to whom if rounds are void."),
    "reaudit": Command("tablewatch.commands.replay_reaudit:reaudit_rounds", "Recompute all of it inside the engine."),
    "export": Command("tablewatch.commands.replay_export:export", "The evidence of rounds, for a stranger to check."),
    "prove": Command("tablewatch.commands.replay_chain:prove", "Prove that a round is as it was sealed."),
}

replay = typer.Typer(cls=lazily(COMMANDS, ("verify", "reaudit")), no_args_is_help=True, rich_markup_mode=None)


@replay.callback()
def _auditors_tool() -> None:
    """Examples:

    \b
      tablewatch replay list --status flagged
      tablewatch replay show BT12/S4/17
      tablewatch replay shoe BT12/S4
      tablewatch replay verify --from-time 2026-01-31
      tablewatch replay what-if BT12/S4/17 --card 3=8H
      tablewatch replay refund --from-round BT12/S4/17

    What was stored, as it was judged: any round, years later. Every look is written to the access log.
    """
