"""Runs the measurements one after the other: `python -m bench`, or only those named: `python -m bench audit settle`."""

import ast
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LONG = frozenset(
    {
        "mutants", "store_kills", "judge_soak", "faults", "watches", "watch_service", "tamper", "reaudit", "latency",
        "floor_memory", "console",
    }
)  # fmt: skip
"""They take long, and are run only when they are named."""


def questions() -> dict[str, str]:
    """The measurements by name, with what each asks."""
    files = sorted(path for path in HERE.glob("*.py") if not path.name.startswith("_"))
    return {
        path.stem: (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0] for path in files
    }


def main(names: list[str]) -> int:
    known = questions()
    unknown = [name for name in names if name not in known]
    if unknown or "--help" in names:
        print("\n".join(f"{name:16} {about}{' (long)' if name in LONG else ''}" for name, about in known.items()))
        return 2 if unknown else 0
    failed = []
    for name in names or [name for name in known if name not in LONG]:
        print(f"\n== {name}: {known[name]}", flush=True)
        if subprocess.run([sys.executable, "-m", f"bench.{name}"], cwd=HERE.parent, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nNot finished: {', '.join(failed)}.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
