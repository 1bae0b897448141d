"""`tablewatch dashboards` against a server that answers as Grafana's published API does."""

import time
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from dashboards.board import TAG
from dashboards.generate import dashboards as ours
from dashboards.grafana import ChangedMeanwhile, Grafana, WrongUrl
from dashboards.installed import MARK, unmarked
from dashboards.rules import FOLDER_UID, RULES
from tablewatch.command import app
from tablewatch.commands.dashboards import dashboards
from tests.dashboards.grafana_server import TOKEN, GrafanaServer, serving

EVERYTHING = ("--store", "clickhouse://grafana:secret@store:9000/tablewatch", "--prometheus", "http://prometheus:9090")


@pytest.fixture
def grafana(monkeypatch: pytest.MonkeyPatch) -> Iterator[GrafanaServer]:
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    with serving(GrafanaServer()) as server:
        yield server


def run(grafana: GrafanaServer, *arguments: str, token: str = TOKEN) -> Result:
    return CliRunner().invoke(dashboards, [*arguments, "--url", grafana.url, "--token", token])


def installed(grafana: GrafanaServer) -> GrafanaServer:
    assert run(grafana, "install", *EVERYTHING).exit_code == 0
    return grafana


def test_install_makes_everything(grafana: GrafanaServer) -> None:
    done = run(grafana, "install", *EVERYTHING, "--shift", "shift@casino.example")
    assert done.exit_code == 0, done.output
    assert grafana.dashboards.keys() == ours().keys()
    assert {uid: unmarked(each) for uid, each in grafana.dashboards.items()} == {
        uid: each | {"fiscalYearStartMonth": 0} for uid, each in ours().items()
    }
    assert {meta["folderUid"] for meta in grafana.meta.values()} == {FOLDER_UID}
    assert grafana.sources.keys() == {"tablewatch-clickhouse", "tablewatch-prometheus"}
    assert grafana.rules.keys() == {rule.uid for rule in RULES}
    (contact,) = grafana.contacts
    assert contact["settings"]["addresses"] == "shift@casino.example"
    assert "secret" not in done.output


def test_another_address_of_the_shift_is_said_to_be_left_alone(grafana: GrafanaServer) -> None:
    run(grafana, "install", *EVERYTHING, "--shift", "shift@casino.example")
    assert run(grafana, "install", *EVERYTHING).exit_code == 0
    again = run(grafana, "install", *EVERYTHING, "--shift", "other@casino.example")
    assert again.exit_code == 1
    told = "it tells shift@casino.example, not other@casino.example: change it in Grafana"
    assert f"contact point tablewatch-shift: left alone ({told})" in again.output
    (contact,) = grafana.contacts
    assert contact["settings"]["addresses"] == "shift@casino.example"


def test_a_data_source_that_asks_somebody_else_is_left_alone_and_not_called_right(grafana: GrafanaServer) -> None:
    mistyped = ("--prometheus", "http://prom:9090", "--store", "clickhouse://grafana:secret@stoer:9000/tablewatch")
    run(grafana, "install", *mistyped, "--shift", "shift@casino.example")
    assert run(grafana, "install").exit_code == 0
    for more in ((), ("--force",)):
        again = run(
            grafana, "install", "--prometheus", "http://prometheus:9090/", *more,
            "--store", "clickhouses://grafana:secret@store:9440/tablewatch",
        )  # fmt: skip
        assert again.exit_code == 1
        wanted = "clickhouses://grafana@store:9440/tablewatch: change it in Grafana"
        told = f"it asks clickhouse://grafana@stoer:9000/tablewatch, not {wanted}"
        assert f"data source tablewatch-clickhouse: left alone ({told})" in again.output
        told = "it asks http://prom:9090, not http://prometheus:9090: change it in Grafana"
        assert f"data source tablewatch-prometheus: left alone ({told})" in again.output
        assert "secret" not in again.output
    assert run(grafana, "install", *mistyped).exit_code == 0


def test_install_twice_in_a_row_changes_nothing(grafana: GrafanaServer) -> None:
    installed(grafana)
    grafana.calls.clear()
    again = run(grafana, "install", *EVERYTHING)
    assert again.exit_code == 0
    assert grafana.writes == []
    assert all(line.endswith("as it should be") for line in again.output.splitlines())
    assert run(grafana, "diff").output == "Grafana has what it should have.\n"


def test_what_is_older_and_nobody_changed_is_brought_up_to_date(
    grafana: GrafanaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        old = {uid: {**each, "title": f"{each['title']} (old)"} for uid, each in ours().items()}
        earlier.setattr("dashboards.installing.dashboards", lambda: old)
        installed(grafana)
    assert run(grafana, "diff", "--brief").output.splitlines() == [f"dashboard {uid}: older" for uid in ours()]
    done = run(grafana, "install")
    assert done.exit_code == 0
    assert done.output.count("brought up to date") == len(ours())
    assert [each["version"] for each in grafana.dashboards.values()] == [2] * len(ours())
    assert run(grafana, "diff").exit_code == 0


def test_a_persons_change_is_left_alone_and_named_unless_forced(grafana: GrafanaServer) -> None:
    installed(grafana).edit("tablewatch-floor", title="Otto's floor")
    left = run(grafana, "install")
    assert left.exit_code == 1
    assert "dashboard tablewatch-floor: left alone (otto changed it" in left.output
    assert grafana.dashboards["tablewatch-floor"]["title"] == "Otto's floor"
    shown = run(grafana, "diff")
    assert shown.exit_code == 1
    assert "dashboard tablewatch-floor: changed" in shown.output
    assert '-  "title": "Otto\'s floor"' in shown.output
    assert run(grafana, "install", "--force").exit_code == 0
    assert grafana.dashboards["tablewatch-floor"]["title"] == ours()["tablewatch-floor"]["title"]
    assert run(grafana, "install").exit_code == 0


def test_a_dashboard_of_our_uid_that_we_never_installed_is_left_alone(grafana: GrafanaServer) -> None:
    grafana.dashboards["tablewatch-money"] = {"uid": "tablewatch-money", "title": "Mine", "version": 4, "tags": []}
    grafana.meta["tablewatch-money"] = {}
    left = run(grafana, "install", *EVERYTHING)
    assert left.exit_code == 1
    assert "dashboard tablewatch-money: left alone (somebody changed it" in left.output
    assert grafana.dashboards["tablewatch-money"]["title"] == "Mine"


def test_a_save_between_reading_and_writing_is_a_conflict_and_is_not_overwritten(
    grafana: GrafanaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        old = {uid: {**each, "title": "old"} for uid, each in ours().items()}
        earlier.setattr("dashboards.installing.dashboards", lambda: old)
        installed(grafana)
    real = Grafana.dashboard

    def read_and_then_somebody_saves(self: Grafana, uid: str) -> object:
        stored = real(self, uid)
        if uid == "tablewatch-floor":
            grafana.edit(uid, title="just now")
        return stored

    monkeypatch.setattr(Grafana, "dashboard", read_and_then_somebody_saves)
    left = run(grafana, "install")
    assert left.exit_code == 1
    assert "dashboard tablewatch-floor: left alone (somebody saved it just now" in left.output
    assert grafana.dashboards["tablewatch-floor"]["title"] == "just now"


def test_a_save_with_an_old_version_is_refused_by_name(grafana: GrafanaServer) -> None:
    installed(grafana)
    with pytest.raises(ChangedMeanwhile, match="changed by someone else"):
        Grafana(grafana.url, TOKEN).save_dashboard(
            ours()["tablewatch-floor"] | {"version": 9}, FOLDER_UID, "", overwrite=False
        )


def test_a_grafana_that_counts_versions_otherwise_still_has_its_mark(grafana: GrafanaServer) -> None:
    installed(grafana).edit("tablewatch-floor", title="Otto's floor")
    grafana.version_step = 3
    assert run(grafana, "install", "--force").exit_code == 0
    grafana.version_step = 1
    assert run(grafana, "install", "--force").exit_code == 0
    grafana.calls.clear()
    assert run(grafana, "install").exit_code == 0
    assert grafana.writes == []


def test_what_grafana_reads_from_files_is_left_to_them(grafana: GrafanaServer) -> None:
    installed(grafana)
    for meta in grafana.meta.values():
        meta["provisioned"] = True
    for rule in grafana.rules.values():
        rule["provenance"] = "file"
    grafana.calls.clear()
    assert run(grafana, "install", "--force").output.count("Grafana reads it from a file") == len(ours()) + len(RULES)
    assert grafana.writes == []


def test_a_rule_that_somebody_changed_is_left_alone_unless_forced(grafana: GrafanaServer) -> None:
    rule = installed(grafana).rules["tablewatch-no-events"]
    rule["for"] = "30m"
    left = run(grafana, "install")
    assert left.exit_code == 1
    assert "alert rule tablewatch-no-events: left alone" in left.output
    assert "alert rule tablewatch-no-events: changed" in run(grafana, "diff").output
    assert run(grafana, "install", "--force").exit_code == 0
    assert grafana.rules["tablewatch-no-events"]["for"] == "5m"


def test_a_missing_data_source_without_an_address_is_named(grafana: GrafanaServer) -> None:
    done = run(grafana, "install")
    assert done.exit_code == 1
    assert "data source tablewatch-clickhouse: not there" in done.output
    assert not grafana.sources
    grafana.contacts.clear()
    shown = run(grafana, "diff")
    assert shown.exit_code == 1
    assert shown.output.splitlines() == [
        "data source tablewatch-clickhouse: missing",
        "data source tablewatch-prometheus: missing",
        "contact point tablewatch-shift: missing",
    ]


def test_a_wrong_token_says_so(grafana: GrafanaServer) -> None:
    done = run(grafana, "install", token="wrong")
    assert done.exit_code == 2
    assert "does not know this token" in done.output
    assert not grafana.dashboards


def test_a_token_without_the_right_says_so(grafana: GrafanaServer) -> None:
    grafana.forbidden = True
    done = run(grafana, "install")
    assert done.exit_code == 2
    assert "role Admin" in done.output


def test_a_passing_fault_of_grafana_is_outlasted(grafana: GrafanaServer) -> None:
    grafana.faults = [500, 503]
    assert run(grafana, "install", *EVERYTHING).exit_code == 0
    assert grafana.dashboards.keys() == ours().keys()


def test_a_lasting_fault_of_grafana_ends_with_3_and_the_next_run_goes_on(grafana: GrafanaServer) -> None:
    assert run(grafana, "install", *EVERYTHING).exit_code == 0
    grafana.dashboards.pop("tablewatch-money")
    grafana.faults = [502] * 3
    failed = run(grafana, "install")
    assert failed.exit_code == 3
    assert "fault of its own" in failed.output
    assert run(grafana, "install").exit_code == 0
    assert "tablewatch-money" in grafana.dashboards


def test_no_grafana_at_all_ends_with_3() -> None:
    with serving(GrafanaServer()) as gone:
        url = gone.url
    done = CliRunner().invoke(dashboards, ["diff", "--url", url, "--token", TOKEN])
    assert done.exit_code == 3
    assert "does not answer" in done.output


@pytest.mark.parametrize("url", ["localhost:3000", "ftp://grafana", "http://"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(WrongUrl):
        Grafana(url, TOKEN)


def test_export_takes_out_what_people_have_made(grafana: GrafanaServer, tmp_path: Path) -> None:
    installed(grafana).edit("tablewatch-floor", title="Otto's floor")
    grafana.dashboards["otto"] = {"uid": "otto", "id": 9, "version": 1, "title": "Otto's own", "tags": [TAG]}
    grafana.meta["otto"] = {}
    done = run(grafana, "export", str(tmp_path / "out"))
    assert done.exit_code == 0
    assert {path.stem for path in (tmp_path / "out").iterdir()} == {*ours(), "otto"}
    floor = orjson.loads((tmp_path / "out" / "tablewatch-floor.json").read_bytes())
    assert floor["title"] == "Otto's floor"
    assert MARK not in orjson.dumps(floor).decode()
    assert "id" not in floor


@pytest.mark.parametrize("command", ["install", "diff", "export"])
def test_help_begins_with_examples(command: str) -> None:
    shown = CliRunner().invoke(app, ["dashboards", command, "--help"]).output.splitlines()
    assert shown[2].strip() == "Examples:"
    assert shown[4].strip().startswith(f"tablewatch dashboards {command} --url")
