"""The example events, as files: two and more valid, five and more invalid per type."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "examples"


@dataclass(frozen=True)
class Example:
    """One example event."""

    type: str
    name: str
    raw: bytes

    def __str__(self) -> str:
        return f"{self.type}/{self.name}"

    @property
    def field(self) -> str:
        """The field that an invalid example breaks, as its name says: ``invalid-<field>-<how>``."""
        return self.name.split("-")[1]


def _load(kind: str) -> list[Example]:
    paths = sorted(FOLDER.glob(f"*/{kind}-*.json"))
    return [Example(path.parent.name, path.stem, path.read_bytes()) for path in paths]


VALID = _load("valid")
INVALID = _load("invalid")
