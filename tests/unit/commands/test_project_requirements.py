"""Requirements and locked versions of a project. `test_sdk_choice.py` reads a file of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.commands.project_requirements import find_locked_versions, list_requirements
from packaging.version import Version


@pytest.mark.parametrize(
    ("constraint", "allowed", "refused"),
    [
        ("^1.24", ["1.24", "1.30.1"], ["1.23", "2.0"]),
        ("^2", ["2.0", "2.9"], ["1.9", "3.0"]),
        ("~1.24.1", ["1.24.1", "1.24.9"], ["1.25"]),
        ("~1", ["1.0", "1.99"], ["2.0"]),
        ("1.24.0", ["1.24"], ["1.24.1"]),
        ("1.24.*", ["1.24.5"], ["1.25"]),
        (">=1.24,<2", ["1.30"], ["2.0"]),
        ("*", ["1.0", "9.9"], []),
        ("no version", ["1.0"], []),
    ],
)
def test_constraints_of_poetry_are_specifiers(
    constraint: str, allowed: list[str], refused: list[str], tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(f'[tool.poetry.dependencies]\nMCP = "{constraint}"\n', "utf-8")
    (requirement,) = list_requirements(tmp_path)
    assert requirement.name == "mcp"
    assert [version for version in allowed if Version(version) not in requirement.specifier] == []
    assert [version for version in refused if Version(version) in requirement.specifier] == []


def test_what_the_project_needs_itself_comes_first(tmp_path: Path) -> None:
    (tmp_path / "requirements-dev.txt").write_text("pytest\n", "utf-8")
    (tmp_path / "requirements.txt").write_text(
        "mcp[cli]>=2  # the server\n--index-url x\n-e .\nhttpx ; os_name == 'x'\n"
    )
    (tmp_path / "setup.cfg").write_text("[options.extras_require]\ntest =\n    fastmcp\n    mypy\n", "utf-8")
    found = [(item.name, item.part, item.text) for item in list_requirements(tmp_path)]
    assert found == [
        ("mcp", "dependencies", "mcp[cli]>=2"),
        ("httpx", "dependencies", "httpx"),
        ("fastmcp", "groups", "fastmcp"),
        ("mypy", "groups", "mypy"),
        ("pytest", "groups", "pytest"),
    ]


def test_the_first_lock_file_counts_and_only_asked_names(tmp_path: Path) -> None:
    (tmp_path / "poetry.lock").write_text('name = "mcp"\nversion = "1.0"\n', "utf-8")
    (tmp_path / "uv.lock").write_bytes(
        b'name = "mcp"\r\nversion = "2.0"\r\n\r\nname = "mcp-extra"\r\nversion = "3"\r\n'
    )
    locked = find_locked_versions(tmp_path, frozenset({"mcp", "fastmcp"}))
    assert {name: (item.version, item.file) for name, item in locked.items()} == {"mcp": ("2.0", "uv.lock")}
    assert find_locked_versions(tmp_path / "nowhere", frozenset({"mcp"})) == {}


def test_a_file_that_is_no_file_is_passed_over(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "Pipfile", "setup.cfg", "requirements.txt", "uv.lock", "Pipfile.lock"):
        (tmp_path / name).mkdir()
    assert list_requirements(tmp_path) == []
    assert find_locked_versions(tmp_path, frozenset({"mcp"})) == {}
