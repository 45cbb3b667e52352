"""Schemas in, IR out, as text: one case for each way in which a keyword is lowered.

`python -m pytest tests/unit/lower/test_ir_goldens.py --regenerate` records the IR anew; read what changed before you
commit it. A case in a file of `ir` has a `schema` and its `ir`, and may have a `dialect`, `native` and `limits`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcpgen.lower.assemble import lower_schemas
from mcpgen.lower.request import LoweringLimits, LoweringRequest
from mcpgen.schema.document import Schema
from mcpgen.schema.formats import NATIVE_FORMATS, FormatChoices
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, KEYWORDS, iterate_subschemas
from mcpgen.schema.values import Json
from support.ir_text import format_root
from support.recorded_cases import load_cases, record_text

CASES = load_cases(Path(__file__).parent / "ir")
DIALECTS = {"2020-12": DRAFT_2020_12, "draft-07": DRAFT_07}


def make_request(case: dict[str, Any]) -> LoweringRequest:
    return LoweringRequest(
        "output",
        Schema(case["schema"], DIALECTS[case.get("dialect", "2020-12")]),
        formats=FormatChoices(NATIVE_FORMATS if case.get("native") else ()),
        limits=LoweringLimits(**case.get("limits", {})),
    )


@pytest.mark.parametrize("name", CASES)
def test_the_ir_is_the_recorded_one(name: str, pytestconfig: pytest.Config) -> None:
    case = CASES[name]
    (root,) = lower_schemas([make_request(case)])
    if pytestconfig.getoption("--regenerate"):
        record_text(case["path"], name, "ir", format_root(root))
    else:
        assert format_root(root) == case["ir"]


def collect_keywords(schema: Json, dialect: str) -> Iterator[str]:
    """Yield every keyword in a schema and its subschemas."""
    if isinstance(schema, dict):
        yield from schema
        for _, subschema in iterate_subschemas(schema, dialect):
            yield from collect_keywords(subschema, dialect)


def test_every_keyword_occurs_in_a_case() -> None:
    requests = [make_request(case) for case in CASES.values()]
    occurring = {
        word for request in requests for word in collect_keywords(request.schema.value, request.schema.dialect)
    }
    assert occurring >= KEYWORDS
