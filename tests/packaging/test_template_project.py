"""examples/weather-server, the project that people copy: it is current, and does what its README says."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import anyio
import pytest
from ruamel.yaml import YAML
from sdk.installed import SDK
from support.packages import files, mcpgen
from support.template_project import PACKAGE, PROJECT, copy_project

needs_sdk = pytest.mark.skipif(SDK != "mcp", reason="the example is a server on mcp 2.x")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return copy_project(tmp_path)


def run(folder: Path, *words: str) -> str:
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTEST_ADDOPTS")}
    environment["MYPY_CACHE_DIR"] = str(folder / ".mypy_cache")
    completed = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, env=environment)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout


def test_the_committed_package_is_current() -> None:
    checked = mcpgen("check", cwd=PROJECT)
    assert checked.returncode == 0, "run `mcpgen build` in examples/weather-server\n" + checked.stdout


def test_a_build_from_nothing_gives_the_same_bytes(project: Path) -> None:
    committed = files(project / PACKAGE)
    shutil.rmtree(project / PACKAGE)
    built = mcpgen("build", cwd=project)
    assert built.returncode == 0, built.stderr
    assert files(project / PACKAGE) == committed
    assert "get_weather.py" in {Path(name).name for name in committed}


def test_lint_finds_nothing(project: Path) -> None:
    linted = mcpgen("lint", cwd=project)
    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.ci
def test_ruff_finds_nothing(project: Path) -> None:
    run(project, sys.executable, "-m", "ruff", "check", "--no-cache", ".")
    run(project, sys.executable, "-m", "ruff", "format", "--no-cache", "--check", ".")
    run(project, sys.executable, "-m", "ruff", "check", "--no-cache", "--isolated", "src/weather_server/mcp_gen")


@pytest.mark.ci
def test_its_pre_commit_hooks_are_valid_and_match_its_folders() -> None:
    config = PROJECT / ".pre-commit-config.yaml"
    run(PROJECT, sys.executable, "-m", "pre_commit", "validate-config", str(config))
    (hooks,) = (repo["hooks"] for repo in YAML(typ="safe").load(config.read_text("utf-8"))["repos"])
    build = next(hook for hook in hooks if hook["id"] == "mcpgen-build")
    changed = ["schemas/get_weather.json", "schemas/get_weather.content.j2", f"{PACKAGE}/index.py", "pyproject.toml"]
    assert all(re.search(build["files"], name) for name in changed)
    assert not re.search(build["files"], "src/weather_server/server.py")
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    (requirement,) = settings["dependency-groups"]["mcpgen"]
    assert build["additional_dependencies"] == [requirement]


def test_what_it_needs_at_run_time_is_no_generator() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {re.split(r"[<>=\[ ]", requirement)[0] for requirement in project["dependencies"]}
    assert names == {"mcp", "mcpgen-runtime"}


def test_the_readme_names_what_there_is() -> None:
    text = (PROJECT / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)
    assert len(rows) == 6
    assert all((PROJECT / row).exists() for row in rows)
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))
    assert rows[1].rstrip("/") == settings["tool"]["mcpgen"]["out"] == PACKAGE


@needs_sdk
@pytest.mark.ci
def test_its_own_tests_pass(project: Path) -> None:
    out = run(project, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert re.search(r"^6 passed", out, re.MULTILINE), out


@pytest.mark.slow
@needs_sdk
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_checkers_accept_it(checker: str, project: Path) -> None:
    """Without arguments, as its README and its CI call them."""
    python = ("--pythonpath", sys.executable) if checker == "pyright" else ()
    out = run(project, sys.executable, "-m", checker, *python)
    assert re.search(r"no issues found in \d+ source files|^0 errors", out, re.MULTILINE), out


@pytest.mark.slow
@needs_sdk
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_checkers_find_a_handler_that_does_not_fit(checker: str, project: Path) -> None:
    """What the README promises of a changed definition."""
    definition = project / "schemas/get_weather.json"
    changed = json.loads(definition.read_text("utf-8"))
    changed["outputSchema"]["properties"]["temperature"] = {"type": "string"}
    definition.write_text(json.dumps(changed), "utf-8")
    assert mcpgen("build", cwd=project).returncode == 0
    python = ("--pythonpath", sys.executable) if checker == "pyright" else ()
    command = [sys.executable, "-m", checker, *python]
    found = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
    assert found.returncode == 1
    line = next(
        number
        for number, text in enumerate((project / "src/weather_server/server.py").read_text("utf-8").splitlines(), 1)
        if "temperature=reading.temperature," in text
    )
    assert re.search(rf"server\.py:{line}:.*error", found.stdout), found.stdout


@needs_sdk
@pytest.mark.ci
def test_its_client_talks_to_its_server(project: Path) -> None:
    out = run(project / "src", sys.executable, "-m", "weather_server.client", "Lisbon")
    first, *days = out.splitlines()
    assert first == "Lisbon: 17 °C, clear"
    assert [re.sub(r"\d{4}-\d\d-\d\d", "DAY", line) for line in days] == ["DAY: 14 to 20 °C"] * 2


@needs_sdk
@pytest.mark.ci
def test_a_client_that_knows_no_classes_gets_the_declared_result(project: Path) -> None:
    """The SDK's own client over stdio; the schema's own validator judges the result."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters

    jsonschema: Any = importlib.import_module("jsonschema")
    declared = json.loads((project / "schemas/get_weather.json").read_text("utf-8"))
    words = shlex.split("-m weather_server.server")

    async def call() -> object:
        command = StdioServerParameters(command=sys.executable, args=words, cwd=project / "src")
        async with Client(command) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert listed["get_weather"].output_schema == declared["outputSchema"]
            result = await client.call_tool("get_weather", {"city": "Oslo"})
            assert result.content[0].model_dump()["text"] == "-3.5 °C, snow, gusts of 8 m/s."
            failed = await client.call_tool("get_weather", {"city": "Atlantis"})
            assert failed.is_error
            return result.structured_content

    value = anyio.run(call)
    jsonschema.Draft202012Validator(declared["outputSchema"]).validate(value)
    assert value == {"temperature": -3.5, "sky": "snow", "gusts": 8}
