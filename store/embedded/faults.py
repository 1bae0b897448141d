"""What can go wrong in the embedded server, named by what happens next."""

from __future__ import annotations

import re
from typing import Final

_ENGINE_MESSAGE: Final = re.compile(r"Code: (\d+)\. (DB::\w*Exception: .*)", re.DOTALL)
_VERSION_SUFFIX: Final = re.compile(r" ?\(version [^)]*\)\s*$")


class CannotStart(Exception):
    """The server cannot start; the message is one plain sentence and what to do about it."""


class FolderInUse(CannotStart):
    """Another process serves this data folder."""


class PortInUse(CannotStart):
    """Another process listens at this address."""


class AddressUnusable(CannotStart):
    """The operating system does not let this user listen at this address."""


class NotLoopback(CannotStart):
    """The address can be reached from elsewhere, and this protocol carries passwords in the clear."""


class DiskFull(CannotStart):
    """The disk of the data folder has no room."""


class FolderOfNewerVersion(CannotStart):
    """The data folder was written by a newer engine or a newer layout than this one can read."""


class FolderUnusable(CannotStart):
    """The data folder cannot be created, read or written, or the engine refuses it."""


class ServerError(Exception):
    """An error with ClickHouse's own code, sent to the client as an Exception packet."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    @classmethod
    def from_engine(cls, error: BaseException) -> ServerError:
        """Reads code and text out of what chdb says: "Code: 60. DB::Exception: Unknown table ... (UNKNOWN_TABLE)"."""
        found = _ENGINE_MESSAGE.search(str(error))
        if found is None:
            return cls(UNKNOWN_EXCEPTION, f"DB::Exception: {error}")
        code, message = int(found[1]), _VERSION_SUFFIX.sub("", found[2])
        if code == NOT_ENOUGH_SPACE:
            message += ". The disk of the data folder is full: free some space; what was acknowledged is stored"
        return cls(code, message)


class ProtocolError(ServerError):
    """The bytes cannot be followed any further: the connection is closed after telling."""


class ConnectionEnded(Exception):
    """The client is gone, or stopped in the middle of a packet."""


# Codes of ClickHouse's ErrorCodes.cpp that this server raises itself.
NO_SUCH_COLUMN_IN_TABLE: Final = 16
CHECKSUM_DOESNT_MATCH: Final = 40
NOT_IMPLEMENTED: Final = 48
SYNTAX_ERROR: Final = 62
UNKNOWN_TYPE_OF_QUERY: Final = 78
UNKNOWN_COMPRESSION_METHOD: Final = 89
UNKNOWN_PACKET_FROM_CLIENT: Final = 99
UNEXPECTED_PACKET_FROM_CLIENT: Final = 101
TOO_LARGE_STRING_SIZE: Final = 131
UNKNOWN_SETTING: Final = 115
INCORRECT_DATA: Final = 117
TOO_MANY_SIMULTANEOUS_QUERIES: Final = 202
CLIENT_HAS_CONNECTED_TO_WRONG_PORT: Final = 217
CANNOT_DECOMPRESS: Final = 271
NOT_ENOUGH_SPACE: Final = 243
QUERY_WAS_CANCELLED: Final = 394
AUTHENTICATION_FAILED: Final = 516
UNKNOWN_EXCEPTION: Final = 1002
