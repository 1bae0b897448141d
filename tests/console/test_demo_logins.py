"""Sample logins of the demo: made once for a folder, with the two administrators that a change needs."""

from pathlib import Path

import orjson

from console.auth.people import People
from console.auth.roles import ROLES
from console.database import Database
from tablewatch.commands.demo_logins import FILE, sample_logins


def test_every_role_has_a_login_and_two_are_administrators_and_all_stay_the_same(tmp_path: Path) -> None:
    logins = sample_logins(tmp_path)
    database = Database(tmp_path)
    roles = {person.name: person.role for person in People(database).all()}
    database.close()
    assert roles.keys() == logins.keys()
    assert set(roles.values()) == set(ROLES)
    assert [name for name, role in roles.items() if role == "administrator"] == [
        "administrator",
        "second-administrator",
    ]
    assert sample_logins(tmp_path) == logins
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_a_folder_that_has_fewer_gets_the_others_and_keeps_its_own(tmp_path: Path) -> None:
    before = sample_logins(tmp_path)
    fewer = {name: password for name, password in before.items() if name != "second-administrator"}
    (tmp_path / FILE).write_bytes(orjson.dumps(fewer))
    after = sample_logins(tmp_path)
    assert after.keys() == before.keys()
    assert {name: after[name] for name in fewer} == fewer
