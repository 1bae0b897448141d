"""Writes the JSON Schemas and the AsyncAPI document to ``schemas/generated/``: ``python -m schemas.generate``.

The one file of this room that touches the disk; ``generated_files`` is what it writes.
"""

import sys
from pathlib import Path

import orjson

from schemas.asyncapi import asyncapi
from schemas.json_schemas import file_of, json_schemas

FOLDER = Path(__file__).parent / "generated"


def generated_files() -> dict[str, bytes]:
    """The content of every generated file, by name."""
    documents = {file_of(name): schema for name, schema in json_schemas().items()} | {"asyncapi.json": asyncapi()}
    return {
        name: orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        for name, document in documents.items()
    }


def main() -> None:
    """Writes all files and removes those that no model stands behind any more."""
    files = generated_files()
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.json"):
        if path.name not in files:
            path.unlink()
    for name, content in files.items():
        (FOLDER / name).write_bytes(content)
    sys.stdout.write(f"{len(files)} files in {FOLDER}\n")


if __name__ == "__main__":
    main()
