"""What a command loads before it begins: nothing that only others need, for people and supervisors wait for it."""

import subprocess
import sys

import pytest

_WITHOUT_FAUST = ("replay list", "publish", "audit", "gateway", "alerts run", "chain run", "doctor", "store migrate")
_LOADED = """
import sys
from typer.testing import CliRunner
from tablewatch.command import app
answer = CliRunner().invoke(app, [*sys.argv[1:], "--help"])
assert answer.exit_code == 0, answer.output
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def _python(code: str, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True, timeout=120
    ).stdout


@pytest.mark.parametrize("command", _WITHOUT_FAUST)
def test_a_command_that_judges_nothing_live_loads_no_faust(command: str) -> None:
    loaded = _python(_LOADED, *command.split()).split()
    assert "typer" in loaded
    assert "faust" not in loaded


def test_the_driver_of_the_store_makes_no_table_of_four_hundred_years_of_days() -> None:
    days = "import store.connect; from clickhouse_driver.columns import datecolumn; print(len(datecolumn._date_lut))"
    assert _python(days).split() == ["0"]
