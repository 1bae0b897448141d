"""Legal holds: chosen rounds are kept beyond their retention for as long as a hold on them is in force.

A round is held with its whole shoe, without which it cannot be judged again, and with every record that has an event of
it. The mark is the column ``held``, which the tables' time to live spares.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from store.connect import Store
from store.errors import HoldTaken
from store.render import SchemaSettings
from store.rows.proof import Hold
from store.ticks import OLDEST_ARRIVAL

_IN_FORCE = "SELECT table, shoe FROM holds FINAL WHERE lifted_by = ''"
_OF_HELD_SHOE = f"(table, shoe) GLOBAL IN ({_IN_FORCE})"
_BROKEN_CLOCK = f"toUnixTimestamp64Milli(arrival) < {OLDEST_ARRIVAL}"
_PLACE = "log, topic, partition, offset"
_OF_HELD_ALERT = "alert GLOBAL IN (SELECT alert FROM alerts WHERE held = 1)"

# In this order: what follows from another table's mark comes after it.
_HELD: Mapping[str, str] = {
    "events": f"type = 'table.configured.v1' OR {_BROKEN_CLOCK} OR {_OF_HELD_SHOE}",
    "records": f"{_BROKEN_CLOCK} OR ({_PLACE}) GLOBAL IN (SELECT {_PLACE} FROM events WHERE held = 1)",
    "rejected": f"{_BROKEN_CLOCK} OR ({_PLACE}) GLOBAL IN (SELECT {_PLACE} FROM records WHERE held = 1)",
    "verdicts": _OF_HELD_SHOE,
    "rounds": _OF_HELD_SHOE,
    "round_figures": _OF_HELD_SHOE,
    "round_spans": _OF_HELD_SHOE,
    "player_rounds": _OF_HELD_SHOE,
    "findings": _OF_HELD_SHOE,
    "shoes": _OF_HELD_SHOE,
    "access_log": _OF_HELD_SHOE,
    "alerts": _OF_HELD_SHOE,
    "alert_steps": _OF_HELD_ALERT,
    "alert_states": _OF_HELD_ALERT,
}


def place_hold(store: Store, holds: Iterable[Hold], settings: SchemaSettings) -> None:
    """Puts holds in force at once, all of them or none.

    The table keeps the last word about a name and a place: what it says of an earlier hold is never written over.
    ``HoldTaken`` says what stands there. A hold that is placed again as it stands stays as it was placed first.
    """
    kept = {_place_of(hold): hold for hold in all_holds(store)}
    fresh: list[Hold] = []
    for hold in holds:
        before = kept.get(_place_of(hold))
        if before is None:
            fresh.append(hold)
        elif before.lifted_by is not None or (before.reason, before.placed_by) != (hold.reason, hold.placed_by):
            raise HoldTaken(_taken(before))
    if fresh:
        _write(store, fresh)
    apply_holds(store, settings)


def lift_hold(store: Store, name: str, by: str, at: int, settings: SchemaSettings) -> None:
    """Ends every hold of this name (milliseconds since 1970); what no other hold covers may be deleted again."""
    lifted = [
        Hold(
            hold=hold.hold,
            table=hold.table,
            shoe=hold.shoe,
            round=hold.round,
            reason=hold.reason,
            placed_by=hold.placed_by,
            placed=hold.placed,
            lifted_by=by,
            lifted=at,
        )
        for hold in holds_in_force(store)
        if hold.hold == name
    ]
    _write(store, lifted)
    apply_holds(store, settings)


def apply_holds(store: Store, settings: SchemaSettings) -> dict[str, int]:
    """Marks what is held, and nothing else; gives back how many rows of each table changed.

    What came in after a hold was placed gets its mark here: run it daily, long before anything of that age is deleted.
    """
    changed: dict[str, int] = {}
    local, on_cluster = ("", "") if settings.cluster is None else ("_local", f"ON CLUSTER `{settings.cluster}`")
    for table, condition in _HELD.items():
        wrong = f"held != toUInt8({condition})"
        count = int(store.query(f"SELECT count() FROM {table} WHERE {wrong}")[0][0])
        if count:
            store.command(
                f"ALTER TABLE {table}{local} {on_cluster} UPDATE held = 1 - held WHERE {wrong}",
                settings={"mutations_sync": 2, "allow_nondeterministic_mutations": 1},
            )
            changed[table] = count
    return changed


def holds_in_force(store: Store) -> list[Hold]:
    """Every hold that has not been lifted."""
    return [hold for hold in all_holds(store) if hold.lifted_by is None]


def all_holds(store: Store) -> list[Hold]:
    """Every hold that was ever placed, by name: of a name and a place there is one."""
    rows = store.query(
        "SELECT hold, table, shoe, round, reason, placed_by, toUnixTimestamp64Milli(placed), lifted_by,"
        " if(isNull(lifted), NULL, toUnixTimestamp64Milli(assumeNotNull(lifted))) FROM holds FINAL"
        " ORDER BY hold, table, shoe, round"
    )
    return [
        Hold(
            hold=name,
            table=table,
            shoe=shoe,
            round=round or None,
            reason=reason,
            placed_by=placed_by,
            placed=placed,
            lifted_by=lifted_by or None,
            lifted=lifted,
        )
        for name, table, shoe, round, reason, placed_by, placed, lifted_by, lifted in rows
    ]


def _place_of(hold: Hold) -> tuple[str, str, str, int]:
    """What the table tells holds apart by."""
    return hold.hold, hold.table, hold.shoe, hold.round or 0


def _taken(hold: Hold) -> str:
    """What is kept of a hold that another of its name would be written over, and what to do."""
    place = f"{hold.table}/{hold.shoe}" + (f"/{hold.round}" if hold.round else "")
    told = f"{hold.placed_by} placed {hold.hold!r} on {place} at {_moment(hold.placed)}, for {hold.reason!r}"
    if hold.lifted is None:
        told += ". It is in force and stays as it was placed: `tablewatch store lift` ends it"
    else:
        told += f"; {hold.lifted_by} lifted it at {_moment(hold.lifted)}. Both are kept"
    return f"{told}. Take another name for another hold; a round may be under several. Nothing was placed."


def _moment(millis: int) -> str:
    return datetime.fromtimestamp(millis / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _write(store: Store, holds: list[Hold]) -> None:
    store.insert(
        "holds",
        {
            "hold": [hold.hold for hold in holds],
            "table": [hold.table for hold in holds],
            "shoe": [hold.shoe for hold in holds],
            "round": [hold.round or 0 for hold in holds],
            "reason": [hold.reason for hold in holds],
            "placed_by": [hold.placed_by for hold in holds],
            "placed": [hold.placed for hold in holds],
            "lifted_by": [hold.lifted_by or "" for hold in holds],
            "lifted": [hold.lifted for hold in holds],
            # The last word about a hold counts, and lifting comes after placing.
            "version": [hold.lifted or hold.placed for hold in holds],
        },
    )
