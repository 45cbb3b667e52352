"""`mcpgen doctor` says what is there; each fact is compared with what another way of asking says."""

from __future__ import annotations

import importlib.metadata
import json
import platform
from pathlib import Path
from typing import Any

import pytest
from support.packages import mcpgen

pytestmark = pytest.mark.ci


def ask(folder: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    run = mcpgen("doctor", "--format", "json", *arguments, cwd=folder, **environment)
    document = json.loads(run.stdout)
    data: dict[str, Any] = {**document["data"], "exit_code": run.returncode}
    return data


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "get_depth.json").write_text('{"type": "object"}\n')
    return tmp_path


def test_versions_are_those_that_are_installed(project: Path) -> None:
    data = ask(project)
    assert data["python"] == platform.python_version()
    assert data["mcpgen"] == importlib.metadata.version("mcpgen")
    assert {library["name"] for library in data["libraries"]} >= {"black", "pydantic", "typer"}
    for library in data["libraries"]:
        assert library["version"] == importlib.metadata.version(library["name"])
        assert library["fits"], library


def test_an_sdk_is_reported_with_the_setting_that_supports_it(project: Path) -> None:
    sdks = {sdk["distribution"]: sdk for sdk in ask(project)["sdks"]}
    try:
        version = importlib.metadata.version("mcp")
    except importlib.metadata.PackageNotFoundError:
        version = ""
    assert sdks["mcp"]["version"] == version
    assert sdks["mcp"]["sdk"] == {"": "", "1": "mcp1", "2": "mcp"}[version[:1]]


def test_settings_have_their_origin(project: Path) -> None:
    (project / "mcpgen.toml").write_text('out = "weather"\n\n[limits]\ndepth = 20\n')
    data = ask(project)
    assert data["settings_file"] == "mcpgen.toml"
    settings = {setting["key"]: (setting["value"], setting["origin"]) for setting in data["packages"][0]["settings"]}
    assert settings["out"] == ("weather", "mcpgen.toml:1")
    assert settings["limits.depth"] == (20, "mcpgen.toml:4")
    assert settings["sdk"] == ("none", "default")


def test_the_package_on_disk(project: Path) -> None:
    def state() -> tuple[str, str, int]:
        data = ask(project)
        package = data["packages"][0]
        return package["state"], package["built_for"], len(data["problems"])

    assert state() == ("not built", "", 1)
    assert mcpgen("build", cwd=project).returncode == 0
    assert state() == ("up to date", "none", 0)
    (project / "schemas" / "get_depth.json").write_text('{"type": "string"}\n')
    assert "stale" in state()[0]
    (project / "mcpgen.toml").write_text('sdk = "mcp"\n')
    data = ask(project)
    assert any('built for sdk = "none", and the settings say "mcp"' in problem for problem in data["problems"])


def test_the_cache(project: Path) -> None:
    cache = project / "cache"
    assert mcpgen("build", "--cache-dir", "cache", cwd=project).returncode == 0
    data = ask(project, "--cache-dir", "cache")["cache"]
    files = [path for path in cache.rglob("*") if path.is_file() and path.parent.parent.parent == cache]
    assert data["folder"] == str(cache)
    assert data["entries"] >= len(files) > 0
    assert data["size"] > 0
    assert data["flaw"] == ""
    assert ask(project, "--no-cache")["cache"]["folder"] == ""


def test_settings_that_cannot_be_read_are_named(project: Path) -> None:
    (project / "typo.toml").write_text('sdk = "mcp\n')
    data = ask(project, "--config", "typo.toml")
    assert (data["exit_code"], data["settings_file"], data["packages"]) == (2, "typo.toml", [])
    assert [problem.partition(": ")[0] for problem in data["problems"]] == ["typo.toml:1"]
    assert ask(project, "--config", "none.toml")["settings_file"] == "none.toml"


def test_wrong_definitions_are_no_error_of_the_settings(project: Path) -> None:
    (project / "mcpgen.toml").write_text('sdk = "none"\n')
    (project / "schemas" / "get_depth.json").write_text('{"type": 1}\n')
    data = ask(project)
    assert (data["exit_code"], data["settings_flaws"]) == (2, [])
    assert data["problems"] == ["generated: unknown, since the input is wrong"]
