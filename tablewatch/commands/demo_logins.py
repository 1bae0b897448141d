"""Sample logins of the demo: one per role, with passwords made for this data folder alone."""

import secrets
from pathlib import Path
from typing import Final

import orjson

from console.auth.people import InvalidPerson, People
from console.auth.roles import ROLES
from console.database import Database

FILE: Final = "demo-logins.json"

_WORDS: Final = (
    "amber", "anchor", "bamboo", "basil", "bridge", "candle", "cedar", "copper", "coral", "cotton", "ember", "falcon",
    "garnet", "ginger", "harbor", "indigo", "ivory", "jasper", "juniper", "lagoon", "lantern", "lotus", "maple",
    "marble", "meadow", "nutmeg", "olive", "onyx", "opal", "orchid", "pearl", "pepper", "quartz", "raven", "saffron",
    "sage", "silver", "spruce", "sunset", "teal", "thistle", "tulip", "velvet", "willow",
)  # fmt: skip


def sample_logins(folder: Path) -> dict[str, str]:
    """Name and password by role; made at the first start, and the same ever after in this folder."""
    file = folder / FILE
    if file.exists():
        logins: dict[str, str] = orjson.loads(file.read_bytes())
        return logins
    logins = {role.replace("_", "-"): "-".join(secrets.choice(_WORDS) for _ in range(4)) for role in ROLES}
    database = Database(folder)
    try:
        people = People(database)
        for role, (name, password) in zip(ROLES, logins.items(), strict=True):
            try:
                people.add(name, role, password)
            except InvalidPerson:
                people.change_password(name, password)
    finally:
        database.close()
    file.touch(mode=0o600)
    file.write_bytes(orjson.dumps(logins))
    return logins
