"""Whether a dashboard or a rule in Grafana is ours as we left it, ours and older, or changed by a person.

A dashboard keeps a mark in a hidden constant: the digest of what we wrote, and the version that it became. Grafana
counts the version up with every save, so that a version beyond the mark's is a person's change, whatever Grafana itself
makes of the JSON when it stores it. A rule has no version; its mark is a digest over what a person would change.
"""

import hashlib
from collections.abc import Mapping
from typing import Any, Final, Literal

import orjson

Json = dict[str, Any]
State = Literal["missing", "current", "older", "changed", "provisioned"]

MARK: Final = "tablewatch_installed"
RULE_MARK: Final = "tablewatch_installed"
_GRAFANAS_OWN: Final = ("id", "version", "iteration")


def digest(document: Any) -> str:
    """Of a document, whatever the order of its keys."""
    return hashlib.sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]


def marked(dashboard: Mapping[str, Any], version: int) -> Json:
    """The dashboard with the mark of the version that it is going to be."""
    text = f"{digest(dashboard)} {version}"
    mark = {
        "name": MARK,
        "type": "constant",
        "label": "Installed",
        "description": "Kept by tablewatch: what it installed last.",
        "hide": 2,
        "skipUrlSync": True,
        "query": text,
        "current": {"selected": True, "text": text, "value": text},
    }
    listed = [*dashboard["templating"]["list"], mark]
    return {**dashboard, "templating": {**dashboard["templating"], "list": listed}}


def unmarked(dashboard: Mapping[str, Any]) -> Json:
    """A dashboard as people wrote it: without the mark and without what Grafana keeps for itself."""
    templating = dashboard.get("templating", {})
    listed = [each for each in templating.get("list", []) if each.get("name") != MARK]
    plain = {key: value for key, value in dashboard.items() if key not in _GRAFANAS_OWN}
    return {**plain, "templating": {**templating, "list": listed}}


def state_of(ours: Mapping[str, Any], stored: Mapping[str, Any] | None) -> State:
    """How a dashboard in Grafana (with its `meta`) stands to ours."""
    if stored is None:
        return "missing"
    if stored.get("meta", {}).get("provisioned"):
        return "provisioned"
    there = stored["dashboard"]
    for variable in there.get("templating", {}).get("list", []):
        if variable.get("name") == MARK:
            written, _, version = str(variable.get("query", "")).partition(" ")
            if version != str(there["version"]):
                return "changed"
            return "current" if written == digest(ours) else "older"
    return "changed"


def marked_rule(rule: Mapping[str, Any]) -> Json:
    """The rule with the mark of what it says."""
    return {**rule, "annotations": {**rule["annotations"], RULE_MARK: digest(_gist(rule))}}


def state_of_rule(ours: Mapping[str, Any], stored: Mapping[str, Any] | None) -> State:
    """How a rule in Grafana stands to ours."""
    if stored is None:
        return "missing"
    if stored.get("provenance") == "file":
        return "provisioned"
    written = stored.get("annotations", {}).get(RULE_MARK)
    if written != digest(_gist(stored)):
        return "changed"
    return "current" if written == digest(_gist(ours)) else "older"


def _gist(rule: Mapping[str, Any]) -> Json:
    """What a person would change; Grafana adds to the rest when it stores it."""
    said = ("rawSql", "expr", "type", "expression", "reducer", "conditions")
    return {
        **{key: rule.get(key) for key in ("title", "condition", "for", "noDataState", "execErrState", "labels")},
        "annotations": {key: text for key, text in rule["annotations"].items() if key != RULE_MARK},
        "paused": bool(rule.get("isPaused")),
        "data": [
            {
                "refId": query["refId"],
                "source": query["datasourceUid"],
                "model": {key: query["model"].get(key) for key in said},
            }
            for query in rule["data"]
        ],
    }
