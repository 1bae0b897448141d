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


PATHS = ["DATA", "ALERTS_ROUTES", "GATEWAY_TOKENS"]
PATHS += [f"{part}_{file}" for part in ("CONSOLE", "GATEWAY") for file in ("CERTIFICATE", "KEY")]


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('[people.mei]\nurls = ["mailtos://tablewatch:secret@mail.example"]\n', "several lines"),
        ("-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\n", "several lines"),
        ("mailtos://tablewatch:secret@mail.example", "something else"),
        ('{"devices": ["secret"]}', "something else"),
    ],
)
def test_a_file_given_for_a_path_that_should_hold_one_is_not_repeated(
    tmp_path: Path, name: str, content: str, found: str
) -> None:
    file = tmp_path / "given"
    file.write_text(content)
    with pytest.raises(InvalidSetting) as raised:
        load_file({f"TABLEWATCH_{name}_FILE": str(file)})
    said = str(raised.value)
    assert said.startswith(f"TABLEWATCH_{name} holds no path but {found}. TABLEWATCH_{name} itself names the ")
    assert f"set it to {file}, and leave TABLEWATCH_{name}_FILE out" in said
    assert "secret" not in said


@pytest.mark.parametrize("in_settings", [False, True])
def test_a_value_that_is_no_path_is_not_repeated_wherever_it_was_set(tmp_path: Path, in_settings: bool) -> None:
    settings = tmp_path / "tablewatch.toml"
    settings.write_text('console_key = "BEGIN\\nsecret"\n' if in_settings else "")
    environment = {"TABLEWATCH_SETTINGS": str(settings)}
    if not in_settings:
        environment["TABLEWATCH_CONSOLE_KEY"] = "BEGIN\nsecret"
    with pytest.raises(InvalidSetting, match=r"^TABLEWATCH_CONSOLE_KEY holds no path but several lines\. ") as raised:
        load_file(environment)
    assert "secret" not in str(raised.value)


def test_a_file_may_hold_a_path(tmp_path: Path) -> None:
    (tmp_path / "where").write_text("/etc/tablewatch/my routes.toml\n")
    environment = {"TABLEWATCH_ALERTS_ROUTES_FILE": str(tmp_path / "where")}
    load_file(environment)
    assert value_of("ALERTS_ROUTES", environment) == "/etc/tablewatch/my routes.toml"


def test_a_file_of_its_own_comes_before_the_settings_file(tmp_path: Path) -> None:
    (tmp_path / "tablewatch.toml").write_text('broker = "kafka://from-the-settings-file"\n')
    (tmp_path / "broker").write_text("kafka://from-its-own-file")
    environment = {
        "TABLEWATCH_SETTINGS": str(tmp_path / "tablewatch.toml"),
        "TABLEWATCH_BROKER_FILE": str(tmp_path / "broker"),
    }
    load_file(environment)
    assert value_of("BROKER", environment) == "kafka://from-its-own-file"
