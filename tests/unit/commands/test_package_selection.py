"""Packages that a command works on."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.commands.package_selection import select_packages


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with settings."""
    (tmp_path / "mcpgen.toml").write_text('out = "made"\nsdk = "mcp"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_nearest_settings_are_used(project: Path) -> None:
    (package,) = select_packages(None, None).packages
    assert (package.folder.resolve(), package.settings.out, package.settings.sdk) == (project.resolve(), "made", "mcp")


def test_options_override_settings(project: Path) -> None:
    (project / "a.json").write_text("{}", "utf-8")
    loaded = select_packages(None, None, [Path("a.json")], Path("other"), None, "2025-06-18")
    (package,) = loaded.packages
    assert package.settings.schemas == [str(project / "a.json")]
    assert package.settings.out == str(project / "other")
    assert (package.settings.sdk, package.settings.protocol) == ("mcp", "2025-06-18")


def test_wrong_settings_and_options_are_findings(project: Path) -> None:
    assert [finding.code for finding in select_packages(None, None, sdk="other").findings] == ["MG302"]
    assert select_packages(Path("missing.toml"), None).findings.failed
