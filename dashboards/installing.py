"""Brings data sources, dashboards, contact point and alert rules to a Grafana; a person's change is left alone."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import orjson

from dashboards.board import TAG
from dashboards.generate import dashboards
from dashboards.grafana import ChangedMeanwhile, Grafana
from dashboards.installed import State, marked, marked_rule, state_of, state_of_rule, unmarked
from dashboards.rules import CONTACT, CONTACT_UID, FOLDER, FOLDER_UID, GROUP, RULES, receiver
from dashboards.sources import CLICKHOUSE, PROMETHEUS
from store.address import Address

MESSAGE: Final = "tablewatch dashboards install"

NOBODY_YET: Final = "shift@localhost"
"""Where no address is given, so that there is a contact point to change."""

Done = Literal["made", "brought up to date", "as it should be", "left alone", "not there"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was looked at, and what was done about it."""

    what: str
    done: Done
    why: str = ""
    """Of what was left alone or is not there: the reason, and what to do."""

    def __str__(self) -> str:
        return f"{self.what}: {self.done}" + (f" ({self.why})" if self.why else "")


@dataclass(frozen=True, slots=True)
class Sources:
    """Where Grafana finds the data; None: a data source that is missing is only named."""

    store: Address | None = None
    prometheus: str | None = None

    def wanted(self) -> Iterator[tuple[Mapping[str, str], dict[str, Any] | None]]:
        """Each data source that panels name, and how to make it."""
        yield CLICKHOUSE, None if self.store is None else _clickhouse(self.store)
        yield PROMETHEUS, None if self.prometheus is None else _prometheus(self.prometheus)


def install(grafana: Grafana, sources: Sources, shift: str | None, *, force: bool = False) -> Iterator[Step]:
    """Makes what is missing and brings up to date what nobody changed; with ``force`` also what somebody changed.
    ``shift`` is the shift's e-mail address; None: whatever it is."""
    if grafana.folder(FOLDER_UID) is None:
        grafana.create_folder(FOLDER_UID, FOLDER)
        yield Step(f"folder {FOLDER}", "made")
    for named, wanted in sources.wanted():
        yield _install_source(grafana, named["uid"], wanted)
    for uid, ours in dashboards().items():
        yield _install_dashboard(grafana, uid, ours, force=force)
    yield _install_contact(grafana, shift)
    for rule in RULES:
        yield _install_rule(grafana, rule.json(), force=force)


def _install_contact(grafana: Grafana, shift: str | None) -> Step:
    """The contact point belongs to those who are told by it: one that is there is never changed."""
    named = f"contact point {CONTACT}"
    there = grafana.contact_points(CONTACT)
    if not there:
        to = receiver(shift or NOBODY_YET)
        grafana.create_contact_point({"uid": CONTACT_UID, "name": CONTACT, "type": "email", **to})
        return Step(named, "made")
    addresses = [str(each.get("settings", {}).get("addresses", "")) for each in there]
    if shift is None or shift in addresses:
        return Step(named, "as it should be")
    why = f"it tells {', '.join(filter(None, addresses)) or 'somebody else'}, not {shift}: change it in Grafana"
    return Step(named, "left alone", why)


def differences(grafana: Grafana) -> Iterator[tuple[str, State, list[str]]]:
    """What is not as it should be: its name, how it stands, and of a dashboard the lines that differ. Of a data source
    and the contact point only that they are there: how they are is the house's own matter."""
    for named in (CLICKHOUSE, PROMETHEUS):
        if grafana.data_source(named["uid"]) is None:
            yield f"data source {named['uid']}", "missing", []
    for uid, ours in dashboards().items():
        stored = grafana.dashboard(uid)
        state = state_of(ours, stored)
        there = unmarked(stored["dashboard"]) if stored else {}
        lines = _lines_that_differ(there, ours) if stored else []
        if state in ("missing", "older", "changed") or (state == "provisioned" and lines):
            yield f"dashboard {uid}", state, lines
    for rule in RULES:
        state = state_of_rule(rule.json(), grafana.rule(rule.uid))
        if state not in ("current", "provisioned"):
            yield f"alert rule {rule.uid}", state, []
    if not grafana.contact_points(CONTACT):
        yield f"contact point {CONTACT}", "missing", []


def export(grafana: Grafana, folder: Path) -> Iterator[Path]:
    """Writes every dashboard that has our tag, as people have it now, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for uid in sorted({*dashboards(), *grafana.tagged(TAG)}):
        stored = grafana.dashboard(uid)
        if stored is not None:
            path = folder / f"{Path(uid).name}.json"
            path.write_bytes(_printed(unmarked(stored["dashboard"])))
            yield path


def _install_source(grafana: Grafana, uid: str, wanted: dict[str, Any] | None) -> Step:
    what = f"data source {uid}"
    stored = grafana.data_source(uid)
    if stored is not None:
        there, meant = _place(stored), _place(wanted) if wanted is not None else ""
        if not meant or there == meant:
            return Step(what, "as it should be")
        # How it stands is the house's own matter, but not to say that it is right.
        return Step(what, "left alone", f"it asks {there}, not {meant}: change it in Grafana")
    if wanted is None:
        return Step(what, "not there", "give its address, or make it in Grafana under this uid")
    grafana.create_data_source(wanted)
    return Step(what, "made")


def _install_dashboard(grafana: Grafana, uid: str, ours: Mapping[str, Any], *, force: bool) -> Step:
    what = f"dashboard {uid}"
    stored = grafana.dashboard(uid)
    state = state_of(ours, stored)
    if state == "current":
        return Step(what, "as it should be")
    if state == "provisioned":
        return Step(what, "left alone", "Grafana reads it from a file")
    if state == "changed" and not force:
        return Step(
            what, "left alone", f"{_who(stored)} changed it: see `dashboards diff`, keep it by `export`, or --force"
        )
    before = int(stored["dashboard"]["version"]) if stored else 0
    try:
        _save(grafana, ours, before, force=force)
    except ChangedMeanwhile:
        return Step(what, "left alone", "somebody saved it just now: see `dashboards diff`")
    return Step(what, "brought up to date" if stored else "made")


def _save(grafana: Grafana, ours: Mapping[str, Any], before: int, *, force: bool) -> None:
    """Saves with a mark of the version to come; once more where Grafana counted otherwise than by one."""
    for _ in range(2):
        document = {**marked(ours, before + 1), "version": before}
        after = grafana.save_dashboard(document, FOLDER_UID, MESSAGE, overwrite=force)
        if after == before + 1:
            return
        before = after


def _install_rule(grafana: Grafana, rule: dict[str, Any], *, force: bool) -> Step:
    what = f"alert rule {rule['uid']}"
    stored = grafana.rule(rule["uid"])
    state = state_of_rule(rule, stored)
    wanted = marked_rule(rule) | {"orgID": 1, "folderUID": FOLDER_UID, "ruleGroup": GROUP}
    if state == "missing":
        grafana.create_rule(wanted)
        return Step(what, "made")
    if state == "current":
        return Step(what, "as it should be")
    if state == "provisioned":
        return Step(what, "left alone", "Grafana reads it from a file")
    if state == "changed" and not force:
        return Step(what, "left alone", "somebody changed it: --force puts ours back")
    grafana.update_rule(wanted)
    return Step(what, "brought up to date")


def _who(stored: Mapping[str, Any] | None) -> str:
    return str((stored or {}).get("meta", {}).get("updatedBy") or "somebody")


def _printed(document: Any) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def _lines_that_differ(there: Any, ours: Any) -> list[str]:
    before, after = (_printed(document).decode().splitlines() for document in (there, ours))
    return list(difflib.unified_diff(before, after, "in Grafana", "here", lineterm="", n=2))


def _clickhouse(address: Address) -> dict[str, Any]:
    return {
        "name": "Tablewatch ClickHouse",
        **CLICKHOUSE,
        "access": "proxy",
        "jsonData": {
            "host": address.host,
            "port": address.port,
            "protocol": "native",
            "secure": address.secure,
            "username": address.user,
            "defaultDatabase": address.database,
        },
        "secureJsonData": {"password": address.password},
    }


def _place(source: Mapping[str, Any]) -> str:
    """Whom a data source asks, without its password."""
    said = source.get("jsonData") or {}
    if source.get("url") or "host" not in said:
        return str(source.get("url", "")).rstrip("/")
    tls = "s" if said.get("secure") else ""
    return (
        f"clickhouse{tls}://{said.get('username', '')}@{said['host']}:{said.get('port')}/{said.get('defaultDatabase')}"
    )


def _prometheus(url: str) -> dict[str, Any]:
    return {
        "name": "Tablewatch Prometheus",
        **PROMETHEUS,
        "access": "proxy",
        "url": url,
        "jsonData": {"httpMethod": "POST", "timeInterval": "15s"},
    }
