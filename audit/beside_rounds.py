"""Findings that belong to no round: of a table's devices and shoes, and of rejected events."""

from collections.abc import Iterable, Iterator
from hashlib import sha256

from audit.checks import decks, device_clock, device_sequence, shoe_balance
from audit.context import RoundContext
from audit.dealing import cards_read, deal
from audit.facts import RoundFacts
from audit.settings import JudgeSettings
from audit.table import ShoeFacts, Surroundings, TableFacts, configuration_at
from games.rulebook import Game, rulebook
from schemas.findings import SEVERITY, Finding, finding_id


def findings_beside_rounds(facts: TableFacts, settings: JudgeSettings) -> Iterator[Finding]:
    """The findings of a table's devices and shoes."""
    devices = list(facts.devices.values())
    for device in devices:
        yield from device_sequence.gaps(facts.table, device)
        yield from device_clock.check(facts.table, device, settings)
    yield from device_sequence.silences(facts.table, devices, settings)
    surroundings = Surroundings(facts) if any(device.obscured for device in devices) else None
    for name in sorted(facts.shoes):
        yield from _findings_of_shoe(facts, name, facts.shoes[name], surroundings, settings)


def _game_of(facts: TableFacts, name: str, shoe: ShoeFacts, settings: JudgeSettings) -> Game | None:
    """The game that a shoe was loaded for: of the configuration then in force, or else at its first round."""
    moments = [shoe.loaded[-1].at, *sorted(each.beginning.at for key, each in facts.rounds.items() if key[0] == name)]
    known = (configuration_at(facts.configurations, moment) for moment in moments)
    configuration = next((each for each in known if each is not None), None)
    return None if configuration is None else rulebook(settings.readings)[configuration.data.game]


def _findings_of_shoe(
    facts: TableFacts, name: str, shoe: ShoeFacts, surroundings: Surroundings | None, settings: JudgeSettings
) -> Iterator[Finding]:
    if not shoe.loaded:
        return
    game = _game_of(facts, name, shoe, settings)
    if game is None:
        return
    loaded = shoe.loaded[-1]
    yield from decks.check(facts.table, name, game, loaded.data.decks)
    if not shoe.ended or shoe.ended[-1].data.remaining is None:
        return
    keys = [key for key in facts.rounds if key[0] == name]
    lost = surroundings is not None and any(
        _misses_a_draw(game, facts.rounds[key], surroundings.context(key, frozenset())) for key in keys
    )
    reads = [cards for key in keys for cards in cards_read(facts.rounds[key]).values()]
    remaining = shoe.ended[-1].data.remaining
    yield from shoe_balance.check(facts.table, name, game, loaded.data.decks, reads, remaining, lost)


def _misses_a_draw(game: Game, facts: RoundFacts, context: RoundContext) -> bool:
    """Whether a card that a round needs is not there and may have been lost on the way."""
    if context.loaded is None or not context.obscurity.could_hide("draw", facts.ordered[0].at, context.until):
        return False
    dealing = deal(game, context.loaded.data.decks, facts, context.earlier, context.dealt_before)
    return bool(dealing.skipped) or (dealing.short and not dealing.foreign and not dealing.ran_out)


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
