"""Judging what was filed, table by table: each is decoded, judged, printed and let go of."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import BinaryIO

from audit.beside_rounds import findings_beside_rounds, without_repeats
from audit.outline import RoundKey
from audit.settings import JudgeSettings
from audit.table import TableFacts, judge_table
from audit.watches.settings import DEFAULT_SETTINGS, WatchSettings
from audit.watches.summarise import Bets, bets_of
from schemas.findings import Finding, finding_json
from schemas.verdicts import verdict_json
from tablewatch.auditing.clocks import notes_on_devices
from tablewatch.auditing.conflicts import conflicts_between_tables
from tablewatch.auditing.filing import Filing
from tablewatch.auditing.large_table import LARGE, facts_of_large_table
from tablewatch.auditing.one_table import facts_of_table
from tablewatch.auditing.watching import Watching


def judge_filed(
    filing: Filing,
    settings: JudgeSettings,
    out: BinaryIO,
    *,
    findings: bool = False,
    strict: bool = False,
    watch: WatchSettings = DEFAULT_SETTINGS,
    large: int = LARGE,
    tell: Callable[[float], None] = lambda share: None,
    note: Callable[[str], None] = lambda text: None,
) -> bool:
    """Print the verdicts on all rounds, or with ``findings`` all findings instead: those of rounds, of rejected events,
    of devices and shoes, and those of statistics. Returns whether there was any.

    Without ``findings`` and ``strict``, only the rounds are looked at. A table of more than ``large`` lines is judged
    without all its events being in memory, which takes longer. ``tell`` is told what share of the lines is judged,
    ``note`` what people should know of the file that is no finding.
    """
    judging = _Judging(filing, settings, out, watch, note, findings=findings, everything=findings or strict)
    condemned = conflicts_between_tables(filing.spool)
    tables = filing.tables()
    lines_of = {table: sum(filing.spool.count((table, each)) for each in tables[table]) for table in tables}
    whole, before = max(sum(lines_of.values()), 1), 0
    for table, sources in tables.items():
        lines = lines_of[table]
        facts_of = facts_of_large_table if lines > large else facts_of_table
        judging.table(facts_of(filing, table, sources, condemned), _part(tell, before / whole, lines / whole))
        before += lines
        for source in sources:
            filing.spool.forget((table, source))
    return judging.end()


def _part(tell: Callable[[float], None], start: float, length: float) -> Callable[[float], None]:
    """Takes the share of a part that is done, and tells it as a share of the whole."""
    return lambda share: tell(start + share * length)


class _Judging:
    """What is printed of each table at once, and what is kept of it for the end."""

    def __init__(
        self,
        filing: Filing,
        settings: JudgeSettings,
        out: BinaryIO,
        watch: WatchSettings,
        note: Callable[[str], None],
        *,
        findings: bool,
        everything: bool,
    ) -> None:
        self._filing, self._settings, self._out, self._note = filing, settings, out, note
        self._findings, self._everything = findings, everything
        self._watching = Watching(filing.shelf, watch)
        self._found = False
        self._beside: list[tuple[int, int]] = []
        self._statistics: list[tuple[int, int]] = []

    def table(self, facts_of_table: AbstractContextManager[TableFacts], tell: Callable[[float], None]) -> None:
        """Judge one table; nothing of its facts outlives this. ``tell`` is told the share of it that is done: putting
        the facts together takes about as long as judging them."""
        with facts_of_table as facts:
            for said in notes_on_devices(facts.outline, self._settings):
                self._note(said)
            bets: dict[RoundKey, Bets] = {}
            rounds = len(facts.outline.rounds)
            for judged, verdict in enumerate(judge_table(facts, self._settings)):
                tell((1 + judged / rounds) / 2)
                self._found = self._found or bool(verdict.findings)
                if self._findings:
                    self._out.writelines(finding_json(finding) + b"\n" for finding in verdict.findings)
                else:
                    self._out.write(verdict_json(verdict) + b"\n")
                if self._everything:
                    bets[verdict.shoe, verdict.round] = bets_of(facts, verdict)
            if self._everything:
                self._beside += self._shelve(without_repeats(findings_beside_rounds(facts, self._settings)))
                self._statistics += self._shelve(self._watching.table(facts, bets, self._settings))

    def end(self) -> bool:
        """Print what belongs to no round; whether anything was found at all."""
        self._statistics += self._shelve(self._watching.players())
        filing, later = self._filing, (*self._beside, *self._statistics)
        if self._findings:
            self._out.writelines(written + b"\n" for written in filing.rejections.written())
            self._out.writelines(filing.shelf.get(place) + b"\n" for place in later)
        return self._found or bool(later) or bool(filing.rejections)

    def _shelve(self, findings: Iterable[Finding]) -> list[tuple[int, int]]:
        return [self._filing.shelf.put(finding_json(finding)) for finding in findings]
