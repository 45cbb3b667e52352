"""Checks of definitions before they are lowered."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.diagnostics import Findings
from mcpgen.pipeline import reading
from mcpgen.pipeline.reading import check_definitions, has_many_definitions
from mcpgen.read.definitions import Definitions
from support.definitions import configure_package, define_tool


def test_an_input_without_definitions_is_an_error(tmp_path: Path) -> None:
    findings = Findings()
    assert not check_definitions(Definitions(), configure_package(tmp_path, [], schemas=["a", "b"]), findings)
    assert [finding.code for finding in findings] == ["MG007", "MG007"]


def test_clashes_are_reported_together_with_other_errors(tmp_path: Path) -> None:
    findings = Findings()
    definitions = Definitions(tools=[define_tool("a_b"), define_tool("a-b"), define_tool("猫")])
    assert not check_definitions(definitions, configure_package(tmp_path, []), findings)
    assert sorted(finding.code for finding in findings) == ["MG201", "MG202"]


def test_right_definitions_pass(tmp_path: Path) -> None:
    findings = Findings()
    assert check_definitions(Definitions(tools=[define_tool("a")]), configure_package(tmp_path, []), findings)
    assert not len(findings)


def test_many_files_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGE_DEFINITION_COUNT", 3)
    package = configure_package(tmp_path, [])
    assert not has_many_definitions(package)
    for name in ("a", "b"):
        (tmp_path / "schemas" / f"{name}.json").write_text("{}", "utf-8")
    assert has_many_definitions(package)
