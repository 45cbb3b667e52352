"""Packages that cannot be imported: what is reported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.missing_package import report_missing_package
from mcpgen.diagnostics import Findings
from mcpgen.prove.package_loader import PackageNotImportable
from support.definitions import configure_package
from support.packages import tool


@pytest.mark.parametrize("sdk", ["none", "mcp"])
@pytest.mark.parametrize("schema", [{"type": "object"}, {"type": "text"}])
@pytest.mark.parametrize("is_built", [True, False])
def test_the_help_says_what_keeps_the_package_away(tmp_path: Path, sdk: str, schema: Any, is_built: bool) -> None:
    package, findings = configure_package(tmp_path, [tool("a", schema)], sdk=sdk), Findings()
    if is_built:
        package.out.mkdir()
        (package.out / "__init__.py").touch()
    report_missing_package(package, PackageNotImportable("gone"), findings)
    (finding,) = findings
    is_wrong = schema["type"] == "text" and not is_built
    assert finding.message == "gone" + ", since the definitions have 1 error" * is_wrong
    assert ("SDK" in finding.help) == (sdk == "mcp" and not is_wrong)
