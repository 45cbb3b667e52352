"""Findings and changes, by the definition that they are about."""

from __future__ import annotations

import json
from pathlib import Path

from mcpgen.commands.diff_inputs import DiffRequest
from mcpgen.commands.docs_remarks import CollectedRemarks, collect_changes, collect_lint
from mcpgen.config.models import ConfiguredPackage, LintSettings, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.read.definitions import Definitions
from mcpgen.read.loader import read_definitions
from mcpgen.reference.model import Note
from support.packages import tool


def read(folder: Path, *names: str) -> Definitions:
    folder.mkdir(exist_ok=True)
    tools = [tool(name, description=f"Does \u200b{name}.") for name in names]
    (folder / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    findings = Findings()
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"schemas": ["."]}), folder=folder)
    definitions = read_definitions(package, findings)
    assert not findings.failed
    return definitions


def test_findings_belong_to_their_definitions(tmp_path: Path) -> None:
    found = collect_lint(read(tmp_path / "a", "one", "two"), LintSettings.model_validate({}))
    assert set(found) == {("tool", "one"), ("tool", "two")}
    (note,) = found["tool", "one"]
    assert (note.code, note.severity) == ("MG901", "warning")


def test_rules_about_several_definitions_are_asked(tmp_path: Path) -> None:
    settings = LintSettings.model_validate({"select": ["MG932"], "ignore": []})
    definitions = read(tmp_path / "a", "one", "two")
    for item in definitions.tools:
        item.tool["description"] = "Does it."
    assert {note.code for notes in collect_lint(definitions, settings).values() for note in notes} == {"MG932"}


def test_changes_and_what_is_new_or_gone(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    read(old, "one", "two")
    read(new, "two", "three", "four")  # two, so that neither is taken for "one" with another name
    request = DiffRequest((old, new), None, (), (), None, 1)
    remarks = CollectedRemarks(changes=dict(collect_changes(request, Findings())))
    assert remarks.take("tool", "three").changes == (Note("MG813", "note", "is new"),)
    assert remarks.take("tool", "four").changes == (Note("MG813", "note", "is new"),)
    assert remarks.take("tool", "two").changes == ()
    left = remarks.list_left()
    assert "error" in {note.severity for note in left}
    assert all(note.text.startswith('tool "one": ') for note in left)
