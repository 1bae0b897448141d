"""The picture of the floor: every table, the alerts, and what of them has changed since the pages were last told."""

from console.live.alerts import AlertBoard
from console.live.self_test import SelfTestPicture, is_self_test_table
from console.live.table import TablePicture
from schemas.decoding import decode_record
from schemas.findings import parse_finding
from schemas.records import AnyEvent
from schemas.topics import ALERTS, INPUT, VERDICTS
from schemas.verdicts import parse_verdict
from store.rows.alerts import AlertHistory
from streams.alerting.raising import UNKNOWN_PLACE, is_self_test, place_of_table

_INPUTS = frozenset(topic.name for topic in INPUT)


class Floor:
    """All tables, and the alerts about them."""

    def __init__(self) -> None:
        self.tables: dict[str, TablePicture] = {}
        self.alerts = AlertBoard()
        self.self_test = SelfTestPicture()
        self.dirty: set[str] = set()
        """Tables that have changed."""
        self.events = 0
        """How many events were taken in."""
        self.unreadable = 0
        """Records that say nothing that the picture can use; the workers reject and keep them."""
        self.waiting_since: int | None = None
        """When the oldest record arrived that pages have not been told of, in milliseconds since 1970."""
        self.verdict_at = 0
        """When the last verdict came, in milliseconds since 1970 by the log."""

    def table(self, name: str) -> TablePicture:
        """The table, made when it is first heard of."""
        picture = self.tables.get(name)
        if picture is None:
            picture = self.tables[name] = TablePicture(name)
        self.dirty.add(name)
        return picture

    def take_record(self, topic: str, value: bytes, arrival: int) -> None:
        """A record of any topic, as the log took it at ``arrival`` (milliseconds since 1970)."""
        self.waiting_since = arrival if self.waiting_since is None else min(arrival, self.waiting_since)
        try:
            if topic in _INPUTS:
                decoded = decode_record(value)
                self.unreadable += len(decoded.rejected)
                for event in decoded.events:
                    self.take_event(event, arrival)
                for each in decoded.rejected:
                    if each.subject in self.tables and each.source is not None and each.sequence is not None:
                        self.table(each.subject).take_rejected(each.source, each.sequence)
            elif topic == VERDICTS.name:
                verdict = parse_verdict(value)
                self.verdict_at = max(self.verdict_at, arrival)
                if not is_self_test_table(verdict.table):
                    self.table(verdict.table).conclude(verdict, arrival)
            elif topic == ALERTS.name:
                self._alert(value, arrival)
        except ValueError:
            # Nothing on a topic may stop the picture; what workers publish has been checked by them.
            self.unreadable += 1

    def take_event(self, event: AnyEvent, arrival: int, *, live: bool = True) -> None:
        """An event of a table."""
        self.events += 1
        if is_self_test_table(event.subject):
            return
        picture = self.table(event.subject)
        before = picture.configured
        picture.take(event, arrival, live=live)
        if picture.configured != before:
            # What was told of its alerts had no game, pit and cameras, or others.
            self.alerts.changed.update(each.alert.id for each in self.alerts.of_table(event.subject))

    def take_history(self, history: AlertHistory) -> None:
        """An alert as the store has it."""
        self.self_test.take_alert(history.alert)
        self.alerts.take_history(history)
        if history.alert.table is not None:
            self.table(history.alert.table)

    def _alert(self, value: bytes, arrival: int) -> None:
        finding = parse_finding(value)
        if is_self_test(finding):
            self.self_test.take_finding(finding, arrival)
            return
        place = UNKNOWN_PLACE
        time = arrival * 1000
        if finding.table is not None:
            picture = self.table(finding.table)
            if picture.configured is not None:
                place = place_of_table(picture.configured)
            time = picture.last_time or time
        self.alerts.take_finding(finding, arrival, time, place)
