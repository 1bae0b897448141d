"""How many small changes to the rulebook its tests notice: ``python -m bench.mutants [mutants] [seed]``.

Each mutant is a copy of games/ with one comparison, operator, number or truth value changed (strings, annotations and
decorators are left alone), held against tests/games. Prints the share that was noticed and every one that was not.
"""

import ast
import copy
import os
import queue
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.page.figures import tell

ROOT = Path(__file__).resolve().parent.parent
PROCESSES = 2
TOO_LONG = 10
"""So many times the processor time of the unchanged tests, and a mutant goes on for ever: it counts as noticed."""
BAR = 0.90

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.FloorDiv),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
    ast.RShift: (ast.LShift,),
}


@dataclass(frozen=True)
class Mutant:
    """One change to one file."""

    file: str
    line: int
    change: str
    source: str


class Sites(ast.NodeVisitor):
    """Walks a module and makes a mutant of every place that can be changed."""

    def __init__(self, file: str, tree: ast.Module) -> None:
        self.file, self.tree = file, tree
        self.mutants: list[Mutant] = []

    def _keep(self, node: ast.expr, change: str) -> None:
        source = ast.unparse(ast.fix_missing_locations(copy.deepcopy(self.tree)))
        self.mutants.append(Mutant(self.file, node.lineno, change, source))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.visit(default)
        for statement in node.body:
            self.visit(statement)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for statement in node.body:
            self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Compare(self, node: ast.Compare) -> None:
        for place, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                node.ops[place] = other()
                self._keep(node, f"{type(operator).__name__} -> {other.__name__}")
            node.ops[place] = operator
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        operator = node.op
        if not _of_strings(node):
            for other in OPERATORS[type(operator)]:
                node.op = other()
                self._keep(node, f"{type(operator).__name__} -> {other.__name__}")
            node.op = operator
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        operator = node.op
        node.op = ast.Or() if isinstance(operator, ast.And) else ast.And()
        self._keep(node, f"{type(operator).__name__} -> {type(node.op).__name__}")
        node.op = operator
        self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        node.body, node.orelse = node.orelse, node.body
        self._keep(node, "the two branches exchanged")
        node.body, node.orelse = node.orelse, node.body
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        operator = node.op
        if isinstance(operator, ast.USub):
            node.op = ast.UAdd()
            self._keep(node, "- -> +")
        elif isinstance(operator, ast.Not):
            operand = node.operand
            node.operand = ast.UnaryOp(ast.Not(), operand)
            self._keep(node, "not removed")
            node.operand = operand
        node.op = operator
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if isinstance(value, bool):
            others: list[int | bool] = [not value]
        elif isinstance(value, int):
            others = [value + 1, value - 1]
        else:
            return
        for other in others:
            node.value = other
            self._keep(node, f"{value} -> {other}")
        node.value = value


def _of_strings(node: ast.BinOp) -> bool:
    """Whether it joins strings or, as in an annotation, types."""
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr)
        or (isinstance(side, ast.Constant) and isinstance(side.value, str | None))
        or (isinstance(side, ast.Name) and side.id in {"str", "int", "bool"})
        for side in sides
    )


def mutants_of(folder: Path) -> list[Mutant]:
    """Every mutant of the modules below a folder."""
    found: list[Mutant] = []
    for path in sorted(folder.rglob("*.py")):
        sites = Sites(str(path.relative_to(folder.parent)), ast.parse(path.read_text()))
        sites.visit(sites.tree)
        found.extend(sites.mutants)
    return found


def workplace(parent: Path) -> Path:
    """A copy of the rulebook and its tests, and nothing else."""
    place = Path(tempfile.mkdtemp(dir=parent))
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "games", place / "games", ignore=skip)
    (place / "tests").mkdir()
    (place / "tests" / "__init__.py").touch()
    shutil.copytree(ROOT / "tests" / "games", place / "tests" / "games", ignore=skip)
    return place


def tests_pass(place: Path, cpu_seconds: int) -> bool:
    """Whether the tests of the copy pass, on the copy, within so much processor time."""
    # Compiled tests may stay; compiled modules must not, since two mutants can be alike in size and time.
    for compiled in (place / "games").rglob("__pycache__"):
        shutil.rmtree(compiled)
    check = "import games, pathlib; assert pathlib.Path(games.__file__).parents[1].samefile('.')"
    run = "import sys, pytest; sys.exit(pytest.main(['-x', '-q', '-p', 'no:cacheprovider', 'tests/games']))"
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_CPU, ({cpu_seconds}, {cpu_seconds}))"
    command = [sys.executable, "-c", f"{limit}\n{check}\n{run}"]
    env = os.environ | {"PYTHONPATH": str(place), "PYTHONHASHSEED": "0", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=place, env=env, capture_output=True, check=False).returncode == 0


def main() -> None:
    """Sample, run, and print what was not noticed."""
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    every = mutants_of(ROOT / "games")
    chosen = random.Random(seed).sample(every, min(wanted, len(every)))
    with tempfile.TemporaryDirectory() as parent, ThreadPoolExecutor(PROCESSES) as pool:
        places: queue.Queue[Path] = queue.Queue()
        for _ in range(PROCESSES):
            places.put(workplace(Path(parent)))
        first = places.get()
        if not tests_pass(first, resource.RLIM_INFINITY):
            raise SystemExit("the tests fail without any change")
        places.put(first)
        limit = TOO_LONG * (1 + int(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime))

        def survives(mutant: Mutant) -> bool:
            place = places.get()
            target = place / mutant.file
            original = target.read_text()
            try:
                target.write_text(mutant.source)
                return tests_pass(place, limit)
            finally:
                target.write_text(original)
                places.put(place)

        survived = []
        for done, (mutant, alive) in enumerate(zip(chosen, pool.map(survives, chosen), strict=True), start=1):
            if alive:
                survived.append(mutant)
                print(f"not noticed: {mutant.file}:{mutant.line}: {mutant.change}", flush=True)
            if done % 25 == 0:
                print(f"{done} of {len(chosen)} done", file=sys.stderr, flush=True)
    share = 1 - len(survived) / len(chosen)
    print(f"{len(chosen)} of {len(every)} mutants, seed {seed}")
    tell("mutants of the rulebook", len(chosen))
    told = tell("share of the mutants that tests notice", share, at_least=BAR)
    if not told.holds:
        raise SystemExit(f"below the bar of {BAR:.0%}")


if __name__ == "__main__":
    main()
