"""Runs the measurements one after the other, and makes docs/benchmarks.md of their figures.

python -m bench                     the ratios, in half an hour; figures, pictures and page go to docs/
python -m bench --long              what takes longer
python -m bench audit settle        only those named, printed and not kept
python -m bench --page              page and pictures again, from the figures of the last run
python -m bench --quick --out DIR   small sizes, to try whether all of it works; goes to another folder
"""

import argparse
import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from bench.page.plan import LONG, QUESTIONS
from bench.page.report import DOCS, PAGE, keep, without_reason, write
from bench.page.run import CHECKOUT, Run, run_all

HERE = Path(__file__).parent


def questions() -> dict[str, str]:
    """The measurements by name, with what each asks."""
    files = sorted(path for path in HERE.glob("*.py") if not path.name.startswith("_"))
    return {
        path.stem: (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0] for path in files
    }


def main(given: list[str]) -> int:
    """Read what is asked for, and do it."""
    known = questions()
    listed = "\n".join(f"  {name:16} {about}" for name, about in known.items())
    options = argparse.ArgumentParser(
        "tablewatch bench", description=f"{__doc__}\n{listed}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("names", nargs="*", metavar="NAME", help="only these, by their own sizes")
    options.add_argument("--long", action="store_true", help="what takes longer than half an hour")
    options.add_argument("--quick", action="store_true", help="small sizes; needs --out")
    options.add_argument("--only", help="only this question of the run, e.g. judge; needs --out")
    options.add_argument("--page", action="store_true", help="run nothing, make page and pictures anew")
    options.add_argument("--out", type=Path, default=DOCS, help="the folder of the page; docs/ if none is given")
    asked = options.parse_args(given)
    if unknown := [name for name in asked.names if name not in known]:
        options.error(f"there is no {', '.join(unknown)}; there are {', '.join(known)}")
    if (asked.quick or asked.only) and asked.out.resolve() == DOCS:
        options.error("a quick or partial run is not kept in docs/: say --out DIR")
    if asked.names:
        return _named(asked.names, known)
    if not asked.page:
        _check_drawing()
        chosen = [each for each in (LONG if asked.long else QUESTIONS) if asked.only in (None, each.name)]
        run = run_all(chosen, quick=asked.quick)
        keep(run, asked.out, long=asked.long)
        print(f"\n{asked.out / PAGE}")
        return _judged(run)
    write(asked.out)
    return 0


def _named(names: list[str], known: dict[str, str]) -> int:
    failed = []
    for name in names:
        print(f"\n== {name}: {known[name]}", flush=True)
        if subprocess.run([sys.executable, "-m", f"bench.{name}"], cwd=CHECKOUT, check=False).returncode:
            failed.append(name)
    if failed:
        print(f"\nNot finished, or below the bar: {', '.join(failed)}.")
    return 1 if failed else 0


def _check_drawing() -> None:
    """Said before half an hour is spent."""
    if find_spec("matplotlib") is None:
        raise SystemExit("matplotlib is not installed here; `make bench` installs what the page needs")


def _judged(run: Run) -> int:
    """Say what is not as it should be."""
    wrong = [f"{done.command} ended with {done.exit_code}" for done in run.done if done.exit_code]
    figures = [figure for done in run.done for figure in done.figures]
    wrong += [f"{figure.name} {figure.of} misses its bar" for figure in figures if figure.holds is False]
    wrong += [f"no reason is written for: {name}" for name in without_reason(figures)]
    print("\n".join(wrong) if wrong else "All bars are held.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
