"""Installed SDKs are matched with the settings that support them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mcpgen.commands.environment import InstalledSdk, list_libraries, list_sdks
from mcpgen.commands.sdk_choice import is_sdk_importable


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder in which distributions are found, besides mcpgen's own metadata."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


def install(site: Path, name: str, version: str) -> dict[str, InstalledSdk]:
    """Install the metadata of a distribution, and return the SDKs by name."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    return {sdk.distribution: sdk for sdk in list_sdks()}


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("mcp", "1.9.0", ""),
        ("mcp", "1.22", "mcp1"),
        ("mcp", "1.30.0", "mcp1"),
        ("mcp", "2.0.0", ""),
        ("mcp", "2.1.0", "mcp"),
        ("mcp", "2.3.0+local.1", "mcp"),
        ("mcp", "3.0", ""),
        ("mcp", "2.1.post1", "mcp"),
        ("mcp", "2.1rc1", "mcp"),
        ("mcp", "2.9.9.post1", "mcp"),
        ("mcp", "2.0.post1", ""),
        ("mcp", "3.0rc1", ""),
        ("mcp", "3.0.dev1", ""),
        ("mcp", "unknown", ""),
        ("fastmcp", "2.12.5", ""),
        ("fastmcp", "2.13", "fastmcp3"),
        ("fastmcp", "3.9.1", "fastmcp3"),
        ("fastmcp", "4.0.0", "fastmcp"),
        ("fastmcp-slim", "4.1", "fastmcp"),
        ("dedalus-mcp", "0.7.1", "dedalus"),
        ("dedalus-mcp", "1.0", ""),
    ],
)
def test_a_version_belongs_to_the_setting_that_supports_it(name: str, version: str, expected: str, site: Path) -> None:
    sdks = install(site, name, version)
    assert (sdks[name].version, sdks[name].sdk) == (version, expected)
    names = ("mcp", "mcp1", "fastmcp", "fastmcp3", "dedalus")
    assert [sdk for sdk in names if is_sdk_importable(sdk)] == [expected] * bool(expected)
    assert [sdk.version for other, sdk in sdks.items() if other != name] == [""] * (len(sdks) - 1)


@pytest.mark.parametrize("version", ["0.1", "unknown"])
def test_a_library_that_does_not_fit(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    install(tmp_path, "pydantic", version)
    unfit = [(library.name, library.version) for library in list_libraries() if not library.fits]
    assert unfit == [("pydantic", version)]
