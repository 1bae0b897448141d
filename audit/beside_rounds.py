"""Findings that belong to no round: of a table's devices and shoes, and of rejected events."""

from collections.abc import Iterable, Iterator
from hashlib import sha256

from audit.checks import decks, device_clock, device_sequence, shoe_balance
from audit.dealing import cards_read
from audit.devices import ALWAYS_BEFORE, EVER_AFTER, Obscurity
from audit.settings import JudgeSettings
from audit.table import ShoeFacts, TableFacts, configuration_at
from games.rulebook import Game, rulebook
from schemas.findings import SEVERITY, Finding, finding_id


def findings_beside_rounds(facts: TableFacts, settings: JudgeSettings) -> Iterator[Finding]:
    """The findings of a table's devices and shoes."""
    devices = list(facts.devices.values())
    for device in devices:
        yield from device_sequence.gaps(facts.table, device)
        yield from device_clock.check(facts.table, device, settings)
    yield from device_sequence.silences(facts.table, devices, settings)
    obscurity = Obscurity(devices)
    for name in sorted(facts.shoes):
        yield from _findings_of_shoe(facts, name, facts.shoes[name], obscurity, settings)


def _game_of(facts: TableFacts, shoe: ShoeFacts, settings: JudgeSettings) -> Game | None:
    """The game that a shoe was loaded for: of the configuration then in force, or else of the table's first one."""
    if not facts.configurations:
        return None
    at = configuration_at(facts.configurations, shoe.loaded[-1].at)
    return rulebook(settings.readings)[(at or facts.configurations[0]).data.game]


def _findings_of_shoe(
    facts: TableFacts, name: str, shoe: ShoeFacts, obscurity: Obscurity, settings: JudgeSettings
) -> Iterator[Finding]:
    if not shoe.loaded:
        return
    game = _game_of(facts, shoe, settings)
    if game is None:
        return
    loaded = shoe.loaded[-1]
    yield from decks.check(facts.table, name, game, loaded.data.decks)
    if not shoe.ended or shoe.ended[-1].data.remaining is None:
        return
    rounds = [round_facts for key, round_facts in facts.rounds.items() if key[0] == name]
    times = [fact.at for each in rounds for fact in each.ordered] + [loaded.at, shoe.ended[-1].at]
    if obscurity.could_hide("draw", min(times, default=ALWAYS_BEFORE), max(times, default=EVER_AFTER)):
        return
    reads = [cards for each in rounds for cards in cards_read(each).values()]
    yield from shoe_balance.check(facts.table, name, game, loaded.data.decks, reads, shoe.ended[-1].data.remaining)


def rejection(table: str | None, raw: bytes, reason: str, where: str = "") -> Finding:
    """``event-rejected``: one finding for identical bytes, wherever and however often they came."""
    code = "event-rejected"
    return Finding(
        id=finding_id(code, table, about=sha256(raw).hexdigest()),
        code=code,
        severity=SEVERITY[code],
        rule=None,
        table=table,
        shoe=None,
        round=None,
        bet=None,
        draw=None,
        expected=None,
        actual=raw[:200].decode("utf-8", "replace"),
        message=f"An event was rejected{where}: {reason.rstrip('.')}.",
    )


def without_repeats(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once, by id."""
    return list({finding.id: finding for finding in findings}.values())
