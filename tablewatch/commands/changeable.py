"""What two administrators together may change from the console, and how each change takes effect."""

import os
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from console.changes.settings_file import read_text
from console.changes.subjects import InvalidValue, RoutingSubject, SettingSubject, SigningKeySubject, Subject
from replay.chain.keys import KeyRing
from streams.alerting.delivery import unusable_addresses
from tablewatch.settings import (
    DEFAULT_FILE,
    FILE,
    PREFIX,
    SETTINGS,
    InvalidSetting,
    judge_settings,
    value_of,
    watch_settings,
)

_JUDGED_KEEPS: Final = "a round that was judged before keeps the settings of its verdict"
_WHEN_JUDGING: Final = f"when the workers are started again; {_JUDGED_KEEPS}"
_WHEN_READING: Final = (
    "when the workers and the console are started again, on dashboards after `tablewatch store migrate`; "
    + _JUDGED_KEEPS
)
_WHEN_WATCHING: Final = "when `tablewatch watches run` is started again, from the next shoe that ends"

_JUDGING: Final = ("TOLERANCE_MS", "CLOCK_TOLERANCE_MS", "SILENCE_MS", "AHEAD_MS", "IDLE_MS", "PATIENCE_MS")


def changeable(environment: Mapping[str, str] = os.environ) -> list[Subject]:
    """Tolerances, limits of the watches, readings, the routing of alerts, and the signing key."""
    path = Path(environment.get(FILE) or DEFAULT_FILE)
    said = tomllib.loads(read_text(path))
    subjects: list[Subject] = []
    for setting in SETTINGS:
        effect = _effect_of(setting.name)
        if effect is not None:
            given = environment.get(PREFIX + setting.name)
            in_file = said.get(setting.name.lower())
            subjects.append(
                SettingSubject(
                    name=setting.name,
                    title=setting.about,
                    default=setting.default,
                    path=path,
                    # What the file said is in the environment too; only what differs was said by the environment.
                    from_environment=None if not given or given == str(in_file) else given,
                    usable=_usable(setting.name),
                    effect=effect,
                )
            )
    folder, routes = Path(value_of("DATA", environment)), value_of("ALERTS_ROUTES", environment)
    subjects.append(RoutingSubject(Path(routes) if routes else folder / "alert-routes.toml", unusable_addresses))
    subjects.append(SigningKeySubject(KeyRing(folder / "keys")))
    return subjects


def _effect_of(name: str) -> str | None:
    """When a change of this setting takes effect; None: it is not changed from the console."""
    if name.startswith("WATCH_"):
        return _WHEN_WATCHING
    if name.startswith("READING_"):
        return _WHEN_READING
    return _WHEN_JUDGING if name in _JUDGING else None


def _usable(name: str) -> Callable[[str], None]:
    """The check that the services themselves make when they start."""

    def check(value: str) -> None:
        try:
            judge_settings({PREFIX + name: value})
            watch_settings({PREFIX + name: value})
        except InvalidSetting as error:
            raise InvalidValue(str(error)) from error

    return check
