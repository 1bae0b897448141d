"""The broker URL: what it may say, what it means, and that no message repeats a password."""

from pathlib import Path

import pytest

from streams.broker_url import EmbeddedLog, InvalidBrokerUrl, KafkaBroker, broker_of, parse_broker
from streams.faust_broker import faust_options


@pytest.mark.parametrize(
    ("url", "broker"),
    [
        ("kafka://host", KafkaBroker(("host:9092",))),
        ("kafka://one:1,two:2/", KafkaBroker(("one:1", "two:2"))),
        ("kafka://[::1]:7", KafkaBroker(("[::1]:7",))),
        (
            "kafka://a%40b:p%3Aw@host?security=sasl_plaintext&mechanism=plain",
            KafkaBroker(("host:9092",), "SASL_PLAINTEXT", "PLAIN", "a@b", "p:w"),
        ),
        ("kafka://u:p@host", KafkaBroker(("host:9092",), "SASL_SSL", "SCRAM-SHA-512", "u", "p")),
        ("kafka://host?security=SSL", KafkaBroker(("host:9092",), "SSL")),
        ("tablelog:///var/log%20folder", EmbeddedLog(Path("/var/log folder"))),
    ],
)
def test_a_url_names_a_broker(url: str, broker: KafkaBroker | EmbeddedLog) -> None:
    assert parse_broker(url) == broker


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("host:9092", "neither kafka://"),
        ("user:p@ssword@host:9092", "'host:9092' is neither kafka://"),
        ("http://host", "http:// is no broker"),
        ("kafka://", "needs host:port"),
        ("kafka://host/path", "no path"),
        ("kafka://host:port", "no host:port"),
        ("kafka://:9092", "no host:port"),
        ("kafka://host?colour=red", "no option colour"),
        ("kafka://host?security=tight", "security=TIGHT"),
        ("kafka://host?security=SASL_SSL", "needs user:password@"),
        ("kafka://u:p@host?security=SSL", "has no use for user:password@"),
        ("kafka://u:p@host?mechanism=guess", "mechanism=GUESS"),
        ("kafka://host?security=SSL&ca=/no/such/file", "ca=/no/such/file"),
        (f"kafka://host?security=SSL&key={__file__}", "key= and no certificate="),
        ("tablelog://relative/folder", "absolute folder"),
        ("tablelog:///", "absolute folder"),
    ],
)
def test_a_url_that_names_none_is_explained(url: str, reason: str) -> None:
    with pytest.raises(InvalidBrokerUrl) as caught:
        parse_broker(url)
    assert reason in str(caught.value)


def test_no_message_repeats_a_password() -> None:
    broker = parse_broker("kafka://user:hush@host")
    assert "hush" not in f"{broker} {broker!r}"
    for url in ("kafka://user:hush@host?x=1", "kafka://user:hush@", "kafka://user:hush@host/x"):
        with pytest.raises(InvalidBrokerUrl) as caught:
            parse_broker(url)
        assert "hush" not in str(caught.value)


def test_the_options_of_the_clients() -> None:
    login = parse_broker("kafka://u:p@one:1,two:2?security=SASL_PLAINTEXT")
    assert isinstance(login, KafkaBroker)
    assert login.client_options() == {
        "bootstrap_servers": ["one:1", "two:2"],
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": "u",
        "sasl_plain_password": "p",
    }
    faust = faust_options(login)
    assert [str(url) for url in faust["broker"]] == ["kafka://one:1", "kafka://two:2"]
    assert faust["broker_credentials"].username == "u"
    folder = EmbeddedLog(Path("/a folder, with/comma"))
    assert faust_options(folder)["broker"][0].path == "/a folder, with/comma"
    assert parse_broker(str(folder)) == folder


def test_without_a_url_the_log_is_in_the_data_folder(tmp_path: Path) -> None:
    assert broker_of(None, tmp_path) == EmbeddedLog(tmp_path / "log")
    assert broker_of("kafka://host", tmp_path) == KafkaBroker(("host:9092",))
