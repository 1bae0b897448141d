"""The settings file: one line changed, all else left as people wrote it; written whole or not at all."""

import os
import re
import tempfile
import tomllib
from pathlib import Path
from typing import Final

_VALUE: Final = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^#"'\n]*?)"""
"""A text or a number, as TOML writes them on one line."""


class FileUnusable(Exception):
    """A file of settings cannot be read or written: set it right by hand."""


def read_text(path: Path) -> str:
    """The file; empty where there is none yet."""
    try:
        return path.read_text(encoding="utf-8") if path.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise FileUnusable(f"{path} cannot be read: {error}") from error


def with_setting(text: str, name: str, value: str) -> str:
    """The text with one setting at another value, its comments and other lines untouched."""
    line = re.compile(rf"^([ \t]*{re.escape(name)}[ \t]*=[ \t]*){_VALUE}([ \t]*(?:#.*)?)$", re.MULTILINE)
    if line.search(text):
        changed = line.sub(lambda found: f"{found[1]}{_written(value)}{found[2]}", text, count=1)
    else:
        changed = f"{text.rstrip()}\n{name} = {_written(value)}\n".lstrip("\n")
    try:
        same = {**tomllib.loads(text), name: value} == {**tomllib.loads(changed), name: value}
        if not same or str(tomllib.loads(changed)[name]) != value:
            raise FileUnusable(f"{name} cannot be changed without touching other lines: change the file by hand")
    except tomllib.TOMLDecodeError as error:
        raise FileUnusable(f"the settings file is no TOML: {error}") from error
    return changed


def write_whole(path: Path, text: str) -> None:
    """Written beside and put in place at once; who could read the file before can still."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
        number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        beside = Path(name)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            beside.chmod(mode)
            beside.replace(path)
        except BaseException:
            beside.unlink()
            raise
    except OSError as error:
        raise FileUnusable(f"{path} cannot be written: {error}") from error


def _written(value: str) -> str:
    """A whole number as a number, everything else as text."""
    if re.fullmatch(r"0|[1-9][0-9]{0,17}", value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
