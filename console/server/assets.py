"""The page's own files, read once from the package: no folder of the machine is served, only the names found here."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

_KINDS: Final[Mapping[str, str]] = {
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "html": "text/html; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file of the page."""

    content: bytes
    kind: str
    """Its media type."""
    tag: str
    """Changes with the content: browsers ask with it whether they have the right one."""


@cache
def assets(folder: str) -> Mapping[str, Asset]:
    """The files of ``public`` (for everybody) or ``app`` (for those signed in), by name."""
    found = {}
    for entry in files("console").joinpath("static", folder).iterdir():
        kind = _KINDS.get(entry.name.rpartition(".")[2])
        if kind is not None:
            content = entry.read_bytes()
            found[entry.name] = Asset(content, kind, f'"{hashlib.sha256(content).hexdigest()[:16]}"')
    return found


def public_text(name: str) -> str:
    """A public file as text."""
    return assets("public")[name].content.decode()


def page() -> bytes:
    """The one page that all screens are shown in."""
    return assets("app")["app.html"].content
