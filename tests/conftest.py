"""What all tests share: Hypothesis without deadlines, and what is required where nothing may be skipped."""

import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ("tests.services.fixtures", "tests.services.store")

settings.register_profile("shared-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared-machine")

REQUIRED = frozenset(filter(None, os.environ.get("TABLEWATCH_TEST_REQUIRE", "").split(",")))
"""Tools that must be there: a test skipped for want of one is a failure."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where everything is required, a skip is a failure, save of what cannot be tried as root, who may do all."""
    report = yield
    if REQUIRED and report.skipped and "root may" not in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"skipped, although {', '.join(sorted(REQUIRED))} must be here: {report.longrepr}"
    return report
