"""A store that takes connections and says nothing: people hear so in time, and what counts later is written down."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from console.server import waiting
from store.read.proof import access_entries
from tests.console.house import await_that, console_on_a_store_of_its_own, made_up_finding

pytestmark = pytest.mark.xdist_group("console")


def _acts(person: httpx.Client) -> list[dict[str, Any]]:
    """What of this person's acts was uncertain."""
    acts: list[dict[str, Any]] = person.get("/api/v1/uncertain-acts").json()
    return acts


def test_an_act_while_the_store_hangs_is_uncertain_and_counts_and_is_logged_when_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "ANSWER_SECONDS", 5.0)
    with console_on_a_store_of_its_own(tmp_path) as (console, server), console.client("operator") as operator:
        finding = made_up_finding(1)
        console.raise_findings([finding])
        board, health = console.parts.live.floor.alerts, console.parts.live.health
        await_that(lambda: board.get(finding.id) and health.store.state == "ok", "the alert is there")
        path = f"/api/v1/alerts/{finding.id}"
        server.pause()
        try:
            await_that(lambda: "it does not answer" in health.store.words, "the pages name the store")
            asked, acted = operator.get(path), operator.post(f"{path}/acknowledge")
            assert (asked.status_code, acted.status_code) == (503, 504)
            assert "the store does not answer" in asked.json()["detail"]
            assert "whether this counts is told" in acted.json()["detail"]
            assert "counts is told as soon as it is known" in health.store.words
            [uncertain] = operator.get("/api/v1/uncertain-acts").json()
            assert (uncertain["deed"], uncertain["table"], uncertain["outcome"]) == ("acknowledge", "BT01", "uncertain")
            named = f"/api/v1/uncertain-acts/{uncertain['id']}"
            assert operator.delete(named).status_code == 404, "nobody can have seen how it ends"
            # Nobody is told of what may not be so.
            assert (known := board.get(finding.id)) and known.state == "raised"
        finally:
            server.resume()
        await_that(lambda: health.store.state == "ok", "the store is back")
        await_that(lambda: (known := board.get(finding.id)) and known.state == "acknowledged", "it counts")
        [ended] = await_that(lambda: [act for act in _acts(operator) if act["outcome"] != "uncertain"], "it is told")
        assert (ended["outcome"], ended["reason"]) == ("counts", "")
        with console.client("auditor") as somebody_else:
            assert _acts(somebody_else) == []
            assert somebody_else.delete(named).status_code == 404
        assert operator.delete(named).status_code == 204
        assert (_acts(operator), operator.delete(named).status_code) == ([], 404)

        def logged() -> bool:
            actions = [each.action for each in access_entries(console.parts.store)]
            return "alert: acknowledge" in actions and "looked at an alert" in actions

        await_that(logged, "both are in the access log")
