"""What a what-if may change: readings, tolerances, the paytable, the rule document, a table's set-up, single facts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import orjson

from audit.facts import Fact
from audit.settings import JudgeSettings
from audit.table import Before
from games.documents import DOCUMENTS
from games.paytable import Line, Wager
from games.readings import readings_of
from games.rulebook import GAMES, Game, rulebook
from schemas.decoding import decode_record
from schemas.identity import content_key
from schemas.records import AnyEvent


class InvalidChange(ValueError):
    """What was to be changed cannot be: correct it."""


Identity = tuple[str, str]
"""Source and id of an event."""


@dataclass(frozen=True, slots=True)
class Pay:
    """Other odds for a line of a wager."""

    wager: str
    line: str | None
    """Part of the line's label; None where the wager has a single paying line."""
    net: Fraction


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that is to be otherwise."""

    readings: Mapping[str, str] = field(default_factory=dict)
    tolerances: Mapping[str, int] = field(default_factory=dict)
    """By name of the setting, in milliseconds."""
    pays: tuple[Pay, ...] = ()
    document: str | None = None
    """Procedures, limits and voids by this rule document."""
    setup: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the table's configuration that are otherwise."""
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By wager: another minimum and maximum."""
    cards: Mapping[int, str] = field(default_factory=dict)
    """By draw of the round that is meant: another card."""
    put: tuple[AnyEvent, ...] = ()
    """Events that come in, or take the place of those with the same source and id."""
    removed: frozenset[Identity] = frozenset()
    """Events that were never said; no hole is left in their source's sequence."""

    def __post_init__(self) -> None:
        for wager, (low, high) in self.limits.items():
            if low > high:
                raise InvalidChange(f"limits of {wager}: the minimum of {low} is above the maximum of {high}.")

    @property
    def any(self) -> bool:
        """Whether anything is to be otherwise."""
        return self != Changes()

    @property
    def of_facts(self) -> bool:
        """Whether facts are to be otherwise, and not only how they are judged."""
        return bool(self.setup or self.limits or self.cards or self.put or self.removed)


def changed_settings(settings: JudgeSettings, changes: Changes) -> JudgeSettings:
    """The settings of a judgement with other readings and tolerances."""
    readings = settings.readings
    if changes.readings:
        chosen = {name: getattr(readings, name) for name in type(readings).__slots__} | dict(changes.readings)
        try:
            readings = readings_of(chosen)
        except ValueError as error:
            raise InvalidChange(f"{error}.") from None
    return replace(settings, readings=readings, **changes.tolerances)


def changed_rulebook(settings: JudgeSettings, changes: Changes) -> Mapping[str, Game] | None:
    """Another rulebook, where odds or documents are to be otherwise; None: the one in force."""
    if not changes.pays and changes.document is None:
        return None
    games: dict[str, Game] = {}
    document = next((each for each in DOCUMENTS if each.name == changes.document), None)
    for name, game in rulebook(settings.readings).items():
        wagers = dict(game.wagers)
        for pay in changes.pays:
            if pay.wager in wagers:
                wagers[pay.wager] = _paying(wagers[pay.wager], pay)
        games[name] = replace(game, wagers=wagers, document=document or game.document)
    return games


def _paying(wager: Wager, pay: Pay) -> Wager:
    """A wager with other odds on one line."""
    lines = list(wager.lines)
    places = [place for place, line in enumerate(lines) if _is_meant(line, pay)]
    if len(places) == 1:
        lines[places[0]] = replace(lines[places[0]], net=pay.net)
    return replace(wager, lines=tuple(lines))


def _is_meant(line: Line, pay: Pay) -> bool:
    return line.net > 0 if pay.line is None else pay.line.lower() in line.label.lower()


def check_pay(pay: Pay) -> None:
    """``InvalidChange`` unless the odds are for exactly one line of the wager in each game that has it."""
    known = [(game, game.wagers[pay.wager]) for game in GAMES.values() if pay.wager in game.wagers]
    if not known:
        raise InvalidChange(f"there is no wager {pay.wager!r}.")
    if not any(sum(_is_meant(line, pay) for line in wager.lines) == 1 for _, wager in known):
        listed = "; ".join(dict.fromkeys(line.label for _, wager in known for line in wager.lines))
        raise InvalidChange(
            f"{pay.wager} has several lines; write {pay.wager}:LINE=ODDS with one of these (a part will do): {listed}."
        )


def changed_events(
    events: Sequence[AnyEvent], changes: Changes, meant: tuple[str, int] | None
) -> tuple[list[AnyEvent], int]:
    """The events with what is to be otherwise, and how many that touched; ``meant`` is the round whose cards change."""
    put = {(event.source, event.id): event for event in changes.put}
    changed: list[AnyEvent] = []
    touched = 0
    for event in events:
        identity = event.source, event.id
        if identity in changes.removed:
            touched += 1
            continue
        other = put.pop(identity, None) or _otherwise(event, changes, meant)
        touched += other is not event
        changed.append(other)
    changed.extend(put.values())
    return _closed_up(changed, changes.removed, events), touched + len(put)


def _closed_up(
    changed: list[AnyEvent], removed: frozenset[Identity], before: Sequence[AnyEvent]
) -> list[AnyEvent]:  # fmt: skip
    """What was never said left no number in its source's sequence: later ones move up."""
    gaps: dict[str, list[int]] = {}
    for event in before:
        if (event.source, event.id) in removed:
            gaps.setdefault(event.source, []).append(event.sequence)
    if not gaps:
        return changed
    return [
        edited(event, lambda said, event=event: said.update(sequence=event.sequence - _below(gaps, event)))  # type: ignore[misc]  # bound now: the loop goes on
        if _below(gaps, event)
        else event
        for event in changed
    ]


def _below(gaps: Mapping[str, Sequence[int]], event: AnyEvent) -> int:
    return sum(1 for sequence in gaps.get(event.source, ()) if sequence < event.sequence)


def _otherwise(event: AnyEvent, changes: Changes, meant: tuple[str, int] | None) -> AnyEvent:
    data = event.data
    if event.type == "table.configured.v1" and (changes.setup or changes.limits):
        return edited(event, lambda said: _set_up(said["data"], changes))
    if event.type == "card.drawn.v1" and changes.cards and (data.shoe, data.round) == meant:
        card = changes.cards.get(data.draw)
        if card is not None and card != data.card:
            return edited(event, lambda said: said["data"].update(card=card))
    return event


def _set_up(data: dict[str, Any], changes: Changes) -> None:
    data.update(changes.setup)
    for wager, (low, high) in changes.limits.items():
        data["limits"][wager] = {"min": low, "max": high}


def edited(event: AnyEvent, edit: Callable[[dict[str, Any]], None]) -> AnyEvent:
    """A valid event with something in it otherwise."""
    said = orjson.loads(content_key(event))
    edit(said)
    decoded = decode_record(orjson.dumps(said))
    if not decoded.events:
        raise InvalidChange(f"the changed event would be rejected: {decoded.rejected[0].reason}.")
    return decoded.events[0]


def changed_before(before: Before, changes: Changes) -> Before:
    """How the table stood, its configurations with what is to be otherwise."""
    lasting = tuple(Fact.of(_otherwise(fact.event, changes, None), fact.at) for fact in before.lasting)
    return replace(before, lasting=lasting)


def read_changes(lines: Iterable[bytes]) -> tuple[tuple[AnyEvent, ...], frozenset[Identity]]:
    """A file of changes: an event a line, which comes in or takes the place of the one with its source and id, or
    ``{"remove": {"source": …, "id": …}}``."""
    put: list[AnyEvent] = []
    removed: set[Identity] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            said = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise InvalidChange(f"line {number} is not JSON: {error}.") from error
        if isinstance(said, dict) and said.keys() == {"remove"}:
            named = said["remove"]
            if not isinstance(named, dict) or not all(isinstance(named.get(key), str) for key in ("source", "id")):
                raise InvalidChange(f'line {number}: write {{"remove": {{"source": "…", "id": "…"}}}}.')
            removed.add((named["source"], named["id"]))
            continue
        decoded = decode_record(line)
        if decoded.rejected:
            raise InvalidChange(f"line {number} is no event: {decoded.rejected[0].reason}.")
        put.extend(decoded.events)
    return tuple(put), frozenset(removed)
