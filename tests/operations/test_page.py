"""docs/operations.md: commands, settings, dashboards and files that it names are there."""

import re

from dashboards.rules import CONTACT, RULES
from tests.operations.commands import help_of, unknown_settings
from tests.operations.places import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text()


def test_every_setting_that_it_names_is_known() -> None:
    named = set(re.findall(r"TABLEWATCH_[A-Z_]+[A-Z]", PAGE))
    assert len(named) > 8
    assert unknown_settings(named) == set()


def test_every_command_that_it_names_is_real() -> None:
    plain = {
        tuple(found.split())
        for found in re.findall(r"tablewatch ((?:[a-z-]+ )?[a-z-]+)(?=[ `:;|<>\n]|$)", PAGE)
        if found.split()[0] not in ("and", "is")
    }
    named = {words if help_of(list(words)) else words[:1] for words in plain}
    assert {("store", "backup"), ("store", "hold"), ("keys", "rotate"), ("dashboards", "install")} <= named
    assert [words for words in named if help_of(list(words)) is None] == []


def test_files_and_alerts_that_it_names_are_there() -> None:
    for path in re.findall(r"`((?:deploy|docs|tablewatch|bench)/[\w./-]+)`", PAGE):
        assert (ROOT / path).exists() or path.startswith("deploy/compose/secrets"), path
    for module in re.findall(r"python -m (bench\.\w+)", PAGE):
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module
    assert f"`{CONTACT}`" in PAGE
    assert any(rule.title == "No events arrive" for rule in RULES)
    assert '"No events arrive"' in PAGE
