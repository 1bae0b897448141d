"""What `make bench` and `make bench-long` run, by question: the ratios in half an hour, and what takes longer."""

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Step:
    """One measurement, as it is called."""

    name: str
    """Of the module in bench/."""
    arguments: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    """Instead of these, to try whether all of it works; its figures mean little."""

    def command(self, *, quick: bool = False) -> list[str]:
        """What is typed after `python`."""
        return ["-m", f"bench.{self.name}", *(self.quick if quick else self.arguments)]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and which measurements answer it."""

    name: str
    title: str
    about: str
    """What is held against what; a paragraph of the page."""
    steps: tuple[Step, ...]
    drawn: tuple[str, ...] = field(default=())
    """The figures of its picture, in their order; those that grow are drawn as lines."""
    logarithmic: bool = False
    """Whether the picture counts in tens: where its figures lie far apart."""


QUESTIONS: Final = (
    Question(
        "stream",
        "From Kafka to the store",
        "The same simulated floor on a real Kafka broker, decoded, judged and inserted by our Faust worker, and by"
        " loops and dataflows of other libraries that call the very same functions. Every turn has topics, a store"
        " and a process of its own; our worker is two, one of which writes to the store, and both count. Packed, many"
        " events share a record; unpacked, each has its own. Latency is from a record's time stamp to its rows in the"
        " store, at a steady rate; of alerts, which only the worker sends, it is measured by itself. The peers send no"
        " alerts, keep no backlog and survive no kill; a round whose end"
        " they have read and whose time is not over yet, they leave unjudged.",
        (
            Step(
                "stream",
                (),
                ("--events=60000", "--sustained=120000", "--turns=1", "--pairs=1", "--tables=60", "--seconds=3"),
            ),
            # One after the other: a worker that was halted has not caught up when the next part begins.
            *(
                Step(
                    "latency",
                    ("--seconds", "15", "--only", part),
                    ("--seconds", "3", "--rate", "500", "--tables", "20", "--only", part),
                )
                for part in ("store there", "store away", "catching up")
            ),
            Step("log", ("--kafka",), ("--seconds", "0.1")),
        ),
        (
            "events a second, packed",
            "events a second, unpacked",
            "p50 latency, packed",
            "p99 latency, packed",
            "memory, packed",
        ),
    ),
    Question(
        "judge",
        "The judge",
        "`tablewatch audit` in one process, against libraries that only decode the same file; then what each check"
        " costs a round, and where the judge spends its time under the profiler.",
        (
            Step("audit", (), ("--tables", "10", "--rounds", "20")),
            Step("checks", (), ("--tables", "10", "--rounds", "10")),
            Step("decoding"),
        ),
        (
            "events a second of one process",
            "decoding: events a second of the processor",
            "time of a round in a check",
            "share of the judge's time, profiled",
        ),
    ),
    Question(
        "store",
        "The store",
        "Rows through ClickHouse's own protocol into the embedded server, against the same engine called in process,"
        " against the client's encoding alone, and against the disk; what an event takes on disk; and what people ask,"
        " as the store grows.",
        (
            Step("store_wire", ("--select", "5000000"), ("--rows", "100000", "--select", "200000")),
            Step("store_size", (), ("--tables", "10", "--rounds", "10")),
            Step("store_queries", ("--millions", "1"), ("--millions", "1", "--times", "5")),
            Step("store_queries", ("--millions", "10"), ("--millions", "2", "--times", "5")),
        ),
        ("rows inserted a second", "bytes of an event on disk, by table", "a question, median"),
        logarithmic=True,
    ),
    Question(
        "replay",
        "Replay",
        "Stored rounds re-audited by SQL that is generated from the rulebook, against a plain scan of the same columns,"
        " numpy over arrays in memory, and the judge. `replay verify` against `audit`, on the same events.",
        (
            Step("reaudit", ("--millions", "1", "5"), ("--millions", "0.05", "0.1", "--simulated", "1000")),
            Step("verify", (), ("--tables", "4", "--rounds", "20")),
        ),
        ("rounds a second",),
        logarithmic=True,
    ),
    Question(
        "evidence",
        "Evidence, as it grows",
        "A look of the sealer, its start, and proofs of rounds, in a store where more and more was sealed before: ten"
        " leaves under each checkpoint, as many tables as a floor has. A checkpoint every ten seconds is 8,640 a day.",
        (Step("evidence", (), ("--checkpoints", "20", "60", "--times", "2")),),
        (
            "a look of the sealer, median",
            "a sealer's start, median",
            "a sealer's start that reads everything, median",
            "a proof of a round of long ago, median",
            "a proof of a round of now, median",
            "the answer that a round is not sealed yet, median",
        ),
        logarithmic=True,
    ),
    Question(
        "odds",
        "The odds",
        "Every ordered draw of a full shoe is counted, for every wager, as exact fractions. What others publish of"
        " eight decks, counts of draws and returns to four places, must come out of it to the last digit.",
        (Step("odds"), Step("settle", (), ("5000",))),
        ("return of a wager, exact", "return of a wager, published", "time for the exact odds"),
    ),
)
"""In the order of the page."""

LONG: Final = (
    Question(
        "growth",
        "As it grows",
        "Our worker and the plain confluent-kafka loop, packed, with more tables, more partitions and two workers.",
        (
            Step(
                "stream_growth",
                (),
                ("--events", "40000", "--tables", "10", "50", "--partitions", "1", "4", "--workers", "1"),
            ),
        ),
        ("events a second as tables grow", "events a second as partitions grow", "events a second as workers grow"),
    ),
    Question(
        "restart",
        "After a restart",
        "A worker is killed in the middle of its tables' shoes, and begins again with all of them: what it and the"
        " store use of the processor until each table has been read from the store and its news are judged, and what"
        " it holds meanwhile.",
        (
            Step("restart", ("--tables", "200"), ("--tables", "12", "--rounds", "5")),
            Step("restart", ("--tables", "2000", "--rounds", "6"), ("--tables", "24", "--rounds", "3")),
        ),
        ("time on the processor to read a table again",),
    ),
    Question(
        "large",
        "Larger than memory",
        "What people ask of a store that has been filled for long; a file larger than memory through the audit; many"
        " rounds through the re-audit.",
        (
            Step("store_queries", ("--millions", "100"), ("--millions", "2", "--times", "5")),
            Step("audit", ("--events", "50000000"), ("--events", "20000", "--tables", "10")),
            Step("reaudit", ("--millions", "10"), ("--millions", "0.05", "--simulated", "1000")),
        ),
        ("a question, median",),
        logarithmic=True,
    ),
    Question(
        "soak",
        "Soaks",
        "Workers and stores that are killed again and again, a broker and a store that are away for half a minute, a"
        " floor's whole day, many honest rounds before the judge, and mutants of the rulebook before its tests. What is"
        " asked is whether anything goes wrong.",
        (
            Step("faults", ("--kills", "1000", "--two", "10", "--store-gone", "3"), ("--kills", "2")),
            Step(
                "faults",
                ("--broker", "kafka", "--kills", "1000", "--two", "10", "--broker-gone", "3", "--store-gone", "3"),
                ("--broker", "kafka", "--kills", "1", "--broker-gone", "1", "--gone-seconds", "3"),
            ),
            Step("interleavings", ("--seeds", "500"), ("--seeds", "1")),
            Step("store_kills", (), ("--kills", "2")),
            Step(
                "floor_memory",
                ("--worker", "--tables", "40", "--hours", "24"),
                ("--worker", "--tables", "6", "--hours", "1"),
            ),
            Step(
                "floor_memory",
                ("--worker", "--tables", "2000", "--rounds", "6", "--pace", "3.5"),
                ("--worker", "--tables", "20", "--pace", "60"),
            ),
            Step(
                "judge_soak",
                ("--rounds", "1000000", "--faults", "22000", "--seeds", "1000", "--wild", "500"),
                ("--rounds", "2000", "--faults", "100", "--seeds", "5", "--wild", "5"),
            ),
            Step("mutants", ("300",), ("2",)),
        ),
    ),
)
"""What takes longer than half an hour in all."""
