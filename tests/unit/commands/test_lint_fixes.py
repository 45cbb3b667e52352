"""Fixes change a file only where its new text has exactly the values that they ask for."""

from __future__ import annotations

import json
from pathlib import Path

from mcpgen.commands.lint_fixes import AppliedFixes, apply_fixes
from mcpgen.config.models import PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.lint.linter import select_rules
from mcpgen.lint.rule import LintedDefinition
from mcpgen.read.document import SourceDocument
from mcpgen.read.linting import LintedSite
from mcpgen.read.parse import PARSERS

RULES = select_rules(["MG901"], [], [])
LIMITS = PackageSettings.model_validate({}).limits


def fix(path: Path, text: str, replaced_by: str | None = None) -> AppliedFixes:
    """Apply the fixes of the prompt in a file, which has another text by then if there is one."""
    document = SourceDocument(path, path.name, text)
    assert PARSERS[path.suffix](document, Findings(), LIMITS)
    path.write_text(text if replaced_by is None else replaced_by, "utf-8")
    assert isinstance(document.value, dict)
    prompt = LintedDefinition("prompt", "a", document.value)
    return apply_fixes([LintedSite(prompt, document, "", Span(path.name))], RULES, LIMITS)


def test_all_fixes_of_a_file_are_applied(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    assert fix(path, "name: a # why\ntitle: A\u200b\ndescription: 'B\u200b'\n") == AppliedFixes(2, ())
    assert path.read_text("utf-8") == "name: a # why\ntitle: A\ndescription: 'B'\n"


def test_a_file_without_faults_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert fix(path, '{"name": "a", "description": "B"}') == AppliedFixes(0, ())


def test_a_file_that_has_changed_since_it_was_read_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    newer = json.dumps({"name": "a", "description": "newer"})
    applied = fix(path, json.dumps({"name": "a", "description": "B\u200b"}), newer)
    assert applied.count == 0
    assert len(applied.skipped) == 1
    assert path.read_text("utf-8") == newer


def test_a_pulled_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    header = {"by": "mcpgen pull 1", "protocol": "2025-06-18", "mcpgen-sha256": "0" * 64}
    text = json.dumps({"generated": header, "name": "a", "description": "B\u200b"})
    applied = fix(path, text)
    assert applied.count == 0
    assert "left as it was pulled" in applied.skipped[0]
    assert path.read_text("utf-8") == text
