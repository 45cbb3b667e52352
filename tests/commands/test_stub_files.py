"""Files of `stubs/` over several builds: tools that go, edits, conflicts of a merge, the setting turned off."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.packages import files, mcpgen, tool

pytestmark = pytest.mark.ci
SETTINGS = 'sdk = "mcp"\nstubs = true\n'


def write_tools(folder: Path, *names: str) -> None:
    (folder / "schemas").mkdir(exist_ok=True)
    for path in (folder / "schemas").iterdir():
        path.unlink()
    for name in names:
        definition = tool(name, {"type": "integer"}, description=f"Does {name}.")
        (folder / "schemas" / f"{name}.json").write_text(json.dumps(definition), "utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stubs")
    (folder / "mcpgen.toml").write_text(SETTINGS, "utf-8")
    write_tools(folder, "a", "b", "c")
    assert mcpgen("build", "--jobs", "1", cwd=folder).returncode == 0
    return folder


@pytest.fixture
def project(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path, dirs_exist_ok=True))


def list_stubs(project: Path) -> set[str]:
    return {path for path in files(project / "generated") if path.startswith("stubs/")}


LISTS = {"stubs/__init__.py", "stubs/index.txt"}


def test_the_stub_of_a_tool_goes_with_it(project: Path) -> None:
    assert list_stubs(project) == {*LISTS, "stubs/a.pyi", "stubs/b.pyi", "stubs/c.pyi"}
    write_tools(project, "a", "d")
    assert mcpgen("check", "--jobs", "1", cwd=project).returncode == 4
    assert mcpgen("build", "--jobs", "1", cwd=project).returncode == 0
    assert list_stubs(project) == {*LISTS, "stubs/a.pyi", "stubs/d.pyi"}
    index = (project / "generated" / "stubs" / "index.txt").read_text("utf-8")
    assert index.splitlines()[3:] == ["a: Does a.", "d: Does d."]
    assert mcpgen("check", "--jobs", "1", cwd=project).returncode == 0


def test_all_stubs_go_when_they_are_not_wanted(project: Path) -> None:
    own = project / "generated" / "stubs" / "notes.txt"
    own.write_text("mine", "utf-8")
    (project / "mcpgen.toml").write_text('sdk = "mcp"\n', "utf-8")
    assert mcpgen("build", "--jobs", "1", cwd=project).returncode == 0
    assert list_stubs(project) == {"stubs/notes.txt"}


@pytest.mark.parametrize("name", ["a.pyi", "index.txt", "__init__.py"])
def test_an_edit_is_neither_overwritten_nor_removed(project: Path, name: str) -> None:
    path = project / "generated" / "stubs" / name
    edited = path.read_text("utf-8") + "# mine\n"
    path.write_text(edited, "utf-8")
    for names in (("a", "b", "c"), ("b", "c")):
        write_tools(project, *names)
        run = mcpgen("build", "--jobs", "1", cwd=project)
        assert (run.returncode, "error[MG401]" in run.stderr) == (3, True), run.stderr
        assert path.read_text("utf-8") == edited
    write_tools(project, "b", "c")
    assert mcpgen("build", "--force", "--jobs", "1", cwd=project).returncode == 0
    assert path.exists() is (name != "a.pyi")


@pytest.mark.parametrize("name", ["a.pyi", "index.txt", "__init__.py"])
def test_a_file_with_conflicts_is_written_anew(project: Path, name: str) -> None:
    path = project / "generated" / "stubs" / name
    before = path.read_text("utf-8")
    first, rest = before.split("\n", 1)
    path.write_text(f"<<<<<<< ours\n{first}\n=======\n{first}\n>>>>>>> theirs\n{rest}", "utf-8")
    assert mcpgen("build", "--jobs", "1", cwd=project).returncode == 0
    assert path.read_text("utf-8") == before


def test_a_changed_description_changes_its_stub_and_the_index(project: Path) -> None:
    before = files(project / "generated")
    path = project / "schemas" / "b.json"
    path.write_text(path.read_text("utf-8").replace("Does b", "Makes b"), "utf-8")
    assert mcpgen("build", "--jobs", "1", cwd=project).returncode == 0
    after = files(project / "generated")
    assert {name for name in after if after[name] != before[name]} == {
        "stubs/b.pyi",
        "stubs/index.txt",
        "tools/b.json",
        "tools/b.py",
    }
