"""The keys that checkpoints are signed with: files that only their owner can read, outside of store and repository."""

import base64
import os
import time
from contextlib import suppress
from pathlib import Path

import orjson
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from replay.chain.note import key_id_of, voucher
from store.rows.proof import SigningKey

_OWNER_ONLY = 0o600
_FOR_ALL = 0o666
"""As far as the umask lets them."""


class KeyMissing(Exception):
    """There is no key to sign with: make one."""


class KeyThere(Exception):
    """There is a key already: rotate it."""


class KeyOfAnother(Exception):
    """The store was sealed with a key that is not here: look for its folder, or say that it is lost."""


class KeyUnreadable(Exception):
    """A key file cannot be used: restore it, or make a new key."""


class KeyNotWritten(Exception):
    """A key file cannot be written, and nothing of it is left: make room, or set the folder right."""


class KeyRing:
    """The keys in a folder. The last one made signs; without its private half it is lost, and a new one is made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def known(self) -> list[SigningKey]:
        """Every key that was made here, the oldest first; its private half may be gone."""
        return sorted((_read(path)[0] for path in self.folder.glob("*.json")), key=lambda key: (key.made, key.key_id))

    def has_private(self, key_id: str) -> bool:
        """Whether the private half is still here."""
        return (self.folder / f"{key_id}.key").is_file()

    def current(self) -> tuple[SigningKey, Ed25519PrivateKey]:
        """The key that signs."""
        keys = self.known()
        if not keys or not self.has_private(keys[-1].key_id):
            raise KeyMissing(
                f"there is no key to sign with in {self.folder}; run: tablewatch keys make (if there should be one: set"
                " TABLEWATCH_DATA to the data folder that has it)"
            )
        return keys[-1], self._private(keys[-1])

    def make(self, by: str) -> SigningKey:
        """Make the first key, or one in place of a key that is lost."""
        keys = self.known()
        if keys and self.has_private(keys[-1].key_id):
            raise KeyThere(f"{self.folder} has key {keys[-1].key_id}; to replace it run: tablewatch keys rotate")
        return self._write(Ed25519PrivateKey.generate(), by, "", b"")

    def rotate(self, by: str) -> SigningKey:
        """Make a new key that the old one vouches for."""
        old, private = self.current()
        new = Ed25519PrivateKey.generate()
        return self._write(new, by, old.key_id, voucher(private, new.public_key().public_bytes_raw()))

    def _private(self, key: SigningKey) -> Ed25519PrivateKey:
        path = self.folder / f"{key.key_id}.key"
        if path.stat().st_mode & 0o077:
            raise KeyUnreadable(f"others can read {path}; run: chmod 600 {path}")
        try:
            private = Ed25519PrivateKey.from_private_bytes(base64.b64decode(path.read_text("ascii"), validate=True))
        except ValueError as error:
            raise KeyUnreadable(f"{path} holds no key: {error}") from error
        if private.public_key().public_bytes_raw() != key.public_key:
            raise KeyUnreadable(f"{path} is not the private half of key {key.key_id}")
        return private

    def _write(self, private: Ed25519PrivateKey, by: str, previous: str, vouched: bytes) -> SigningKey:
        public = private.public_key().public_bytes_raw()
        made = max([time.time_ns() // 1_000_000, *(key.made + 1 for key in self.known())])
        key = SigningKey(
            key_id=key_id_of(public), public_key=public, made=made, by=by, previous=previous, voucher=vouched
        )
        path = self.folder / f"{key.key_id}.key"
        _write_whole(path, base64.b64encode(private.private_bytes_raw()), _OWNER_ONLY)
        try:
            self.keep_public(key)
        except KeyNotWritten:
            # It has signed nothing, and without its public half nobody would find it.
            path.unlink()
            raise
        return key

    def keep_public(self, key: SigningKey) -> None:
        """Keep the public half of a key, so that what it signed is believed here."""
        said = {
            "key_id": key.key_id,
            "public_key": base64.b64encode(key.public_key).decode(),
            "made": key.made,
            "by": key.by,
            "previous": key.previous,
            "voucher": base64.b64encode(key.voucher).decode(),
        }
        content = orjson.dumps(said, option=orjson.OPT_INDENT_2) + b"\n"
        _write_whole(self.folder / f"{key.key_id}.json", content, _FOR_ALL)


def _write_whole(path: Path, content: bytes, mode: int) -> None:
    """The whole file or none. Whom its mode keeps away cannot read it for a moment either."""
    draft = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise KeyNotWritten(
            f"{path} cannot be written: {error.strerror}. Make room, or set the path and its rights right, and try"
            " again; nothing of the key is left there."
        ) from error


def _read(path: Path) -> tuple[SigningKey, Path]:
    try:
        said = orjson.loads(path.read_bytes())
        key = SigningKey(
            key_id=said["key_id"],
            public_key=base64.b64decode(said["public_key"], validate=True),
            made=said["made"],
            by=said["by"],
            previous=said["previous"],
            voucher=base64.b64decode(said["voucher"], validate=True),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise KeyUnreadable(f"{path} cannot be read: {error}") from error
    return key, path
