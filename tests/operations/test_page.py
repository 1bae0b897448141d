"""docs/operations.md: commands, settings, dashboards and files that it names are there."""

import re

import yaml

from dashboards.rules import CONTACT, RULES
from tests.operations.commands import help_of, unknown_settings
from tests.operations.places import ROOT, services

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


def test_what_it_runs_in_a_container_is_a_command_there() -> None:
    found = re.findall(r'^docker compose run --rm (?:--volume "[^"]+" )?(\S+) ([a-z]+(?: [a-z]+)*)', PAGE, re.MULTILINE)
    assert len(found) >= 7
    for service, words in found:
        assert service in services(), service
        start = [words.split()[:length] for length in (3, 2, 1)]
        assert any(help_of(each) for each in start), words
    profiles = {each for part in services().values() for each in part.get("profiles", [])}
    assert set(re.findall(r"--profile (\w+)", PAGE)) <= profiles


def test_its_override_of_compose_fits_the_file() -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    override = yaml.safe_load(text)
    for name, part in override["services"].items():
        assert unknown_settings(set(part["environment"])) == set()
        assert set(part["secrets"]) == set(override["secrets"])
        port = services()[name]["environment"]["TABLEWATCH_CONSOLE_METRICS_PORT"]
        assert f"127.0.0.1:{port}/healthz" in part["healthcheck"]["test"][-1]


def test_files_and_alerts_that_it_names_are_there() -> None:
    for path in re.findall(r"`((?:deploy|docs|tablewatch|bench)/[\w./-]+)`", PAGE):
        assert (ROOT / path).exists() or path.startswith("deploy/compose/secrets"), path
    for module in re.findall(r"python -m (bench\.\w+)", PAGE):
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module
    assert f"`{CONTACT}`" in PAGE
    assert any(rule.title == "No events arrive" for rule in RULES)
    assert '"No events arrive"' in PAGE
