"""What can be changed from the console: single settings, the routing of alerts, the key that signs checkpoints.

Limits of tables come with each table's configuration from the floor, and rules with their documents: neither is here.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from console.changes.settings_file import read_text, with_setting, write_whole
from replay.chain.keys import KeyMissing, KeyRing, KeyUnreadable
from streams.alerting.rules import InvalidRouting, Unusable, parse_routing

ROTATE = "rotate"
"""What is asked for when the signing key is to change."""


class InvalidValue(ValueError):
    """The value cannot be used: correct it."""


class Subject(Protocol):
    """Something that two people together may change."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def kind(self) -> str:
        """setting, text or act: how it is asked for."""

    @property
    def effect(self) -> str:
        """When a change takes effect, in words."""

    @property
    def secret(self) -> bool:
        """Whether its value is for administrators alone."""

    def current(self) -> str:
        """What it is now."""

    def locked(self) -> str:
        """Why it cannot be changed here; empty: it can."""

    def check(self, value: str) -> None:
        """``InvalidValue`` unless the value can be used."""

    def apply(self, value: str, by: str) -> str:
        """Make it so; what it is then."""


@dataclass(frozen=True, slots=True)
class SettingSubject:
    """One line of the settings file that the services read when they start."""

    name: str
    title: str
    default: str
    path: Path
    from_environment: str | None
    """The value that the environment gives, which goes before the file; None: it gives none."""
    usable: Callable[[str], None]
    """``InvalidValue`` unless the value can be used."""
    effect: str
    kind: str = "setting"
    secret: bool = False

    def current(self) -> str:
        if self.from_environment is not None:
            return self.from_environment
        said = tomllib.loads(read_text(self.path))
        return str(said.get(self.name.lower(), self.default))

    def locked(self) -> str:
        if self.from_environment is None:
            return ""
        return "set in the environment of the services, which goes before the settings file: change it there"

    def check(self, value: str) -> None:
        self.usable(value)

    def apply(self, value: str, by: str) -> str:
        write_whole(self.path, with_setting(read_text(self.path), self.name.lower(), value))
        return value


@dataclass(frozen=True, slots=True)
class RoutingSubject:
    """The routing file: who is told of which alerts. Its addresses may hold passwords."""

    path: Path
    unusable: Unusable
    """Names the addresses that nothing can be sent to."""
    name: str = "ALERT_ROUTING"
    title: str = "who is told of which alerts, and who is told next when nobody acknowledges"
    kind: str = "text"
    effect: str = "when the alert service is started again"
    secret: bool = True

    def current(self) -> str:
        return read_text(self.path)

    def locked(self) -> str:
        return ""

    def check(self, value: str) -> None:
        try:
            parse_routing(value, unusable=self.unusable)
        except InvalidRouting as error:
            raise InvalidValue(str(error)) from error

    def apply(self, value: str, by: str) -> str:
        write_whole(self.path, value)
        return value


@dataclass(frozen=True, slots=True)
class SigningKeySubject:
    """The key that checkpoints are signed with: the one in use vouches for the next."""

    ring: KeyRing
    name: str = "SIGNING_KEY"
    title: str = "the key that checkpoints of the chain are signed with"
    kind: str = "act"
    effect: str = "when `tablewatch chain run` is started again; what older keys signed stays provable"
    secret: bool = False

    def current(self) -> str:
        try:
            known = self.ring.known()
        except (KeyMissing, KeyUnreadable, OSError):
            return ""
        return known[-1].key_id if known else ""

    def locked(self) -> str:
        return "" if self.current() else "there is no key on this machine: `tablewatch keys make` makes the first"

    def check(self, value: str) -> None:
        if value != ROTATE:
            raise InvalidValue(f"a key cannot be chosen: ask for {ROTATE!r}")

    def apply(self, value: str, by: str) -> str:
        return self.ring.rotate(by).key_id
