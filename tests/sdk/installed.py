"""Which SDK the tests run on: the most specific one of those that are installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def _major(name: str) -> str | None:
    try:
        return version(name).split(".")[0]
    except PackageNotFoundError:
        return None


def _sdk() -> str | None:
    if _major("dedalus-mcp") is not None:
        return "dedalus"
    if _major("fastmcp") is not None:
        return "fastmcp"
    return {"1": "mcp1", "2": "mcp"}.get(_major("mcp") or "")


SDK = _sdk()
"""As `sdk` in the settings has it; None: there is none."""
