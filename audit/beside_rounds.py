"""Findings that belong to no round: of a table's devices and shoes, and of rejected events."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256

from audit.checks import decks, device_clock, device_sequence, shoe_balance
from audit.context import RoundContext
from audit.dealing import deal
from audit.facts import RoundFacts
from audit.outline import RoundKey, ShoeFacts, Surroundings, TableOutline, configuration_at
from audit.settings import JudgeSettings
from audit.table import TableFacts
from games.rulebook import Game, rulebook
from schemas.findings import Finding, finding_about

MissesADraw = Callable[[RoundKey, Game], bool]
"""Tells of a round whether a card that it needs in this game is not there and may have been lost on the way."""


def findings_beside_rounds(facts: TableFacts, settings: JudgeSettings) -> Iterator[Finding]:
    """The findings of a table's devices and shoes."""
    surroundings = facts.surroundings

    def misses(key: RoundKey, game: Game) -> bool:
        return misses_a_draw(game, facts.rounds[key], surroundings.context(key, frozenset()))

    return findings_of_outline(facts.outline, surroundings, settings, misses)


def findings_of_outline(
    outline: TableOutline, surroundings: Surroundings, settings: JudgeSettings, misses: MissesADraw
) -> Iterator[Finding]:
    """The findings of a table's devices and shoes; only what rounds lack of cards takes more than the outline."""
    devices = list(outline.devices.values())
    for device in devices:
        yield from device_sequence.gaps(outline.table, device)
        yield from device_clock.check(outline.table, device, settings)
    yield from device_sequence.silences(outline.table, devices, settings)
    if not any(device.obscured for device in devices):
        misses = _nothing_is_lost
    for name in sorted(outline.shoes):
        keys = [(name, number) for number in surroundings.by_shoe.get(name, ())]
        yield from _findings_of_shoe(outline, name, keys, misses, settings)


def _nothing_is_lost(key: RoundKey, game: Game) -> bool:
    return False


def game_of(outline: TableOutline, shoe: ShoeFacts, keys: Sequence[RoundKey], settings: JudgeSettings) -> Game | None:
    """The game that a shoe was loaded for: of the configuration then in force, or else at its first round."""
    moments = [shoe.loaded[-1].at, *sorted(outline.rounds[key].beginning.at for key in keys)]
    known = (configuration_at(outline.configurations, moment) for moment in moments)
    configuration = next((each for each in known if each is not None), None)
    return None if configuration is None else rulebook(settings.readings)[configuration.data.game]


def _findings_of_shoe(
    outline: TableOutline, name: str, keys: Sequence[RoundKey], misses: MissesADraw, settings: JudgeSettings
) -> Iterator[Finding]:
    shoe = outline.shoes[name]
    game = game_of(outline, shoe, keys, settings) if shoe.loaded else None
    if game is None:
        return
    loaded = shoe.loaded[-1]
    yield from decks.check(outline.table, name, game, loaded.data.decks)
    if not shoe.ended or shoe.ended[-1].data.remaining is None:
        return
    lost = any(misses(key, game) for key in keys)
    reads = [cards for key in keys for cards in outline.rounds[key].read.values()]
    remaining = shoe.ended[-1].data.remaining
    yield from shoe_balance.check(outline.table, name, game, loaded.data.decks, reads, remaining, lost)


def misses_a_draw(game: Game, facts: RoundFacts, context: RoundContext) -> bool:
    """Whether a card that a round needs is not there and may have been lost on the way."""
    if context.loaded is None or not context.obscurity.could_hide("draw", facts.ordered[0].at, context.until):
        return False
    dealing = deal(game, context.loaded.data.decks, facts, context.earlier, context.dealt_before)
    return bool(dealing.skipped) or (dealing.short and not dealing.foreign and not dealing.ran_out)


def rejection(table: str | None, raw: bytes, reason: str, where: str = "") -> Finding:
    """``event-rejected``: one finding for identical bytes, wherever and however often they came."""
    return rejection_of(table, sha256(raw).hexdigest(), raw, reason, where)


def rejection_of(table: str | None, sha256_of_bytes: str, beginning: bytes, reason: str, where: str = "") -> Finding:
    """The same for bytes of which no more than the hash and the beginning is known."""
    return finding_about(
        "event-rejected", table, f"An event was rejected{where}: {reason.rstrip('.')}.",
        about=sha256_of_bytes, actual=beginning[:200].decode("utf-8", "replace"),
    )  # fmt: skip


def without_repeats(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once, by id."""
    return list({finding.id: finding for finding in findings}.values())
