"""Changes take two administrators: proposed by one, made by another, kept with both names and the time."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from console.changes.difference import difference
from console.changes.ledger import Ledger
from console.changes.settings_file import FileUnusable, with_setting, write_whole
from console.changes.subjects import RoutingSubject, SigningKeySubject
from console.database import Database
from console.server.app import make_app
from replay.chain.keys import KeyRing
from streams.alerting.delivery import unusable_addresses
from tablewatch.commands.changeable import changeable
from tests.console.past.evening import ROUTING, Evening
from tests.tablewatch.typed import typed

pytestmark = pytest.mark.xdist_group("evening")


@dataclass
class Office:
    """A console from which something can be changed, and the files behind it."""

    evening: Evening
    app: Any
    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "tablewatch.toml"

    def ask(self, name: str, method: str, path: str = "", body: Any = None) -> Any:
        sessions = self.evening.parts.sessions
        token = sessions.begin(name, "127.0.0.1")
        session = sessions.find(token)
        assert session is not None
        client = TestClient(self.app, cookies={"tablewatch": token}, headers={"X-CSRF-Token": session.csrf})
        return client.request(method, f"/api/v1/changes{path}", json=body)

    def propose(self, value: str, subject: str = "TOLERANCE_MS", by: str = "administrator") -> Any:
        return self.ask(by, "POST", "", {"subject": subject, "value": value, "reason": "Clocks were set."})


@pytest.fixture
def office(evening: Evening, tmp_path: Path) -> Iterator[Office]:
    settings = tmp_path / "tablewatch.toml"
    settings.write_text('# The site\'s own.\ntolerance_ms = 500  # as delivered\nbroker = "tablelog:///x"\n')
    environment = {
        "TABLEWATCH_DATA": str(tmp_path / "data"),
        "TABLEWATCH_SETTINGS": str(settings),
        "TABLEWATCH_TOLERANCE_MS": "500",
        "TABLEWATCH_IDLE_MS": "7",
    }
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "alert-routes.toml").write_text(ROUTING)
    KeyRing(tmp_path / "data" / "keys").make("test")
    database = Database(tmp_path)
    ledger = Ledger(database, changeable(environment))
    yield Office(evening, make_app(replace(evening.parts, changes=ledger)), tmp_path)
    database.close()


def test_a_change_is_made_only_when_another_administrator_approves_it(office: Office) -> None:
    proposed = office.propose("750")
    assert (proposed.status_code, proposed.json()["before"]) == (201, "500")
    assert "500" in office.settings.read_text()
    change = proposed.json()["id"]
    own = office.ask("administrator", "POST", f"/{change}/approve", {})
    assert (own.status_code, "own proposal" in own.json()["detail"]) == (409, True)
    made = office.ask("second-admin", "POST", f"/{change}/approve", {"note": "Agreed."}).json()
    assert (made["decision"], made["proposed_by"], made["decided_by"]) == ("approved", "administrator", "second-admin")
    assert made["decided_at"] >= made["proposed_at"]
    text = office.settings.read_text()
    assert "tolerance_ms = 750  # as delivered" in text
    assert text.startswith("# The site's own.") and 'broker = "tablelog:///x"' in text
    again = office.ask("second-admin", "POST", f"/{change}/approve", {})
    assert (again.status_code, "second-admin was first" in again.json()["detail"]) == (409, True)
    assert office.ask("auditor", "GET").json()["changes"][0]["id"] == change


def test_both_names_are_in_the_access_log(office: Office) -> None:
    change = office.propose("751").json()["id"]
    office.ask("second-admin", "POST", f"/{change}/approve", {})
    while office.evening.parts.access.carry_some():
        pass
    entries = office.evening.client("auditor").get("/api/v1/access-log").json()["entries"]
    acts = {entry["action"]: entry for entry in entries if entry["detail"].get("change") == change}
    assert acts["proposed a change"]["who"] == "administrator"
    assert acts["approved a change"]["who"] == "second-admin"
    assert (acts["approved a change"]["detail"]["before"], acts["approved a change"]["detail"]["after"]) == (
        "500",
        "751",
    )


def test_why_a_change_was_rejected_is_in_the_access_log_beside_why_it_was_proposed(office: Office) -> None:
    change = office.propose("757").json()["id"]
    office.ask("second-admin", "POST", f"/{change}/reject", {"note": "Too high for this pit."})
    while office.evening.parts.access.carry_some():
        pass
    entries = office.evening.client("auditor").get("/api/v1/access-log").json()["entries"]
    [rejected] = [
        each for each in entries if each["action"] == "rejected a change" and each["detail"]["change"] == change
    ]
    assert rejected["detail"]["note"] == "Too high for this pit." and rejected["detail"]["reason"]


def test_whoever_was_added_after_the_proposal_cannot_approve_it(office: Office) -> None:
    change = office.propose("752").json()["id"]
    people = office.evening.parts.people
    late = replace(people.get("second-admin"), made=2_000_000_000)
    with pytest.raises(Exception, match="before the change was proposed"):
        office.app.state.parts.changes.approve(change, late)


def test_only_whoever_may_approve_a_change_is_offered_to(office: Office) -> None:
    office.propose("756")
    [told] = office.ask("second-admin", "GET").json()["changes"]
    assert told["approvable"] is True
    for name in ("administrator", "auditor"):
        assert [each["approvable"] for each in office.ask(name, "GET").json()["changes"]] == [False]
    office.ask("second-admin", "POST", f"/{told['id']}/approve", {})
    assert [each["approvable"] for each in office.ask("second-admin", "GET").json()["changes"]] == [False]


def test_a_line_that_moves_is_a_change_of_its_text() -> None:
    """The same lines in another order give the night shift's address to the day shift."""
    assert difference("[day]\nto = 1\n[night]\nto = 2", "[day]\nto = 2\n[night]\nto = 1") == [
        ("stays", "[day]"), ("comes", "to = 2"), ("comes", "[night]"),
        ("stays", "to = 1"), ("goes", "[night]"), ("goes", "to = 2"),
    ]  # fmt: skip


def test_of_a_long_text_lines_far_from_a_change_are_left_out_and_counted() -> None:
    lines = [str(number) for number in range(20)]
    found = difference("\n".join(lines), "\n".join([*lines[:10], *lines[11:]]))
    assert found[0] == ("left out", "7 lines as before")
    assert [each.text for each in found if each.fate == "goes"] == ["10"]
    assert found[-1] == ("left out", "6 lines as before")
    assert [each.text for each in found if each.fate == "stays"] == ["7", "8", "9", "11", "12", "13"]
    assert difference("same", "same") == []


def test_the_end_of_the_last_line_is_no_line_of_its_own() -> None:
    assert difference("a = 1\nb = 1\n", "a = 2\nb = 1") == [("goes", "a = 1"), ("comes", "a = 2"), ("stays", "b = 1")]


@given(*[st.lists(st.sampled_from("abc"), max_size=300)] * 2)
def test_what_goes_and_comes_makes_the_one_text_of_the_other(before: list[str], after: list[str]) -> None:
    was, will = iter(before), iter(after)
    for fate, text in difference("\n".join(before), "\n".join(after)):
        if fate == "left out":
            for _ in range(int(text.split()[0])):
                assert next(was, "") == next(will, "")
        else:
            assert fate == "comes" or next(was, "") == text
            assert fate == "goes" or next(will, "") == text
    assert list(was) == list(will)


def test_a_change_is_rejected_with_a_reason_or_withdrawn_by_whoever_proposed_it(office: Office) -> None:
    change = office.propose("753").json()["id"]
    assert office.ask("second-admin", "POST", f"/{change}/reject", {"note": ""}).status_code == 422
    assert office.ask("second-admin", "POST", f"/{change}/withdraw").status_code == 409
    waits = office.propose("754")
    assert (waits.status_code, "waits already" in waits.json()["detail"]) == (409, True)
    assert office.ask("second-admin", "POST", f"/{change}/reject", {"note": "No."}).json()["decision"] == "rejected"
    second = office.propose("754").json()["id"]
    assert office.ask("administrator", "POST", f"/{second}/withdraw").json()["decision"] == "withdrawn"
    assert "500" in office.settings.read_text()


def test_what_was_changed_by_hand_meanwhile_is_not_overwritten(office: Office) -> None:
    change = office.propose("755").json()["id"]
    office.settings.write_text("tolerance_ms = 900\n")
    answer = office.ask("second-admin", "POST", f"/{change}/approve", {})
    assert (answer.status_code, "changed elsewhere" in answer.json()["detail"]) == (409, True)
    assert office.settings.read_text() == "tolerance_ms = 900\n"
    assert office.ask("auditor", "GET").json()["changes"][0]["decision"] is None


@pytest.mark.parametrize(
    ("subject", "value", "status"),
    [
        ("TOLERANCE_MS", "soon", 422),
        ("TOLERANCE_MS", "-1", 422),
        ("TOLERANCE_MS", "500", 422),
        ("READING_PAIR", "sometimes", 422),
        ("WATCH_HOLD_RATE", "2", 422),
        ("IDLE_MS", "5", 409),
        ("BROKER", "kafka://elsewhere:1", 404),
        ("ALERT_ROUTING", "people = 5", 422),
        ("ALERT_ROUTING", ROUTING.replace("json:", "jason:"), 422),
        ("SIGNING_KEY", "mine", 422),
    ],
)
def test_a_value_that_the_services_would_refuse_is_refused_here(
    office: Office, subject: str, value: str, status: int
) -> None:
    assert office.propose(value, subject).status_code == status


def test_an_address_that_cannot_be_used_is_refused_in_the_words_of_alerts_check(office: Office) -> None:
    wrong = ROUTING.replace("json://127.0.0.1", "jason://token-of-mei").replace("administrator", "manager")
    refused = office.propose(wrong, "ALERT_ROUTING")
    assert refused.status_code == 422
    (office.folder / "data" / "alert-routes.toml").write_text(wrong)
    checked = typed("alerts", "check", TABLEWATCH_DATA=str(office.folder / "data"))
    assert checked.returncode == 2
    first, *faults = refused.json()["detail"].splitlines()
    assert first == "the routing file cannot be used:"
    assert faults == checked.stderr.decode().splitlines()[-2:]
    assert faults[1] == "  people.mei.urls.1: apprise cannot use this jason address"
    assert "token-of-mei" not in refused.text


def test_the_routing_holds_addresses_that_only_administrators_see(office: Office) -> None:
    changed = ROUTING.replace("127.0.0.1", "127.0.0.2")
    change = office.propose(changed, "ALERT_ROUTING").json()["id"]
    assert "127.0.0.1" in office.ask("second-admin", "GET").text
    hidden = office.ask("auditor", "GET").text
    assert "127.0.0.1" not in hidden and "127.0.0.2" not in hidden and "SHA-256" in hidden
    lines = office.ask("second-admin", "GET").json()["changes"][0]["lines"]
    assert [each["fate"] for each in lines] == ["stays", "stays", "goes", "comes", "stays"]
    office.ask("second-admin", "POST", f"/{change}/approve", {})
    assert "127.0.0.2" in (office.folder / "data" / "alert-routes.toml").read_text()
    while office.evening.parts.access.carry_some():
        pass
    assert "json://" not in office.evening.client("auditor").get("/api/v1/access-log").text


def test_a_new_signing_key_is_vouched_for_by_the_one_before_and_names_both_people(office: Office) -> None:
    ring = KeyRing(office.folder / "data" / "keys")
    (first,) = ring.known()
    change = office.propose("rotate", "SIGNING_KEY").json()
    assert change["before"] == first.key_id
    approved = office.ask("second-admin", "POST", f"/{change['id']}/approve", {}).json()
    _, second = ring.known()
    assert approved["after"] == second.key_id, "the list and the access log name the key"
    assert office.ask("auditor", "GET").json()["changes"][0]["after"] == second.key_id
    assert (second.previous, second.by) == (first.key_id, "administrator and second-admin")


def test_a_file_that_cannot_be_written_leaves_the_change_waiting(tmp_path: Path, evening: Evening) -> None:
    (tmp_path / "routes").mkdir()
    database = Database(tmp_path)
    routing = RoutingSubject(tmp_path / "none.toml", unusable_addresses)
    ledger = Ledger(database, [routing, SigningKeySubject(KeyRing(tmp_path / "keys"))])
    first, second = (replace(evening.parts.people.get("administrator"), name=name) for name in ("first", "second"))
    change = ledger.propose("ALERT_ROUTING", ROUTING, "New.", first)
    # The folder in place of the file: nobody, root included, can write there.
    (tmp_path / "none.toml").mkdir()
    with pytest.raises(FileUnusable):
        ledger.approve(change.id, second)
    assert ledger.get(change.id).decision is None
    database.close()


@pytest.mark.parametrize(("begins", "part"), [("TOLERANCE_MS", "workers"), ("WATCH_", "watches run")])
def test_the_part_that_has_to_be_started_again_is_the_one_that_reads_the_setting(
    tmp_path: Path, begins: str, part: str
) -> None:
    subjects = changeable({"TABLEWATCH_SETTINGS": str(tmp_path / "none.toml"), "TABLEWATCH_DATA": str(tmp_path)})
    effects = {each.effect for each in subjects if each.name.startswith(begins)}
    assert len(effects) == 1
    assert part in effects.pop()


def test_one_setting_changes_and_every_other_line_stays() -> None:
    text = '# ours\nidle_ms = 5 # five\n  tolerance_ms="7"\nbroker = "a # b"\n'
    assert with_setting(text, "idle_ms", "6") == text.replace("idle_ms = 5 #", "idle_ms = 6 #")
    assert with_setting(text, "tolerance_ms", "8").splitlines()[2] == "  tolerance_ms=8"
    assert with_setting(text, "watch_hold_rate", "1e-7").splitlines()[-1] == 'watch_hold_rate = "1e-7"'
    assert with_setting("", "idle_ms", "6") == "idle_ms = 6\n"
    with pytest.raises(FileUnusable):
        with_setting('a = """\nidle_ms = 5\n"""\n', "idle_ms", "6")
    with pytest.raises(FileUnusable):
        with_setting("no toml", "idle_ms", "6")


def test_a_file_keeps_its_readers_when_it_is_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("a = 1\n")
    path.chmod(0o640)
    write_whole(path, "a = 2\n")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("a = 2\n", 0o640)
    assert list(tmp_path.iterdir()) == [path]
