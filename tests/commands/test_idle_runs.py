"""`build` and `check` with nothing to do are repeated; after any change they do what they do without a cache."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache.store import CacheStore
from support.packages import mcpgen, tool

pytestmark = pytest.mark.ci
REPEATED = "this run was repeated\n"
SETTLED = 0.15
"""Seconds after which a run trusts the times of files, with some margin."""
TOOL = tool("get_berth", {"type": "object", "properties": {"name": {"type": "string"}}})


class Project:
    """A package with a tool, a template and a shared definition, which is built and checked with a cache."""

    def __init__(self, folder: Path, command: str) -> None:
        self.folder, self.cache, self.command = folder / "project", folder / "cache", command
        self.schemas, self.out = self.folder / "schemas", self.folder / "generated"

    def create(self) -> None:
        (self.folder / ".git").mkdir(parents=True)
        (self.schemas / "harbour").mkdir(parents=True)
        self.write("mcpgen.toml", 'sdk = "none"\n')
        self.write("schemas/harbour/get_berth.json", json.dumps(TOOL))
        self.write("schemas/harbour/get_berth.content.j2", "A berth.\n")
        self.write("schemas/shared.defs.json", '{"$defs": {"Name": {"type": "string"}}}')
        self.write("schemas/list_berths.json", '{"type": "array", "items": {"$ref": "shared.defs.json#/$defs/Name"}}')
        self.run("build")

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")

    def run(self, command: str = "", *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
        fixed = {"MCPGEN_CACHE_DIR": str(self.cache), "NO_COLOR": "1", "PYTEST_CURRENT_TEST": ""}
        environment = {**fixed, **environment}
        return mcpgen(command or self.command, "--jobs", "1", *options, cwd=self.folder, **environment)

    def make_repeatable(self) -> None:
        """Run the command until it is repeated, and mark what it would print."""
        time.sleep(SETTLED)
        assert self.run().returncode == 0
        store = CacheStore(self.cache)
        entries = [path for path in (self.cache / "v1-repeated").rglob("*") if path.is_file()]
        assert entries
        for path in entries:
            entry: Any = store.get("repeated", path.name)
            store.put("repeated", path.name, entry | {"output": [[True, REPEATED]]})
        assert self.run().stderr == REPEATED
        time.sleep(0.02)  # a tick of the clock


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the project, built, and its cache."""
    folder = tmp_path_factory.mktemp("built")
    Project(folder, "build").create()
    return folder


def copy_project(built: Path, folder: Path, command: str) -> Project:
    """Return a copy of the project in which a command is repeated."""
    shutil.copytree(built, folder, dirs_exist_ok=True)
    project = Project(folder, command)
    project.make_repeatable()
    return project


def edit_output(project: Project) -> None:
    path = project.out / "tools" / "get_berth.py"
    path.write_text(path.read_text("utf-8").replace("berth", "BERTH"), "utf-8")


def orphan_module(project: Project) -> None:
    path = project.out / "tools" / "get_berth.py"
    (project.out / "tools" / "get_quay.py").write_bytes(path.read_bytes())


def remove_definition(project: Project) -> None:
    (project.schemas / "list_berths.json").unlink()


def change_definition(project: Project) -> None:
    project.write("schemas/harbour/get_berth.json", json.dumps(TOOL | {"description": "A berth."}))


def break_definition(project: Project) -> None:
    project.write("schemas/harbour/get_berth.json", "{")


CHANGES: dict[str, Callable[[Project], object]] = {
    "a changed definition": change_definition,
    "a broken definition": break_definition,
    "a new definition in a new folder": lambda project: project.write("schemas/a/b.json", json.dumps(tool("b"))),
    "a definition is gone": remove_definition,
    "a changed reference": lambda project: project.write(
        "schemas/shared.defs.json", '{"$defs": {"Name": {"type": "number"}}}'
    ),
    "a changed template": lambda project: project.write("schemas/harbour/get_berth.content.j2", "The berth.\n"),
    "changed settings": lambda project: project.write("mcpgen.toml", 'sdk = "none"\nlenient = true\n'),
    "an edited output": edit_output,
    "an output is gone": lambda project: (project.out / "tools" / "get_berth.py").unlink(),
    "an orphaned module": orphan_module,
    "no output": lambda project: project.out.rename(project.folder / "moved"),
}


BUILT_CHANGES = ("a broken definition", "a definition is gone", "an edited output", "no output")
"""What one looks at, the other looks at, too; these are what a build handles in a way of its own."""


@pytest.mark.parametrize(
    ("command", "change"), [*(("check", name) for name in CHANGES), *(("build", name) for name in BUILT_CHANGES)]
)
def test_after_a_change_it_is_as_without_a_cache(command: str, change: str, built: Path, tmp_path: Path) -> None:
    project = copy_project(built, tmp_path, command)
    CHANGES[change](project)
    expected = project.run("check", "--no-cache")
    assert expected.returncode in (2, 4)
    actual = project.run()
    assert actual.stderr != REPEATED
    if project.command == "check":
        assert (actual.returncode, actual.stdout, actual.stderr) == (
            expected.returncode,
            expected.stdout,
            expected.stderr,
        )
    elif expected.returncode == 2 or change == "an edited output":
        assert actual.returncode == (3 if change == "an edited output" else 2)
    else:
        assert actual.returncode == 0
        assert project.run("check", "--no-cache").returncode == 0


def test_options_and_the_environment_count(built: Path, tmp_path: Path) -> None:
    project = copy_project(built, tmp_path, "check")
    for options in (["--quiet"], ["--format", "json"], ["--no-cache"], ["--config", "mcpgen.toml"]):
        assert project.run("", *options).stderr != REPEATED
    assert project.run("", NO_COLOR="").stderr != REPEATED
    assert project.run().stderr == REPEATED


def test_a_run_that_wrote_something_is_not_repeated(built: Path, tmp_path: Path) -> None:
    project = copy_project(built, tmp_path, "build")
    change_definition(project)
    time.sleep(SETTLED)
    assert "1 file changed" in project.run().stderr.replace("2 files", "1 file")
    again = project.run()
    assert "nothing changed" in again.stderr


def test_a_depfile_is_written_each_time(built: Path, tmp_path: Path) -> None:
    project = copy_project(built, tmp_path, "build")
    for _ in range(3):
        time.sleep(SETTLED)
        assert project.run("build", "--depfile", "deps").returncode == 0
        (project.folder / "deps").unlink()


def test_an_interrupted_run_is_not_overlooked(built: Path, tmp_path: Path) -> None:
    """A journal in the state folder says that a build was killed; every file may still be as it was."""
    from mcpgen.files.journal import begin_journal, make_staging_name

    project = copy_project(built, tmp_path, "check")
    state = tmp_path / "state"
    environment = {"MCPGEN_STATE_DIR": str(state)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MCPGEN_STATE_DIR", str(state))
        time.sleep(SETTLED)
        project.run(**environment)
        project.run(**environment)
        staging = make_staging_name()
        (project.out / staging).mkdir()
        begin_journal(project.out, staging, [])
    run = project.run("check", **environment)
    assert run.returncode == 4
    assert "MG407" in run.stderr
