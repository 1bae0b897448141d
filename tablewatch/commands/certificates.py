"""The PEM files of TLS: which of them cannot be used and why, whose a key is, and how long a certificate is valid."""

import re
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, NoReturn

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import load_pem_private_key

SOON: Final = timedelta(days=14)
"""Before its end a certificate is told of: time to have another one made."""
_BEGINS: Final = re.compile(rb"^-----BEGIN ([A-Z0-9 ]+)-----", re.MULTILINE)
_OTHERS: Final = frozenset({"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH"})


class UnusablePair(ValueError):
    """A certificate and a key that TLS cannot be spoken with: correct them, or the settings that name them."""


class _HasPassPhrase(Exception):
    """A key that somebody would have to unlock."""


@dataclass(frozen=True, slots=True)
class Named:
    """What the two files are named by, as people are told to correct it."""

    certificate: str
    key: str


def named_by(settings: str) -> Named:
    """By settings of their own; ``settings``: what the names of these begin with."""
    return Named(f"{settings}_CERTIFICATE", f"{settings}_KEY")


@dataclass(frozen=True, slots=True)
class _Kind:
    """What one of the two files has to hold."""

    name: str
    label: bytes
    """How what a PEM file says of its content ends."""
    convert: str
    """The command that makes PEM of the other form that such files have."""
    read: Callable[[bytes], object]


def _read_key(content: bytes) -> object:
    try:
        return load_pem_private_key(content, None)
    except TypeError as error:  # no password was given, and it has one
        raise _HasPassPhrase from error


_CERTIFICATE: Final = _Kind("certificate", b"CERTIFICATE", "openssl x509 -inform der", x509.load_pem_x509_certificates)
_KEY: Final = _Kind("private key", b"PRIVATE KEY", "openssl pkey -inform der", _read_key)


def check_pair(certificate: Path, key: Path, named: Named) -> None:
    """Raises what is wrong with the two in words."""
    try:
        # OpenSSL would ask for a pass phrase on the terminal: a service has nobody there.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=_refuse)
    except (OSError, _HasPassPhrase) as error:
        told = _fault(certificate, _CERTIFICATE, named.certificate), _fault(key, _KEY, named.key)
        faults = [fault for fault in told if fault is not None]
        raise UnusablePair("\n".join(faults or _of_both(certificate, key, error))) from error


def belongs(certificate: Path, key: Path, named: Named) -> tuple[bool, str]:
    """Whether a key is that of its certificate; and that it is, or what is wrong with it. What is wrong with the
    certificate alone is told by ``validity``."""
    try:
        with key.open("rb"):
            pass
    except PermissionError as error:
        # That nobody but its part can is as it should be.
        reads = "The user of its part has to be able to read it; as that user, run: tablewatch doctor"
        return True, f"{key} was not looked at: {error.strerror}. {reads}"
    except OSError:
        pass  # told below
    fault = _fault(key, _KEY, named.key)
    if fault is not None:
        return False, fault
    if _fault(certificate, _CERTIFICATE, named.certificate) is not None:
        return True, f"{key} can be used; what is wrong is told of the certificate"
    try:
        check_pair(certificate, key, named)
    except UnusablePair as error:
        return False, str(error)
    return True, f"{key} belongs to {certificate}"


def validity(certificate: Path, named: Named, now: datetime | None = None) -> tuple[bool, str]:
    """Whether all certificates of a file are valid, and will be for a while; and until when, or what is wrong with
    which of them."""
    fault = _fault(certificate, _CERTIFICATE, named.certificate)
    if fault is not None:
        return False, fault
    own, *others = x509.load_pem_x509_certificates(certificate.read_bytes())
    all_of_file = [(str(certificate), own)]
    for each in others:
        name = each.subject.rfc4514_string()
        all_of_file.append((f"{certificate}: {name}, which vouches for the part's own certificate,", each))
    now = now or datetime.now(UTC)
    faults = [told for name, each in all_of_file if (told := _out_of_date(name, each, now)) is not None]
    if faults:
        return False, "; ".join(faults)
    ends = min(each.not_valid_after_utc for _, each in all_of_file)
    return True, f"{certificate} is valid until {ends:%Y-%m-%d %H:%M} UTC"


def _out_of_date(name: str, certificate: x509.Certificate, now: datetime) -> str | None:
    """What is wrong with the dates of one certificate."""
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    replace = "replace the file and start the part again"
    if now < begins:
        return f"{name} is not valid yet, but from {begins:%Y-%m-%d %H:%M} UTC on: is the clock right?"
    if now > ends:
        return f"{name} has expired on {ends:%Y-%m-%d %H:%M} UTC, and is refused: {replace}"
    if ends - now < SOON:
        return f"{name} expires soon, on {ends:%Y-%m-%d %H:%M} UTC: {replace}"
    return None


def _refuse() -> NoReturn:
    raise _HasPassPhrase


def _fault(path: Path, kind: _Kind, setting: str) -> str | None:
    """What is wrong with one of the files, looked at alone; ``setting``: what names it."""
    says = f"{path} cannot be used for TLS: it"
    try:
        content = path.read_bytes()
    except OSError as error:
        return f"{says} cannot be read: {error.strerror}. Correct {setting}, or let the user of this part read it."
    labels = _BEGINS.findall(content)
    if not labels:
        return (
            f"{says} holds no PEM. {setting} names a {kind.name} as PEM; of a binary file it is made by:"
            f" {kind.convert} -in FILE -out FILE.pem"
        )
    if not any(label.endswith(kind.label) for label in labels):
        found = next((each.name for each in (_CERTIFICATE, _KEY) if labels[0].endswith(each.label)), "something else")
        return f"{says} holds {_a(found)} and no {kind.name}. {setting} names the {kind.name}: correct it."
    try:
        kind.read(content)
    except _HasPassPhrase:
        return (
            f"{says} has a pass phrase, and nobody is there to type it when a service starts. Take it off, and let"
            " nobody else read the new file: openssl pkey -in FILE -out FILE.new"
        )
    except (ValueError, UnsupportedAlgorithm):
        return f"{says} is damaged: the {kind.name} in it cannot be read. Copy it there again from where it was made."
    return None


def _a(thing: str) -> str:
    return thing if thing.startswith("some") else f"a {thing}"


def _of_both(certificate: Path, key: Path, error: Exception) -> Iterator[str]:
    """What is wrong with the two together, where each alone can be read."""
    says = f"{certificate} and {key} cannot be used for TLS:"
    reason = (error.reason if isinstance(error, ssl.SSLError) else None) or str(error)
    if reason in _OTHERS:
        yield (
            f"{says} the key does not belong to the certificate. Name the key that the certificate was asked for with;"
            " of several certificates in the file, the part's own has to be the first."
        )
    else:
        yield f"{says} {reason.replace('_', ' ').lower()}. Have another pair made."
