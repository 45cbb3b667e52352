"""`exceptions = "sdk"` is warned about exactly where the SDK's adapter does not use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.read.idle_settings import report_idle_settings
from mcpgen.targets import SdkName

TEMPLATES = Path(__file__).parents[3] / "templates" / "sdk"


def warn(folder: Path, settings: dict[str, Any]) -> list[str]:
    findings = Findings()
    package = ConfiguredPackage(folder=folder, settings=PackageSettings.model_validate(settings))
    report_idle_settings(package, findings)
    return [finding.message for finding in findings]


@pytest.mark.parametrize("sdk", sorted({*get_args(SdkName)} - {"none"}))
def test_the_warning_follows_the_adapters(tmp_path: Path, sdk: str) -> None:
    reads_setting = ".raises" in (TEMPLATES / sdk / "server_adapter.py").read_text("utf-8")  # the oracle
    assert (warn(tmp_path, {"sdk": sdk, "exceptions": "sdk"}) == []) == reads_setting


def test_each_place_is_named(tmp_path: Path) -> None:
    tools = {"a": {"exceptions": "sdk"}, "b": {"exceptions": "logged"}, "c": {}}
    assert len(warn(tmp_path, {"sdk": "mcp", "tools": tools})) == 1
    assert len(warn(tmp_path, {"sdk": "mcp", "exceptions": "sdk", "tools": tools})) == 2
    assert warn(tmp_path, {"sdk": "mcp", "exceptions": "logged"}) == []
