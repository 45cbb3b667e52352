"""What `init` proposes, and what prevents it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from mcpgen.commands.scaffold import (
    Project,
    ProjectChoices,
    inspect_project,
    plan_starter_files,
    propose_choices,
)
from support.documents import write_files

CHOICES = ProjectChoices("mcp", "generated", "schemas")


def test_the_package_goes_next_to_the_project_s_own(tmp_path: Path) -> None:
    project = Project(tmp_path, "app")
    assert propose_choices(Project(tmp_path)).out == "generated"
    assert propose_choices(project).out == "generated", "nothing says that there is, or will be, a package"
    (tmp_path / "app").mkdir()
    assert propose_choices(project).out == "app/mcp_gen"
    (tmp_path / "app").rmdir()
    (tmp_path / "main.py").write_text("", "utf-8")
    assert propose_choices(project).out == "mcp_gen"
    (tmp_path / "src" / "app").mkdir(parents=True)
    assert propose_choices(project).out == "src/app/mcp_gen"
    (tmp_path / "src" / "app" / "__init__.py").write_text("", "utf-8")
    assert propose_choices(project).out == "src/app/mcp_gen"


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
