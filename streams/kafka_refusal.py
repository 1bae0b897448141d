"""Why no client comes through to a Kafka broker: the name, the port, TLS, the certificate or the login, one after the
other, as the clients say nothing but that they were not let in.
"""

import logging
import socket
import ssl
import struct
from typing import Final

from kafka.errors import KafkaError, KafkaTimeoutError
from kafka.net.sasl import get_sasl_mechanism

from streams.broker_url import BrokerUnavailable, KafkaBroker

PROBE_SECONDS: Final = 3.0
_VERSIONS, _HANDSHAKE, _AUTHENTICATE = 18, 17, 36
"""Requests of the protocol, by number: which versions it speaks, which login it takes, and the login itself."""
_UNSUPPORTED_MECHANISM, _NO_LOGIN_HERE = 33, 34
_MOST_BYTES = 1 << 20
"""An answer that says to be longer is none of Kafka's."""


_NO_ANSWER = "takes the connection and does not answer: it may be busy, or stand still"
logger = logging.getLogger(__name__)


class _Refused(Exception):
    """Why, in words."""


def unavailable(broker: KafkaBroker, error: KafkaError | OSError) -> BrokerUnavailable:
    """What a client's error means; where it came through to no server at all, with the reason of each."""
    if not isinstance(error, KafkaTimeoutError | OSError):
        return BrokerUnavailable(f"{broker}: {error}")
    reasons = {server: _reason(broker, server) for server in broker.servers}
    if any(reason is None for reason in reasons.values()):
        return BrokerUnavailable(f"{broker}: {error}")
    return BrokerUnavailable("; ".join(f"{server} {reason}" for server, reason in reasons.items()))


def _reason(broker: KafkaBroker, server: str) -> str | None:
    """Why a server lets nobody in; None: it does."""
    try:
        _try(broker, server)
    except _Refused as refused:
        return str(refused)
    except Exception:  # whatever it says that is none of Kafka's: the client's own error is told then
        logger.debug("asking %s why", server, exc_info=True)
    return None


def _try(broker: KafkaBroker, server: str) -> None:
    host, _, port = server.rpartition(":")
    host = host.strip("[]")
    context = _context(broker)
    with _connected(host, int(port)) as plain:
        if context is None:
            _speak(broker, plain, host, int(port))
            return
        try:
            with context.wrap_socket(plain, server_hostname=host) as secure:
                _speak(broker, secure, host, int(port))
        except ssl.SSLCertVerificationError as error:
            raise _Refused(
                f"shows a certificate that is not trusted here ({error.verify_message}): ca=FILE in TABLEWATCH_BROKER"
                " names whom to trust"
            ) from error
        except TimeoutError as error:
            raise _Refused(_NO_ANSWER) from error
        except (ssl.SSLError, ConnectionError, EOFError) as error:
            reason = getattr(error, "reason", None) or error
            raise _Refused(
                f"speaks no TLS as security={broker.security} asks for, or wants a certificate of this client"
                f" (certificate= and key=): {reason}"
            ) from error


def _context(broker: KafkaBroker) -> ssl.SSLContext | None:
    """Whom to trust and what to show, before anybody is asked: the files may be what is wrong."""
    if not broker.security.endswith("SSL"):
        return None
    try:
        return broker.ssl_context()
    except OSError as error:
        lone = broker.certificate is not None and broker.key is None
        raise _Refused(
            f"was not asked: ca=, certificate= or key= in TABLEWATCH_BROKER names a file that cannot be used ({error})"
            + ("; without key=, the file of certificate= has to hold the key as well" if lone else "")
        ) from error


def _connected(host: str, port: int) -> socket.socket:
    try:
        return socket.create_connection((host, port), PROBE_SECONDS)
    except socket.gaierror as error:
        raise _Refused("has a name that is not known here") from error
    except ConnectionRefusedError as error:
        raise _Refused("refuses the connection: nothing listens at that port") from error
    except TimeoutError as error:
        raise _Refused("does not answer: a wrong address, or something between that lets nothing through") from error
    except OSError as error:
        raise _Refused(f"cannot be connected to: {error.strerror or error}") from error


def _speak(broker: KafkaBroker, connection: socket.socket, host: str, port: int) -> None:
    """Say what every client says first, and log in."""
    try:
        _ask(connection, _VERSIONS, 0, b"")
    except TimeoutError as error:
        raise _Refused(_NO_ANSWER) from error
    except (OSError, EOFError, struct.error) as error:
        if isinstance(connection, ssl.SSLSocket):
            raise
        if _speaks_tls(host, port):
            wanted = "SASL_SSL" if broker.user else "SSL"
            raise _Refused(f"speaks TLS there: say security={wanted} in TABLEWATCH_BROKER") from error
        raise _Refused("answers, but not as a Kafka broker does: another port?") from error
    try:
        _log_in(broker, connection, host)
    except (OSError, EOFError, struct.error) as error:
        raise _Refused(f"ends the connection while one logs in: {error}") from error


def _log_in(broker: KafkaBroker, connection: socket.socket, host: str) -> None:
    offered = broker.mechanism or "PLAIN"
    code, answer = _ask(connection, _HANDSHAKE, 1, _text(offered))
    known = ", ".join(_texts(answer))
    if broker.mechanism is None:
        if code != _NO_LOGIN_HERE:
            raise _Refused(f"wants a login ({known}): kafka://user:password@… and security= in TABLEWATCH_BROKER")
        return
    if code == _NO_LOGIN_HERE:
        raise _Refused("takes no login there: another port, or no user:password@ in TABLEWATCH_BROKER")
    if code == _UNSUPPORTED_MECHANISM:
        raise _Refused(f"takes no login by {offered}; it takes {known}: mechanism= in TABLEWATCH_BROKER")
    options = broker.client_options() | {"host": host}
    mechanism = get_sasl_mechanism(offered)(**options)
    while not mechanism.is_done():
        token = mechanism.auth_bytes()
        code, answer = _ask(connection, _AUTHENTICATE, 0, struct.pack(">i", len(token)) + token)
        length = struct.unpack_from(">h", answer)[0]
        said = answer[2 : 2 + max(length, 0)].decode("utf-8", "replace")
        if code:
            raise _Refused(f"refuses the login of {broker.user}: {said or f'error {code}'}")
        try:
            mechanism.receive(answer[2 + max(length, 0) + 4 :])
        except ValueError as error:
            raise _Refused(f"refuses the login of {broker.user}: {error}") from error


def _ask(connection: socket.socket, request: int, version: int, body: bytes) -> tuple[int, bytes]:
    """The error and the rest of the answer to a request; EOFError where there is none."""
    head = struct.pack(">hhi", request, version, 1) + _text("tablewatch")
    connection.sendall(struct.pack(">i", len(head) + len(body)) + head + body)
    [size] = struct.unpack(">i", _read(connection, 4))
    if not 6 <= size <= _MOST_BYTES:
        raise EOFError(f"an answer of {size} bytes")
    answer = _read(connection, size)
    [code] = struct.unpack_from(">h", answer, 4)
    return code, answer[6:]


def _read(connection: socket.socket, size: int) -> bytes:
    found = b""
    while len(found) < size:
        some = connection.recv(size - len(found))
        if not some:
            raise EOFError("the connection was closed")
        found += some
    return found


def _speaks_tls(host: str, port: int) -> bool:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Nothing is said over it: whether it is TLS at all is asked, not whose.
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with _connected(host, port) as plain, context.wrap_socket(plain, server_hostname=host):
            return True
    except (OSError, _Refused):
        return False


def _text(value: str) -> bytes:
    return struct.pack(">h", len(value.encode())) + value.encode()


def _texts(answer: bytes) -> list[str]:
    [count], place, found = struct.unpack_from(">i", answer), 4, list[str]()
    for _ in range(count):
        [length] = struct.unpack_from(">h", answer, place)
        found.append(answer[place + 2 : place + 2 + length].decode("utf-8", "replace"))
        place += 2 + length
    return found
