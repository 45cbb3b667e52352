"""The environment of a project, and what is installed there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mcpgen.commands.sdk_choice import Environment, find_environment


@pytest.fixture(autouse=True)
def _no_active_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(variable, raising=False)


def _make(folder: Path, *parts: str) -> Path:
    site = folder.joinpath(*parts)
    site.mkdir(parents=True)
    (folder / "pyvenv.cfg").touch()
    return site


@pytest.mark.parametrize("parts", [("lib", "python3.13", "site-packages"), ("Lib", "site-packages")])
def test_distributions_are_found_by_their_normalized_names(parts: tuple[str, ...], tmp_path: Path) -> None:
    site = _make(tmp_path / ".venv", *parts)
    (site / "Fast_MCP.Slim-3.1.dist-info").mkdir()
    (site / "Fast_MCP.Slim-3.1.dist-info" / "METADATA").write_text("Name: Fast_MCP.Slim\nVersion: 3.1\n", "utf-8")
    (site / "broken-1.dist-info").mkdir()
    environment = find_environment([tmp_path])
    assert environment.title == ".venv"
    assert environment.find_versions(["fast-mcp-slim", "broken", "other"]) == {"fast-mcp-slim": "3.1"}


def test_which_environment_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    assert find_environment([inner, tmp_path]) == Environment("the environment that runs mcpgen", tuple(sys.path))
    active = _make(tmp_path / "active", "lib", "python3.12", "site-packages")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "gone"))
    assert find_environment([inner]).title == "the environment that runs mcpgen", "the active one is not there"
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    assert find_environment([inner, tmp_path]) == Environment("the active environment", (str(active),))
    around = _make(tmp_path / "venv", "lib", "python3.12", "site-packages")
    assert find_environment([inner, tmp_path]) == Environment("venv", (str(around),))
    (inner / ".venv").mkdir()
    assert find_environment([inner, tmp_path]).title == "venv", "a folder without pyvenv.cfg is no environment"
