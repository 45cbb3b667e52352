"""`mcpgen init` and `mcpgen handlers`."""

from __future__ import annotations

import ast
import importlib
import tomllib
from pathlib import Path

import pytest
from mcpgen.commands.handlers import (
    SDKS_OF_HANDLERS,
    HandlersFile,
    HandlersRequest,
    create_handlers,
    plan_handlers,
    write_server_lines,
)
from mcpgen.commands.init import (
    Project,
    ProjectChoices,
    inspect_project,
    plan_starter_files,
    propose_choices,
)
from mcpgen.diagnostics import Findings
from mcpgen.targets import NO_SDK, get_sdk
from support.definitions import PRICE, configure_package
from support.documents import write_files
from support.packages import tool

# --- modules of handlers: where they go, and what they import ---------------------------------------------------------
TOOLS = [tool("buy", PRICE), tool("sell", PRICE)]


def plan(folder: Path, *tools: str, sdk: str = "mcp") -> tuple[HandlersFile | None, list[str], list[str]]:
    findings = Findings()
    package = configure_package(folder, TOOLS, sdk=sdk)
    file, known_tools = plan_handlers(package, HandlersRequest(tools), findings)
    return file, [*known_tools], [finding.code for finding in findings]


def test_they_are_beside_the_package(tmp_path: Path) -> None:
    file, known_tools, codes = plan(tmp_path)
    assert file is not None
    assert (file[0], known_tools, codes) == (tmp_path / "handlers.py", ["buy", "sell"], [])
    assert "from generated.server import Tools" in file[1]


def test_a_module_inside_a_package_imports_relatively(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("")
    file, _, _ = plan(tmp_path)
    assert file is not None
    assert "from .generated.server import Tools" in file[1]


def test_only_the_named_tools(tmp_path: Path) -> None:
    file, known_tools, _ = plan(tmp_path, "sell")
    assert file is not None
    assert "async def sell" in file[1]
    assert "async def buy" not in file[1]
    assert plan(tmp_path, "rent") == (None, known_tools, [])


def test_a_package_for_no_sdk_has_none(tmp_path: Path) -> None:
    assert plan(tmp_path, sdk="none") == (None, [], ["MG302"])


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    new, old = tmp_path / "new.py", tmp_path / "old.py"
    old.write_text("mine\n")
    findings = Findings()
    assert not create_handlers([(new, "1\n"), (old, "2\n")], findings)
    assert [finding.code for finding in findings] == ["MG303"]
    assert (new.exists(), old.read_text()) == (False, "mine\n")
    assert create_handlers([(new, "1\n")], Findings())
    assert new.read_text() == "1\n"


# --- the server that `mcpgen init --handlers` prints compiles for each SDK, and imports what the SDK has --------------
def test_packages_without_an_sdk_have_no_server() -> None:
    assert NO_SDK not in SDKS_OF_HANDLERS


@pytest.mark.parametrize("name", SDKS_OF_HANDLERS)
def test_the_lines_are_a_program(name: str, tmp_path: Path) -> None:
    lines = write_server_lines(name, tmp_path / "src" / "generated")
    assert [line for line in lines if line.startswith(("from", "import"))] == lines[: len(lines) - 3]
    tree = ast.parse("\n".join(lines))
    last = tree.body[-1]
    assert isinstance(last, ast.Expr)
    assert isinstance(last.value, ast.Call)


@pytest.mark.parametrize("name", SDKS_OF_HANDLERS)
def test_the_class_of_the_server_exists(name: str) -> None:
    sdk = get_sdk(name)
    assert sdk is not None
    try:
        module = importlib.import_module(sdk.server_module)
    except ImportError:
        pytest.skip("the SDK is not installed here")
    server = getattr(module, sdk.server_class)
    assert callable(getattr(server, sdk.run_coroutine or "run"))


# --- what `init` proposes, and what prevents it -----------------------------------------------------------------------
CHOICES = ProjectChoices("mcp", "generated", "schemas")


def test_a_project_is_what_its_pyproject_says(tmp_path: Path) -> None:
    write_files(tmp_path, {".venv/pyvenv.cfg": ""})
    empty = inspect_project(tmp_path)
    assert (empty.package, empty.pyproject, empty.sdk.sdk) == ("", None, "none")
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nname = "My-App"\ndependencies = ["mcp"]\n', "utf-8")
    project = inspect_project(tmp_path)
    assert (project.package, project.sdk.sdk) == ("my_app", "mcp")
    assert propose_choices(project).sdk == "mcp"
    file.write_text("[project", "utf-8")
    assert inspect_project(tmp_path) == empty


def test_settings_are_appended_to_a_pyproject(tmp_path: Path) -> None:
    text = '[project]\nname = "app"'
    starter = plan_starter_files(Project(tmp_path, pyproject=text), CHOICES)
    assert starter.settings == "pyproject.toml"
    assert tomllib.loads(text + starter.appended)["tool"]["mcpgen"] == {
        "schemas": ["schemas"],
        "out": "generated",
        "sdk": "mcp",
    }
    assert starter.files.keys() == {"schemas/get_weather.json", "schemas/get_weather.content.j2"}


def test_an_inline_tool_table_cannot_be_appended_to(tmp_path: Path) -> None:
    starter = plan_starter_files(Project(tmp_path, pyproject="tool = {}\n"), CHOICES)
    assert (starter.appended, starter.settings) == ("", "mcpgen.toml")
    assert "mcpgen.toml" in starter.files


def test_definitions_are_added_only_where_there_are_none(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "a.yaml").write_text("", "utf-8")
    assert plan_starter_files(Project(tmp_path), CHOICES).files.keys() == {"mcpgen.toml"}


def test_obstacles_have_reasons(tmp_path: Path) -> None:
    (tmp_path / "mcpgen.toml").write_text("", "utf-8")
    (tmp_path / "generated").mkdir()
    (tmp_path / "generated" / "__init__.py").write_text("MINE = 1\n", "utf-8")
    (tmp_path / "notes.txt").write_text("", "utf-8")
    obstacles = plan_starter_files(Project(tmp_path), ProjectChoices("mcp", "generated", "notes.txt")).obstacles
    assert {path: message for path, (message, _) in obstacles.items()} == {
        "mcpgen.toml": "holds settings of mcpgen already",
        "notes.txt": "is not a folder",
        "generated/__init__.py": "is not mcpgen's",
    }
    same = plan_starter_files(Project(tmp_path), ProjectChoices("mcp", "a", "a")).obstacles
    assert same["a"][0] == "would hold definitions and package"
