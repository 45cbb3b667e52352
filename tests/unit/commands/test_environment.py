"""Installed SDKs are matched with the settings that support them."""

from __future__ import annotations

import importlib.metadata

import pytest
from mcpgen.commands.environment import InstalledSdk, list_libraries, list_sdks


def install(versions: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> dict[str, InstalledSdk]:
    """Return the SDKs by name as if only these distributions were installed."""

    def find(name: str) -> str:
        if name not in versions:
            raise importlib.metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(importlib.metadata, "version", find)
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
        ("fastmcp", "2.12.5", ""),
        ("fastmcp", "2.13", "fastmcp3"),
        ("fastmcp", "3.9.1", "fastmcp3"),
        ("fastmcp", "4.0.0", "fastmcp"),
        ("fastmcp-slim", "4.1", "fastmcp"),
        ("dedalus-mcp", "0.7.1", "dedalus"),
        ("dedalus-mcp", "1.0", ""),
    ],
)
def test_a_version_belongs_to_the_setting_that_supports_it(
    name: str, version: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sdks = install({name: version}, monkeypatch)
    assert (sdks[name].version, sdks[name].sdk) == (version, expected)
    assert [sdk.version for other, sdk in sdks.items() if other != name] == [""] * (len(sdks) - 1)


def test_a_library_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    original = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "0.1" if name == "pydantic" else original(name))
    unfit = [library.name for library in list_libraries() if not library.fits]
    assert unfit == ["pydantic"]
