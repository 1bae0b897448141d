"""Every block of commands in the README and in docs/ is run as it stands, or says why not.

The blocks of one page are run in their order, in one shell and one empty folder, as a reader would. A block that is not
run has a comment before it: ``<!-- not run: the reason -->``.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tablewatch.commands.demo_parts import free_port

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(path for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")))
LANGUAGES = ("sh", "python")
_BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>.+?) -->\n)?```(?P<language>[a-z]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
PORTS = {"8480": "TABLEWATCH_GATEWAY_PORT", "8470": "TABLEWATCH_CONSOLE_PORT"}
"""Ports that pages name; here each run has its own, so that runs do not meet."""


class Block(NamedTuple):
    """A block of a page."""

    language: str
    text: str
    reason: str | None
    """Why it is not run; None where it is."""


def blocks(page: Path) -> list[Block]:
    """The blocks of commands of a page."""
    found = _BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [Block(each["language"], each["text"], each["reason"]) for each in found if each["language"] in LANGUAGES]


def test_no_block_of_commands_hides_behind_an_unknown_language() -> None:
    known = {*LANGUAGES, "json", "toml", "yaml", "text", "sql", ""}
    for page in PAGES:
        for fence in re.findall(r"^```(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE):
            assert fence.strip() in known, f"{page.name}: ```{fence}"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(each.reason is None for each in blocks(page))], ids=lambda page: page.name
)
def test_the_commands_of_a_page_do_what_it_says(page: Path, tmp_path: Path) -> None:
    ports = {port: str(free_port()) for port in PORTS}
    script = ["set -euo pipefail", "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT"]
    for number, block in enumerate(blocks(page)):
        if block.reason is not None:
            continue
        text = block.text
        for port, other in ports.items():
            text = text.replace(port, other)
        if block.language == "python":
            example = tmp_path / f"example_{number}.py"
            example.write_text(text, encoding="utf-8")
            text = f"python {example.name}\n"
        script.append(text)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TABLEWATCH_")}
    environment |= {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "TABLEWATCH_DATA": str(tmp_path / "data"),
        "TABLEWATCH_STOP_SECONDS": "2",
        "TABLEWATCH_CLICKHOUSE_URL": f"clickhouse://default:secret@127.0.0.1:{free_port()}/tablewatch",
        **{name: ports[port] for port, name in PORTS.items()},
    }
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    done = subprocess.run(
        [bash, "-c", "\n".join(script)], cwd=tmp_path, env=environment, capture_output=True, timeout=540, check=False
    )
    assert done.returncode == 0, f"{done.stdout[-2000:].decode()}\n{done.stderr[-4000:].decode()}"
