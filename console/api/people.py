"""The people who may sign in: for administrators; and whom an alert can be handed over to."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import Field

from console.api.models import Given, Told
from console.auth.passwords import LONGEST, WeakPassword
from console.auth.people import InvalidPerson, Person, differences
from console.auth.roles import Role
from console.server.gate import SignedIn, address_of
from console.server.parts import Console, Parts
from console.server.problems import Refused
from streams.alerting.acts import MAY

router = APIRouter(prefix="/api/v1", tags=["people"])

Name = Annotated[str, Path(min_length=1, max_length=64)]


class PersonTold(Told):
    """Somebody who may sign in."""

    name: str
    role: Role
    made: int
    """Seconds since 1970."""
    disabled: int | None
    """Since when the person may not sign in; null: may."""
    locked_until: int
    """After failures nobody signs in under this name before this; seconds since 1970."""
    own_password: bool
    """Whether the person has a password here; false: the house's provider lets the person in, with the role that its
    groups give."""


class NewPerson(Given):
    """Somebody who may sign in from now on."""

    name: Annotated[str, Field(min_length=2, max_length=64)]
    role: Role
    password: Annotated[str, Field(min_length=1, max_length=LONGEST)]


class Change(Given):
    """What is to be different."""

    role: Role | None = None
    disabled: bool | None = None
    password: Annotated[str, Field(min_length=1, max_length=LONGEST)] | None = None


class Colleague(Told):
    """Somebody who may take alerts."""

    name: str
    role: Role


@router.get("/people", summary="Everybody")
async def people(parts: Console) -> list[PersonTold]:
    """By name; those that were disabled too."""
    return [_told(person, parts) for person in parts.people.all()]


@router.post("/people", status_code=201, summary="Add somebody")
async def add(given: NewPerson, session: SignedIn, parts: Console, request: Request) -> PersonTold:
    """With a first password, which the person changes."""
    try:
        person = await asyncio.to_thread(parts.people.add, given.name, given.role, given.password)
    except (InvalidPerson, WeakPassword) as error:
        raise Refused(422, str(error)) from error
    parts.access.note(
        session, "added a person", address=address_of(request), detail={"name": person.name, "role": person.role}
    )
    return _told(person, parts)


@router.patch("/people/{name}", summary="Change somebody's role, password or access")
async def change(name: Name, given: Change, session: SignedIn, parts: Console, request: Request) -> PersonTold:
    """Nobody changes the own role or access: that takes another administrator."""
    if name == session.name and (given.role is not None or given.disabled is not None):
        raise Refused(409, "nobody changes the own role or access: ask another administrator")
    try:
        person = before = parts.people.get(name)
    except InvalidPerson as error:
        raise Refused(404, str(error)) from error
    try:
        if given.role is not None:
            person = parts.people.change_role(name, given.role)
        if given.password is not None:
            person = await asyncio.to_thread(parts.people.change_password, name, given.password)
        if given.disabled is not None:
            person = parts.people.disable(name) if given.disabled else parts.people.enable(name)
    except WeakPassword as error:
        raise Refused(422, str(error)) from error
    changed = differences(before, person, password=given.password is not None)
    parts.access.note(session, "changed a person", address=address_of(request), detail={"name": name, **changed})
    return _told(person, parts)


@router.get("/colleagues", summary="Who may take alerts")
async def colleagues(parts: Console) -> list[Colleague]:
    """For handing over."""
    return [
        Colleague(name=person.name, role=person.role)
        for person in parts.people.all()
        if person.disabled is None and person.role in MAY["take"]
    ]


def _told(person: Person, parts: Parts) -> PersonTold:
    return PersonTold(
        name=person.name,
        role=person.role,
        made=person.made,
        disabled=person.disabled,
        locked_until=person.locked_until,
        own_password=not parts.outsiders.is_one(person.name),
    )
