"""The devices of a table: each numbers and stamps its events by its own clock, and sends heartbeats."""

from collections.abc import Iterable, Sequence

import orjson

from simulator.acts import (
    BEAT,
    DEALER,
    DESK,
    DISPLAY,
    HEARTBEAT,
    READER,
    RFID,
    Act,
    Beat,
    Contradicted,
    Noise,
    Payload,
    Spoiled,
    Unsent,
)
from simulator.chance import Chance
from simulator.clock import MINUTE, minute_text, time_text

Delivery = tuple[int, bytes]
"""When a line arrives (milliseconds since 1970), and the line."""

DRIFT = 120
"""No clock is ever farther off than this (ms): two of them stay well within the tolerance of 500 ms."""

BEAT_EVERY = 40_000
"""Between two heartbeats (ms); 60 s without any event count as silence."""

_ID_STEP = 0x9E3779B97F4B
_ID_MASK = 0xFFFFFFFFFFFF


class Device:
    """One source of events about one table."""

    __slots__ = (
        "beats", "clock_error", "error_until", "fraction", "heads", "id_prefix", "latency", "next_beat", "offset",
        "path", "sequence", "silent_from", "silent_until", "subject",
    )  # fmt: skip

    def __init__(self, path: str, subject: str, beats: bool, start: int, chance: Chance) -> None:
        self.path = path
        self.subject = subject
        self.beats = beats
        self.next_beat = start + chance.below(BEAT_EVERY // 4)
        self.sequence = chance.below(100_000)
        self.offset = chance.between(-DRIFT, DRIFT)
        """How far its clock is ahead (ms)."""
        self.clock_error = 0
        """By how much more its clock is off (ms) when asked for its time before ``error_until``."""
        self.error_until = 0
        self.silent_from = self.silent_until = 0
        """From the one time to the other it sends nothing."""
        self.latency = chance.between(15, 90)
        self.fraction = chance.pick((b"Z", b"Z", b"%03dZ" % chance.below(1000)))
        """Some devices write microseconds."""
        digits = "".join(f"{chance.below(0x10000):04x}" for _ in range(5))
        self.id_prefix = f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-"
        self.heads: dict[str, bytes] = {}
        """By type: an event up to the middle of its id."""

    def head(self, kind: str) -> bytes:
        """An event of this type up to the middle of its id."""
        head = self.heads[kind] = (
            f'{{"specversion":"1.0","type":"{kind}","source":"{self.path}","subject":"{self.subject}",'
            f'"id":"{self.id_prefix}'
        ).encode()
        return head

    def is_silent(self, at: int) -> bool:
        """Whether it sends nothing at this time."""
        return self.silent_from <= at < self.silent_until

    def wander(self, chance: Chance) -> None:
        """The clock drifts a little, within its bounds."""
        self.offset = max(-DRIFT, min(DRIFT, self.offset + chance.between(-4, 4)))

    def event_id(self, sequence: int) -> str:
        """The id of the event with this number: unique within the source."""
        return f"{self.id_prefix}{sequence * _ID_STEP & _ID_MASK:012x}"


class Devices:
    """All sources of a table, and what is sent of what happened."""

    __slots__ = ("_chance", "_until_late", "_until_repeat", "devices")

    def __init__(self, table: str, pit: str, start: int, chance: Chance) -> None:
        paths = {
            READER: f"/tables/{table}/reader",
            RFID: f"/tables/{table}/rfid",
            DISPLAY: f"/tables/{table}/display",
            DEALER: f"/tables/{table}/dealer",
            DESK: f"/pits/{pit}/desk",
        }
        self._chance = chance
        # The desk sends no heartbeats: it writes to two topics, and nobody could say where they belong.
        self.devices = [Device(path, table, source != DESK, start, chance) for source, path in paths.items()]
        self._until_late = chance.between(20, 400)
        self._until_repeat = chance.between(20, 400)

    def beats(self, until: int) -> list[Act]:
        """The heartbeats due before a time."""
        acts: list[Act] = []
        chance = self._chance
        for source, device in enumerate(self.devices):
            while device.beats and device.next_beat < until:
                if not device.is_silent(device.next_beat):
                    acts.append((device.next_beat, source, HEARTBEAT, BEAT))
                device.next_beat += BEAT_EVERY + chance.between(-1500, 1500)
                device.wander(chance)
        return acts

    def send(self, acts: Iterable[Act]) -> list[Delivery]:
        """The lines of these acts, which are in the order of time, with their arrival.

        Some lines come late and some come twice: that changes nothing for whoever reads them.
        """
        sent: list[Delivery] = []
        devices, dumps = self.devices, orjson.dumps
        written = -1
        minutes = b""
        late, repeat = self._until_late, self._until_repeat
        for at, source, kind, content in acts:
            device = devices[source]
            if type(content) is not dict:
                self._send_other(sent, at, device, kind, content)
                continue
            sequence = device.sequence
            device.sequence = sequence + 1
            minute, rest = divmod(at + device.offset, MINUTE)
            if minute != written:
                written, minutes = minute, minute_text(minute)
            line = b'%b%012x","time":"%b%02d.%03d%b","sequence":%d,"data":%b}' % (
                device.heads.get(kind) or device.head(kind), sequence * _ID_STEP & _ID_MASK, minutes, rest // 1000,
                rest % 1000, device.fraction, sequence, dumps(content),
            )  # fmt: skip
            late -= 1
            repeat -= 1
            arrival = at + device.latency
            if late <= 0:
                arrival += self._chance.between(200, 1500)
                late = self._chance.between(20, 600)
            sent.append((arrival, line))
            if repeat <= 0:
                sent.append((arrival + self._chance.between(1, 4000), self._again(line)))
                repeat = self._chance.between(20, 600)
        self._until_late, self._until_repeat = late, repeat
        return sent

    def _again(self, line: bytes) -> bytes:
        """The same event once more: as it was, or with its attributes in another order."""
        if self._chance.happens(0.5):
            return line
        event = orjson.loads(line)
        return orjson.dumps({name: event[name] for name in sorted(event)})

    def _send_other(self, sent: list[Delivery], at: int, device: Device, kind: str, content: object) -> None:
        arrival = at + device.latency
        if isinstance(content, Noise):
            sent.append((arrival, content.raw))
            return
        sequence = device.sequence
        device.sequence = sequence + 1
        if isinstance(content, Unsent):
            return
        if isinstance(content, Beat):
            error = device.clock_error if at < device.error_until else 0
            line = b'%b%012x","time":"%b","sequence":%d,"data":{"device_time":"%b"}}' % (
                device.heads.get(kind) or device.head(kind), sequence * _ID_STEP & _ID_MASK, time_text(at), sequence,
                time_text(at + device.offset + error),
            )  # fmt: skip
            sent.append((arrival, line))
        elif isinstance(content, Contradicted):
            for payload in (content.first, content.second):
                sent.append((arrival, self._envelope(device, kind, sequence, at + device.offset, payload)))
        elif isinstance(content, Spoiled):
            line = self._envelope(device, kind, sequence, at + device.offset, content.payload, content.attributes)
            sent.append((arrival, line))

    @staticmethod
    def _envelope(
        device: Device, kind: str, sequence: int, clock: int, payload: Payload, attributes: Payload | None = None
    ) -> bytes:
        event: Payload = {
            "specversion": "1.0", "type": kind, "source": device.path, "subject": device.subject,
            "id": device.event_id(sequence), "time": time_text(clock).decode(), "sequence": sequence, "data": payload,
        }  # fmt: skip
        for name, value in (attributes or {}).items():
            if value is None:
                del event[name]
            else:
                event[name] = value
        return orjson.dumps(event)


def by_time(acts: Sequence[Act]) -> list[Act]:
    """The acts in the order in which they happened; equal times keep the order in which they were noted."""
    return sorted(acts, key=lambda act: act[0])
