"""Certificates that cannot be used, or not for long: each is told in words that say which file it is and what to do."""

import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from tablewatch.commands.certificates import belongs, named_by, validity
from tests.services.certificate import self_signed
from tests.tablewatch.typed import typed

COMMAND = [sys.executable, "-c", "from tablewatch.command import main; main()", "gateway", "--port", "0"]
DAY = timedelta(days=1)


def environment(folder: Path, certificate: Path, key: Path) -> dict[str, str]:
    """Of a gateway that is to speak TLS."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("TABLEWATCH_")},
        "TABLEWATCH_DATA": str(folder),
        "TABLEWATCH_GATEWAY_CERTIFICATE": str(certificate),
        "TABLEWATCH_GATEWAY_KEY": str(key),
    }


def refused(folder: Path, certificate: Path, key: Path) -> str:
    """What a gateway says that does not start. It has no terminal, and would ask on its standard streams instead."""
    done = subprocess.run(
        COMMAND,
        env=environment(folder, certificate, key),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        start_new_session=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "cannot be used for TLS" in done.stderr
    return done.stderr


def started(folder: Path, certificate: Path, key: Path) -> str:
    """What a gateway logs until it listens."""
    process = subprocess.Popen(
        COMMAND, env=environment(folder, certificate, key), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    said = ""
    try:
        assert process.stderr is not None
        while "listening on https://" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(120) == 0
    return said


@pytest.mark.parametrize(
    ("begins", "ends", "words"),
    [
        (-9 * DAY, -DAY, "has expired"),
        (DAY, 90 * DAY, "is not valid yet"),
        (-9 * DAY, 13 * DAY, "expires soon"),
    ],
)
def test_a_certificate_that_is_not_valid_or_not_for_long_is_told_at_the_start_with_its_date(
    tmp_path: Path, begins: timedelta, ends: timedelta, words: str
) -> None:
    certificate, key = self_signed(tmp_path, "gateway", begins=begins, ends=ends)
    said = started(tmp_path, certificate, key)
    (told,) = [line for line in said.splitlines() if words in line]
    assert '"WARNING"' in told.upper()
    assert str(certificate) in told
    date = datetime.now(UTC) + (begins if begins > timedelta() else ends)
    assert re.search(f"{date - DAY / 24:%Y-%m-%d}|{date:%Y-%m-%d}", told)


def chained(folder: Path, *others: tuple[str, timedelta, timedelta]) -> tuple[Path, Path]:
    """A certificate that is valid for long, with others behind it in its file, and its key."""
    certificate, key = self_signed(folder, "gateway", ends=90 * DAY)
    with certificate.open("ab") as file:
        for of, begins, ends in others:
            file.write(self_signed(folder, of, begins=begins, ends=ends)[0].read_bytes())
    return certificate, key


@pytest.mark.parametrize(
    ("begins", "ends", "words"),
    [
        (-9 * DAY, -DAY, "has expired"),
        (DAY, 90 * DAY, "is not valid yet"),
        (-9 * DAY, 13 * DAY, "expires soon"),
    ],
)
def test_of_several_certificates_in_a_file_each_that_is_not_valid_or_not_for_long_is_named(
    tmp_path: Path, begins: timedelta, ends: timedelta, words: str
) -> None:
    certificate, _ = chained(tmp_path, ("pit", -DAY, 90 * DAY), ("house", begins, ends), ("root", begins, ends))
    well, said = validity(certificate, named_by("TABLEWATCH_GATEWAY"))
    assert not well
    first, second = said.split("; ")
    vouches = "which vouches for the part's own certificate,"
    assert first.startswith(f"{certificate}: CN=house, {vouches} {words}")
    assert second.startswith(f"{certificate}: CN=root, {vouches} {words}")


def test_a_file_is_valid_until_the_first_of_its_certificates_ends(tmp_path: Path) -> None:
    certificate, _ = chained(tmp_path, ("house", -DAY, 30 * DAY))
    ends = datetime.now(UTC) + 30 * DAY
    well, said = validity(certificate, named_by("TABLEWATCH_GATEWAY"), ends - 20 * DAY)
    assert well
    assert re.fullmatch(f"{certificate} is valid until ({ends - DAY / 24:%Y-%m-%d}|{ends:%Y-%m-%d}) .* UTC", said)


def test_an_expired_certificate_behind_the_first_is_told_at_the_start(tmp_path: Path) -> None:
    said = started(tmp_path, *chained(tmp_path, ("house", -9 * DAY, -DAY)))
    (told,) = [line for line in said.splitlines() if "has expired" in line]
    assert "CN=house" in told


def test_a_damaged_certificate_behind_the_first_is_told(tmp_path: Path) -> None:
    certificate, key = chained(tmp_path, ("house", -DAY, 90 * DAY))
    lines = certificate.read_text().splitlines()
    certificate.write_text("\n".join([*lines[:-3], *lines[-2:]]))
    (told,) = refused(tmp_path, certificate, key).splitlines()
    assert f"{certificate} cannot be used for TLS: it is damaged" in told


def test_nothing_is_told_of_certificates_that_are_valid_for_long(tmp_path: Path) -> None:
    said = started(tmp_path, *chained(tmp_path, ("house", -DAY, 15 * DAY)))
    assert "gateway.pem" not in said


def test_certificate_and_key_that_were_exchanged_are_each_told(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path, "gateway")
    first, second = refused(tmp_path, key, certificate).splitlines()
    assert f"{key} cannot be used for TLS: it holds a private key and no certificate" in first
    assert f"{certificate} cannot be used for TLS: it holds a certificate and no private key" in second
    assert "TABLEWATCH_GATEWAY_CERTIFICATE" in first
    assert "TABLEWATCH_GATEWAY_KEY" in second


def test_the_file_that_is_not_pem_is_named_and_the_other_is_not(tmp_path: Path) -> None:
    certificate, key = self_signed(tmp_path, "gateway")
    binary = tmp_path / "binary.key"
    plain = load_pem_private_key(key.read_bytes(), None)
    binary.write_bytes(plain.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption()))
    (told,) = refused(tmp_path, certificate, binary).splitlines()
    assert f"{binary} cannot be used for TLS: it holds no PEM" in told
    assert "openssl pkey" in told
    assert str(certificate) not in told


@pytest.mark.parametrize("of", ["pem", "key"])
def test_a_file_that_is_damaged_is_named_and_the_other_is_not(tmp_path: Path, of: str) -> None:
    certificate, key = self_signed(tmp_path, "gateway")
    damaged = tmp_path / f"gateway.{of}"
    lines = damaged.read_text().splitlines()
    damaged.write_text("\n".join([lines[0], *lines[2:]]))
    (told,) = refused(tmp_path, certificate, key).splitlines()
    assert f"{damaged} cannot be used for TLS: it is damaged" in told
    assert told.count(str(tmp_path)) == 1


def test_a_key_of_another_certificate_is_told(tmp_path: Path) -> None:
    certificate, _ = self_signed(tmp_path, "gateway")
    _, other = self_signed(tmp_path, "other")
    told = refused(tmp_path, certificate, other)
    assert f"{certificate} and {other} cannot be used for TLS: the key does not belong to the certificate" in told


@pytest.mark.parametrize("form", [PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL])
def test_a_key_with_a_pass_phrase_is_refused_and_nobody_is_asked_for_it(tmp_path: Path, form: PrivateFormat) -> None:
    certificate, key = self_signed(tmp_path, "gateway")
    plain = load_pem_private_key(key.read_bytes(), None)
    key.write_bytes(plain.private_bytes(Encoding.PEM, form, BestAvailableEncryption(b"secret words")))
    told = refused(tmp_path, certificate, key)
    assert f"{key} cannot be used for TLS: it has a pass phrase" in told
    assert "openssl pkey" in told
    assert "Enter PEM" not in told


def test_a_file_that_cannot_be_read_is_told_with_the_reason(tmp_path: Path) -> None:
    certificate, _ = self_signed(tmp_path, "console")
    missing = tmp_path / "missing.key"
    done = typed(
        "console",
        "--port",
        "0",
        TABLEWATCH_DATA=str(tmp_path),
        TABLEWATCH_CLICKHOUSE_URL="clickhouse://default@127.0.0.1:9/x",
        TABLEWATCH_CONSOLE_CERTIFICATE=str(certificate),
        TABLEWATCH_CONSOLE_KEY=str(missing),
    )
    assert done.returncode == 2
    told = done.stderr.decode().splitlines()[-1]
    assert f"{missing} cannot be used for TLS: it cannot be read: No such file or directory." in told
    assert "TABLEWATCH_CONSOLE_KEY" in told


def test_a_key_that_only_its_part_may_read_is_not_held_against_it(tmp_path: Path) -> None:
    """That nobody else can is as it should be, and says nothing of the pair."""
    certificate, key = self_signed(tmp_path, "console")
    key.chmod(0)
    user = os.geteuid()
    if user == 0:  # whom no mode keeps out
        os.seteuid(65534)
    try:
        well, said = belongs(certificate, key, named_by("TABLEWATCH_CONSOLE"))
    finally:
        os.seteuid(user)
    assert well
    reads = "The user of its part has to be able to read it; as that user, run: tablewatch doctor"
    assert said == f"{key} was not looked at: Permission denied. {reads}"
