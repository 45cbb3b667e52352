"""Schemas in, IR out, as text: one case for each way in which a keyword is lowered.

`python -m pytest tests/unit/lower/test_ir_goldens.py --regenerate` records the IR anew; read what changed before you
commit it. A case is `ir/<case>.json` with a `schema`, and optionally its `dialect`, `native` and `limits`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcpgen.lower.assemble import lower_schemas
from mcpgen.lower.normalize.limits import LoweringLimits
from mcpgen.lower.request import LoweringRequest
from mcpgen.schema.document import Schema
from mcpgen.schema.formats import NATIVE_FORMATS, FormatChoices
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12, KEYWORDS, iterate_subschemas
from mcpgen.schema.values import Json
from support.ir_text import format_root

FOLDER = Path(__file__).parent / "ir"
CASES = sorted(path.stem for path in FOLDER.glob("*.json"))
DIALECTS = {"2020-12": DRAFT_2020_12, "draft-07": DRAFT_07}


def load_case(name: str) -> dict[str, Any]:
    case: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return case


def make_request(case: dict[str, Any]) -> LoweringRequest:
    return LoweringRequest(
        "output",
        Schema(case["schema"], DIALECTS[case.get("dialect", "2020-12")]),
        formats=FormatChoices(NATIVE_FORMATS if case.get("native") else ()),
        limits=LoweringLimits(**case.get("limits", {})),
    )


@pytest.mark.parametrize("name", CASES)
def test_the_ir_is_the_recorded_one(name: str, pytestconfig: pytest.Config) -> None:
    (root,) = lower_schemas([make_request(load_case(name))])
    path = FOLDER / f"{name}.ir.txt"
    if pytestconfig.getoption("--regenerate"):
        path.write_text(format_root(root), "utf-8", newline="\n")
    assert format_root(root) == path.read_text("utf-8")


def collect_keywords(schema: Json, dialect: str) -> Iterator[str]:
    """Yield every keyword in a schema and its subschemas."""
    if isinstance(schema, dict):
        yield from schema
        for _, subschema in iterate_subschemas(schema, dialect):
            yield from collect_keywords(subschema, dialect)


def test_every_keyword_occurs_in_a_case() -> None:
    requests = [make_request(load_case(name)) for name in CASES]
    occurring = {
        word for request in requests for word in collect_keywords(request.schema.value, request.schema.dialect)
    }
    assert occurring >= KEYWORDS


def test_every_recorded_ir_has_a_case() -> None:
    assert sorted(path.name.removesuffix(".ir.txt") for path in FOLDER.glob("*.ir.txt")) == CASES
