"""Settings from the environment and from files: what is secret need not be in the environment."""

from pathlib import Path

import pytest

from tablewatch.settings import InvalidSetting, load_file, value_of


def test_a_value_may_be_in_a_file_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("clickhouse://worker:secret@store:9000/tablewatch\n")
    environment = {"TABLEWATCH_CLICKHOUSE_URL_FILE": str(tmp_path / "url")}
    load_file(environment)
    assert value_of("CLICKHOUSE_URL", environment) == "clickhouse://worker:secret@store:9000/tablewatch"
    load_file(environment)  # as a process does that was started with this environment


def test_a_value_and_its_file_at_once_are_refused(tmp_path: Path) -> None:
    (tmp_path / "url").write_text("kafka://a")
    with pytest.raises(InvalidSetting, match="both set"):
        load_file({"TABLEWATCH_BROKER": "kafka://b", "TABLEWATCH_BROKER_FILE": str(tmp_path / "url")})


def test_a_file_that_is_not_there_is_named_without_its_neighbours(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"TABLEWATCH_BROKER_FILE: .*nowhere cannot be read"):
        load_file({"TABLEWATCH_BROKER_FILE": str(tmp_path / "nowhere")})


def test_a_file_of_its_own_comes_before_the_settings_file(tmp_path: Path) -> None:
    (tmp_path / "tablewatch.toml").write_text('broker = "kafka://from-the-settings-file"\n')
    (tmp_path / "broker").write_text("kafka://from-its-own-file")
    environment = {
        "TABLEWATCH_SETTINGS": str(tmp_path / "tablewatch.toml"),
        "TABLEWATCH_BROKER_FILE": str(tmp_path / "broker"),
    }
    load_file(environment)
    assert value_of("BROKER", environment) == "kafka://from-its-own-file"
