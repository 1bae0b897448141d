"""The tokens of the devices: one file of hashes, replaced whole, readable by its owner alone.

A token is `twg_<id>_<secret>`, the id to find it by and 256 random bits. At rest there is its SHA-256 and nothing more.
A slow hash with salt makes the guesses at a password dear; 256 random bits cannot be guessed at any price, and a slow
hash on every request would only give an attacker a way to keep the gateway busy.
"""

import fcntl
import hashlib
import hmac
import logging
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from schemas.reasons import reason_of
from streams.gateway.kinds import KINDS

FORMAT: Final = 1
PREFIX: Final = "twg"

_TOKEN: Final = re.compile(r"twg_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_NOBODY: Final = hashlib.sha256(b"").hexdigest()


logger = logging.getLogger(__name__)


class TokensUnreadable(Exception):
    """The file of tokens cannot be used as it is: set it right, or take it from a backup."""


class InvalidDevice(ValueError):
    """No token can be made, or taken back, for what was named: correct it."""


def _now() -> datetime:
    return datetime.now(UTC)


Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Device(BaseModel):
    """A device that may send events, and which."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", use_attribute_docstrings=True)

    id: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{12}$")]
    """The part of its token by which it is found; no secret."""
    name: Name
    """What people call it; unique among those that are not revoked."""
    kind: str
    tables: Annotated[tuple[Name, ...], Field(min_length=1)]
    """The subjects that it may speak about."""
    sources: Annotated[tuple[Name, ...], Field(min_length=1)]
    """The sources that it may speak as."""
    types: tuple[str, ...] | None = None
    """The event types that it may send; null: those of its kind."""
    digest: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    """SHA-256 of the whole token."""
    made: str
    revoked: str | None = None
    """Since when it is refused; null: it is not."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        kind = KINDS.get(self.kind)
        if kind is None:
            raise ValueError(f"{self.kind!r} is no kind of device: choose one of {', '.join(KINDS)}")
        for text in (self.name, *self.tables, *self.sources):
            if not text.isprintable() or text != text.strip():
                raise ValueError(f"{text!r} has signs that cannot be printed, or blanks at its ends")
        beyond = sorted(set(self.types or ()) - kind.grantable)
        if beyond:
            raise ValueError(f"a {self.kind} may not send {', '.join(beyond)}")
        if self.types == ():
            raise ValueError("it may send nothing")
        return self

    @property
    def allowed(self) -> frozenset[str]:
        """The event types that it may send."""
        return KINDS[self.kind].types if self.types is None else frozenset(self.types)


class _Content(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    format: Literal[1]
    devices: list[Device]

    @model_validator(mode="after")
    def _unique(self) -> Self:
        if len({device.id for device in self.devices}) < len(self.devices):
            raise ValueError("two devices have the same id")
        return self


class TokenFile:
    """The file as commands read and change it; several may do so at once."""

    def __init__(self, path: Path, *, clock: Callable[[], datetime] = _now) -> None:
        self.path = path
        self._clock = clock

    def devices(self) -> list[Device]:
        """All devices, revoked ones too, in the order of their making; none if there is no file yet."""
        try:
            with self.path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                raw = file.read()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise TokensUnreadable(f"the tokens in {self.path} cannot be read: {error.strerror or error}") from error
        if mode & 0o022:
            # Whoever can write it can give himself a token.
            raise TokensUnreadable(f"others may write to the tokens in {self.path}: run `chmod 600` on it")
        try:
            return _Content.model_validate_json(raw).devices
        except ValidationError as error:
            raise TokensUnreadable(f"the tokens in {self.path} cannot be understood: {_why(error)}") from error

    def add(
        self, name: str, kind: str, tables: list[str], sources: list[str], types: list[str] | None = None
    ) -> tuple[Device, str]:
        """Make a token; it is given out here and never again."""
        number = secrets.token_hex(6)
        token = f"{PREFIX}_{number}_{secrets.token_urlsafe(32)}"
        try:
            device = Device(
                id=number,
                name=name,
                kind=kind,
                tables=tuple(dict.fromkeys(tables)),
                sources=tuple(dict.fromkeys(sources)),
                types=tuple(dict.fromkeys(types)) if types else None,
                digest=digest_of(token),
                made=self._stamp(),
            )
        except ValidationError as error:
            raise InvalidDevice(_why(error)) from error
        with self._alone():
            devices = self.devices()
            if any(each.name == name and each.revoked is None for each in devices):
                raise InvalidDevice(f"{name} has a token: revoke it first, or choose another name")
            self._write([*devices, device])
        return device, token

    def revoke(self, name: str) -> Device:
        """Refuse the token of this device, by its name or id, from now on."""
        with self._alone():
            devices = self.devices()
            for place, device in enumerate(devices):
                if name in (device.name, device.id) and device.revoked is None:
                    devices[place] = device.model_copy(update={"revoked": self._stamp()})
                    self._write(devices)
                    return devices[place]
        raise InvalidDevice(f"no device {name} has a token")

    def _stamp(self) -> str:
        return self._clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Between reading and writing, no other command changes the file."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.path.with_name(self.path.name + ".lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise TokensUnreadable(f"{self.path} cannot be written: {error.strerror or error}") from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _write(self, devices: list[Device]) -> None:
        content = _Content(format=FORMAT, devices=devices).model_dump_json(indent=2).encode() + b"\n"
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        try:
            fresh.unlink(missing_ok=True)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self.path)
            folder = os.open(self.path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise TokensUnreadable(f"{self.path} cannot be written: {error.strerror or error}") from error


class Devices:
    """The file as the gateway asks it: read again when it has changed, so that a revoked token ends at once."""

    def __init__(self, path: Path) -> None:
        self._file = TokenFile(path)
        self._seen: tuple[int, int, int, int] | None = None
        self._by_id: dict[str, Device] = {}
        self._fault: TokensUnreadable | None = None

    def find(self, token: str) -> Device | None:
        """The device whose token this is. Raises TokensUnreadable while the file cannot be used."""
        self.check()
        match = _TOKEN.fullmatch(token)
        device = self._by_id.get(match[1]) if match else None
        # The comparison is made in every case: the time that an answer takes tells nothing.
        same = hmac.compare_digest(digest_of(token), device.digest if device else _NOBODY)
        return device if device is not None and same and device.revoked is None else None

    def check(self) -> int:
        """How many devices may send now. Raises TokensUnreadable while the file cannot be used."""
        seen = self._state()
        if seen != self._seen or seen is None:
            self._by_id, self._fault = {}, None
            try:
                self._by_id = {device.id: device for device in self._file.devices()}
            except TokensUnreadable as error:
                # Nobody is let in by what may be out of date; devices keep their events and try again.
                self._fault = error
                logger.error("%s", error)
            self._seen = seen
        if self._fault is not None:
            raise self._fault
        return sum(device.revoked is None for device in self._by_id.values())

    def _state(self) -> tuple[int, int, int, int] | None:
        try:
            status = self._file.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode


def digest_of(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def _why(error: ValidationError) -> str:
    """What is wrong, without repeating what the file holds."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        return reason_of(error)
    where = ".".join(str(step) for step in first["loc"])
    what = first["msg"].removeprefix("Value error, ")
    return f"{where}: {what}" if where else what
