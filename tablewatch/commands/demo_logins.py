"""Sample logins of the demo: for every role, with passwords made for this data folder alone."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import orjson

from console.auth.people import InvalidPerson, People
from console.auth.roles import ROLES, Role
from console.database import Database

FILE: Final = "demo-logins.json"

_WORDS: Final = (
    "amber", "anchor", "bamboo", "basil", "bridge", "candle", "cedar", "copper", "coral", "cotton", "ember", "falcon",
    "garnet", "ginger", "harbor", "indigo", "ivory", "jasper", "juniper", "lagoon", "lantern", "lotus", "maple",
    "marble", "meadow", "nutmeg", "olive", "onyx", "opal", "orchid", "pearl", "pepper", "quartz", "raven", "saffron",
    "sage", "silver", "spruce", "sunset", "teal", "thistle", "tulip", "velvet", "willow",
)  # fmt: skip


LOGINS: Final[Mapping[str, Role]] = {
    **{role.replace("_", "-"): role for role in ROLES},
    "second-administrator": "administrator",
}
"""One for each role, and the second person that changes of limits, tolerances, routing and keys need."""


def sample_logins(folder: Path) -> dict[str, str]:
    """Name and password; made at the first start, and the same ever after in this folder."""
    file = folder / FILE
    logins: dict[str, str] = orjson.loads(file.read_bytes()) if file.exists() else {}
    missing = [name for name in LOGINS if name not in logins]
    if not missing:
        return logins
    database = Database(folder)
    try:
        people = People(database)
        for name in missing:
            password = logins[name] = "-".join(secrets.SystemRandom().sample(_WORDS, 4))
            try:
                people.add(name, LOGINS[name], password)
            except InvalidPerson:
                people.change_password(name, password)
    finally:
        database.close()
    file.touch(mode=0o600)
    file.write_bytes(orjson.dumps(logins))
    return logins
