"""The scribe: a process beside the worker that writes to the store what the worker hands it.

To pack columns for the store took a third of the interpreter's time, which is the judge's then: one process cannot use
two processors for both. A record goes over as its bytes and a verdict as its JSON, which costs next to nothing, and is
read there again, without looking at what the worker has looked at. Whether an insert may end is asked of the worker
each time.
"""

import logging
import os
import pickle
import signal
import socket
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Any, Final, NamedTuple, NoReturn

from audit.judge import JUDGE_VERSION
from schemas.decoding import decode_again
from schemas.verdicts_again import verdict_again
from store.connect import Patience, Store
from store.errors import StoreError, StoreUnavailable
from store.rows.raw import Record, StoredRejection
from store.rows.verdicts import FindingState, JudgedRoundAgain
from streams.collecting import collect_seldom
from streams.intake import read_record
from streams.news import News
from streams.tenure import NoLongerOurs
from streams.writing import finding_states, stored_rejections, write_rows

logger = logging.getLogger(__name__)

LONGEST_SECONDS: Final = 330.0
"""A scribe that says nothing for longer does not only wait for a store, of which the driver tires before."""
ENDED: Final = 3
_GIVES_WAY: Final = 10
"""By so much it leaves a busy processor to the worker first: people are to be told before anything is written."""
_MAY_IT_END: Final = b"may it end?"
_FOR_THE_WORKER: Final = (signal.SIGINT, signal.SIGTERM)
"""Signals that may be sent to a whole group: the worker has something in hand then that is still to be written."""


class _Verdict(NamedTuple):
    """A verdict on its way, and what the judge knew of the round that it does not say."""

    json: bytes
    opened: int
    ended: int
    cards: tuple[str, ...]
    decks: int | None
    pit: str | None
    currency: str | None
    dealer: str | None


_BESIDE: Final = _Verdict._fields[1:]
"""As a concluded round names them."""


class _Parcel(NamedTuple):
    """What is to be written together."""

    now: int
    verdicts: list[_Verdict]
    findings: list[FindingState]
    refused: list[StoredRejection]
    records: list[tuple[str, int, int, int, bytes, str, bool]]
    """Topic, partition, offset, arrival, bytes and log of each, and whether all that it holds was accepted."""


_IS_IT_THERE: Final = _Parcel(0, [], [], [], [])


class NotWritten(Exception):
    """The scribe could not write for a reason that is no fault of the store; it says where."""


class Scribe:
    """The worker's side of it. Begin it before the process has threads: it is a copy of the process."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        # Before the copy is made: pages that neither of them changes are held once.
        collect_seldom()
        # Those that come before the scribe is deaf to them wait.
        waiting = signal.pthread_sigmask(signal.SIG_BLOCK, _FOR_THE_WORKER)
        self.pid = os.fork()
        if self.pid == 0:
            ours.close()
            _write_until_the_worker_ends(Connection(theirs.detach()))
        signal.pthread_sigmask(signal.SIG_SETMASK, waiting)
        theirs.close()
        self._line = Connection(ours.detach())
        self._away = False
        """Whether the store was, when it was written to last."""

    def begin(self, store: Store, partitions: int) -> None:
        """Say where the store is, and of how many partitions the topics are."""
        self._line.send((store.address, partitions))

    def write(self, news: News, records: Sequence[Record], now: int, may_end: Callable[[], None]) -> None:
        """Write as ``streams.writing.write`` does. ``may_end`` is asked before the end of every insert, and raises
        where it may not."""
        if self._away:
            # What waits for a store becomes more and more: it is not handed over to learn that the store is still away.
            self._hand(_IS_IT_THERE, may_end)
        self._hand(_packed(news, records, now), may_end)

    def _hand(self, parcel: "_Parcel", may_end: Callable[[], None]) -> None:
        refused: NoLongerOurs | None = None
        try:
            self._line.send_bytes(pickle.dumps(parcel, pickle.HIGHEST_PROTOCOL))
            while (said := self._heard()) == _MAY_IT_END:
                try:
                    may_end()
                except NoLongerOurs as error:
                    refused = error
                self._line.send(refused is None)
        except (EOFError, OSError):
            self._end_with_it()
        self._away = isinstance(said, StoreUnavailable)
        if refused is not None:
            raise refused
        if said is not None:
            raise said

    def _heard(self) -> Any:
        if not self._line.poll(LONGEST_SECONDS):
            os.kill(self.pid, signal.SIGKILL)
        return self._line.recv()

    def _end_with_it(self) -> NoReturn:
        """A process with threads cannot be copied again; what is not stored is not acknowledged, and is read again."""
        logger.critical("the process that writes to the store is gone: the worker ends, too, and may be started again")
        logging.shutdown()
        os._exit(ENDED)

    def close(self) -> None:
        """Let it go, and wait for its end."""
        self._line.close()
        os.waitpid(self.pid, 0)


def _packed(news: News, records: Sequence[Record], now: int) -> _Parcel:
    return _Parcel(
        now,
        [
            _Verdict(json, each.opened, each.ended, each.cards, each.decks, each.pit, each.currency, each.dealer)
            for each, json in news.verdicts
        ],
        finding_states(news, now),
        stored_rejections(news),
        [
            (each.topic, each.partition, each.offset, each.arrival, each.raw, each.log, not each.decoded.rejected)
            for each in records
        ],
    )


def _write_until_the_worker_ends(line: Connection) -> NoReturn:
    """All that the scribe does; it ends when its worker has, however that ended."""
    for number in _FOR_THE_WORKER:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _FOR_THE_WORKER)
    os.nice(_GIVES_WAY)
    try:
        address, partitions = line.recv()
        store = Store(address, {}, Patience(total=0.0), lambda: _ask(line))
        while True:
            parcel = pickle.loads(line.recv_bytes())  # of its own worker, over a line that nobody else has
            line.send(_outcome(store, parcel, partitions))
    except (EOFError, OSError):
        os._exit(0)
    finally:
        # Whatever it is: beyond this, the copy would go on as a second worker.
        traceback.print_exc()
        os._exit(1)


def _ask(line: Connection) -> None:
    line.send(_MAY_IT_END)
    try:
        allowed = line.recv()
    except (EOFError, OSError):
        # The worker is gone, and its partitions are another's: an insert without its end does not count.
        os._exit(0)
    if not allowed:
        raise NoLongerOurs


def _outcome(store: Store, parcel: _Parcel, partitions: int) -> Exception | None:
    try:
        _write(store, parcel, partitions)
    except (StoreError, NoLongerOurs) as error:
        return error
    except Exception:  # told to the worker, which says that it fails, and tries again
        return NotWritten(traceback.format_exc())
    return None


def _write(store: Store, parcel: _Parcel, partitions: int) -> None:
    if parcel == _IS_IT_THERE:
        store.query("SELECT 1")
    rounds = [_round_again(parcel.now, *each) for each in parcel.verdicts]
    records = []
    for topic, partition, offset, arrival, raw, log, accepted in parcel.records:
        if accepted:
            decoded = decode_again(raw)
        else:
            decoded = read_record(topic, partition, offset, arrival, raw, partitions).decoded
        records.append(Record(topic, partition, offset, arrival, raw, decoded, log))
    write_rows(store, rounds, parcel.findings, parcel.refused, records)


def _round_again(now: int, json: bytes, *beside: Any) -> JudgedRoundAgain:
    known = dict(zip(_BESIDE, beside, strict=True))
    return JudgedRoundAgain(verdict=verdict_again(json), judge=str(JUDGE_VERSION), judged=now, json=json, **known)
