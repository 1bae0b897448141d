"""The routing file: people, shifts, who is told of what, escalation, limits; TOML, with errors in plain words.

`tablewatch alerts check` reads it and shows who would be told. Times of day are those of the table's own time zone
where its configuration names one, and of `time_zone` here otherwise.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import time
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final, get_args, get_origin
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from games.rulebook import GAMES
from schemas.findings import SEVERITY, Severity
from streams.alerting.life import ROLES

_SPAN: Final = re.compile(r"(\d{1,6})\s*(s|m|h)")
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600}
_DAY: Final = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_WILD: Final = re.compile(r"[*?\[]")
_PATTERNS: Final = sorted(
    {f"{code.partition('-')[0]}-*" for code in SEVERITY} | {f"*-{code.rpartition('-')[2]}" for code in SEVERITY}
)
"""What people may mean who write a pattern: all codes that begin, or end, with the same word."""
DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class InvalidRouting(ValueError):
    """A routing file that cannot be used: correct it."""


def _seconds(value: object) -> object:
    if isinstance(value, str):
        found = _SPAN.fullmatch(value.strip())
        if found is None:
            raise ValueError(f"{value!r} is no span of time; write 30s, 5m or 2h")
        return int(found[1]) * _SECONDS[found[2]]
    return value


def _time_of_day(value: object) -> object:
    if isinstance(value, str):
        if not _DAY.fullmatch(value):
            raise ValueError(f"{value!r} is no time of day; write 06:30 or 22:00")
        return time.fromisoformat(value)
    return value


def _zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"{value!r} is no time zone; write one as Asia/Singapore") from error
    return value


def _among(what: str, words: tuple[str, ...]) -> AfterValidator:
    def check(value: str) -> str:
        if value not in words:
            hint = _meant(value, words) or f"; there are {', '.join(words)}"
            raise ValueError(f"there is no {what} {value!r}{hint}")
        return value

    return AfterValidator(check)


def _meant(typed: str, words: Iterable[str]) -> str:
    """The end of a sentence about a word that is not there."""
    near = get_close_matches(typed, words, 1)
    return f"; did you mean {near[0]}?" if near else ""


def _codes(value: str) -> str:
    if not any(fnmatchcase(code, value) for code in SEVERITY):
        meant = _PATTERNS if _WILD.search(value) else SEVERITY
        raise ValueError(f"no finding has the code {value!r}{_meant(value, meant)}")
    return value


Span = Annotated[int, BeforeValidator(_seconds), Field(ge=0)]
"""Seconds; in the file `30s`, `5m`, `2h`."""
TimeOfDay = Annotated[time, BeforeValidator(_time_of_day)]
Day = Annotated[str, _among("day", DAYS)]
GameWord = Annotated[str, _among("game", tuple(GAMES))]
RoleWord = Annotated[str, _among("role", ROLES)]
CodePattern = Annotated[str, AfterValidator(_codes)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Hours(_Part):
    """A part of the day, which may go over midnight."""

    start: Annotated[TimeOfDay, Field(alias="from")]
    end: Annotated[TimeOfDay, Field(alias="to")]
    """Not included; the same as `from` means the whole day."""
    days: tuple[Day, ...] = DAYS
    """On which it begins."""


class Person(_Part):
    """Somebody who can be told."""

    name: str = ""
    """As others know him; by default the name of the entry."""
    roles: tuple[RoleWord, ...] = ()
    urls: Annotated[tuple[str, ...], Field(min_length=1)]
    """Apprise URLs, the best first: the next is tried when one does not take the message."""
    copies: tuple[str, ...] = ()
    """Apprise URLs that get every message as well."""
    shifts: tuple[str, ...] = ()
    """Shifts in which he is told as one of a role; none: always."""
    pits: tuple[str, ...] = ()
    """Pits for which he is told as one of a role; none: all."""
    quiet: tuple[Hours, ...] = ()
    """Hours in which only critical alerts are sent; the others are told together when they end."""


class Rule(_Part):
    """Who is told of which alerts. All rules that fit add up. What is left out fits everything."""

    name: str = ""
    severity: tuple[Severity, ...] = ()
    pit: tuple[str, ...] = ()
    game: tuple[GameWord, ...] = ()
    code: tuple[CodePattern, ...] = ()
    """Codes of findings; `device-*` stands for all that begin so."""
    table: tuple[str, ...] = ()
    shift: tuple[str, ...] = ()
    """Shifts in which the rule holds."""
    tell: Annotated[tuple[str, ...], Field(min_length=1)]
    """Roles and people."""


class Stage(_Part):
    """One step of an escalation."""

    after: Span
    """Since the alert was raised or reopened, while nobody acknowledges it."""
    tell: Annotated[tuple[str, ...], Field(min_length=1)]


class Escalation(_Part):
    """Who is told when nobody acknowledges in time. The first one whose severity fits holds."""

    severity: tuple[Severity, ...] = ()
    chain: Annotated[tuple[Stage, ...], Field(min_length=1)]


class Limits(_Part):
    """How much a person gets. Critical alerts know no limit."""

    window: Span = 300
    """The first alert of a table, code and device is told at once, the others of this time together after it."""
    messages: Annotated[int, Field(ge=1)] = 20
    """So many messages to one person …"""
    per: Span = 600
    """… in this time; what comes beyond waits and is told together."""


class SelfTest(_Part):
    """The daily proof that an alert comes through."""

    at: tuple[TimeOfDay, ...] = (time(5, 30),)
    """Times of day; none: never."""
    within: Span = 60
    """How long the alert may take before the administrators are told."""


class Standstill(_Part):
    """The watch over the workers themselves."""

    after: Span = 60
    """How long nothing may be judged and stored of what waits before people are told; 0: they are never told."""


class Routing(_Part):
    """The whole file."""

    time_zone: Annotated[str, AfterValidator(_zone)] = "UTC"
    people: Annotated[dict[str, Person], Field(min_length=1)]
    shifts: dict[str, Hours] = {}
    rules: tuple[Rule, ...] = ()
    otherwise: Annotated[tuple[str, ...], Field(min_length=1)] = ("administrator",)
    """Who is told of what no rule fits, and when nobody whom a rule names is on duty."""
    escalation: tuple[Escalation, ...] = ()
    limits: Limits = Limits()
    self_test: SelfTest = SelfTest()
    standstill: Standstill = Standstill()


NOBODY: Final = Routing.model_construct(
    time_zone="UTC",
    people={},
    shifts={},
    rules=(),
    otherwise=(),
    escalation=(),
    limits=Limits(),
    self_test=SelfTest(at=()),
    standstill=Standstill(),
)
"""Of a site without a routing file: alerts are kept and come to the desk, and no message is sent."""


Unusable = Callable[[Iterable[tuple[str, str]]], Iterable[str]]
"""What is wrong with addresses, each given with its place; asked only by those who send to them."""


def _nothing(_: Iterable[tuple[str, str]]) -> Iterable[str]:
    return ()


def read_routing(path: Path, unusable: Unusable = _nothing) -> Routing:
    """The routing file, checked."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRouting(f"{path} cannot be read: {error}") from error
    return parse_routing(text, str(path), unusable)


def parse_routing(text: str, where: str = "the routing file", unusable: Unusable = _nothing) -> Routing:
    """Routing from TOML; every fault is named with its place, not the first one alone."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidRouting(f"{where} is no TOML: {error}") from error
    try:
        routing = Routing.model_validate(content)
    except ValidationError as error:
        raise _invalid(where, [*_plain(error), *_strangers(content), *unusable(_addresses(content))]) from error
    faults = [*_strangers(content), *_faults(routing), *unusable(_addresses(content))]
    if faults:
        raise _invalid(where, faults)
    return routing


def _invalid(where: str, faults: Iterable[str]) -> InvalidRouting:
    return InvalidRouting("\n".join([f"{where} cannot be used:", *(f"  {fault}" for fault in faults)]))


def _addresses(content: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every address with its place, also of a file that has faults elsewhere."""
    people = content.get("people")
    for name, person in people.items() if isinstance(people, dict) else ():
        for kind in ("urls", "copies"):
            urls = person.get(kind) if isinstance(person, dict) else None
            for number, url in enumerate(urls if isinstance(urls, list) else (), 1):
                if isinstance(url, str):
                    yield f"people.{name}.{kind}.{number}", url


def _tables(content: Mapping[str, Any], name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The tables of this name, each with its place; what is none is told of elsewhere."""
    many = content.get(name)
    named = many.items() if isinstance(many, dict) else enumerate(many, 1) if isinstance(many, list) else ()
    yield from ((f"{name}.{key}", each) for key, each in named if isinstance(each, dict))


def _strangers(content: Mapping[str, Any]) -> Iterator[str]:
    """Names of people, roles and shifts that are not there, also of a file that has faults elsewhere."""
    people, shifts = content.get("people"), content.get("shifts")
    targets = (*ROLES, *(people if isinstance(people, dict) else ()))
    rules = list(_tables(content, "rules"))
    told = [(f"{where}.tell", rule.get("tell")) for where, rule in rules]
    told += [
        (f"{where}.{place}.tell", stage.get("tell"))
        for where, escalation in _tables(content, "escalation")
        for place, stage in _tables(escalation, "chain")
    ]
    told.append(("otherwise", content.get("otherwise")))
    for where, name in _words(told):
        if name not in targets:
            yield f"{where}: there is no role or person {name!r}{_meant(name, targets)}"
    on_duty = [(f"{where}.shift", rule.get("shift")) for where, rule in rules]
    on_duty += [(f"{where}.shifts", person.get("shifts")) for where, person in _tables(content, "people")]
    for where, name in _words(on_duty):
        if name not in (shifts if isinstance(shifts, dict) else ()):
            yield f"{where}: there is no shift {name!r}"


def _words(lists: Iterable[tuple[str, object]]) -> Iterator[tuple[str, str]]:
    """The words of lists, each with the place of its list."""
    for where, words in lists:
        yield from ((where, word) for word in (words if isinstance(words, list) else ()) if isinstance(word, str))


def _entries(place: Sequence[int | str]) -> list[str]:
    """What may be written at a place of the file."""
    kind: Any = Routing
    for step in place:
        if get_origin(kind) is None:
            kind = next(each.annotation for name, each in kind.model_fields.items() if step in (name, each.alias))
        else:  # many of a kind: people by their names, rules by their numbers
            kind = next(each for each in get_args(kind) if isinstance(each, type) and issubclass(each, _Part))
    return [each.alias or name for name, each in kind.model_fields.items()]


def _plain(error: ValidationError) -> Iterator[str]:
    for each in error.errors(include_url=False):
        place = ".".join(str(part + 1) if isinstance(part, int) else part for part in each["loc"])
        match each["type"]:
            case "extra_forbidden":
                said = f"there is no such entry{_meant(str(each['loc'][-1]), _entries(each['loc'][:-1]))}"
            case "missing":
                said = "is missing"
            case "too_short":
                said = "must not be empty"
            case "literal_error":
                said = f"{each['input']!r} is none of {each['ctx']['expected']}"
            case "value_error":
                said = str(each["ctx"]["error"])
            case _:
                said = each["msg"]
        yield f"{place}: {said}"


def _faults(routing: Routing) -> Iterator[str]:
    """What the parts say about each other and is not so."""
    for name in routing.people:
        if name in ROLES:
            yield f"people.{name}: this is the name of a role; choose another"
        elif not _NAME.fullmatch(name):
            yield f"people.{name}: a short name has letters, digits, dots and dashes only"
    told = [(f"rules.{number}.tell", rule.tell) for number, rule in enumerate(routing.rules, 1)]
    told += [
        (f"escalation.{number}.chain.{place}.tell", stage.tell)
        for number, escalation in enumerate(routing.escalation, 1)
        for place, stage in enumerate(escalation.chain, 1)
    ]
    told.append(("otherwise", routing.otherwise))
    roles_had = {role for person in routing.people.values() for role in person.roles}
    for where, names in told:
        for name in names:
            if name in ROLES and name not in roles_had:
                yield f"{where}: nobody has the role {name!r}"
    for number, escalation in enumerate(routing.escalation, 1):
        times = [stage.after for stage in escalation.chain]
        if times != sorted(set(times)):
            yield f"escalation.{number}.chain: each step must come later than the one before"
