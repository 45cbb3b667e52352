"""What a project meets on Windows and macOS, tried here: other line endings, no fork, names of devices, encodings."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mcpgen.commands.init import Project, ProjectChoices, plan_starter_files
from support.command_server import run_command
from support.packages import files, mcpgen, tool

pytestmark = pytest.mark.ci
DEVICES = ("con", "NUL", "aux", "com1", "LPT9", "prn")
OUTPUT = {"type": "object", "properties": {"text": {"type": "string", "description": "One.\nTwo."}}}
TEMPLATE = "{{ text | default('none') }}\n\n- one\n- two\n"


def make_project(folder: Path) -> Path:
    (folder / "schemas").mkdir(parents=True)
    (folder / "mcpgen.toml").write_text('sdk = "mcp"\ntesting = true\nstubs = true\n', "utf-8")
    definition = tool("get_note", OUTPUT, description="One.\nTwo.")
    (folder / "schemas/get_note.json").write_text(json.dumps(definition, indent=2) + "\n", "utf-8")
    (folder / "schemas/get_note.content.j2").write_text(TEMPLATE, "utf-8")
    yaml = "name: other\ninputSchema: {type: object}\ndescription: |\n  One.\n  Two.\n"
    (folder / "schemas/other.yaml").write_text(yaml, "utf-8")
    assert mcpgen("build", "--jobs", "1", cwd=folder).returncode == 0
    return folder


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in a repository."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    project = make_project(tmp_path_factory.mktemp("platforms") / "project")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "all")):
        git(project, *arguments)
    return project


@pytest.fixture
def checkout(committed: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A project, and its checkout by a git that writes CRLF, as git for Windows does."""
    git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(committed), "checkout")
    return committed, tmp_path / "checkout"


def test_a_checkout_with_other_line_endings_is_current(checkout: tuple[Path, Path]) -> None:
    project, copy = checkout
    assert b"\r\n" in (copy / "schemas/get_note.content.j2").read_bytes()
    assert b"\r\n" in (copy / "generated/tools/get_note.py").read_bytes()
    checked = mcpgen("check", "--jobs", "1", cwd=copy)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    built = mcpgen("build", "--jobs", "1", cwd=copy)
    assert "nothing changed" in built.stderr
    assert b"\r\n" in (copy / "generated/tools/get_note.py").read_bytes(), "what is current is left alone"
    shutil.rmtree(copy / "generated")
    assert mcpgen("build", "--jobs", "1", cwd=copy).returncode == 0
    assert files(copy / "generated") == files(project / "generated")


def test_a_package_with_other_line_endings_works(checkout: tuple[Path, Path]) -> None:
    _, copy = checkout
    code = (
        "import generated, json; result = generated.GetNoteResult(text='x');"
        "print(json.dumps([result.to_content()[0].text, generated.TOOLS['get_note']['description']]))"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=copy, capture_output=True, text=True)
    assert json.loads(run.stdout) == ["x\n\n- one\n- two", "One.\nTwo."], run.stderr


def test_drift_is_found_in_such_a_checkout_and_an_edit_too(checkout: tuple[Path, Path]) -> None:
    _, copy = checkout
    definition = copy / "schemas/get_note.json"
    definition.write_bytes(definition.read_bytes().replace(b"Two", b"Three"))
    assert mcpgen("check", "--jobs", "1", cwd=copy).returncode == 4
    module = copy / "generated/tools/get_note.py"
    module.write_bytes(module.read_bytes() + b"x = 1\r\n")
    assert mcpgen("build", "--jobs", "1", cwd=copy).returncode == 3


def test_pulled_files_and_pages_with_other_line_endings_are_current(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    assert mcpgen("docs", "--out", "pages", cwd=project).returncode == 0
    for page in (project / "pages").rglob("*.*"):
        page.write_bytes(page.read_bytes().replace(b"\n", b"\r\n"))
    before = files(project / "pages")
    assert mcpgen("docs", "--out", "pages", cwd=project).returncode == 0
    assert files(project / "pages") == before


@pytest.mark.ci
def test_processes_that_are_started_anew_give_the_same_bytes(tmp_path: Path) -> None:
    """Windows and macOS have no processes that are copies: each imports what it needs."""
    (tmp_path / "schemas").mkdir()
    tools = [tool(f"tool_{number}", {**OUTPUT, "title": f"Note {number}"}) for number in range(40)]
    (tmp_path / "schemas/tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    program = tmp_path / "run.py"
    program.write_text(
        "import multiprocessing, sys\n"
        "import mcpgen.workers\n"
        "if __name__ == '__main__':\n"
        "    multiprocessing.set_start_method('spawn')\n"
        "    mcpgen.workers.CAN_COPY_PROCESSES = False\n"
        "    sys.argv = ['mcpgen', 'build', '--out', 'spawned', '--jobs', '2']\n"
        "    from mcpgen.cli import run\n"
        "    run()\n",
        "utf-8",
    )
    run = subprocess.run([sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert mcpgen("build", "--out", "alone", "--jobs", "1", cwd=tmp_path).returncode == 0
    assert files(tmp_path / "spawned") == files(tmp_path / "alone")


def test_no_file_has_the_name_of_a_device_of_windows(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    tools = [tool(name, OUTPUT) for name in DEVICES]
    tools.append({**tool("chosen", OUTPUT), "x-mcpgen": {"name": "_nul"}})
    resources = [{"name": "com2", "uri": "a://b"}, {"name": "Aux", "uri": "a://c"}]
    prompts = [{"name": "LPT1"}]
    document = {"tools": tools, "resources": resources, "prompts": prompts}
    (tmp_path / "schemas/all.json").write_text(json.dumps(document), "utf-8")
    (tmp_path / "mcpgen.toml").write_text('sdk = "mcp"\ntesting = true\nstubs = true\n', "utf-8")
    built = mcpgen("build", "--jobs", "1", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    reserved = {"con", "prn", "aux", "nul", *(f"{kind}{number}" for kind in ("com", "lpt") for number in range(10))}
    parts = {part for name in files(tmp_path / "generated") for part in name.split("/")}
    assert not {part for part in parts if part.partition(".")[0].lower() in reserved}
    assert len({name.lower() for name in files(tmp_path / "generated")}) == len(files(tmp_path / "generated"))


def test_modules_that_differ_in_case_alone_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    for name, python in (("a", "GetNote"), ("b", "getnote")):
        definition = {**tool(name, OUTPUT), "x-mcpgen": {"name": python}}
        (tmp_path / f"schemas/{name}.json").write_text(json.dumps(definition), "utf-8")
    built = mcpgen("build", "--jobs", "1", cwd=tmp_path)
    assert built.returncode == 2
    message = (
        'error[MG201]: tool "b" and tool "a" (schemas/a.json:1) are one file on Windows and macOS, '
        "tools/getnote.py: file systems there ignore the case\n"
    )
    assert message in built.stderr
    assert not (tmp_path / "generated").exists()


@pytest.mark.parametrize("name", ["mcpgen.toml", "pyproject.toml"])
def test_settings_may_begin_with_a_byte_order_mark(name: str, tmp_path: Path) -> None:
    """As some editors on Windows write it."""
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/a.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(tool("a", OUTPUT)).encode())
    table = "[tool.mcpgen]\r\n" if name == "pyproject.toml" else ""
    (tmp_path / name).write_bytes(f"\ufeff{table}out = 'made'\r\n".encode())
    built = mcpgen("build", "--jobs", "1", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "made/tools/a.py").is_file()


COMMANDS = (
    ["build"],
    ["check"],
    ["show", "get_note"],
    ["lint"],
    ["explain"],
    ["explain", "MG101"],
    ["build", "--format", "json"],
    ["build", "--format", "github"],
)


@pytest.mark.parametrize(
    ("encoding", "color"),
    [
        ("ascii", "always"),
        *(
            pytest.param(encoding, color, marks=pytest.mark.slow)
            for encoding in ("cp1252", "cp437", "ascii")
            for color in ("never", "always")
            if (encoding, color) != ("ascii", "always")
        ),
    ],
)
def test_no_command_fails_over_the_encoding_of_a_console(encoding: str, color: str, tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    described = tool("get_note", OUTPUT, description="Schnee → 雪, 4 °C 🐱")
    (tmp_path / "schemas/a.json").write_text(json.dumps(described, ensure_ascii=False), "utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    for command in COMMANDS:
        words = command if "--format" in command else [*command, "--color", color]
        run = run_command(words, tmp_path, environment)
        assert run.returncode in (0, 4), (command, run.stderr)
        assert b"Traceback" not in run.stderr, (command, run.stderr)


def test_init_on_windows_writes_paths_that_other_systems_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = ProjectChoices("none", r"src\weather\mcp_gen", r"defs\tools")
    monkeypatch.setattr("mcpgen.commands.init.sys.platform", "win32")
    starter = plan_starter_files(Project(tmp_path), choices)
    assert 'schemas = ["defs/tools"]\nout = "src/weather/mcp_gen"\n' in starter.files["mcpgen.toml"]


def test_a_pulled_file_has_no_name_of_a_device(tmp_path: Path) -> None:
    pulled = mcpgen("pull", "--name", "Con.old", "--", sys.executable, "-c", "pass", cwd=tmp_path)
    assert pulled.returncode == 2
    assert "error[MG701]: Windows has a device called Con, so no file may be\n  help: choose another name: --name" in (
        pulled.stderr
    )


FIND_FILES_IN_ANY_CASE = """
import sys
from mcpgen.files import looks, project_paths
project_paths.IGNORES_CASE = True
listed = looks.list_folder
looks.list_folder = lambda folder: [entry for entry in listed(folder) if entry.name != "Common.json"]
sys.argv = ["mcpgen", "build", "--jobs", "1"]
from mcpgen.cli import run
run()
"""
"""A system where `common.json` can be opened as `Common.json`, which a link does here, but is not listed so."""


@pytest.mark.parametrize("written", ["common.json", "Common.json"])
def test_a_reference_in_another_case_is_an_error_everywhere(written: str, tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas/common.json").write_text('{"$defs": {"City": {"type": "string"}}}', "utf-8")
    output = {"type": "object", "properties": {"city": {"$ref": f"{written}#/$defs/City"}}}
    (tmp_path / "schemas/a.json").write_text(json.dumps(tool("a", output)), "utf-8")
    on_linux = mcpgen("build", "--out", "linux", "--jobs", "1", cwd=tmp_path)
    (tmp_path / "schemas/Common.json").symlink_to("common.json")
    command = [sys.executable, "-c", FIND_FILES_IN_ANY_CASE]
    elsewhere = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (on_linux.returncode, elsewhere.returncode) == ((0, 0) if written == "common.json" else (2, 2))
    if elsewhere.returncode:
        assert on_linux.stderr == elsewhere.stderr
        assert "error[MG103]: Common.json#/$defs/City: there is no such file" in elsewhere.stderr
        assert "help: did you mean common.json? Linux distinguishes upper and lower case" in elsewhere.stderr
