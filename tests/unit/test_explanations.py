"""Explanations of diagnostics."""

from __future__ import annotations

import pytest
from mcpgen.diagnostics import CATALOGUE
from mcpgen.explanations import SECTIONS, read_explanation, read_titled_explanation
from support.repository import ROOT

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


def test_each_explanation_is_of_a_code() -> None:
    codes = {path.stem for path in EXPLANATIONS.glob("MG*.md")}
    assert codes == {*CATALOGUE}, "a code needs a line in `CATALOGUE` of diagnostics.py and a text in explanations/"
