"""A generated package does not hide a module that Python, generated code or an SDK imports."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcpgen import paths
from mcpgen.config.load import describe_module, override_settings
from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Diagnostic, Findings
from support.packages import mcpgen

IMPORT = re.compile(r"^\s*(?:from|import) ([A-Za-z]\w*)", re.MULTILINE)
FREE_NAMES = ("generated", "mcp_gen", "weather", "test", "tests", "codegen", "acme")


def find(folder: Path, options: dict[str, Any] | None = None, **table: Any) -> list[Diagnostic]:
    """Return the findings about the settings of a project in a folder."""
    (folder / "pyproject.toml").touch()
    settings, findings = PackageSettings.model_validate(table), Findings()
    package = ConfiguredPackage(settings=settings, folder=folder, roots=(folder,))
    assert bool(override_settings([package], [], options or {}, findings)) != findings.failed
    return list(findings)


def test_all_modules_that_generated_code_and_the_library_import_are_known() -> None:
    folders = (paths.find_shipped_folder("templates") / "package", paths.find_library_file())
    files = [file for folder in folders for file in folder.rglob("*") if file.suffix in (".py", ".j2")]
    imported = {name for file in files for name in IMPORT.findall(file.read_text("utf-8"))}
    assert {"json", "pydantic", "jsonschema_rs", "orjson", "mcp", "fastmcp", "dedalus_mcp"} <= imported
    assert [name for name in sorted(imported) if describe_module(name) is None] == []


@pytest.mark.parametrize("name", FREE_NAMES)
def test_other_names_are_free(tmp_path: Path, name: str) -> None:
    assert find(tmp_path, out=name) == []


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("json", "a module of Python itself"),
        ("calendar", "a module of Python itself"),
        ("pydantic", "a module that generated code needs"),
        ("annotated_types", "a module that pydantic needs"),
        ("mcp", "a module of an MCP SDK"),
        ("fastmcp", "a module of an MCP SDK"),
        ("httpx", "a module that the MCP SDKs need"),
    ],
)
def test_a_package_at_the_top_hides_no_module(tmp_path: Path, name: str, module: str) -> None:
    for folder in ("", "src/"):
        (finding,) = find(tmp_path, out=f"{folder}{name}")
        assert finding.code == "MG307"
        assert finding.message == f'"out": a package named "{name}" would hide `{name}`, {module}'
        assert finding.help == f'write out = "{folder}{name}_gen", or put it into a package: {folder}acme/{name}'


def test_a_package_inside_another_may_have_any_name(tmp_path: Path) -> None:
    assert find(tmp_path, out="src/acme/json") == find(tmp_path, out="generated/time") == []
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "__init__.py").touch()
    assert find(tmp_path, out="src/json") == []
    (tmp_path / "__init__.py").touch()
    assert find(tmp_path, out="json") == []


def test_settings_below_the_top_of_the_project(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    folder, findings = tmp_path / "server", Findings()
    folder.mkdir()
    for out in ("json", "../json"):
        settings = PackageSettings.model_validate({"out": out})
        package = ConfiguredPackage(settings=settings, folder=folder, roots=(tmp_path,))
        assert override_settings([package], [], {}, findings) == []
    assert [finding.code for finding in findings] == ["MG307", "MG307"]


def test_out_of_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (finding,) = find(tmp_path, {"out": "json"})
    assert (finding.code, finding.span) == ("MG307", None)
    assert finding.message.startswith('--out: a package named "json" would hide `json`')
    assert finding.help == 'choose a name such as "json_gen", or put it into a package: acme/json'
    assert find(tmp_path, {"out": str(tmp_path / "elsewhere" / "json")}) == []


def test_what_is_refused_breaks_programs_and_what_is_proposed_works(tmp_path: Path) -> None:
    """Build both packages, the refused one where it is allowed, and start a program next to each."""
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "ask.json").write_text('{"type": "object", "properties": {"a": {"type": "integer"}}}')
    refused = mcpgen("build", "--out", "json", cwd=tmp_path)
    assert (refused.returncode, "MG307" in refused.stderr) == (2, True)
    for out in ("json_gen", "elsewhere/json"):
        assert mcpgen("build", "--out", out, cwd=tmp_path).returncode == 0
    for out, works in (("json_gen", True), ("elsewhere/json", False)):
        folder, _, name = out.rpartition("/")
        program = [sys.executable, "-c", f"from {name} import ToolResult"]
        run = subprocess.run(program, cwd=tmp_path / folder, capture_output=True, text=True)
        assert (run.returncode == 0) == works, run.stderr
