"""Sending a message by apprise: the addresses of one person in their order, until one takes it."""

import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import apprise

from streams.alerting.message import Text
from streams.alerting.rules import Routing


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one attempt."""

    taken: bool
    way: str
    """The kind of address that took it, or those that did not."""
    reason: str
    """Why not, as the service said it; empty when it was taken."""


_MAIL = frozenset({"mailto", "mailtos"})
_CAUSE = "Socket Exception: "
"""How apprise begins what it says, for developers alone, of why an address could not be reached."""
_LONGEST_CAUSE = 300


class _Heard(logging.Handler):
    """Keeps what apprise last complained about in each thread: it says why only to its log."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self._said = threading.local()

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING:
            self._said.last = record.getMessage()
        elif str(record.msg).startswith(_CAUSE):
            self._said.cause = record.getMessage().removeprefix(_CAUSE)[:_LONGEST_CAUSE]

    def take(self, way: str = "") -> str:
        """What was said in this thread since this was last asked. Of a mail server also the cause, which names none of
        our secrets; of others it may repeat an address with its token."""
        said: str = getattr(self._said, "last", "")
        cause: str = getattr(self._said, "cause", "")
        self._said.last = self._said.cause = ""
        return f"{said.rstrip('.')}: {cause}" if cause and way in _MAIL else said


_heard = _Heard()
_asset = apprise.AppriseAsset(app_id="Tablewatch", app_desc="Tablewatch alerts", app_url="", async_mode=False)


def _listen() -> None:
    log = logging.getLogger("apprise")
    if _heard not in log.handlers:
        log.addHandler(_heard)
        log.setLevel(logging.DEBUG)
        log.propagate = False


def deliver(urls: Sequence[str], text: Text) -> Outcome:
    """Send by the first address that takes the message. Never raises; may take as long as the addresses' time-outs."""
    _listen()
    failed: list[str] = []
    reasons: list[str] = []
    for url in urls:
        _heard.take()
        way = way_of(url)
        try:
            if _send(url, text):
                return Outcome(True, way, "")
            reasons.append(_heard.take(way) or "it was not taken")
        except Exception as error:  # a plugin's own fault must not stop the others
            reasons.append(f"{type(error).__name__}: {error}")
        failed.append(way)
    return Outcome(False, ", ".join(failed), "; ".join(reasons))


def way_of(url: str) -> str:
    """The kind of an address; the address itself may carry secrets."""
    return url.partition(":")[0].lower()


def unusable(routing: Routing) -> list[str]:
    """Every address of the routing that apprise cannot use."""
    addresses = (
        (f"people.{name}.{kind}.{number}", url)
        for name, person in routing.people.items()
        for kind, urls in (("urls", person.urls), ("copies", person.copies))
        for number, url in enumerate(urls, 1)
    )
    return list(unusable_addresses(addresses))


def unusable_addresses(addresses: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Every address that apprise cannot use, by its place; what it carries is not repeated."""
    _listen()
    for place, url in addresses:
        _heard.take()
        if apprise.Apprise.instantiate(url, asset=_asset) is None:
            yield f"{place}: apprise cannot use this {way_of(url)} address"


def _send(url: str, text: Text) -> bool:
    # The address itself and not a collection of them: that would send in a few threads that all share.
    address = apprise.Apprise.instantiate(url, asset=_asset)
    if address is None:
        _heard.emit(logging.makeLogRecord({"msg": "the address cannot be used", "levelno": logging.WARNING}))
        return False
    urgency = apprise.NotifyType(text.urgency)
    return bool(address.notify(body=text.body, title=text.title, notify_type=urgency, body_format="text"))
