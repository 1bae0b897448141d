"""What the console knows of the self-test of the alerts: its table stands on no floor, so that only this is shown."""

from dataclasses import dataclass
from typing import Literal

from schemas.findings import Finding
from store.rows.alerts import Alert
from streams.alerting.raising import SELF_TEST_TABLE
from streams.alerting.self_test import CODE, FAILED_CODE, shoe_of

Outcome = Literal["passed", "failed", "none"]


@dataclass(frozen=True, slots=True)
class Run:
    """A run of the self-test, and when it ended."""

    shoe: str
    """Empty: not known."""
    at: int
    """Milliseconds since 1970."""


class SelfTestPicture:
    """The last run that passed, and the last one that failed."""

    def __init__(self) -> None:
        self._passed: Run | None = None
        self._failed: Run | None = None

    @property
    def outcome(self) -> Outcome:
        """Of the last run; none: no run is known."""
        if self._failed is not None and (self._passed is None or not _is_after(self._passed, self._failed)):
            return "failed"
        return "none" if self._passed is None else "passed"

    @property
    def at(self) -> int | None:
        """When that was, in milliseconds since 1970."""
        run = self._failed if self.outcome == "failed" else self._passed
        return None if run is None else run.at

    def take_finding(self, finding: Finding, at: int) -> None:
        """A finding of the reserved table came through: what a run waits for."""
        if finding.code == CODE and not finding.cleared:
            self.passed(finding.shoe or "", at)

    def take_alert(self, alert: Alert) -> None:
        """The alarm about a run whose alert did not come; any other alert says nothing about runs."""
        if alert.code == FAILED_CODE:
            self.failed(shoe_of(str(alert.detail["run"])) if "run" in alert.detail else "", alert.raised)

    def passed(self, shoe: str, at: int) -> None:
        """A run passed."""
        if self._passed is None or at > self._passed.at:
            self._passed = Run(shoe, at)

    def failed(self, shoe: str, at: int) -> None:
        """A run failed."""
        if self._failed is None or (at, shoe) > (self._failed.at, self._failed.shoe):
            self._failed = Run(shoe, at)


def is_self_test_table(table: str | None) -> bool:
    """Whether this is the reserved table, which no person is shown."""
    return table == SELF_TEST_TABLE


def _is_after(passed: Run, failed: Run) -> bool:
    """A finding that comes after the alarm about its own run came too late."""
    return passed.at > failed.at and (passed.shoe != failed.shoe or not failed.shoe)
