"""The pages about settings and choices name all that there are, and no other."""

from __future__ import annotations

import re
from pathlib import Path

from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import Category
from mcpgen.config.load import load_packages
from mcpgen.config.models import PackageSettings, ResourceChoice, ToolChoice
from mcpgen.diagnostics import Findings
from support.doc_pages import read_page


def test_the_settings_are_all_there_are(tmp_path: Path) -> None:
    (settings,) = read_page("reference/settings-example.md").list_texts("toml")
    file = tmp_path / "mcpgen.toml"
    file.write_text(settings, "utf-8")
    findings = Findings()
    (package,) = load_packages(file, tmp_path, findings)
    assert not len(findings)
    known = {field.alias or name for name, field in PackageSettings.model_fields.items()}
    assert package.settings.model_fields_set == set(PackageSettings.model_fields)
    assert {line.split(" =")[0] for line in settings.splitlines() if " = " in line} - {"content"} == known - {"tools"}


def test_the_acknowledgement_is_one(tmp_path: Path) -> None:
    (settings,) = read_page("guides/breaking-changes.md").list_texts("toml")
    file = tmp_path / "mcpgen.toml"
    file.write_text(settings, "utf-8")
    findings = Findings()
    (package,) = load_packages(file, tmp_path, findings)
    assert not len(findings)
    (acknowledged,) = package.settings.diff.acknowledged
    assert {acknowledged.rule, *package.settings.diff.off} <= {*RULES, *Category}


def test_the_choices_are_all_there_are() -> None:
    text = read_page("reference/definitions.md").path.read_text("utf-8")
    tables = text.partition("## Choices")[2].split("on a\nResource")
    for table, fields in zip(tables, (ToolChoice.model_fields, ResourceChoice.model_fields), strict=True):
        rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        keys = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
        assert keys == {field.alias or name for name, field in fields.items()}
