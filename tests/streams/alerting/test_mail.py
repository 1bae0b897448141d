"""Alerts by e-mail, to a real SMTP server: encrypted or not sent, and a server that does not take them is named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.connect import Store
from streams.alerting.delivery import deliver
from streams.alerting.desk import alert_with_steps
from streams.alerting.message import Text
from tests.store.floor import finding
from tests.streams.alerting.postbox import Postbox
from tests.streams.alerting.room import Room
from tests.streams.alerting.webhook import until

TEXT = Text("CRITICAL late-bet at BT1", "A bet of <b>500</b> & more, ¥\n.\nthe end", "failure")


@pytest.fixture
def postbox(tmp_path: Path) -> Iterator[Postbox]:
    box = Postbox(tmp_path)
    yield box
    box.close()


def address(postbox: Postbox, kind: str = "mailtos", more: str = "&verify=no") -> str:
    """Anna's, by this server; its certificate is nobody's, so that it is believed only by who asks for no better."""
    return f"{kind}://127.0.0.1:{postbox.port}?from=alerts@site.example&to=anna@site.example{more}"


@pytest.mark.parametrize(("kind", "encrypted"), [("mailtos", True), ("mailto", False)])
def test_a_letter_arrives_as_it_was_written(postbox: Postbox, kind: str, encrypted: bool) -> None:
    assert deliver([address(postbox, kind)], TEXT).taken
    (letter,) = postbox.letters
    assert (letter.sender, letter.recipients) == ("alerts@site.example", ("anna@site.example",))
    assert letter.subject == TEXT.title
    assert letter.text.splitlines() == TEXT.body.splitlines()
    assert letter.encrypted is encrypted


def test_a_line_end_in_a_name_makes_no_header_and_no_recipient(postbox: Postbox) -> None:
    deliver([address(postbox)], Text("LOW at BT1\r\nBcc: eve@elsewhere.example\r\n\r\nHello", TEXT.body, "info"))
    assert [letter.recipients for letter in postbox.letters] in ([], [("anna@site.example",)])
    assert not [letter for letter in postbox.letters if letter.message["Bcc"] or "Hello" in letter.text]


def test_encryption_that_is_refused_or_not_offered_is_not_done_without(postbox: Postbox) -> None:
    postbox.refuses_encryption = True
    refused = deliver([address(postbox)], TEXT)
    assert (refused.taken, refused.way) == (False, "mailtos")
    assert "TLS not available due to temporary reason" in refused.reason
    postbox.offers_encryption = False
    assert "STARTTLS extension not supported" in deliver([address(postbox)], TEXT).reason
    assert postbox.letters == []


def test_a_certificate_that_nobody_signed_is_not_believed(postbox: Postbox) -> None:
    outcome = deliver([address(postbox, more="")], TEXT)
    assert not outcome.taken
    assert "certificate verify failed" in outcome.reason
    assert postbox.letters == []


def test_a_mailbox_that_is_not_there_is_named_with_the_servers_words(postbox: Postbox) -> None:
    postbox.refuses = lambda recipient: recipient.startswith("anna")
    outcome = deliver([address(postbox)], TEXT)
    assert not outcome.taken
    assert "no such mailbox" in outcome.reason


def test_a_server_that_does_not_answer_is_left_after_its_time_out(postbox: Postbox) -> None:
    postbox.silent.set()
    outcome = deliver([address(postbox, more="&verify=no&cto=0.5")], TEXT)
    assert not outcome.taken
    assert "timed out" in outcome.reason


def test_the_reason_of_another_kind_of_address_does_not_repeat_its_token() -> None:
    outcome = deliver(["json://127.0.0.1:9/hooks/secret-token"], TEXT)
    assert not outcome.taken
    assert "secret-token" not in outcome.reason


def routing_by_mail(room: Room, *urls: str) -> str:
    """The routing file of the room, with Anna reached by these addresses."""
    named = ", ".join(f'"{url}"' for url in urls)
    text = room.text().replace(f'urls = ["{room.hook.url("anna")}"]', f"urls = [{named}]")
    return text.replace("{", "{{").replace("}", "}}")


def test_a_letter_that_was_refused_is_sent_again_and_every_attempt_is_stored(
    tmp_path: Path, store: Store, postbox: Postbox
) -> None:
    room = Room(tmp_path, store)
    late = finding("late-bet", "BT1")
    postbox.refuses_encryption = True

    def told() -> list[tuple[str, str]]:
        history = alert_with_steps(store, late.id)
        return [] if history is None else [(step.action, step.note) for step in history.steps]

    with room.service(room.routing(base=routing_by_mail(room, address(postbox)))):
        room.say(late)
        until(lambda: any(action == "failed" for action, _ in told()))
        postbox.refuses_encryption = False
        until(lambda: ("sent", "") in told())
    assert [letter.subject for letter in postbox.letters] == ["CRITICAL late-bet at BT1"]
    assert late.message in postbox.letters[0].text
    assert all("TLS not available" in note for action, note in told() if action == "failed")
    room.close()


def test_the_next_address_takes_what_a_silent_mail_server_does_not(
    tmp_path: Path, store: Store, postbox: Postbox
) -> None:
    room = Room(tmp_path, store)
    postbox.silent.set()
    mail = address(postbox, more="&verify=no&cto=0.5")
    with room.service(room.routing(base=routing_by_mail(room, mail, room.hook.url("anna")))):
        room.say(finding("late-bet", "BT1"))
        until(lambda: room.hook.messages("anna"))
    assert room.hook.titles("anna") == ["CRITICAL late-bet at BT1"]
    assert postbox.letters == []
    room.close()
