"""Alerts from the topic to a person's webhook: how long, how many messages, and what the desk takes.

python -m bench.alerts [--paced 200] [--flood 2000]
python -m bench.alerts --kills 20
"""

import argparse
import random
import re
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from bench.page.figures import tell
from store.connect import Patience, connect
from store.migrate import migrate
from store.render import SchemaSettings
from streams.alerting.acts import Act
from streams.alerting.desk import DeskWatch, Done, open_alerts, perform
from tests.store.floor import finding
from tests.streams.alerting.room import Room
from tests.streams.alerting.site import Site
from tests.streams.alerting.test_command import was_sent
from tests.streams.alerting.webhook import until
from tests.streams.pipeline import StoreProcess

PACE = 20
"""Findings a second."""


def main() -> None:
    """Paced critical findings, then a flood of a broken reader with critical ones in it, then the desk."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paced", type=int, default=200)
    parser.add_argument("--flood", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=0, help="only this: SIGKILL at random moments while alerts come")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = StoreProcess(folder / "clickhouse")
        server.start()
        try:
            store = connect(server.url, patience=Patience(total=30.0))
            migrate(store, SchemaSettings())
            if chosen.kills:
                _kills(Site(folder, store), chosen.kills, random.Random(chosen.seed))
                return
            room = Room(folder, store)
            with room.service(room.routing('[limits]\nwindow = "5s"\n')) as serving:
                until(lambda: serving.ready)
                _paced(room, chosen.paced)
                _flood(room, chosen.flood)
                until(lambda: serving.journal.owed_count() == 0)
            _desk(room)
            room.close()
        finally:
            server.stop()


def _paced(room: Room, count: int) -> None:
    said: dict[str, float] = {}
    came: dict[str, float] = {}

    def arrive(_path: str, message: dict[str, Any]) -> int:
        now = time.monotonic()
        for short in said:
            if short not in came and short in message["message"]:
                came[short] = now
        return 200

    room.hook.on_message = arrive
    for number in range(1, count + 1):
        found = finding("late-bet", "BT1", number=number)
        said[found.id[:8]] = time.monotonic()
        room.say(found)
        time.sleep(1 / PACE)
    until(lambda: len(came) == count)
    took = sorted(came[short] - moment for short, moment in said.items())
    for name, share in (("half of them within", 0.5), ("99 of 100 within", 0.99), ("the longest", 1.0)):
        late = took[min(count - 1, int(count * share))] * 1000
        tell(f"a critical finding from the topic to the webhook, {PACE} a second", late, "ms", of=name, at=count)


def _flood(room: Room, count: int) -> None:
    room.hook.on_message = lambda _path, _message: 200
    room.hook.got.clear()
    critical = [finding("late-bet", "BT2", number=number) for number in range(1, count // 10 + 1)]
    gaps = [
        finding("device-gap", "BT2", shoe=None, round=None, about=f"/reader {number}", message=f"/reader lost {number}")
        for number in range(count)
    ]
    mixed = [
        each for place, gap in enumerate(gaps) for each in ((gap, critical[place // 10]) if place % 10 == 0 else (gap,))
    ]
    begun = time.monotonic()
    room.say(*mixed)

    def told() -> bool:
        texts = "\n".join(message["message"] for message in room.hook.messages("anna"))
        return all(each.id[:8] in texts for each in critical)

    until(told)
    last = time.monotonic() - begun
    until(lambda: any("device-gap" in title and "more" in title for title in room.hook.titles("anna")))
    titles = room.hook.titles("anna")
    about_reader, about_bets = (sum(code in title for title in titles) for code in ("device-gap", "late-bet"))
    tell("findings of a broken reader, with a critical one beside every tenth", count)
    tell("messages about the broken reader", about_reader, at=count)
    tell("messages with all critical findings", about_bets, at=len(critical))
    tell("until the last critical finding was told", last * 1000, "ms", at=count)


def _desk(room: Room) -> None:
    begun = time.monotonic()
    found = open_alerts(room.store)
    listed = time.monotonic() - begun
    watch = DeskWatch(room.store)
    watch.poll()
    begun = time.monotonic()
    for _ in range(10):
        watch.poll()
    polled = (time.monotonic() - begun) / 10
    took: list[float] = []
    for history in found[:20]:
        begun = time.monotonic()
        act = Act(deed="acknowledge", by="anna", role="shift_manager", at=time.time_ns() // 1000)
        assert isinstance(perform(room.store, history.alert.id, act), Done)
        took.append(time.monotonic() - begun)
    for name, seconds in (("list", listed), ("poll without news", polled), ("an act", statistics.median(took))):
        tell("the desk with open alerts", seconds * 1000, "ms", of=name, at=len(found))


def _kills(site: Site, kills: int, rng: random.Random) -> None:
    """The service dies again and again; how many alerts were lost, and how many messages came twice."""
    found = [finding("late-bet", "BT1", number=number) for number in range(1, kills * 3 + 4)]
    waiting = list(found)
    for _ in range(kills):
        service = site.start("alerts", "run")
        for _ in range(3):
            site.room.say(waiting.pop())
            time.sleep(rng.random() * 0.1)
        service.kill()
        service.wait()
    site.room.say(*waiting)
    service = site.start("alerts", "run")
    until(lambda: all(was_sent(site, each.id) for each in found))
    service.terminate()
    assert service.wait(60) == 0
    bodies = Counter(
        frozenset(re.findall(r"[[ ]([0-9a-f]{8})\b", m["message"])) for m in site.room.hook.messages("anna")
    )
    repeats = sum(count - 1 for count in bodies.values())
    tell("kills of the alert service", kills)
    tell("alerts while it was killed, all told and all on record", len(found))
    tell("messages that came twice", repeats, at=kills)
    site.end()


if __name__ == "__main__":
    main()
