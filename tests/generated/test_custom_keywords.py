"""A keyword that jsonschema-rs does not know needs one entry, which builds, `diff`, `prove` and packages follow."""

from __future__ import annotations

from typing import Any

import pytest
from mcpgen.schema.document import SubschemaValidators
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen_runtime.schema_check import SchemaCheck
from mcpgen_runtime.schema_keywords import CUSTOM_KEYWORDS, CustomKeyword, select_custom_keywords

NAME = "x-divides"


class Divides:
    """The value divides a number."""

    def __init__(self, schema: object, number: int, path: list[str | int]) -> None:
        self._number = number

    def validate(self, instance: Any) -> None:
        """Check a value.

        Raises:
            ValueError: it does not divide the number.
        """
        if isinstance(instance, int) and self._number % instance:
            raise ValueError(f"does not divide {self._number}")


@pytest.fixture(autouse=True)
def entry(monkeypatch: pytest.MonkeyPatch) -> None:
    keyword = CustomKeyword(Divides, expected=lambda number: f"should divide {number}")
    monkeypatch.setitem(CUSTOM_KEYWORDS, NAME, keyword)


@pytest.mark.parametrize("dialect", [DRAFT_2020_12, DRAFT_07])
def test_generated_code_checks_and_explains_it(dialect: str) -> None:
    check = SchemaCheck({"$schema": dialect, "properties": {"n": {NAME: 12}}})
    assert check.is_valid({"n": 4})
    assert not check.is_valid({"n": 5})
    (problem,) = check.problems({"n": 5})
    assert (problem.path, problem.keyword, problem.message) == (("n",), NAME, "should divide 12, got 5")


@pytest.mark.parametrize("dialect", [DRAFT_2020_12, DRAFT_07])
def test_builds_check_it(dialect: str) -> None:
    validator = SubschemaValidators({"properties": {"n": {NAME: 12}}}, dialect).find_validator("")
    assert validator.is_valid({"n": 4})
    assert not validator.is_valid({"n": 5})


def test_a_keyword_of_one_dialect_is_left_to_the_library_in_the_other() -> None:
    assert "contentEncoding" in select_custom_keywords(draft_07=True)
    assert "contentEncoding" not in select_custom_keywords(draft_07=False)
