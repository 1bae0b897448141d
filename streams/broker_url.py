"""Where the events are kept: the broker URL, read once, and the options it means for each client library.

kafka://host:9092
kafka://user:password@host1:9092,host2:9092?security=SASL_SSL&mechanism=SCRAM-SHA-512&ca=/path/ca.pem
tablelog:///path/to/folder
"""

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

PORT: Final = 9092
SECURITY: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
OPTIONS: Final = ("security", "mechanism", "ca", "certificate", "key")


class InvalidBrokerUrl(ValueError):
    """The URL names no broker: correct the setting."""


class BrokerUnavailable(Exception):
    """The broker does not answer, or does not take what is sent: wait and try again."""


class RightsMissing(Exception):
    """This user may not do that on the broker: log in as another, or have the right given."""


class TopicsMissing(Exception):
    """The broker does not have the contract's topics: create them first."""


@dataclass(frozen=True, slots=True)
class KafkaBroker:
    """A Kafka cluster and how to log in to it."""

    servers: tuple[str, ...]
    """`host:port` of the servers to ask first."""
    security: str = "PLAINTEXT"
    mechanism: str | None = None
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca: Path | None = None
    """Certificates to trust, in place of the system's."""
    certificate: Path | None = None
    """This client's own certificate, with `key`."""
    key: Path | None = None

    def __str__(self) -> str:
        """The URL without what is secret."""
        name = f"{quote(self.user, safe='')}@" if self.user else ""
        return f"kafka://{name}{','.join(self.servers)}"

    def client_options(self) -> dict[str, Any]:
        """The options of kafka-python's producer, consumer and admin client."""
        options: dict[str, Any] = {"bootstrap_servers": list(self.servers), "security_protocol": self.security}
        if self.security.startswith("SASL"):
            options |= {
                "sasl_mechanism": self.mechanism,
                "sasl_plain_username": self.user,
                "sasl_plain_password": self.password,
            }
        if self.security.endswith("SSL"):
            options["ssl_context"] = self.ssl_context()
        return options

    def ssl_context(self) -> ssl.SSLContext:
        """Whom to trust, and what to show of oneself."""
        context = ssl.create_default_context(cafile=None if self.ca is None else str(self.ca))
        if self.certificate is not None:
            context.load_cert_chain(self.certificate, self.key)
        return context


@dataclass(frozen=True, slots=True)
class EmbeddedLog:
    """The log in a folder of this machine."""

    folder: Path

    def __str__(self) -> str:
        return f"tablelog://{quote(str(self.folder))}"


Broker = KafkaBroker | EmbeddedLog


def parse_broker(url: str) -> Broker:
    """The broker that the URL names."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        # Without what may be a password: whoever forgets the scheme has written the login all the same.
        shown = url.rpartition("@")[2]
        raise InvalidBrokerUrl(f"{shown!r} is neither kafka://host:port nor tablelog:///path/to/folder")
    if scheme == "kafka":
        return _kafka(rest)
    if scheme == "tablelog":
        folder = Path(unquote(rest))
        if not folder.is_absolute() or folder == Path("/"):
            raise InvalidBrokerUrl(f"{url!r}: the embedded log needs an absolute folder, as in tablelog:///var/lib/log")
        return EmbeddedLog(folder)
    raise InvalidBrokerUrl(f"{scheme}:// is no broker: use kafka://host:port or tablelog:///path/to/folder")


def broker_of(url: str | None, data: Path) -> Broker:
    """The broker of the settings: the one that the URL names, or the embedded log in the data folder."""
    return parse_broker(url) if url else EmbeddedLog(data.absolute() / "log")


def _kafka(rest: str) -> KafkaBroker:
    # What comes after kafka:// may carry a password: no message repeats it.
    body, _, query = rest.partition("?")
    login, _, address = body.rpartition("@")
    address = address.rstrip("/")
    if not address or "/" in address:
        raise InvalidBrokerUrl("kafka:// needs host:port, or several with commas between them, and no path")
    options = dict(parse_qsl(query, keep_blank_values=True))
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise InvalidBrokerUrl(f"kafka:// knows no option {', '.join(unknown)}; it has {', '.join(OPTIONS)}")
    user, _, password = login.partition(":")
    security = options.get("security", "SASL_SSL" if login else "PLAINTEXT").upper()
    if security not in SECURITY:
        raise InvalidBrokerUrl(f"security={security}: choose one of {', '.join(SECURITY)}")
    sasl = security.startswith("SASL")
    if sasl != bool(login):
        raise InvalidBrokerUrl(f"security={security} {'needs' if sasl else 'has no use for'} user:password@")
    mechanism = options.get("mechanism", "SCRAM-SHA-512").upper() if sasl else None
    if mechanism is not None and mechanism not in MECHANISMS:
        raise InvalidBrokerUrl(f"mechanism={mechanism}: choose one of {', '.join(MECHANISMS)}")
    if "key" in options and "certificate" not in options:
        raise InvalidBrokerUrl("kafka:// has key= and no certificate=: a client shows both, or neither")
    return KafkaBroker(
        servers=tuple(_server(one) for one in address.split(",")),
        security=security,
        mechanism=mechanism,
        user=unquote(user) if sasl else None,
        password=unquote(password) if sasl else None,
        ca=_file(options, "ca"),
        certificate=_file(options, "certificate"),
        key=_file(options, "key"),
    )


def _server(text: str) -> str:
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port or PORT
    except ValueError as error:
        raise InvalidBrokerUrl(f"{text!r} is no host:port") from error
    if not host:
        raise InvalidBrokerUrl(f"{text!r} is no host:port")
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _file(options: dict[str, str], name: str) -> Path | None:
    if name not in options:
        return None
    path = Path(options[name])
    if not path.is_file():
        raise InvalidBrokerUrl(f"{name}={path}: there is no such file")
    return path
