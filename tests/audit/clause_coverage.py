"""Clause, check, test: the page that says for every clause of the rule documents what carries it.

Tests cite clauses in their names (``test_dtb_5_15_over_the_maximum…``, ``test_eb_4_1_to_4_4_and_4_8_…``) or in their
docstrings (``DTB, FF4 5.14 to 5.16; SE 3.9``). ``python -m tests.audit.clause_coverage`` writes docs/coverage.md.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from games.clauses import Clause
from games.documents import DOCUMENTS
from games.register import REGISTER

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "coverage.md"
CHECKS = ROOT / "audit" / "checks"

NAME_OF = {document.short: document.name for document in DOCUMENTS}
NUMBERS = {name: [clause.number for clause in REGISTER if clause.document == name] for name in NAME_OF.values()}

_DOCUMENT = "|".join(NAME_OF)
_NUMBER = r"(?:Appendix|\d+(?:\.\d+)+)"
_CITED = re.compile(
    rf"((?:{_DOCUMENT})(?:(?:, | and )(?:{_DOCUMENT}))*) ({_NUMBER}(?:(?:, | and | to ){_NUMBER}(?!\.?\d))*)"
)
_NAMED = re.compile(rf"(?:^|_)({_DOCUMENT.lower()})_(\d+(?:_\d+)+(?:_(?:and|to)_\d+(?:_\d+)+)*)(?=_|$)")

Cited = tuple[str, str]
"""Document and clause."""


def _between(document: str, first: str, last: str) -> list[str]:
    """All clauses of a document from one to another, sub-clauses included."""
    numbers = NUMBERS[document]
    return numbers[numbers.index(first) : numbers.index(last) + 1]


def _numbers(document: str, words: list[str]) -> Iterator[str]:
    """The clauses of a list of numbers with ``to`` between the ends of a range."""
    for place, word in enumerate(words):
        if word == "to":
            yield from _between(document, words[place - 1], words[place + 1])
        elif word not in (",", "and"):
            yield word


def cited_in_words(text: str) -> set[Cited]:
    """The clauses that a docstring cites."""
    found = set()
    for documents, numbers in _CITED.findall(" ".join(text.split())):
        words = re.findall(rf"{_NUMBER}|to|and|,", numbers)
        for short in re.findall(_DOCUMENT, documents):
            found |= {(NAME_OF[short], number) for number in _numbers(NAME_OF[short], words)}
    return found


def cited_in_name(name: str) -> set[Cited]:
    """The clauses that a test is named after."""
    found = set()
    for short, numbers in _NAMED.findall(name.removeprefix("test")):
        words = [word if word in ("and", "to") else word.replace("_", ".") for word in re.split("_(and|to)_", numbers)]
        document = NAME_OF[short.upper()]
        found |= {(document, number) for number in _numbers(document, words)}
    return found


@dataclass(slots=True)
class Row:
    """One clause and what carries it."""

    clause: Clause
    tests: list[str] = field(default_factory=list)
    """As ``file::test``, relative to tests/."""

    @property
    def needs_carrying(self) -> bool:
        """Whether the clause must have a check and a test."""
        return self.clause.kind in ("checkable", "partly")


def citing_tests(source: str) -> Iterator[tuple[str, set[Cited]]]:
    """The tests of a module, each with the clauses that it cites."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name, cited_in_name(node.name) | cited_in_words(ast.get_docstring(node) or "")


def rows(folder: Path = ROOT / "tests") -> list[Row]:
    """Every clause of the register with the tests that cite it."""
    by_clause = {(clause.document, clause.number): Row(clause) for clause in REGISTER}
    for path in sorted(folder.rglob("test_*.py")):
        for name, cited in citing_tests(path.read_text("utf-8")):
            for each in cited:
                by_clause[each].tests.append(f"{path.relative_to(folder)}::{name}")
    for row in by_clause.values():
        row.tests.sort()
    return list(by_clause.values())


def uncarried(found: list[Row]) -> list[str]:
    """Clauses that should have a check and a test and have not."""
    lacking = []
    for row in found:
        if row.needs_carrying:
            name = f"{row.clause.document} {row.clause.number}"
            lacking += [f"{name}: no check"] if not row.clause.checks else []
            lacking += [f"{name}: no {each}.py" for each in row.clause.checks if not (CHECKS / f"{each}.py").exists()]
            lacking += [f"{name}: no test"] if not row.tests else []
    return lacking


def page(found: list[Row]) -> str:
    """The page, document by document."""
    carried = [row for row in found if row.needs_carrying]
    lines = [
        "# Clauses, checks and tests",
        "",
        "Made from the register of clauses (`games/register`) and the tests: `python -m tests.audit.clause_coverage`.",
        "A test fails when this page is old, or when a clause that can be checked has no check or no test.",
        "Checks are files of `audit/checks`, tests are named by their file below `tests`.",
        "",
        f"{len(found)} clauses; {len(carried)} of them can be checked, in part or in whole.",
    ]
    for document in DOCUMENTS:
        own = [row for row in found if row.clause.document == document.name]
        lines += ["", f"## {document.title} ({document.short}), in force from {document.in_force}", ""]
        lines += ["| clause | subject | class | checks | tests |", "|---|---|---|---|---|"]
        lines += [_line(row) for row in own]
    return "\n".join(lines) + "\n"


def _line(row: Row) -> str:
    clause = row.clause
    subject = clause.subject + (
        f"; {'not checked: ' if clause.checks else ''}{clause.why_not}" if clause.why_not else ""
    )
    checks = ", ".join(clause.checks)
    shown = [f"`{test}`" for test in row.tests[:3]]
    more = [f"and {len(row.tests) - 3} more"] if len(row.tests) > 3 else []
    return f"| {clause.number} | {subject} | {clause.kind} | {checks} | {'<br>'.join(shown + more)} |"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(rows()), "utf-8")


if __name__ == "__main__":
    main()
