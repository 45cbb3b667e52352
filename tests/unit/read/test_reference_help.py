"""References that lead nowhere get the definition or file that is probably meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.read.reference_help import is_defined_outside, suggest_definition, suggest_file

SCHEMA: Any = {"$defs": {"Wind": {}, "Rain": {}}}


@pytest.mark.parametrize(
    ("ref", "with_close_names", "expected"),
    [
        ("#/components/schemas/Wind", False, "did you mean #/$defs/Wind?"),
        ("#/definitions/Rain", False, "did you mean #/$defs/Rain?"),
        ("#/$defs/Wnd", True, "did you mean #/$defs/Wind?"),
        ("#/$defs/Wnd", False, ""),
        ("#/nothing/like/it", True, ""),
        ("#", True, ""),
    ],
)
def test_definitions(ref: str, with_close_names: bool, expected: str) -> None:
    assert suggest_definition(SCHEMA, ref, "", with_close_names) == expected


def test_definitions_outside_of_the_schema() -> None:
    assert is_defined_outside(SCHEMA, "#/$defs/Wind")
    assert not is_defined_outside(SCHEMA, "#/$defs/Snow")
    assert not is_defined_outside(SCHEMA, "#Wind")


def test_files(tmp_path: Path) -> None:
    (tmp_path / "common.defs.json").write_text("{}")
    (tmp_path / "comon.txt").write_text("{}")
    assert suggest_file(tmp_path, "comon.defs.json", SCHEMA) == "did you mean common.defs.json?"
    assert "#/$defs/Wind" in suggest_file(tmp_path, "Wind", SCHEMA)
    assert "relative to the file" in suggest_file(tmp_path, "no/such/folder.json", SCHEMA)
    assert "relative to the file" in suggest_file(tmp_path, "a\0b", SCHEMA)
