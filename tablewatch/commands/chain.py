"""`tablewatch chain`: seals what comes into the store under signed checkpoints."""

import fcntl
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from replay.chain import measures, resuming
from replay.chain.keys import KeyMissing
from replay.chain.note import TREE, CheckpointInvalid
from replay.chain.published import CheckpointFile, published
from replay.chain.seal import ChainBroken, Sealer
from replay.chain.tree import TreeIncomplete
from replay.chain.verify import verify_chain
from replay.custody import note_access, who_looks
from store.connect import Patience, Store, connect
from store.ending import on_asked_to_end
from store.errors import StoreUnavailable
from store.migrate import check
from store.read.checkpoints import checkpoints
from store.rows.proof import Checkpoint
from streams.broker_url import BrokerUnavailable, RightsMissing, TopicsMissing
from streams.logs import log_to_stderr
from streams.outlets import open_outlet
from streams.packing import PackedRecord
from streams.topic_layout import CHECKPOINTS
from tablewatch.commands.keys import about_keys, key_ring
from tablewatch.commands.measured import measured
from tablewatch.commands.services import WRONG_USE, broker, data, explained, made
from tablewatch.commands.store_address import store_url
from tablewatch.settings import value_of

FLAGGED = 1
KEY_SECONDS = 2.0
"""So often it is looked for a key that somebody has still to make."""
KEPT_SECONDS = 60.0
"""So often a service keeps what it holds for the next one."""
LONGEST_LOOK_SECONDS = 60.0
"""A look that lasts longer than this is told as one that waits."""

_HELP = """Examples:

\b
  tablewatch keys make
  tablewatch chain run
  tablewatch chain checkpoint

Seals what comes into the store under signed checkpoints.
"""

chain = typer.Typer(no_args_is_help=True, help=_HELP)
logger = logging.getLogger(__name__)

File = Annotated[
    Path | None,
    typer.Option("--file", help="Checkpoints are appended to it; let it live elsewhere. Default: in the data folder."),
]
Publish = Annotated[bool, typer.Option("--publish/--no-publish", help="Send checkpoints to audit.checkpoints too.")]


@chain.command()
def checkpoint(file: File = None, to_topic: Publish = False) -> None:
    """Examples:

    \b
      tablewatch chain checkpoint
      tablewatch chain checkpoint --file /mnt/elsewhere/checkpoints.txt

    Seals what is new in the store, once: every row becomes a leaf of the tree and a link of its table's chain, and the
    tree's root is signed. Workers may go on writing. Exit code 1 if the chain in the store does not continue what was
    signed, 2 without a key.
    """
    with _sealing() as store:
        kept = CheckpointFile(file or _default_file())
        sealer = _sealer(store, kept)
        made = sealer.seal()
        hand_out(store, kept, _unsent(made) if to_topic else [])
        _keep(sealer)
    typer.echo("Nothing is new." if made is None else f"Checkpoint of {made.size} leaves, root {made.root.hex()}.")


@chain.command()
def run(
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two checkpoints.")] = 10.0,
    file: File = None,
    to_topic: Publish = True,
    await_key: Annotated[
        bool, typer.Option("--await-key", help="Without a key, wait until somebody has made one, and do not end.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, envvar="TABLEWATCH_CHAIN_PORT", help="Of /metrics, /healthz, /readyz; 0: a free one."
        ),
    ] = None,
) -> None:
    """Examples:

    \b
      tablewatch chain run
      tablewatch chain run --every 60 --file /mnt/elsewhere/checkpoints.txt
      tablewatch chain run --await-key --port 9468

    Seals what comes into the store every few seconds until SIGTERM, beside any number of workers; one such process
    a store. It waits while the store or the broker is away, and stops with exit code 1 if the chain in the store does
    not continue what was signed.
    """
    log_to_stderr()
    service = _Service(every, file or _default_file(), to_topic=to_topic)
    on_asked_to_end(service.stop.set)
    with explained():
        measured("CHAIN_PORT", port, lambda: service.lacks is None, lambda: service.lacks)
    with about_keys():
        if await_key and not service.await_key():
            return
    with _sealing(service=service) as store:
        service.run(store)


@chain.command()
def accept(
    reason: Annotated[str, typer.Option(help="Why these rows came late; kept in the access log.")],
    file: File = None,
) -> None:
    """Examples:

    \b
      tablewatch replay verify --chain
      tablewatch chain accept --reason "worker 3 was cut off from the store on 2 May"

    Takes rows into the chain that `replay verify --chain` calls inserted: they are older than the last checkpoint and
    were not sealed with it. Who accepted them and why is written to the access log, which is in the chain. One process
    seals at a time: stop `chain run` first, and start it again afterwards.
    """
    with _sealing("stop `tablewatch chain run` first, and start it again afterwards") as store:
        found = verify_chain(store, own=key_ring().known())
        others = [each for each in found.tampering if each.what != "inserted" or each.kind in ("leaf", "checkpoint")]
        if others:
            typer.echo(f"More is wrong than rows that came late, first of all: {others[0]}", err=True)
            raise typer.Exit(FLAGGED)
        if not found.late:
            typer.echo("No row is late.")
            return
        named = sorted({f"{row.kind} {row.key}" for row in found.late})
        note_access(store, who_looks(value_of("USER")), "chain accept", (), {"reason": reason, "rows": named[:1000]})
        kept = CheckpointFile(file or _default_file())
        sealer = _sealer(store, kept)
        made = sealer.seal(found.late)
        hand_out(store, kept, [])
        _keep(sealer)
    assert made is not None
    typer.echo(
        f"{len(named)} {'row is' if len(named) == 1 else 'rows are'} accepted; checkpoint of {made.size} leaves."
    )


class _Service:
    """The work of `chain run`, and how it goes."""

    def __init__(self, every: float, file: Path, *, to_topic: bool) -> None:
        self.stop = Event()
        self._why: str | None = "nothing was sealed since the start"
        """What keeps it from sealing, in words."""
        self._looked = time.monotonic()
        """When all that was new was sealed, by this process's clock."""
        self._every = every
        self._kept = CheckpointFile(file)
        self._to_topic = to_topic

    @property
    def lacks(self) -> str | None:
        """What keeps it from sealing, in words. While the store is away it waits inside a look for as long as that
        takes."""
        waits = time.monotonic() - self._looked
        if self._why is None and waits > self._every + LONGEST_LOOK_SECONDS:
            return f"nothing was sealed for {waits:.0f} seconds"
        return self._why

    def await_key(self) -> bool:
        """Wait until there is a key to sign with; False: it was told to stop before."""
        while True:
            try:
                key_ring().current()
                return True
            except KeyMissing as error:
                if self._why != str(error):
                    logger.warning("waiting: %s", error)
                self._why = str(error)
            if self.stop.wait(KEY_SECONDS):
                return False

    @property
    def patience(self) -> Patience:
        """As long as the store is away, but not a moment longer than until it is told to stop."""
        return Patience(total=None, wait=self.stop.wait, told=self._waits)

    def _waits(self, error: StoreUnavailable, _pause: float) -> None:
        if self._why != str(error):
            logger.warning("waiting: %s", error)
        self._why = str(error)

    def run(self, store: Store) -> None:
        """Seal again and again until it is told to stop."""
        sealer: Sealer | None = None
        unsent: list[Checkpoint] = []
        # To read years again takes minutes: what was read is kept at once.
        kept_at = -KEPT_SECONDS
        while True:
            try:
                if sealer is None:
                    sealer = _sealer(store, self._kept)
                    unsent = _unsent(sealer.last) if self._to_topic else []
                made = sealer.seal()
                measures.LAST.set(time.time())
                if sealer.last is not None:
                    measures.LEAVES.set(sealer.last.size)
                if made is not None:
                    logger.info("checkpoint of %d leaves", made.size)
                    unsent += [made] if self._to_topic else []
                unsent = hand_out(store, self._kept, unsent)
                measures.UNSENT.set(len(unsent))
                self._why, self._looked = None, time.monotonic()
                if self._looked - kept_at >= KEPT_SECONDS:
                    _keep(sealer)
                    kept_at = self._looked
            except StoreUnavailable as error:
                # What of the last insert has landed is not known: take it up from the store again.
                logger.warning("%s", error)
                sealer = None
                self._why = str(error)
            if self.stop.wait(self._every):
                if sealer is not None:
                    _keep(sealer)
                return


def _sealer(store: Store, kept: CheckpointFile) -> Sealer:
    """The sealer of a store that has what was handed out of it."""
    last = _last_in(kept)
    sealer = Sealer(store, key_ring(), _now, before=resuming.kept(_in_hand()))
    if last is None:
        return sealer
    there = checkpoints(store, TREE, last.size, last.size)
    look = f"tablewatch replay verify --chain --checkpoints {kept.path}"
    which = f"{kept.path} ends with a checkpoint of {last.size} leaves, root {last.root.hex()},"
    if last.root not in (each.root for each in there):
        raise ChainBroken(
            f"{which} that the store does not have. Somebody took it out or put an older store in place, a backup was"
            " restored, or it is the file of another store. Nothing was sealed. Keep this file as it is, for the"
            " auditor; where you know why, let another one begin with --file",
            look,
        )
    if published(last) not in map(published, there):
        raise ChainBroken(
            f"{which} that says something else in the store: one of the two was altered. Nothing was sealed. Keep this"
            " file as it is, for the auditor; where you know why, let another one begin with --file",
            look,
        )
    return sealer


def hand_out(store: Store, kept: CheckpointFile, unsent: list[Checkpoint]) -> list[Checkpoint]:
    """Append to the file what it lacks, and send the rest; gives back what the broker did not take."""
    last = _last_in(kept)
    lacking = checkpoints(store, TREE, 0 if last is None else last.size + 1)
    if lacking:
        kept.append(lacking)
    if unsent:
        try:
            with open_outlet(broker(), patience_seconds=5.0) as outlet:
                for each in unsent:
                    outlet.send(PackedRecord(CHECKPOINTS.name, 0, published(each), 1))
                outlet.finish()
        except (BrokerUnavailable, TopicsMissing, RightsMissing) as error:
            logger.warning("checkpoints wait for the broker: %s", error)
            return unsent
    return []


def _keep(sealer: Sealer) -> None:
    """Spare the next one reading all that was sealed. Where it cannot be kept (a full disk), nothing else is lost."""
    if sealer.in_hand is None:
        return
    try:
        resuming.keep(_in_hand(), sealer.in_hand)
    except OSError as error:
        logger.warning("the next start reads everything that was sealed: %s: %s", _in_hand(), error.strerror)


def _in_hand() -> Path:
    return data() / "sealer.json"


def _last_in(kept: CheckpointFile) -> Checkpoint | None:
    """The last checkpoint that was handed out; nothing is sealed or appended behind what is not whole."""
    try:
        kept.path.parent.mkdir(parents=True, exist_ok=True)
        return kept.last()
    except OSError as error:
        typer.echo(
            f"{kept.path} cannot be the file of checkpoints: {error.strerror}. Nothing was sealed. Name a file that"
            " this process may write, in --file.",
            err=True,
        )
        raise typer.Exit(WRONG_USE) from error
    except (CheckpointInvalid, UnicodeDecodeError) as error:
        wrong = error if isinstance(error, CheckpointInvalid) else "it holds no checkpoint"
        typer.echo(
            f"{kept.path}: {wrong}. Nothing was sealed, and nothing appended to it. Move it to another place, and keep"
            " it: the next checkpoint goes into a new file, with all that the store has.",
            err=True,
        )
        raise typer.Exit(WRONG_USE) from error


def _unsent(made: Checkpoint | None) -> list[Checkpoint]:
    return [] if made is None else [made]


@contextmanager
def _sealing(otherwise: str = "one a store is enough", service: _Service | None = None) -> Iterator[Store]:
    """The store, with nobody else at work on its chain in this data folder; where somebody is, it says this. A service
    waits for its store, and ends where it is told to before that is there."""
    with explained(), about_keys(), (made(data()) / "chain.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            typer.echo(
                f"Another process seals with the data folder {data()} (it holds {data() / 'chain.lock'});"
                f" {otherwise}. To seal another store, set TABLEWATCH_DATA to a data folder of its own.",
                err=True,
            )
            raise typer.Exit(WRONG_USE) from error
        store = connect(store_url())
        if service is not None:
            store = store.patient(service.patience)
        try:
            check(store)
        except StoreUnavailable:
            if service is not None and service.stop.is_set():
                raise typer.Exit from None
            raise
        try:
            yield store
        except TreeIncomplete as error:
            typer.echo(f"The chain is broken: {error}.", err=True)
            raise typer.Exit(FLAGGED) from error
        except ChainBroken as error:
            typer.echo(f"The chain is broken: {error}. Look with: {error.look}", err=True)
            raise typer.Exit(FLAGGED) from error


def _default_file() -> Path:
    return data() / "checkpoints.txt"


def _now() -> int:
    return time.time_ns() // 1_000_000
