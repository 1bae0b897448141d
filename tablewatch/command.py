"""The command `tablewatch`: one subcommand for each thing that people do."""

import typer

from tablewatch.commands.audit import audit

app = typer.Typer(no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False)
app.command()(audit)


@app.callback()
def tablewatch() -> None:
    """Independent, replayable surveillance of live baccarat-family tables."""


def main() -> None:
    """The entry point."""
    app()
