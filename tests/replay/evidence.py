"""A store with an evening in it, sealed."""

from pathlib import Path

from replay.chain.keys import KeyRing
from replay.chain.published import read_published
from replay.chain.seal import Sealer
from schemas.decoding import decode_record
from store.connect import Store
from store.rows.alerts import AlertStep
from store.rows.proof import AccessEntry, Checkpoint
from store.rows.raw import Record
from store.write.alerts import write_alert_steps
from store.write.findings import write_findings
from store.write.proof import write_access
from store.write.raw import write_records
from store.write.verdicts import write_verdicts
from tests.store.floor import ARRIVAL, START, evening, everything, finding, judged, packed, state

NOW = ARRIVAL + 3_600_000
LATER = NOW + 60_000


def ring_in(folder: Path) -> KeyRing:
    """A ring with one key."""
    ring = KeyRing(folder / "keys")
    ring.make("otto")
    return ring


def fill_evening(store: Store) -> None:
    """Three tables, three rounds each, a finding, a step of an alert, bytes that are no event, and a look."""
    write_records(store, packed(everything(evening())))
    refused = b"no event"
    write_records(store, [Record("table.floor", 0, 900, ARRIVAL, refused, decode_record(refused))])
    write_verdicts(store, [judged(table, number=number) for table in ("BT1", "BT2", "BT3") for number in (1, 2, 3)])
    write_findings(store, [state(finding("late-bet", table)) for table in ("BT1", "BT2")])
    write_alert_steps(store, [AlertStep(alert="A-BT1", id="s1", at=START, action="raised", state="open")])
    looks = [AccessEntry(id=each, at=START, who="otto", role="auditor", action="replay") for each in ("e0", "e1")]
    write_access(store, looks)


def sealed_evening(store: Store, ring: KeyRing) -> Checkpoint:
    """The evening, under one checkpoint."""
    fill_evening(store)
    checkpoint = Sealer(store, ring, lambda: NOW).seal()
    assert checkpoint is not None
    return checkpoint


def kept_in(file: Path) -> list[Checkpoint]:
    """The checkpoints that a file holds; none where it is not there yet."""
    if not file.exists():
        return []
    with file.open(encoding="utf-8") as lines:
        return list(read_published(lines))
