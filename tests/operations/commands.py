"""Whether a command that a file names is a real one, and a setting a known one."""

from tablewatch.settings import FILE, IN_FILE, PREFIX, SETTINGS
from tests.tablewatch.typed import typed

KNOWN = {PREFIX + setting.name for setting in SETTINGS} | {FILE}
KNOWN |= {name + IN_FILE for name in KNOWN - {FILE}}


def unknown_settings(names: set[str]) -> set[str]:
    """Names of ours in an environment that no part reads."""
    return {name for name in names if name.startswith(PREFIX)} - KNOWN


def help_of(words: list[str]) -> str | None:
    """What `tablewatch WORDS --help` says, options among the words left out; None where there is no such command."""
    plain = [word for word in words if not word.startswith("-")]
    done = typed(*plain, "--help")
    said = done.stdout.decode()
    return said if done.returncode == 0 and f" {' '.join(plain)} [OPTIONS]" in said.splitlines()[0] else None
