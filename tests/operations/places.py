"""Where the files for running the system are, and what they say."""

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
COMPOSE = ROOT / "docker-compose.yml"
MAKE_SECRETS = ROOT / "deploy" / "compose" / "make-secrets"


def compose() -> dict[str, Any]:
    """docker-compose.yml, with its anchors followed."""
    read: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
    return read


def services() -> dict[str, dict[str, Any]]:
    """The containers by name."""
    found: dict[str, dict[str, Any]] = compose()["services"]
    return found


def ours() -> dict[str, dict[str, Any]]:
    """The containers that run a command of ours."""
    return {name: service for name, service in services().items() if service["image"].startswith("tablewatch:")}
