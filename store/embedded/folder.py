"""The data folder: made if absent, held by one process at a time, of a version that this engine can read."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from store.embedded.faults import CannotStart, DiskFull, FolderInUse, FolderOfNewerVersion, FolderUnusable

LAYOUT: Final = 1
"""Raised when the files of the folder change their meaning."""
_LOCK: Final = "server.lock"
_VERSION: Final = "version.json"
_ROOM: Final = 64 << 20
"""Below this, the engine could start and then fail in the middle of a merge."""


@contextmanager
def held(folder: Path, engine: tuple[int, ...]) -> Iterator[None]:
    """Holds the folder for this process, and leaves in it the version that writes to it."""
    if "?" in str(folder):
        raise FolderUnusable(f"The folder {folder} has a question mark in its name, and the engine cannot have that.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unusable(folder, error) from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FolderInUse(
                f"The folder {folder} is in use by process {_holder(lock)}. "
                "Stop that server first, or name another folder."
            ) from None
        try:
            os.ftruncate(lock, 0)
            os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
            _check_room(folder)
            _check_version(folder, engine)
        except OSError as error:
            raise unusable(folder, error) from None
        yield
    finally:
        os.close(lock)


def _holder(lock: int) -> str:
    return os.pread(lock, 32, 0).decode(errors="replace").strip() or "(not named)"


def _check_room(folder: Path) -> None:
    room = os.statvfs(folder)
    free = room.f_bavail * room.f_frsize
    if free < _ROOM:
        raise DiskFull(
            f"The disk of {folder} has {free >> 20} MiB left, and the server needs {_ROOM >> 20} to start. "
            "Free some space, or name a folder on another disk."
        )


def _check_version(folder: Path, engine: tuple[int, ...]) -> None:
    file = folder / _VERSION
    if file.exists():
        try:
            written = json.loads(file.read_text())
            layout, by = int(written["layout"]), tuple(int(part) for part in str(written["engine"]).split("."))
        except (ValueError, KeyError, TypeError):
            raise FolderUnusable(
                f"{file} cannot be read, so it is not known which version wrote this folder. "
                "Restore the folder from a backup, or name another one."
            ) from None
        # The engine reads folders of its own and of older releases; a patch changes no format.
        if layout > LAYOUT or by[:2] > engine[:2]:
            raise FolderOfNewerVersion(
                f"The folder {folder} was written by engine {written['engine']} (layout {layout}), "
                f"and this one is {_dotted(engine)} (layout {LAYOUT}). Upgrade Tablewatch, or restore a backup."
            )
    draft = file.with_suffix(".new")
    with draft.open("w") as out:
        out.write(json.dumps({"layout": LAYOUT, "engine": _dotted(engine)}) + "\n")
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)


def unusable(folder: Path, error: OSError) -> CannotStart:
    """The named reason behind an error of the operating system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(f"The disk of {folder} is full. Free some space, or name a folder on another disk.")
    return FolderUnusable(f"The folder {folder} cannot be used: {error.strerror}. Check the path and its rights.")
