"""The files that Grafana reads: as the code has them, valid by Grafana's own models, and complete for their readers."""

import re
from pathlib import Path
from typing import Any

import orjson
import prometheus_client
import promql_parser
import pytest
import yaml
from grafana_foundation_sdk.models.alerting import Rule as GrafanaRule
from grafana_foundation_sdk.models.dashboard import Dashboard

import streams.alerting.measures
import streams.gateway.metrics
import streams.metrics  # noqa: F401 - the metrics are registered when they are imported
from dashboards.generate import BOARDS, FOLDER, dashboards, written
from dashboards.rules import RULES, provisioning
from dashboards.sources import CLICKHOUSE, PROMETHEUS, Prom
from tests.dashboards.grafana_schema import violations

UIDS = {
    "tablewatch-floor", "tablewatch-table", "tablewatch-findings", "tablewatch-money", "tablewatch-devices",
    "tablewatch-pipeline",
}  # fmt: skip
"""People keep links to these: they never change."""


@pytest.mark.parametrize("path", sorted(written()), ids=lambda path: path.name)
def test_a_file_is_what_the_code_writes(path: Path) -> None:
    assert path.read_bytes() == written()[path], "run: python -m dashboards.generate"


def test_no_file_is_left_over_and_uids_stay() -> None:
    assert set(FOLDER.rglob("*.json")) == set(written())
    assert {board.uid for board in BOARDS} == UIDS == dashboards().keys()


@pytest.mark.parametrize("uid", sorted(UIDS))
def test_a_dashboard_is_valid_by_grafanas_own_models(uid: str) -> None:
    assert violations(Dashboard, orjson.loads((FOLDER / "dashboards" / f"{uid}.json").read_bytes())) == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"refesh": "30s"}, "refesh: not known"),
        ({"graphTooltip": 7}, "graph_tooltip"),
        ({"tags": "tablewatch"}, "tags"),
        ({"panels": [{"type": "stat", "options": {"colorMode": "pink"}}]}, "color_mode"),
        (
            {"panels": [{"type": "stat", "fieldConfig": {"defaults": {"unti": "s"}, "overrides": []}}]},
            "unti: not known",
        ),
    ],
)
def test_what_grafana_does_not_know_is_told(change: dict[str, Any], told: str) -> None:
    found = violations(Dashboard, dashboards()["tablewatch-floor"] | change)
    assert any(told in each for each in found), found


@pytest.mark.parametrize("uid", sorted(UIDS))
def test_every_panel_has_a_title_a_unit_and_a_description(uid: str) -> None:
    panels = [panel for panel in dashboards()[uid]["panels"] if panel["type"] != "row"]
    assert len(panels) >= 8
    for panel in panels:
        assert panel["title"].strip()
        assert len(panel["description"]) > 10, panel["title"]
        assert panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        assert panel["targets"], panel["title"]


@pytest.mark.parametrize("uid", sorted(UIDS))
def test_panels_have_their_own_place_and_number(uid: str) -> None:
    panels = dashboards()[uid]["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert place["x"] + place["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells


@pytest.mark.parametrize("uid", sorted(UIDS))
def test_every_variable_that_is_named_is_there_and_dashboards_link_to_each_other(uid: str) -> None:
    board = dashboards()[uid]
    text = orjson.dumps(board).decode()
    named = set(re.findall(r"\$\{(\w+)(?::\w+)?\}", text)) - {"__url_time_range"}
    known = {variable["name"] for variable in board["templating"]["list"]}
    assert {each for each in named if not each.startswith("__")} <= known
    assert {"pit", "game", "table", "console"} <= known
    assert {link["url"] for link in board["links"]} == {f"/d/{other}" for other in UIDS - {uid}}


def test_rounds_lead_into_the_replay_of_the_console() -> None:
    links = [
        found
        for board in dashboards().values()
        for found in re.findall(r"\$\{console\}[^\"]+", orjson.dumps(board).decode())
    ]
    assert set(links) == {"${console}/rounds/${__data.fields.table}/${__data.fields.shoe}/${__value.raw}"}
    assert len(links) >= 4


def test_provisioned_data_sources_are_those_that_panels_name() -> None:
    provisioned = yaml.safe_load((FOLDER / "provisioning/datasources/tablewatch.yaml").read_text())
    assert [(each["type"], each["uid"]) for each in provisioned["datasources"]] == [
        (each["type"], each["uid"]) for each in (CLICKHOUSE, PROMETHEUS)
    ]
    assert "password: $__file{" in (FOLDER / "provisioning/datasources/tablewatch.yaml").read_text()


def _expressions() -> dict[str, str]:
    found = {
        f"{board.uid} {panel.title} {query.legend}": query.expression
        for board in BOARDS
        for panel in board.panels
        for query in panel.queries
        if isinstance(query, Prom)
    }
    return found | {rule.uid: rule.query.expression for rule in RULES if isinstance(rule.query, Prom)}


def _metrics() -> set[str]:
    names = {"up"}
    for metric in prometheus_client.REGISTRY.collect():
        ends = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}.get(metric.type, [""])
        names |= {metric.name + end for end in ends}
    return names


@pytest.mark.parametrize("name", sorted(_expressions()))
def test_a_query_to_prometheus_is_well_formed_and_asks_for_what_is_told(name: str) -> None:
    expression = _expressions()[name].replace("$__rate_interval", "1m").replace("$__range", "3h")
    parsed = promql_parser.parse(expression)
    asked = set(re.findall(r"\b(?:tablewatch_\w+|up)\b", re.sub(r'"[^"]*"', "", str(parsed))))
    assert asked, expression
    assert asked <= _metrics()


def test_alert_rules_are_valid_tell_the_shift_and_name_their_query() -> None:
    file = provisioning("shift@example.com")
    (group,) = file["groups"]
    (contact,) = file["contactPoints"]
    for rule in group["rules"]:
        # As the API takes it; a file says folder and group beside the rules, and writes one key otherwise.
        document = dict(rule) | {"folderUID": "tablewatch", "ruleGroup": group["name"], "orgID": 1}
        assert violations(GrafanaRule, document) == [], rule["title"]
        assert rule["notification_settings"]["receiver"] == contact["name"]
        refs = [query["refId"] for query in rule["data"]]
        assert rule["condition"] in refs
        assert all(query["model"].get("expression", "A") in refs for query in rule["data"])
        assert rule["annotations"]["summary"]
        assert rule["annotations"]["description"]
    assert {"tablewatch-no-events", "tablewatch-lag-growing", "tablewatch-worker-gone"} <= {
        rule["uid"] for rule in group["rules"]
    }


@pytest.mark.parametrize(
    ("metric", "lasting"),
    [
        ("tablewatch_partitions_unjudged", "2m"),
        ("tablewatch_tables_unread", "1m"),
        ("tablewatch_alert_partitions_standing_still", "0s"),
    ],
)
def test_tables_that_nobody_judges_are_told_and_a_worker_that_starts_is_not(metric: str, lasting: str) -> None:
    (rule,) = [rule for rule in RULES if isinstance(rule.query, Prom) and metric in rule.query.expression]
    assert (rule.threshold, rule.lasting, rule.severity) == (("gt", 0), lasting, "critical")
