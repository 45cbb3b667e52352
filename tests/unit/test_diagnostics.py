"""Diagnostics of a run: severities, order, and codes of the catalogue."""

from __future__ import annotations

import re

import pytest
from mcpgen.diagnostics import CATALOGUE, Diagnostic, Findings, Severity, Span, join_words
from mcpgen.explanations import SECTIONS, read_explanation, read_titled_explanation
from support.repository import ROOT

CODE = ROOT / "codegen" / "mcpgen"


def test_only_errors_make_a_run_fail() -> None:
    findings = Findings()
    findings.warn("MG105", "a")
    findings.note("MG107", "b")
    assert not findings.failed
    findings.error("MG101", "c", Span("a.json"), "help")
    assert findings.failed
    assert [item.severity for item in findings] == [Severity.WARNING, Severity.NOTE, Severity.ERROR]


def test_diagnostics_are_sorted_by_place_and_listed_once() -> None:
    findings = Findings()
    findings.error("MG102", "late", Span("b.json", 1, 1))
    findings.error("MG102", "second", Span("a.json", 2, 1))
    findings.error("MG101", "first", Span("a.json", 2, 1))
    findings.error("MG101", "top", Span("a.json", 1, 9))
    findings.error("MG007", "nowhere")
    others = Findings()
    others.extend([*findings, *findings])
    assert len(others) == 10
    assert [item.message for item in others.sorted()] == ["nowhere", "top", "first", "second", "late"]


def test_a_code_has_to_be_in_the_catalogue() -> None:
    with pytest.raises(KeyError, match="MG999"):
        Findings().add(Diagnostic("MG999", "made up"))


def list_named_codes() -> set[str]:
    """Return the codes in the constants of all modules but that with the catalogue."""
    paths = [path for path in CODE.rglob("*.py") if path.name != "diagnostics.py"]
    return {code for path in paths for code in re.findall(r"""["'](MG\d{3})["']""", path.read_text("utf-8"))}


def test_the_catalogue_has_the_codes_that_are_reported_and_no_others() -> None:
    assert list_named_codes() == {*CATALOGUE}, "each code has a file in explanations/"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("", ""),
        ("a", "a"),
        ("ab", "a or b"),
        ("abc", "a, b or c"),
        ("abcde", "a, b, c, d or e"),
        ("abcdefg", "a, b, c, d, e or 2 more"),
    ],
)
def test_words_are_joined_and_a_long_list_is_cut(words: str, text: str) -> None:
    assert join_words(list(words), "or") == text


# --- explanations of diagnostics --------------------------------------------------------------------------------------
EXPLANATIONS = ROOT / "codegen" / "mcpgen" / "explanations"


@pytest.mark.parametrize("code", CATALOGUE)
def test_each_code_has_every_section_in_order(code: str) -> None:
    text = read_explanation(code)
    places = [text.index(f"\n## {section}\n") for section in SECTIONS]
    assert places == sorted(places)
    assert read_titled_explanation(code) == f"# {code}: {CATALOGUE[code]}\n\n{text}"


def test_an_unknown_code_has_no_explanation() -> None:
    with pytest.raises(FileNotFoundError):
        read_explanation("MG999")


def test_each_explanation_has_the_meaning_as_its_heading() -> None:
    for path in EXPLANATIONS.glob("MG*.md"):
        assert path.read_text("utf-8").splitlines()[:2] == [f"# {CATALOGUE[path.stem]}", ""]
        assert not CATALOGUE[path.stem].endswith(".")
