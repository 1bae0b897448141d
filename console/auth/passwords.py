"""Passwords: argon2id hashes, and what a password must be."""

import asyncio
import secrets
from functools import cache
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SHORTEST: Final = 12
LONGEST: Final = 256
"""Longer ones only keep the hash busy."""

_HASHER: Final = PasswordHasher()
_AT_ONCE: Final = asyncio.Semaphore(2)
"""A hash takes 64 MiB and a core for a moment: more at once would let strangers stop the page for everybody."""


class WeakPassword(ValueError):
    """The password will not do: choose another."""


def check_strength(name: str, password: str) -> None:
    """Refuses what is quickly guessed: length counts, not signs (NIST SP 800-63B 5.1.1.2)."""
    if len(password) < SHORTEST:
        raise WeakPassword(f"a password has {SHORTEST} characters or more")
    if len(password) > LONGEST:
        raise WeakPassword(f"a password has {LONGEST} characters at most")
    if name.lower() in password.lower() or len(set(password)) < 5:
        raise WeakPassword("a password does not have the name in it, and is not a few characters repeated")


_IN_NO_NAME: Final = "!#$%&()*+/:;<=>?@[]^{}~"


def nobodys() -> str:
    """A password that nobody knows, for a person whom the house's provider lets in. Of the characters of names, a short
    name would stand in one in some hundreds by chance."""
    return "".join(secrets.choice(_IN_NO_NAME) for _ in range(64))


def hash_of(password: str) -> str:
    """The hash to keep."""
    return _HASHER.hash(password)


def is_right(kept: str | None, password: str) -> bool:
    """Whether the password is the one of the hash; None, for nobody, takes as long and is never right."""
    try:
        matched = _HASHER.verify(kept or _nobody(), password)
    except (VerificationError, InvalidHashError):
        return False
    return matched and kept is not None


async def is_right_in_turn(kept: str | None, password: str) -> bool:
    """The same beside the event loop, two at a time."""
    async with _AT_ONCE:
        return await asyncio.to_thread(is_right, kept, password)


@cache
def _nobody() -> str:
    return _HASHER.hash(secrets.token_urlsafe(32))
