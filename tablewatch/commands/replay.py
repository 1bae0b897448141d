"""`tablewatch replay`: the auditor's tool; one subcommand for each thing that auditors do."""

import typer

from tablewatch.commands.replay_list import last, list_rounds
from tablewatch.commands.replay_refund import refund_rounds
from tablewatch.commands.replay_shoe import shoe
from tablewatch.commands.replay_show import show
from tablewatch.commands.replay_verify import verify_rounds
from tablewatch.commands.replay_what_if import what_if_rounds

replay = typer.Typer(no_args_is_help=True, help="What was stored, as it was judged.")

replay.command("show")(show)
replay.command("list")(list_rounds)
replay.command("last")(last)
replay.command("shoe")(shoe)
replay.command("verify")(verify_rounds)
replay.command("refund")(refund_rounds)
replay.command("what-if")(what_if_rounds)
