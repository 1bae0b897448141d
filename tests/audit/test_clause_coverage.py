"""Every clause that can be checked has a check and a test, and the page that says so is current."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from games.documents import DOCUMENTS
from games.register import REGISTER
from tests.audit.clause_coverage import (
    CHECKS,
    NAME_OF,
    PAGE,
    Row,
    cited_in_name,
    cited_in_words,
    citing_tests,
    page,
    rows,
    uncarried,
)

DTB, FF4, SE, EB = (NAME_OF[short] for short in ("DTB", "FF4", "SE", "EB"))


def test_every_clause_that_can_be_checked_has_a_check_and_a_test() -> None:
    assert uncarried(rows()) == []


def test_the_page_is_current() -> None:
    assert PAGE.read_text("utf-8") == page(rows()), "run: python -m tests.audit.clause_coverage"


def test_a_clause_without_check_or_test_is_found() -> None:
    carried = next(row for row in rows() if row.needs_carrying)
    clause = carried.clause
    name = f"{clause.document} {clause.number}"
    assert uncarried([carried]) == []
    assert uncarried([Row(clause)]) == [f"{name}: no test"]
    assert uncarried([Row(replace(clause, checks=()), carried.tests)]) == [f"{name}: no check"]
    assert uncarried([Row(replace(clause, checks=("guessing",)), carried.tests)]) == [f"{name}: no guessing.py"]


def test_every_check_of_a_rule_carries_a_clause() -> None:
    """Checks of devices have no clause behind them: no document speaks of them"""
    named = {check for clause in REGISTER for check in clause.checks}
    files = {path.stem for path in CHECKS.glob("*.py")} - {"__init__"}
    assert files - named == {"device_clock", "device_sequence"}


@pytest.mark.parametrize("check", sorted(CHECKS.glob("[!_]*.py")), ids=lambda path: path.stem)
def test_every_check_has_a_test_file_and_says_its_clauses(check: Path) -> None:
    assert (Path(__file__).parent / "checks" / f"test_{check.stem}.py").exists()
    first = check.read_text("utf-8").split('"""')[1]
    by_clause = {(clause.document, clause.number): clause for clause in REGISTER}
    for cited in cited_in_words(first):
        assert cited in by_clause, f"{check.name} cites {cited}"


def test_clauses_are_read_from_names() -> None:
    assert cited_in_name("test_dtb_5_15_over_the_maximum_is_paid_to_the_maximum") == {(DTB, "5.15")}
    assert cited_in_name("test_eb_4_1_to_4_4_and_4_8_banker_pays_1_to_2") == {
        (EB, number) for number in ("4.1", "4.2", "4.3", "4.4", "4.8")
    }
    assert cited_in_name("test_dtb_3_9_and_ff4_3_8_alone") == {(DTB, "3.9"), (FF4, "3.8")}
    assert cited_in_name("test_5_1_in_every_document") == set()


def test_clauses_are_read_from_words() -> None:
    assert cited_in_words("As DTB, FF4 5.14 to 5.16 and SE 5.2, 5.3; see EB 6.3.") == {
        *((document, number) for document in (DTB, FF4) for number in ("5.14", "5.15", "5.16")),
        (SE, "5.2"),
        (SE, "5.3"),
        (EB, "6.3"),
    }
    assert cited_in_words("DTB Appendix; reading A-19") == {(DTB, "Appendix")}
    assert cited_in_words("the closing of bets") == set()


def test_tests_are_found_with_their_citations() -> None:
    source = 'def test_dtb_3_7_three():\n    """FF4 3.6"""\n\n\ndef helper():\n    """DTB 5.1"""\n'
    assert list(citing_tests(source)) == [("test_dtb_3_7_three", {(DTB, "3.7"), (FF4, "3.6")})]


def test_the_page_names_every_clause_of_every_document() -> None:
    text = page(rows())
    for document in DOCUMENTS:
        assert f"## {document.title} ({document.short})" in text
    assert text.count("\n| ") == len(REGISTER) + len(DOCUMENTS)
