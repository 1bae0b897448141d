"""People whom a provider vouches for: kept beside those with local passwords, and never mistaken for one of them."""

from console.auth import passwords
from console.auth.oidc import OidcRefused, Outsider
from console.auth.people import InvalidPerson, People, Person
from console.database import Database


class Outsiders:
    """Who came from which provider, under which name."""

    def __init__(self, database: Database, people: People) -> None:
        self._database = database
        self._people = people

    def is_one(self, name: str) -> bool:
        """Whether the provider lets this person in, and no password of ours."""
        with self._database.using() as db:
            return db.execute("SELECT 1 FROM outsider WHERE name = ?", (name,)).fetchone() is not None

    def welcome(self, outsider: Outsider) -> Person:
        """The person, made at the first sign-in; the role is the one that the provider's groups give now.

        A name that a local person has, or somebody else from a provider, is not taken over.
        """
        with self._database.using() as db:
            row = db.execute(
                "SELECT name FROM outsider WHERE issuer = ? AND subject = ?", (outsider.issuer, outsider.subject)
            ).fetchone()
        try:
            person = self._first(outsider) if row is None else self._people.get(row[0])
            if person.disabled is not None:
                raise OidcRefused("disabled")
            return person if person.role == outsider.role else self._people.change_role(person.name, outsider.role)
        except InvalidPerson as error:
            raise OidcRefused(str(error)) from error

    def _first(self, outsider: Outsider) -> Person:
        # Only the provider lets the person in.
        person = self._people.add(outsider.name, outsider.role, passwords.nobodys())
        with self._database.changing() as db:
            db.execute(
                "INSERT INTO outsider (issuer, subject, name) VALUES (?, ?, ?)",
                (outsider.issuer, outsider.subject, person.name),
            )
        return person
