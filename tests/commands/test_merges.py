"""Branches that change different tools merge with plain git, and the merge is what a fresh build writes."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.packages import mcpgen

pytestmark = pytest.mark.ci

NAMES = [f"{subject}_{verb}" for subject in ("berth", "ferry", "tide", "vessel") for verb in ("find", "list", "read")]


def _write_tool(project: Path, tool: str, description: str = "Tells.", **properties: Any) -> None:
    declared = properties or {"name": {"type": "string"}, "depth": {"type": "number"}}
    schema = {"type": "object", "properties": declared}
    definition = {"name": tool, "description": description, "inputSchema": schema, "outputSchema": schema}
    (project / "schemas" / f"{tool}.json").write_text(json.dumps(definition, indent=1), "utf-8")


def _remove_tool(project: Path) -> None:
    (project / "schemas" / "ferry_list.json").unlink()


EDITS: dict[str, Callable[[Path], None]] = {
    "add first": lambda project: _write_tool(project, "anchor_drop"),
    "add last": lambda project: _write_tool(project, "water_level"),
    "describe": lambda project: _write_tool(project, "tide_read", "Tells the tide."),
    "widen": lambda project: _write_tool(project, "vessel_find", name={"type": ["string", "null"]}),
    "remove": _remove_tool,
}


def _git(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *identity, *arguments], cwd=project, capture_output=True, text=True)


def _commit(project: Path, message: str) -> None:
    built = mcpgen("build", cwd=project)
    assert built.returncode == 0, built.stderr
    _git(project, "add", "-A")
    assert _git(project, "commit", "-qm", message).returncode == 0


def _make_branch(project: Path, name: str, edit: Callable[[Path], None]) -> None:
    assert _git(project, "checkout", "-q", "-b", name, "main").returncode == 0
    edit(project)
    _commit(project, name)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a branch for each edit."""
    project = tmp_path_factory.mktemp("merges")
    (project / "schemas").mkdir()
    (project / "mcpgen.toml").write_text('schemas = ["schemas"]\nout = "generated"\nsdk = "mcp"\n', "utf-8")
    for name in NAMES:
        _write_tool(project, name)
    _git(project, "init", "-q", "-b", "main")
    _commit(project, "main")
    for name, edit in EDITS.items():
        _make_branch(project, name.replace(" ", "-"), edit)
    return project


@pytest.fixture
def project(repository: Path, tmp_path: Path) -> Path:
    return shutil.copytree(repository, tmp_path / "project")


PAIRS = [*itertools.combinations((name.replace(" ", "-") for name in EDITS), 2)]


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=[" and ".join(pair) for pair in PAIRS])
def test_two_branches_merge(project: Path, first: str, second: str) -> None:
    _git(project, "checkout", "-q", first)
    merged = _git(project, "merge", "-q", "--no-edit", second)
    assert merged.returncode == 0, merged.stdout
    checked = mcpgen("check", cwd=project)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_all_branches_merge(project: Path) -> None:
    _git(project, "checkout", "-q", "main")
    for name in EDITS:
        merged = _git(project, "merge", "-q", "--no-edit", name.replace(" ", "-"))
        assert merged.returncode == 0, merged.stdout
    assert mcpgen("check", cwd=project).returncode == 0


def test_neighbours_conflict_only_in_the_lists_and_a_build_heals_them(project: Path) -> None:
    for name in ("ferry_call", "ferry_cost"):
        _make_branch(project, name, lambda project, name=name: _write_tool(project, name))  # type: ignore[misc]
    _git(project, "merge", "-q", "--no-edit", "ferry_call")
    conflicts = _git(project, "diff", "--name-only", "--diff-filter=U").stdout.split()
    assert conflicts == ["generated/__init__.py", "generated/index.py"]
    checked = mcpgen("check", cwd=project)
    for path in conflicts:
        lines = (project / path).read_text("utf-8").split("\n")
        first, last = (next(n for n, line in enumerate(lines, 1) if line.startswith(mark)) for mark in ("<<<", ">>>"))
        message = f"{path}:{first}:1: error[MG403]: has an unresolved merge conflict, lines {first} to {last}"
        assert message in checked.stderr
    assert checked.stderr.count("help: `mcpgen build` rewrites it; then `git add` it") == 1
    built = mcpgen("build", cwd=project)
    assert built.returncode == 0, built.stderr
    assert mcpgen("check", cwd=project).returncode == 0
    index = (project / "generated" / "index.py").read_text("utf-8")
    assert "ferry_call import tool" in index
    assert "ferry_cost import tool" in index


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("generated/index.py", "tool as berth_find", "tool as other"),
        ("generated/index.py", "from .tools.berth_find", "from .tools.nowhere"),
        ("generated/index.py", '"""The attributes', '"""Some attributes'),
        ("generated/__init__.py", "from .tools.berth_find import *", "from .tools.nowhere import *"),
        ("generated/__init__.py", "        from .tools.berth_find import *\n", ""),
    ],
)
def test_check_sees_an_edited_list(project: Path, path: str, old: str, new: str) -> None:
    _git(project, "checkout", "-q", "main")
    text = (project / path).read_text("utf-8")
    edited = text.replace(old, new) if old in text else text.replace(old.strip() + "\n", new)
    assert edited != text
    (project / path).write_text(edited, "utf-8")
    assert mcpgen("check", cwd=project).returncode != 0


def test_an_edit_of_the_frame_of_a_list_is_the_users(project: Path) -> None:
    _git(project, "checkout", "-q", "main")
    path = project / "generated" / "index.py"
    path.write_text(path.read_text("utf-8") + "\n    def mine(self) -> None: ...\n", "utf-8")
    built = mcpgen("build", cwd=project)
    assert built.returncode == 3
    assert "was edited by hand" in built.stderr


def test_a_long_name_has_one_line_in_each_list(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "mcpgen.toml").write_text('schemas = ["schemas"]\nout = "generated"\nsdk = "mcp"\n', "utf-8")
    name = "berth_" + "very_" * 25 + "far"
    _write_tool(tmp_path, name)
    assert mcpgen("build", cwd=tmp_path).returncode == 0
    for path in ("__init__.py", "index.py"):
        lines = (tmp_path / "generated" / path).read_text("utf-8").splitlines()
        assert sum(name in line for line in lines) == 1
        assert "(" not in next(line for line in lines if name in line)


def test_a_shared_class_whose_file_both_branches_change_is_built_again(tmp_path: Path) -> None:
    """Its module names the file of one tool that uses it, by a hash of the names: here, that of each new tool."""
    bike = {"type": "object", "title": "Bike", "properties": {"id": {"type": "string"}, "gears": {"type": "integer"}}}
    (tmp_path / "schemas").mkdir()
    (tmp_path / "mcpgen.toml").write_text('schemas = ["schemas"]\nout = "generated"\nsdk = "mcp"\n', "utf-8")
    for name in ("rent_bike", "return_bike"):
        _write_tool(tmp_path, name, bike=bike)
    _git(tmp_path, "init", "-q", "-b", "main")
    _commit(tmp_path, "main")
    for name in ("book_bike", "sell_bike"):
        _make_branch(tmp_path, name, partial(_write_tool, tool=name, bike=bike))
    merged = _git(tmp_path, "merge", "-q", "--no-edit", "book_bike")
    assert "CONFLICT (content): Merge conflict in generated/types/bike.py" in merged.stdout
    built = mcpgen("build", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    assert mcpgen("check", cwd=tmp_path).returncode == 0
    _git(tmp_path, "add", "generated")
    assert _git(tmp_path, "diff", "--check", "HEAD").stdout == ""
    assert _git(tmp_path, "commit", "-qm", "merged").returncode == 0
