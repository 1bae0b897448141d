"""Every command says what it is for in the list that it stands in, and begins its help with examples."""

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tablewatch.command import app


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """A command and all below it, by what people type."""
    yield path, command
    if hasattr(command, "list_commands"):
        for name in command.list_commands(None):
            yield from commands(command.get_command(None, name), (*path, name))


EVERY = dict(commands(get_command(app)))


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_help_begins_with_examples(path: tuple[str, ...]) -> None:
    assert (EVERY[path].help or "").startswith("Examples:")


@pytest.mark.parametrize("path", [path for path in EVERY if hasattr(EVERY[path], "list_commands")], ids=" ".join)
def test_a_list_of_commands_says_what_each_is_for(path: tuple[str, ...]) -> None:
    listed = CliRunner().invoke(app, [*path, "--help"]).output.partition("Commands:")[2]
    names = EVERY[path].list_commands(None)
    assert names
    for name in names:
        [about] = [line.split(maxsplit=1)[1] for line in listed.splitlines() if line.split()[:1] == [name]]
        assert len(about) > 10, name
        assert not about.startswith("Examples"), name


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["audti"], "There is no command 'audti'; did you mean audit?"),
        (["replay", "lst"], "There is no command 'lst'; did you mean list?"),
        (["store", "migrat"], "Did you mean 'migrate'?"),
        (["xyzzy"], "No such command 'xyzzy'."),
    ],
)
def test_a_command_that_is_mistyped_is_told_with_the_nearest(typed: list[str], words: str) -> None:
    refused = CliRunner().invoke(app, typed)
    assert refused.exit_code == 2
    assert words in refused.stderr
