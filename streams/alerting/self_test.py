"""The self-test: a known fault at a reserved table, sent the way devices send, and its alert awaited on the topic.

The table is live, because only live tables raise alerts; it is known by its name, and whoever tells people of findings
or shows tables leaves it out (`streams.alerting.raising.is_self_test`). Every run has a shoe and a source of its own,
so that no run depends on another. The round is declared void, so that nothing is left open.
"""

import hashlib
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from schemas.findings import Finding
from schemas.topics import ALERTS
from store.rows.alerts import Alert
from streams.alerting.raising import SELF_TEST_TABLE
from streams.alerting.recipients import Recipient
from streams.alerting.rules import Routing
from streams.broker_url import Broker
from streams.feed import Feed, decode
from streams.publish import publish

CODE: Final = "late-bet"
"""The fault: a bet after "No more bets"."""
FAILED_CODE: Final = "self-test-failed"

_SECOND: Final = 1_000_000


def shoe_of(run: str) -> str:
    """The shoe of a run."""
    return f"self-test-{run}"


def fault(run: str, now_us: int) -> list[bytes]:
    """The events of one run, one a line, all of the last few seconds."""
    shoe = shoe_of(run)
    desk, sensor, reader = (f"/tables/{SELF_TEST_TABLE}/{device}/{run}" for device in ("desk", "rfid", "reader"))
    limits = {"player": {"min": 100, "max": 10_000}, "banker": {"min": 100, "max": 10_000}}
    configured = {
        "game": "dragon_tiger_baccarat", "currency": "SGD", "area": "main", "positions": 7, "max_wagers_per_area": None,
        "differential_limit": None, "limits": limits, "pit": SELF_TEST_TABLE, "site": SELF_TEST_TABLE,
    }  # fmt: skip
    bet = {"bet": "late", "position": 1, "player": None, "wager": "player", "amount": 100}
    void = {"ruling": "void", "clause": "6.1", "by": "gaming_shift_manager"}
    here = {"shoe": shoe, "round": 1}
    said: list[tuple[str, str, int, dict[str, Any]]] = [
        ("table.configured.v1", desk, 0, configured),
        ("shoe.loaded.v1", reader, 0, {"shoe": shoe, "decks": 8}),
        ("round.opened.v1", desk, 1, {**here, "method": "A"}),
        ("bets.closed.v1", desk, 2, here),
        ("bet.placed.v1", sensor, 6, {**here, **bet}),
        ("ruling.made.v1", desk, 7, {**here, **void}),
        ("round.closed.v1", desk, 8, here),
        ("shoe.ended.v1", reader, 9, {"shoe": shoe, "remaining": None}),
    ]
    counts: dict[str, int] = {}
    lines: list[bytes] = []
    for kind, source, seconds, data in said:
        counts[source] = counts.get(source, 0) + 1
        moment = datetime.fromtimestamp((now_us + (seconds - 10) * _SECOND) / _SECOND, UTC)
        event = {
            "specversion": "1.0",
            "id": f"{run}-{counts[source]}",
            "source": source,
            "type": kind,
            "subject": SELF_TEST_TABLE,
            "time": moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "sequence": counts[source],
            "data": data,
        }
        lines.append(orjson.dumps(event))
    return lines


def answers(finding: Finding, run: str) -> bool:
    """Whether this finding is the one that a run waits for."""
    return finding.code == CODE and finding.shoe == shoe_of(run) and not finding.cleared


def send_fault(broker: Broker, run: str, now_us: int, patience_seconds: float) -> None:
    """Put the fault on the input topics. Raises what `publish` raises."""
    publish(fault(run, now_us), broker, patience_seconds=patience_seconds)


def prove(broker: Broker, seconds: float, *, clock: Callable[[], float] = time.time) -> float | None:
    """One run from here: seconds until its alert came, or None when it did not come in time."""
    now = clock()
    run = run_name(now)
    with Feed(broker, (ALERTS.name,)) as feed:
        begun = time.monotonic()
        send_fault(broker, run, round(now * 1e6), seconds)
        while time.monotonic() - begun < seconds:
            for record in feed.poll(0.2):
                finding = decode(record)
                if isinstance(finding, Finding) and answers(finding, run):
                    return time.monotonic() - begun
    return None


def run_name(now: float) -> str:
    """A name that no other run has."""
    return f"{round(now * 1000)}"


def alarm(run: str, reason: str, now_ms: int, *, by_hand: bool = False) -> Alert:
    """The alert about a self-test that failed; ``by_hand``: the service has not raised it itself, see `is_by_hand`."""
    name = hashlib.sha256(f"self-test {run}".encode()).hexdigest()[:32]
    return Alert(
        id=name,
        finding=name,
        table=None,
        shoe=None,
        round=None,
        code=FAILED_CODE,
        severity="critical",
        pit=None,
        game=None,
        message=f"The self-test of the alerts failed: {reason}. Real alerts may not come through either.",
        time=now_ms * 1000,
        raised=now_ms,
        detail={"run": run, "by_hand": True} if by_hand else {"run": run},
    )


def is_by_hand(alert: Alert) -> bool:
    """Whether it is the alarm of a self-test by hand: no topic tells of it, the service learns of it from the store."""
    return alert.code == FAILED_CODE and alert.detail.get("by_hand") is True


def administrators(routing: Routing) -> list[Recipient]:
    """Who hears of a failed self-test: the administrators, or everybody when there are none."""
    found = [name for name, person in routing.people.items() if "administrator" in person.roles]
    return [Recipient(name, "self-test") for name in found or routing.people]
