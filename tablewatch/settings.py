"""The settings: from the environment (`TABLEWATCH_…`), a file, then defaults; every name is listed here, once.

`TABLEWATCH_NAME_FILE` names a file that has the value, for what is secret: an address with a password, a token.
"""

import os
import tomllib
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from audit.settings import JudgeSettings
from audit.watches.settings import WatchSettings
from games.readings import Readings, choices, readings_of

PREFIX: Final = "TABLEWATCH_"
LAST_PORT: Final = 65_535
FILE: Final = PREFIX + "SETTINGS"
IN_FILE: Final = "_FILE"
"""Behind the name of a setting: the file that has its value."""
DEFAULT_FILE: Final = Path("tablewatch.toml")


class InvalidSetting(ValueError):
    """A setting that cannot be used: correct it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting that people may change."""

    name: str
    """In the environment with the prefix TABLEWATCH_, in a file in small letters."""
    default: str
    about: str
    is_path: bool = False
    """Of a file or a folder."""


SETTINGS: Final[tuple[Setting, ...]] = (
    Setting("BROKER", "", "kafka://host:port, or tablelog:///folder; empty: the embedded log in the data folder"),
    Setting("CLICKHOUSE_URL", "", "clickhouse://user:password@host:port/database; empty: the embedded server"),
    Setting("USER", "", "who is at work, for the access log; empty: the user of the operating system"),
    Setting("DATA", "data", "the folder of all embedded parts", is_path=True),
    Setting("PARTITIONS", "12", "of each input topic; cannot change later"),
    Setting("REPLICATION", "", "copies of each record; empty: up to three"),
    Setting("INPUT_DAYS", "7", "days that events are kept on the broker"),
    Setting("OUTPUT_DAYS", "30", "days that verdicts are kept on the broker"),
    Setting("READERS", "", "users that write table.cards, with commas"),
    Setting("SENSORS", "", "users that write table.bets"),
    Setting("DESKS", "", "users that write table.floor"),
    Setting("GATEWAYS", "", "users that write all three input topics"),
    Setting("WORKERS", "", "users that judge"),
    Setting("SEALERS", "", "users that write audit.checkpoints"),
    Setting("CONSOLES", "", "users that read everything"),
    Setting("RETENTION_YEARS", "7", "years that the store keeps everything; never less than five"),
    Setting("CLUSTER", "", "the ClickHouse cluster to make replicated and distributed tables on"),
    Setting("METRICS_HOST", "127.0.0.1", "where workers, alert service, watches, sealing and console tell metrics"),
    Setting("METRICS_PORT", "0", "of a worker's /metrics, /healthz and /readyz; 0: a free one"),
    Setting(
        "ALERTS_ROUTES", "", "the routing file of alerts; empty: alert-routes.toml in the data folder", is_path=True
    ),
    Setting("ALERTS_PORT", "0", "of the alert service's /metrics, /healthz and /readyz on this machine; 0: a free one"),
    Setting("WATCHES_PORT", "0", "of the watch service's /metrics, /healthz and /readyz; 0: a free one"),
    Setting("CHAIN_PORT", "0", "of the sealing's /metrics, /healthz and /readyz; 0: a free one"),
    Setting("SESSION_SECONDS", "15", "how long a worker that was killed holds its partitions on Kafka"),
    Setting(
        "WORKER_NAME", "", "of a worker, no other's: killed, it goes on at once; {host} in it is the machine's name"
    ),
    Setting("STOP_SECONDS", "25", "how long a worker that was told to stop may take for what it has in hand"),
    Setting("GATEWAY_HOST", "127.0.0.1", "where the gateway listens"),
    Setting("GATEWAY_PORT", "8480", "of the gateway; 0: a free one"),
    Setting("GATEWAY_CERTIFICATE", "", "the gateway's certificate for TLS, as PEM", is_path=True),
    Setting("GATEWAY_KEY", "", "the key of the gateway's certificate, as PEM", is_path=True),
    Setting("GATEWAY_PLAIN", "", "1: the gateway listens beyond this machine without TLS, behind a proxy that has it"),
    Setting(
        "GATEWAY_TOKENS", "", "the file of hashed tokens; empty: gateway-tokens.json in the data folder", is_path=True
    ),
    Setting("GATEWAY_LINGER_MS", "5", "how long events wait in the gateway for company in their record"),
    Setting("GATEWAY_PENDING_BYTES", "33554432", "bytes that may wait in the gateway for the broker; beyond it: 429"),
    Setting("GATEWAY_PATIENCE", "10", "seconds that the broker may take to acknowledge; then the gateway answers 503"),
    Setting("CONSOLE_HOST", "127.0.0.1", "where the console listens"),
    Setting("CONSOLE_PORT", "8470", "of the console; 0: a free one"),
    Setting("CONSOLE_CERTIFICATE", "", "the console's certificate for TLS, as PEM", is_path=True),
    Setting("CONSOLE_KEY", "", "the key of the console's certificate, as PEM", is_path=True),
    Setting("CONSOLE_PLAIN", "", "1: the console listens beyond this machine without TLS, behind a proxy that has it"),
    Setting("CONSOLE_SESSION_HOURS", "12", "hours until somebody has to sign in to the console again"),
    Setting("CONSOLE_METRICS_PORT", "0", "of the console's /metrics and /readyz, apart from its pages; 0: a free one"),
    Setting("OIDC_ISSUER", "", "the OpenID Connect provider that people may sign in to the console with; empty: none"),
    Setting("OIDC_CLIENT_ID", "", "who the console is to the provider"),
    Setting("OIDC_CLIENT_SECRET", "", "of the console at the provider; empty: PKCE alone"),
    Setting("OIDC_ADDRESS", "", "of the console, as browsers reach it, e.g. https://tablewatch.casino.example"),
    Setting("OIDC_SCOPE", "openid profile", "what the provider is asked for"),
    Setting("OIDC_NAME_CLAIM", "preferred_username", "the claim that names the person"),
    Setting("OIDC_ROLE_CLAIM", "groups", "the claim that has the person's groups; dots lead into it"),
    Setting("OIDC_ROLES", "", "group=role, with commas; of somebody in several groups the first one counts"),
    Setting("OIDC_TITLE", "your house account", "what the provider is called on the sign-in page"),
    Setting("SHIFTS", "06:00,14:00,22:00", "when shifts begin, by the site's clock; for reports"),
    Setting("TIME_ZONE", "UTC", "of the site, where no table's configuration names one"),
    Setting("CONSOLE_IDLE_MINUTES", "60", "minutes without an open page until a session of the console ends"),
    Setting("GRAFANA_URL", "", "where Grafana is, for installing dashboards"),
    Setting("GRAFANA_TOKEN", "", "of a service account of Grafana with the role Admin"),
    Setting("TOLERANCE_MS", "500", "events of two sources are compared with this tolerance"),
    Setting("CLOCK_TOLERANCE_MS", "2000", "how far a heartbeat's device time may be off"),
    Setting("SILENCE_MS", "60000", "how long a device that sends heartbeats may be silent"),
    Setting("AHEAD_MS", "300000", "live: how far ahead of its arrival an event's time may be"),
    Setting("IDLE_MS", "1800000", "live: a round nobody closes is judged this long after its last fact"),
    Setting("PATIENCE_MS", "2000", "live: what is not there is judged this long after its moment"),
    Setting("WATCH_SHUFFLE_REPEAT_RATE", "1e-6", "false findings that a shoe may bring: a slug comes again"),
    Setting("WATCH_CARD_FREQUENCY_RATE", "1e-6", "the same: a card or rank is missing or in excess"),
    Setting("WATCH_HOLD_RATE", "1e-6", "the same: the table's win is out of range"),
    Setting("WATCH_PLAYER_RATE", "1e-6", "the same: a player wins beyond expectation; of all players together"),
    Setting("WATCH_SLUG_CARDS", "24", "the fewest cards that count as a slug when they come again"),
    Setting("WATCH_SLUG_SHOES", "50", "in how many later shoes of its table a slug is looked for"),
    Setting("WATCH_FEWEST_ROUNDS", "200", "the fewest rounds over which a win is called out of range"),
    Setting("READING_PAIR", "same-rank", "A-01: same-rank or literal"),
    Setting("READING_NATURAL_TIE", "identical", "A-02: identical or each-natural"),
    Setting("READING_TIGER_PAIR", "highest", "A-03: highest or cumulative"),
    Setting("READING_SMALL_TIGER", "rule", "A-04: rule or layout"),
    Setting("READING_TIGER_BANKER", "rule", "A-05: rule or layout"),
)

_BY_NAME: Final = {setting.name: setting for setting in SETTINGS}
_NOT_NONE: Final = ("CONSOLE_SESSION_HOURS", "CONSOLE_IDLE_MINUTES")
"""Settings of which 0 makes no sense: nobody could sign in."""
_NEARLY: Final = 0.8
"""Of a name: so much is the same where one was meant and another typed."""
_IN_NO_PATH: Final = ("\n", "://", '"')
"""What the content of a file has, and an address; no path that anybody would choose does."""


def load_file(environment: MutableMapping[str, str]) -> None:
    """Take what files say into the environment, where the environment does not say otherwise."""
    _take_values(environment)
    named = environment.get(FILE)
    path = Path(named) if named else DEFAULT_FILE
    if not path.is_file():
        if named:
            raise InvalidSetting(f"{FILE} names {path}, and there is no such file.")
        return
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidSetting(f"{path} cannot be read as TOML: {error}.") from error
    for key, value in content.items():
        name = key.upper()
        if name not in _BY_NAME:
            near = get_close_matches(name, _BY_NAME, 1)
            hint = f" Did you mean {near[0].lower()}?" if near else ""
            raise InvalidSetting(f"{path}: there is no setting {key}.{hint}")
        if isinstance(value, dict | list | bool):
            raise InvalidSetting(f"{path}: {key} must be text or a number.")
        _refuse_what_is_no_path(name, str(value))
        environment.setdefault(PREFIX + name, str(value))


def _take_values(environment: MutableMapping[str, str]) -> None:
    """The settings that are in files of their own, each named by `TABLEWATCH_NAME_FILE`."""
    for name in _BY_NAME:
        path = environment.get(PREFIX + name + IN_FILE)
        if not path:
            _refuse_what_is_no_path(name, environment.get(PREFIX + name, ""))
            continue
        if environment.get(PREFIX + name):
            raise InvalidSetting(f"{PREFIX}{name} and {PREFIX}{name}{IN_FILE} are both set: leave one out.")
        try:
            value = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise InvalidSetting(f"{PREFIX}{name}{IN_FILE}: {path} cannot be read: {why}.") from error
        _refuse_what_is_no_path(name, value, path)
        environment[PREFIX + name] = value
        del environment[PREFIX + name + IN_FILE]  # a process that this one starts finds the value


def _refuse_what_is_no_path(name: str, value: str, file: str | None = None) -> None:
    """It is not repeated, as a path that cannot be read would be: it may be a whole ``file`` with its passwords, named
    by a setting that is for a file which holds the path."""
    setting = _BY_NAME[name]
    if not setting.is_path or not any(sign in value for sign in _IN_NO_PATH):
        return
    found = "several lines" if "\n" in value else "something else"
    what = setting.about.partition(";")[0]
    hint = f": set it to {file}, and leave {PREFIX}{name}{IN_FILE} out" if file else ""
    raise InvalidSetting(f"{PREFIX}{name} holds no path but {found}. {PREFIX}{name} itself names {what}{hint}.")


def mistyped(environment: Mapping[str, str] = os.environ) -> list[str]:
    """A sentence for each variable that is no setting and is named nearly like one. What is meant for something else
    that shares the prefix is left alone."""
    found = []
    for variable in sorted(environment):
        name = variable.removeprefix(PREFIX).removesuffix(IN_FILE)
        if variable.startswith(PREFIX) and variable != FILE and name not in _BY_NAME and not name.startswith("TEST_"):
            for near in get_close_matches(name, _BY_NAME, 1, _NEARLY):
                meant = variable.replace(name, near)
                found.append(f"{variable} is no setting, and is not heeded. Did you mean {meant}?")
    return found


def unusable(environment: Mapping[str, str] = os.environ) -> list[str]:
    """What is wrong with settings that cannot be used: not the number or the choice that they have to be. The range of
    a number is the matter of the command that takes it."""
    found = []
    for setting in SETTINGS:
        alone = {PREFIX + setting.name: value_of(setting.name, environment)}
        try:
            judge_settings(alone)
            watch_settings(alone)
            if setting.default.isdigit():
                float(alone[PREFIX + setting.name])
            if setting.name.endswith("PORT"):
                number_of(setting.name, alone)
            if setting.name in _NOT_NONE:
                count_of(setting.name, alone)
        except InvalidSetting as error:
            found.append(str(error))
        except ValueError:
            found.append(f"{PREFIX}{setting.name} must be a number, not {alone[PREFIX + setting.name]!r}.")
    return found


def value_of(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """What a setting is set to."""
    return environment.get(PREFIX + name) or _BY_NAME[name].default


def is_set(name: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a setting is set, and not left at its default."""
    return bool(environment.get(PREFIX + name))


def _number(name: str, environment: Mapping[str, str]) -> int:
    text = value_of(name, environment)
    if not text.isascii() or not text.isdigit():
        raise InvalidSetting(f"{PREFIX}{name} must be a whole number of 0 or more, not {text!r}.")
    if name.endswith("PORT") and int(text) > LAST_PORT:
        raise InvalidSetting(f"{PREFIX}{name} must be a port, 0 to {LAST_PORT}, not {text!r}.")
    return int(text)


def number_of(name: str, environment: Mapping[str, str] = os.environ) -> int:
    """What a setting is set to, as a whole number."""
    return _number(name, environment)


def _choice(name: str, choices: tuple[str, ...], environment: Mapping[str, str]) -> str:
    text = value_of(name, environment)
    if text not in choices:
        raise InvalidSetting(f"{PREFIX}{name} must be {' or '.join(choices)}, not {text!r}.")
    return text


def _rate(name: str, environment: Mapping[str, str]) -> float:
    text = value_of(name, environment)
    try:
        rate = float(text)
    except ValueError:
        rate = 0.0
    if not 0 < rate < 1:
        raise InvalidSetting(f"{PREFIX}{name} must be a number between 0 and 1, such as 1e-6, not {text!r}.")
    return rate


def count_of(name: str, environment: Mapping[str, str] = os.environ) -> int:
    """What a setting is set to, as a whole number that is not 0."""
    number = _number(name, environment)
    if number < 1:
        raise InvalidSetting(f"{PREFIX}{name} must be 1 or more.")
    return number


def watch_settings(environment: Mapping[str, str] = os.environ) -> WatchSettings:
    """What the statistical watches are set to."""
    return WatchSettings(
        shuffle_repeat_rate=_rate("WATCH_SHUFFLE_REPEAT_RATE", environment),
        card_frequency_rate=_rate("WATCH_CARD_FREQUENCY_RATE", environment),
        hold_rate=_rate("WATCH_HOLD_RATE", environment),
        player_rate=_rate("WATCH_PLAYER_RATE", environment),
        slug_cards=count_of("WATCH_SLUG_CARDS", environment),
        slug_shoes=count_of("WATCH_SLUG_SHOES", environment),
        fewest_rounds=count_of("WATCH_FEWEST_ROUNDS", environment),
        readings=readings(environment),
    )


def judge_settings(environment: Mapping[str, str] = os.environ) -> JudgeSettings:
    """The tolerances and readings that rounds are judged by."""
    return JudgeSettings(
        tolerance_ms=_number("TOLERANCE_MS", environment),
        clock_tolerance_ms=_number("CLOCK_TOLERANCE_MS", environment),
        silence_ms=_number("SILENCE_MS", environment),
        ahead_ms=_number("AHEAD_MS", environment),
        idle_ms=_number("IDLE_MS", environment),
        patience_ms=_number("PATIENCE_MS", environment),
        readings=readings(environment),
    )


def readings(environment: Mapping[str, str] = os.environ) -> Readings:
    """How rules are read that can be read in two ways."""
    return readings_of(
        {name: _choice(f"READING_{name.upper()}", allowed, environment) for name, allowed in choices().items()}
    )
