"""Replay commands as auditors run them, for tests of what they print, and a shoe to run them on."""

from collections.abc import Callable

from typer.testing import CliRunner, Result

from store.connect import Store
from tablewatch.command import app
from tests.audit.case import DTB, TIE, Case

Run = Callable[..., Result]


def typed(*arguments: str) -> Result:
    """What comes of a command, whatever it is, on the store and the data that the environment names."""
    return CliRunner().invoke(app, list(arguments))


def url_of(store: Store) -> str:
    """The address of a store as it is set for commands."""
    address = store.address
    return f"clickhouse://{address.user}:{address.password}@{address.host}:{address.port}/{address.database}"


def four_rounds() -> Case:
    """Four rounds: a right one, a wrong payout, a wrong display, a tie."""
    case = Case(DTB).round(bets={"b1": ("player", 100)}, settled={"b1": (100, 0)})
    case.round(bets={"b1": ("player", 100)}, settled={"b1": (900, 0)})
    case.round().show("banker")
    return case.round(TIE, {"b1": ("tie", 100)}, {"b1": (800, 0)}, player="bo").end_shoe(None)


def said_by(done: Result) -> str:
    """What was printed, without the folds of the paper."""
    return " ".join(done.stdout.split())
