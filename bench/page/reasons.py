"""Why somebody else is faster, where he is by more than half: shown beside the ratio only when the figures say so."""

from typing import Final

LOSES_BELOW: Final = 1 / 1.5
"""A ratio says how ours compares: 1 is level, more is better."""

REASONS: Final = {
    "events a second, unpacked: as good as the best peer": (
        "Faust's cost is per Kafka record, whatever is in it: each passes its own channel, event and stream objects in"
        " Python, where the others hand over lists. This is why gateways and publishers pack many events into a record:"
        " they share that cost."
    ),
    "events a second, packed: as good as a bare confluent-kafka loop": (
        "As beside the best peer: the worker looks at its tables many times a second, sends verdicts and alerts out,"
        " and keeps each record until all that it says has been judged."
    ),
    "events a second, packed: as good as the best peer": (
        "The worker looks at its tables many times a second, so that an alert is out within one; the loops look once"
        " for every insert. It sends every verdict and alert back to Kafka, and keeps each record until all that it"
        " says has been judged, so that a kill loses and doubles nothing."
    ),
    "processor time of an event, peer, unpacked: as good as the best peer": (
        "The same as its rate: Faust's cost is per Kafka record, and unpacked every event is one."
    ),
    "processor time of an event, peer, packed: as good as the best peer": (
        "Verdicts and alerts are sent to Kafka besides, and every record is kept track of until it may be acknowledged;"
        " the plain loops do neither. And what is stored is read a second time by the process that writes it: time of"
        " a second processor that a loop leaves idle, paid for a judge that need not wait."
    ),
    "memory, packed: as good as the best peer": (
        "Events that are judged and not yet stored wait in a backlog, so that reading and judging go on while the store"
        " takes what it has; the loops hold one batch and stand still meanwhile. A second process writes, and holds"
        " what it writes."
    ),
    "memory, unpacked: as good as the best peer": (
        "The same backlog and second process as packed, and Faust's buffers hold a message object for every event."
    ),
    "p50 latency, packed: as good as the best peer": (
        "The worker lets a little wait for company before it inserts, because an insert costs the store"
        " the same however small it is, and then sends the verdicts out; alerts go out before anything is stored."
    ),
    "p50 latency, unpacked: as good as the best peer": (
        "Faust's cost is per record: unpacked, this rate is nearer to the most that the worker can do, and what comes"
        " waits its turn; alerts go out before anything is stored."
    ),
    "p99 latency, packed: as good as the best peer": (
        "The worker lets a little wait for company before it inserts; alerts go out before that."
    ),
    "p99 latency, unpacked: as good as the best peer": (
        "Faust's cost is per record: unpacked, this rate is nearer to the most that the worker can do, and what comes"
        " waits its turn; alerts go out before anything is stored."
    ),
    "audit by bare pydantic decoding": (
        "Decoding is the lesser part of an audit: the events are sorted into tables and rounds, every round is dealt"
        " and settled anew, every check looks at it, and a verdict with its digest is written."
    ),
    "audit by bare msgspec decoding": (
        "msgspec is given the envelope alone and checks nothing of the payload; the audit checks every field of it by"
        " its model, and then judges."
    ),
    "decoding by bare pydantic, arrays of 100": (
        "Beside what pydantic checks, no name may be repeated in an object, times must be real ones, and of a bad event"
        " its own bytes are kept."
    ),
    "the wire by chdb without the wire": (
        "Without the wire the blocks are ready made; through it the client encodes Python values, both sides pass them"
        " through a socket, and the server finds where each block ends."
    ),
    "the wire by the driver's encoding alone": (
        "The encoding is done by the client in any case; the rest is the socket and the engine's own work: sorting,"
        " compressing, and syncing each insert to disk."
    ),
    "the wire by the disk": (
        "A file takes bytes as they are. The store sorts them, compresses them to a fraction, writes each column to its"
        " own file and syncs it."
    ),
    "outcomes by SQL, by a plain scan": (
        "The scan computes nothing. The statement deals every round by the Table of Play and holds totals, naturals,"
        " pairs and winner against what is stored."
    ),
    "settlement by SQL, by a plain scan": (
        "The scan adds columns up; the statement settles every bet of every round by its paytable in whole numbers."
    ),
    "outcomes by SQL, by numpy": (
        "numpy has all cards in memory as one array and finds the winner alone. The statement reads and decompresses"
        " the stored rounds, and finds naturals and pairs too; it needs no memory for them, and a cluster spreads it."
    ),
    **{
        f"verify by audit, {what}": (
            "Verify reads every event of a round back from the store first, whose own time is counted too; then the"
            " same judge judges it, and the stored verdict is held against the new one."
        )
        for what in ("whole tables", "windows of shoes")
    },
    **{
        f"our worker by confluent-kafka, {what}": (
            "The worker sends verdicts and alerts to Kafka and keeps track of every record; where there are few events"
            " for each table and partition, that weighs more."
        )
        for what in ("tables", "partitions", "workers")
    },
}
"""By the name of the ratio."""
