"""The routing file: read whole, and every fault named with its place."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.findings import SEVERITY
from store.rows.alerts import Alert
from streams.alerting.delivery import unusable, unusable_addresses
from streams.alerting.holding import Group, Hold, device_of, group_of, held
from streams.alerting.preview import preview
from streams.alerting.recipients import quiet_until, recipients, stage_of, told_by, within
from streams.alerting.rules import Hours, InvalidRouting, Limits, parse_routing

SITE = """
time_zone = "Asia/Singapore"
otherwise = ["administrator"]

[shifts.day]
from = "06:00"
to = "18:00"
[shifts.night]
from = "18:00"
to = "06:00"

[people.anna]
roles = ["shift_manager"]
urls = ["json://127.0.0.1/anna"]
shifts = ["day"]
[people.bob]
roles = ["shift_manager"]
urls = ["json://127.0.0.1/bob"]
shifts = ["night"]
pits = ["P1"]
[people.carl]
roles = ["operator"]
urls = ["json://127.0.0.1/carl"]
quiet = [{ from = "22:00", to = "06:00" }]
[people.ada]
roles = ["administrator"]
urls = ["json://127.0.0.1/ada"]

[[rules]]
name = "managers"
severity = ["critical", "high"]
tell = ["shift_manager"]
[[rules]]
name = "readers"
code = ["device-*"]
pit = ["P1"]
tell = ["carl"]
[[rules]]
name = "nights at the tiger tables"
game = ["tiger"]
shift = ["night"]
severity = ["medium"]
tell = ["operator"]

[[escalation]]
severity = ["critical"]
chain = [{ after = "2m", tell = ["operator"] }, { after = "5m", tell = ["administrator"] }]
"""
ROUTING = parse_routing(SITE)


def at(clock: str, day: int = 11) -> int:
    """A moment of November 2026 in Singapore; the 11th is a Wednesday."""
    hour, minute = map(int, clock.split(":"))
    moment = datetime(2026, 11, day, hour, minute, tzinfo=ZoneInfo("Asia/Singapore"))
    return round(moment.timestamp() * 1000)


def alert(code: str = "late-bet", pit: str | None = "P1", game: str | None = "no_commission", **more: Any) -> Alert:
    fields: dict[str, Any] = {
        "id": "a" * 32,
        "finding": "a" * 32,
        "table": "BT1",
        "shoe": None,
        "round": None,
        "code": code,
        "severity": SEVERITY[code],
        "pit": pit,
        "game": game,
        "message": "",
        "time": 0,
        "raised": 0,
    }
    return Alert(**(fields | more))


def told(found: Alert, clock: str) -> set[str]:
    return {each.person for each in recipients(ROUTING, found, at(clock))}


def test_the_shift_on_duty_is_told() -> None:
    assert told(alert(), "12:00") == {"anna"}
    assert told(alert(), "23:00") == {"bob"}
    assert told(alert(), "05:59") == {"bob"}
    assert told(alert(), "06:00") == {"anna"}


def test_times_of_day_are_those_of_the_tables_own_time_zone() -> None:
    elsewhere = alert(detail={"time_zone": "America/Los_Angeles"})
    assert told(elsewhere, "12:00") == {"bob"}, "it is 20:00 there"
    assert told(alert(detail={"time_zone": "Nowhere/Land"}), "12:00") == {"anna"}


def test_rules_add_up_and_what_none_fits_goes_to_the_others() -> None:
    assert told(alert("device-gap"), "12:00") == {"anna", "carl"}
    assert told(alert("device-gap", pit="P2"), "12:00") == {"anna"}
    assert told(alert("device-clock", game="tiger", pit="P9"), "23:00") == {"carl"}
    assert told(alert("device-clock", game="tiger", pit="P9"), "12:00") == {"ada"}


def test_what_is_not_known_of_an_alert_fits() -> None:
    assert told(alert("device-gap", pit=None), "12:00") == {"anna", "carl"}


def test_critical_wakes_a_manager_when_none_is_on_duty_and_the_rest_goes_to_the_others() -> None:
    assert told(alert(pit="P2"), "23:00") == {"anna", "bob"}, (
        "bob is on duty for another pit: all of the role are woken"
    )
    assert told(alert("device-gap", pit="P2"), "23:00") == {"ada"}


@given(st.sampled_from(sorted(SEVERITY)), st.integers(0, 24 * 60 - 1), st.sampled_from(["P1", "P2", None]))
def test_somebody_is_told_of_everything_at_any_time(code: str, minute: int, pit: str | None) -> None:
    clock = f"{minute // 60:02d}:{minute % 60:02d}"
    assert told(alert(code, pit), clock)


@given(st.integers(0, 24 * 60 - 1))
def test_quiet_hours_never_silence_critical(minute: int) -> None:
    clock = f"{minute // 60:02d}:{minute % 60:02d}"
    assert quiet_until(ROUTING, "carl", "critical", at(clock)) is None
    quiet = minute >= 22 * 60 or minute < 6 * 60
    until = quiet_until(ROUTING, "carl", "high", at(clock))
    assert (until is not None) == quiet
    if until is not None:
        assert until == at("06:00", 12 if minute >= 22 * 60 else 11)


def test_hours_over_midnight_belong_to_the_day_that_they_began_on() -> None:
    friday_night = Hours.model_validate({"from": "22:00", "to": "06:00", "days": ["fri"]})
    zone = ZoneInfo("Asia/Singapore")
    assert within(friday_night, datetime(2026, 11, 13, 23, 0, tzinfo=zone))
    assert within(friday_night, datetime(2026, 11, 14, 5, 0, tzinfo=zone))
    assert not within(friday_night, datetime(2026, 11, 13, 5, 0, tzinfo=zone))
    assert not within(friday_night, datetime(2026, 11, 14, 23, 0, tzinfo=zone))


def test_the_escalation_goes_from_role_to_role() -> None:
    stages = [stage_of(ROUTING, "critical", done) for done in range(3)]
    assert [stage and stage.after for stage in stages] == [120, 300, None]
    assert stages[1] is not None
    assert [each.person for each in told_by(ROUTING, stages[1], alert(), at("12:00"))] == ["ada"]
    assert stage_of(ROUTING, "low", 0) is None


LIMITS = Limits(window=300, messages=3, per=600)


@given(st.lists(st.integers(0, 10**7), max_size=50), st.integers(0, 10**7), st.one_of(st.none(), st.integers(0, 10**8)))
def test_nothing_critical_is_ever_held_back(sent: list[int], now: int, quiet: int | None) -> None:
    assert held(LIMITS, "critical", Group(now + 1), sent, quiet, now) is None


def test_the_rest_waits_for_its_group_its_share_and_the_end_of_quiet_hours() -> None:
    assert held(LIMITS, "high", None, [], None, 1000) is None
    assert held(LIMITS, "high", Group(5000), [], None, 1000) == Hold(5000, "group")
    assert held(LIMITS, "high", Group(1000), [], None, 1000) is None
    assert held(LIMITS, "high", None, [1000, 2000, 3000], None, 4000) == Hold(601_000, "limit")
    assert held(LIMITS, "high", None, [1000, 2000, 3000], None, 601_000) is None
    assert held(LIMITS, "high", None, [], 9000, 1000) == Hold(9000, "quiet")


def test_a_group_is_a_table_a_code_and_a_device() -> None:
    reader = alert("device-gap", message="/tables/BT1/reader lost 2 events: nothing came between 4 and 7.")
    same = alert("device-gap", message="/tables/BT1/reader lost an event: nothing came between 9 and 11.")
    sensor = alert("device-gap", message="/tables/BT1/rfid lost an event: nothing came between 9 and 11.")
    clock = alert("device-clock", message="The clock of /tables/BT1/reader is 3.0 s ahead of the others.")
    assert group_of(reader) == group_of(same)
    assert len({group_of(each) for each in (reader, sensor, clock, alert("device-gap", table="BT2"))}) == 4


def test_an_alert_about_a_device_tells_which_if_its_sentence_names_one() -> None:
    assert (
        device_of(alert("device-clock", message="The clock of /tables/BT1/reader is 3.0 s ahead."))
        == "/tables/BT1/reader"
    )
    assert device_of(alert("event-rejected", message="An event was rejected: it is no JSON.")) == ""
    assert device_of(alert("payout-wrong", message="It is of /tables/BT1/desk.")) is None


def test_check_shows_every_kind_of_alert_that_the_rules_tell_apart() -> None:
    rows = preview(ROUTING, at("12:00"))
    found = {(row.severity, row.code, row.pit, row.game, row.shift): row for row in rows}
    assert found["critical", "other", "P1", "other", "day"].told == ("anna",)
    assert found["high", "device-*", "P1", "other", "night"].told == ("bob", "(carl)")
    assert found["critical", "other", "P1", "tiger", "day"].then == ("after 2m: operator", "after 5m: administrator")
    assert ("critical", "device-*", "P1", "other", "day") not in found, "no critical finding has such a code"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = ", "is no TOML"),
        ("", "people: is missing"),
        ("[people.a]\nurls = []", "people.a.urls: must not be empty"),
        (
            '[people.a]\nurls = ["json://x"]\nrole = ["operator"]',
            "people.a.role: there is no such entry; did you mean roles?",
        ),
        (SITE + '[[rule]]\ntell = ["ada"]', "rule: there is no such entry; did you mean rules?"),
        (SITE.replace('pit = ["P1"]', 'pitt = ["P1"]'), "rules.2.pitt: there is no such entry; did you mean pit?"),
        (SITE.replace('{ from = "22:00"', '{ form = "22:00"'), "people.carl.quiet.1.form: there is no such entry; did"),
        (SITE + "[shifts.late]\nuntil = 1", "shifts.late.until: there is no such entry\n"),
        (SITE + '[people.limits]\nurls = ["json://x"]\nquite = 1', "people.limits.quite: there is no such entry; did"),
        ('[people.a]\nurls = ["json://x"]\nroles = ["operatr"]', "did you mean operator?"),
        ('[people.operator]\nurls = ["json://x"]', "this is the name of a role"),
        ('[people.a]\nurls = ["json://x"]', "otherwise: nobody has the role 'administrator'"),
        ('time_zone = "Asia/Singapur"\n[people.a]\nurls = ["json://x"]', "is no time zone"),
        (SITE + '[limits]\nwindow = "5 days"', "limits.window: '5 days' is no span of time"),
        (SITE.replace('"device-*"', '"device-gab"'), "did you mean device-gap?"),
        (SITE.replace('"device-*"', '"devise-*"'), "no finding has the code 'devise-*'; did you mean device-*?"),
        (SITE.replace('"device-*"', '"*-gab"'), "no finding has the code '*-gab'; did you mean *-gap?"),
        (SITE.replace('["tiger"]', '["tigre"]'), "did you mean tiger?"),
        (SITE.replace('shift = ["night"]', 'shift = ["evening"]'), "rules.3.shift: there is no shift 'evening'"),
        (SITE.replace('tell = ["carl"]', 'tell = ["karl"]'), "there is no role or person 'karl'; did you mean carl?"),
        (SITE.replace('"5m"', '"1m"'), "each step must come later than the one before"),
        (SITE.replace('"high"]', '"higher"]'), "rules.1.severity.2: 'higher' is none of"),
        (SITE.replace('"06:00"', '"6 am"'), "'6 am' is no time of day"),
    ],
)
def test_every_fault_of_the_file_is_named_with_its_place(text: str, said: str) -> None:
    with pytest.raises(InvalidRouting) as raised:
        parse_routing(text)
    assert said in f"{raised.value}\n"


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(InvalidRouting) as raised:
        parse_routing(SITE.replace('["tiger"]', '["tigre"]').replace('"5m"', '"soon"'))
    assert "tigre" in str(raised.value)
    assert "soon" in str(raised.value)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ('tell = ["carl"]', 'tell = ["karl"]', "there is no role or person 'karl'; did you mean carl?"),
        ('shift = ["night"]', 'shift = ["evening"]', "rules.3.shift: there is no shift 'evening'"),
    ],
)
def test_names_that_are_not_there_are_named_together_with_other_faults(right: str, wrong: str, said: str) -> None:
    with pytest.raises(InvalidRouting) as raised:
        parse_routing(SITE.replace(right, wrong).replace('["tiger"]', '["tigre"]'))
    assert "tigre" in str(raised.value)
    assert said in str(raised.value)


@pytest.mark.parametrize("key", ["rules", "escalation", "shifts", "otherwise"])
@pytest.mark.parametrize("value", ["1", "[1]", '"x"', '[{ tell = "x", chain = 1, shift = 2 }]'])
def test_a_part_of_another_form_than_it_should_have_is_a_fault_like_others(key: str, value: str) -> None:
    with pytest.raises(InvalidRouting, match=key):
        parse_routing(f'{key} = {value}\n[people.a]\nurls = ["json://x"]')


NONSENSE = SITE.replace("json://127.0.0.1/carl", "nonsense://token-of-carl")
UNUSABLE = "people.carl.urls.1: apprise cannot use this nonsense address"


def test_an_address_that_apprise_cannot_use_is_named_without_its_secrets() -> None:
    with pytest.raises(InvalidRouting) as raised:
        parse_routing(NONSENSE, unusable=unusable_addresses)
    assert str(raised.value).splitlines()[1:] == [f"  {UNUSABLE}"]
    assert parse_routing(SITE, unusable=unusable_addresses) == ROUTING
    assert unusable(parse_routing(NONSENSE)) == [UNUSABLE]
    assert unusable(ROUTING) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [('["tiger"]', '["tigre"]'), ('tell = ["carl"]', 'tell = ["karl"]'), ("urls", "urls = [1]\ncopies")],
)
def test_an_address_that_cannot_be_used_is_named_together_with_other_faults(right: str, wrong: str) -> None:
    with pytest.raises(InvalidRouting) as raised:
        parse_routing(NONSENSE.replace(right, wrong, 1), unusable=unusable_addresses)
    first, *_, last = str(raised.value).splitlines()[1:]
    assert first != last
    assert last.strip() == UNUSABLE


@pytest.mark.parametrize("people", ['"anna"', "[1]", "{ anna = 1 }", '{ anna = { urls = "json://x" } }'])
def test_people_of_another_form_than_they_should_have_are_a_fault_like_others(people: str) -> None:
    with pytest.raises(InvalidRouting, match="people"):
        parse_routing(f"people = {people}", unusable=unusable_addresses)
