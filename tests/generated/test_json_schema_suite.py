"""All required tests of the JSON Schema test suite, through generated classes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import json_schema_suite as suite
from support.repository import needs_shared


@needs_shared("corpus/json-schema-test-suite/remotes", "corpus/json-schema-test-suite/tests")
@pytest.mark.parametrize(
    "dialect", [pytest.param(name, marks=[pytest.mark.ci] * (name != "draft2020-12")) for name in suite.DIALECTS]
)
def test_every_required_test_agrees(dialect: str, tmp_path: Path) -> None:
    rows = suite.run(dialect, suite.keywords(dialect), tmp_path)
    assert [problem for row in rows for problem in row.problems] == []
    assert sum(row.agreed for row in rows) > 400
    refused = sum(row.refused_tests for row in rows)
    assert sum(row.agreed for row in rows) + refused == sum(
        len(group["tests"]) for row in rows for group in suite.groups(dialect, row.keyword)
    )
