"""From the stored events and verdicts of a shoe to its entry in the watches' book."""

from audit.intake import Intake
from audit.outline import configuration_at
from audit.settings import JudgeSettings
from audit.table import TableFacts, assemble
from audit.watches.summarise import bets_of, summaries
from schemas.time import micros
from schemas.verdicts import parse_verdict
from store.connect import Store
from store.read.bulk import table_verdicts
from store.read.events import configuration_events, shoe_events
from store.read.shoes import (
    EndedShoe,
    ShoeKey,
    ShoePlace,
    events_beside,
    judged_rounds,
    last_sequences,
    refused_events,
)
from streams.watching.entry import Entry

_HOUR_MS = 3_600_000
_LIVE = "live"


def sum_up(store: Store, ended: EndedShoe, settings: JudgeSettings) -> Entry | None:
    """The entry of a shoe that has ended; None while one of its rounds has no verdict, or its end is not there."""
    key = ended.key
    # First how far it is judged: what comes after this is news, and the summary is made anew.
    _, judged = judged_rounds(store, [key]).get(key, (0, 0))
    verdicts = table_verdicts(store, key.table, [key.shoe])
    facts = facts_of_shoe(store, key)
    outline = facts.outline
    shoe = outline.shoes.get(key.shoe)
    keys = {each for each in outline.rounds if each[0] == key.shoe}
    if shoe is None or not shoe.ended or not keys <= verdicts.keys():
        return None
    bets = {each: bets_of(facts, parse_verdict(verdicts[each].json)) for each in keys}
    summed_up = {summary.shoe: summary for _, summary in summaries(facts, bets, settings)}
    at = shoe.ended[-1].at
    configuration = configuration_at(outline.configurations, at)
    return Entry(
        place=ShoePlace(at, key.table, key.shoe),
        loaded=shoe.loaded[-1].at if shoe.loaded else at,
        heard=ended.heard,
        judged=judged,
        mode=_LIVE if configuration is None else configuration.data.mode,
        rounds=len(keys),
        summary=summed_up.get(key.shoe),
    )


def facts_of_shoe(store: Store, key: ShoeKey) -> TableFacts:
    """The facts of one shoe as those of the whole table would be: with the configurations of the table, and with what
    else its sources said meanwhile, as far as that moves effective times."""
    stored = shoe_events(store, key.table, key.shoe)
    first = min((micros(each.event.time) for each in stored), default=0)
    since = min((each.arrival for each in stored), default=0) - _HOUR_MS
    stored += events_beside(store, key, last_sequences(store, key), first)
    stored += configuration_events(store, key.table)
    refused = refused_events(store, key.table, since)
    intake = Intake()
    for each in stored:
        if (each.key, each.place) not in refused:
            intake.take_event(each.event, each.raw)
    events, _ = intake.tables().get(key.table, ([], ()))
    return assemble(key.table, events)
