"""With a cache, `build` and `check` are repeated if nothing changed, and do otherwise what they do without one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache.store import Store
from support.children import child
from support.command_server import run_command
from support.packages import files, mcpgen, tool

pytestmark = pytest.mark.ci
REPEATED = "this run was repeated\n"
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

    def list_entries(self) -> list[Path]:
        """Return the files of stored runs."""
        return [path for path in (self.cache / "v1-run").rglob("*") if path.is_file()]

    def make_repeatable(self) -> None:
        """Run the command, so that it is repeated from then on, and mark what it would print."""
        assert self.run().returncode == 0
        store = Store(self.cache)
        assert self.list_entries()
        for path in self.list_entries():
            data = store.get_bytes("run", path.name)
            assert data is not None
            entry: dict[str, Any] = json.loads(data)
            store.put_bytes("run", path.name, json.dumps(entry | {"output": [[True, REPEATED]]}).encode())
        assert self.run().stderr == REPEATED


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


def change_in_place(project: Project) -> None:
    """Change a definition whose size and times stay as they were."""
    path = project.schemas / "harbour" / "get_berth.json"
    status, text = path.stat(), path.read_text("utf-8")
    path.write_text(text.replace('"name": {"type"', '"code": {"type"'), "utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size


def break_definition(project: Project) -> None:
    project.write("schemas/harbour/get_berth.json", "{")


CHANGES: dict[str, Callable[[Project], object]] = {
    "a changed definition": change_definition,
    "a changed definition with its size and times": change_in_place,
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
    assert "1 file changed" in project.run().stderr.replace("2 files", "1 file")
    again = project.run()
    assert "nothing changed" in again.stderr


def test_a_depfile_is_written_each_time(built: Path, tmp_path: Path) -> None:
    project = copy_project(built, tmp_path, "build")
    for _ in range(3):
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
        project.run(**environment)
        project.run(**environment)
        staging = make_staging_name()
        (project.out / staging).mkdir()
        begin_journal(project.out, staging, [])
    run = project.run("check", **environment)
    assert run.returncode == 4
    assert "MG407" in run.stderr


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"{}", b'{"seen": [["kind"]], "output": []}', b'{"seen": [], "output": [1]}', b"\xff"]
)
def test_a_forged_entry_does_not_count(built: Path, tmp_path: Path, body: bytes) -> None:
    """Check entries with a right seal, which are not what a run stores."""
    project = copy_project(built, tmp_path, "check")
    for path in project.list_entries():
        Store(project.cache).put_bytes("run", path.name, body)
    run = project.run()
    assert (run.returncode, run.stderr) == (0, project.run("check", "--no-cache").stderr)


# --- caches that are shared, cannot be used, or are not there --------------------------------------------------------
HEAVY = ("black", "datamodel_code_generator", "ruamel.yaml")
SPY = (
    "import sys\n"
    "from mcpgen.cli import app\n"
    "try:\n    app(sys.argv[1:])\nexcept SystemExit as end:\n"
    "    print(end.code, *[name for name in {heavy} if name in sys.modules])\n"
)


def test_a_run_with_nothing_to_generate_imports_no_generator(built: Path, tmp_path: Path) -> None:
    def spy(command: str) -> str:
        arguments = [sys.executable, "-c", SPY.format(heavy=HEAVY), command, "--cache-dir", str(tmp_path / "other")]
        run = subprocess.run([*arguments, "-q"], cwd=tmp_path / "project", capture_output=True, text=True)
        return run.stdout.strip()

    shutil.copytree(built / "project", tmp_path / "project")
    assert "datamodel_code_generator" in spy("build")
    for command in ("build", "check"):
        assert spy(command) == "0"
    (tmp_path / "project" / "generated" / "tools" / "get_berth.py").unlink()
    assert spy("check") == "4", "a file that is missing is in the cache"
    assert spy("build") == "0"


def test_processes_share_a_cache_that_is_being_filled(built: Path, tmp_path: Path) -> None:
    """Two of them have an output folder in common, too."""
    folders = [tmp_path / "copy0", tmp_path / "copy1"]
    for folder in folders:
        shutil.copytree(built / "project" / "schemas", folder / "schemas")
    command = [sys.executable, "-m", "mcpgen", "build", "--cache-dir", "../cache", "--jobs", "1"]
    with ExitStack() as started:
        places = (*folders, folders[0])
        runs = [started.enter_context(child(command, cwd=folder, stderr=subprocess.PIPE)) for folder in places]
        for run in runs:
            _, output = run.communicate(timeout=120)
            assert run.returncode == 0, output
    shutil.copytree(folders[0] / "schemas", tmp_path / "cold" / "schemas")
    assert mcpgen("build", "--no-cache", cwd=tmp_path / "cold").returncode == 0
    generated = [files(folder / "generated") for folder in (*folders, tmp_path / "cold")]
    assert generated[0] == generated[1] == generated[2]
    assert not list((tmp_path / "cache").rglob("*.tmp"))


@pytest.mark.parametrize("kind", ["off", "empty", "file", "read only", "no home"])
def test_no_cache_is_needed(built: Path, tmp_path: Path, kind: str) -> None:
    shutil.copytree(built / "project", tmp_path / "project")
    cache = tmp_path / "cache"
    environment, options = {"MCPGEN_CACHE_DIR": str(cache)}, list[str]()
    match kind:
        case "off":
            options = ["--no-cache"]
        case "empty":
            environment["MCPGEN_CACHE_DIR"] = ""
        case "file":
            cache.write_text("in the way", "utf-8")
        case "read only":
            cache.mkdir(mode=0o500)
        case _:
            environment = {"HOME": "/nonexistent", "XDG_CACHE_HOME": ""}
    inherited = {key: value for key, value in os.environ.items() if key != "MCPGEN_CACHE_DIR"}
    for _ in range(1 if kind in ("off", "empty") else 2):
        run = run_command(["build", *options], tmp_path / "project", inherited | environment)
        assert run.returncode == 0, run.stderr
        assert b"Traceback" not in run.stderr
    assert kind not in ("off", "empty") or not cache.exists()


def test_a_run_that_does_without_its_cache_says_so_once(built: Path, tmp_path: Path) -> None:
    """As somebody's checkout would have it: git makes folders that others may read."""
    shutil.copytree(built / "project", tmp_path / "project")
    folder = tmp_path / "project" / ".cache"
    folder.mkdir()
    folder.chmod(0o755)
    run = mcpgen("build", "--cache-dir", ".cache", "--jobs", "1", cwd=tmp_path / "project")
    assert run.returncode == 0
    assert run.stderr.count("warning[MG408]: the cache ") == 1
    assert not files(folder)


@pytest.mark.skipif(sys.platform != "linux", reason="the folder has another name")
def test_the_users_folder_is_used(built: Path, tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "MCPGEN_CACHE_DIR"}
    run_command(["check", "-q"], built / "project", {**environment, "XDG_CACHE_HOME": str(tmp_path / "xdg")})
    assert (tmp_path / "xdg" / "mcpgen" / "CACHEDIR.TAG").is_file()
    entries = [*(tmp_path / "xdg" / "mcpgen").glob("v1-*/*/*")]
    assert {path.parent.parent.name for path in entries} > {"v1-run", "v1-text"}
    assert Store(tmp_path / "xdg" / "mcpgen").measure()[0] == len(entries), "each kind of entry is deleted some day"
