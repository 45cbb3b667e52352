"""No mistake of a schema's author passes in silence, and definitions without one are left alone."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Diagnostic, Findings, Severity, is_lint_code
from mcpgen.read.loader import read_definitions
from support import corpus
from support.schema_mistakes import MISTAKES, TOOL


def read(folder: Path, paths: Iterable[Path]) -> list[Diagnostic]:
    findings = Findings()
    settings = PackageSettings.model_validate({"schemas": [str(path) for path in paths]})
    package = ConfiguredPackage(settings=settings, folder=folder)
    assert read_definitions(package, findings).tools or findings.failed
    return [item for item in findings if item.severity is not Severity.NOTE and not is_lint_code(item.code)]


def warn(folder: Path, tools: list[Any]) -> list[Diagnostic]:
    path = folder / "tools.json"
    path.write_text(json.dumps({"tools": tools}), "utf-8")
    return read(folder, [path])


@pytest.mark.parametrize("kind", MISTAKES)
def test_each_mistake_has_a_message_at_its_place(kind: str, tmp_path: Path) -> None:
    mistakes = [*MISTAKES[kind]()]
    found = warn(tmp_path, [mistake.tool | {"name": f"tool_{number}"} for number, mistake in enumerate(mistakes)])
    helps = {item.span.pointer: item.help for item in found if item.span is not None and item.span.line}
    silent: list[tuple[str, str]] = []
    for number, mistake in enumerate(mistakes):
        place = f"/tools/{number}{mistake.pointer}"
        if place not in helps or (mistake.meant and f'"{mistake.meant}"' not in helps[place]):
            silent.append((place, mistake.meant))
    assert len(mistakes) > 10
    assert silent == []
    assert all(item.help for item in found)


def test_a_definition_without_a_mistake_is_left_alone(tmp_path: Path) -> None:
    assert warn(tmp_path, [TOOL]) == []


def test_what_other_files_complete_is_left_alone(tmp_path: Path) -> None:
    base = {"properties": {"a": {"type": "string"}}, "required": ["days"], "if": {"properties": {"days": {}}}}
    (tmp_path / "base.defs.json").write_text(json.dumps({"$defs": {"Base": base}}), "utf-8")
    schema = {
        "type": "object",
        "allOf": [{"$ref": "base.defs.json#/$defs/Base"}, {"properties": {"b": {"type": "string"}}}],
        "unevaluatedProperties": False,
    }
    assert warn(tmp_path, [TOOL | {"inputSchema": schema}]) == []


@pytest.mark.ci
@pytest.mark.skipif(not corpus.SOURCES, reason="../shared/corpus is not there")
def test_the_tools_of_real_servers_are_left_alone(tmp_path: Path) -> None:
    found = read(tmp_path, [corpus.CORPUS / "tools" / f"{source}.json" for source in corpus.SOURCES])
    expected = ("MG121", "MG201", "MG203")  # some have a default or example that breaks its schema; tools of one name
    assert [item for item in found if item.code not in expected] == []
