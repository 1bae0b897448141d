"""A real SMTP server that takes letters as a mail relay does, and can refuse encryption, a recipient, or to answer."""

import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer

from tests.services.certificate import self_signed


@dataclass(frozen=True)
class Letter:
    """What one recipient got."""

    sender: str
    recipients: tuple[str, ...]
    message: EmailMessage
    encrypted: bool

    @property
    def subject(self) -> str:
        """As people read it."""
        return str(self.message["Subject"])

    @property
    def text(self) -> str:
        """As people read it, without markup where there is such a part."""
        body = self.message.get_body(("plain", "html"))
        assert body is not None
        return str(body.get_content())


@dataclass
class _Envelope:
    """A letter while it is handed over."""

    sender: str = ""
    recipients: list[str] = field(default_factory=list)


class Postbox:
    """Keeps the letters that it was given. Its faults can be set at any time."""

    def __init__(self, folder: Path) -> None:
        self.letters: list[Letter] = []
        self.offers_encryption = True
        self.refuses_encryption = False
        """Offers STARTTLS, and answers that it is not to be had at the moment."""
        self.refuses: Callable[[str], bool] = lambda _: False
        """Which recipients it does not know."""
        self.silent = threading.Event()
        """Takes connections, and says nothing."""
        self._ended = threading.Event()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(*self_signed(folder, "postbox"))
        outer = self

        class Visit(StreamRequestHandler):
            def handle(self) -> None:
                outer._receive(self.request)

        class Server(ThreadingTCPServer):
            daemon_threads = True
            block_on_close = False

        self._server = Server(("127.0.0.1", 0), Visit)
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """Stop listening, and let go of whoever waits."""
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()

    def _receive(self, connection: socket.socket) -> None:
        if self.silent.is_set():
            self._ended.wait(120)
            return
        lines = connection.makefile("rwb")
        encrypted = False
        envelope = _Envelope()

        def say(*answer: str) -> None:
            lines.write("".join(f"{each}\r\n" for each in answer).encode())
            lines.flush()

        say("220 postbox")
        while line := lines.readline():
            verb, _, rest = line.decode().strip().partition(" ")
            match verb.upper():
                case "EHLO" if self.offers_encryption and not encrypted:
                    say("250-postbox", "250 STARTTLS")
                case "EHLO" | "HELO":
                    say("250 postbox")
                case "STARTTLS" if self.refuses_encryption:
                    say("454 TLS not available due to temporary reason")
                case "STARTTLS":
                    say("220 go ahead")
                    lines.close()
                    try:
                        connection = self._context.wrap_socket(connection, server_side=True)
                    except OSError:  # who calls does not trust the certificate
                        return
                    lines, encrypted = connection.makefile("rwb"), True
                case "MAIL":
                    envelope = _Envelope(_address(rest))
                    say("250 ok")
                case "RCPT" if self.refuses(_address(rest)):
                    say("550 no such mailbox")
                case "RCPT":
                    envelope.recipients.append(_address(rest))
                    say("250 ok")
                case "DATA":
                    say("354 go ahead")
                    self._keep(envelope, encrypted, _content(lines.readline))
                    say("250 kept")
                case "QUIT":
                    say("221 bye")
                    return
                case _:
                    say("250 ok")

    def _keep(self, envelope: _Envelope, encrypted: bool, content: bytes) -> None:
        message = message_from_bytes(content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.letters.append(Letter(envelope.sender, tuple(envelope.recipients), message, encrypted))


def _address(said: str) -> str:
    return said.partition("<")[2].partition(">")[0]


def _content(read: Callable[[], bytes]) -> bytes:
    """Up to the line with a dot alone; a dot that begins a line stands twice (RFC 5321, 4.5.2)."""
    lines: list[bytes] = []
    while (line := read()) not in (b".\r\n", b""):
        lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
    return b"".join(lines)
