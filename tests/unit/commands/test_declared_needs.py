"""What a project has to list for its generated package: who says so, and who adds it."""

from __future__ import annotations

import json
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcpgen.config.toml import add_requirement
from support.packages import mcpgen
from support.repository import ROOT

pytestmark = pytest.mark.ci
LIBRARY = tomllib.loads((ROOT / "runtime" / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a definition."""
    (tmp_path / ".git").mkdir()
    _write(tmp_path, "schemas/get_depth.json", '{"type": "object"}\n')
    _write(tmp_path, "mcpgen.toml", 'out = "src/harbour/mcp_gen"\nsdk = "none"\n')
    return tmp_path


def _write(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, "utf-8")


def _list_notes(folder: Path, *command: str) -> list[dict[str, Any]]:
    run = mcpgen(*command, "--format", "json", cwd=folder)
    assert run.returncode == 0, run.stderr
    notes: list[dict[str, Any]] = json.loads(run.stdout)["diagnostics"]
    assert {(note["code"], note["severity"]) for note in notes} <= {("MG309", "note")}
    return notes


PROJECT = '[project]\nname = "harbour"\nversion = "1"\n'
LISTS = PROJECT + "dependencies = [{}]\n"
LACKING: dict[str, tuple[dict[str, str], str]] = {
    "no dependencies": ({"pyproject.toml": PROJECT}, "pyproject.toml:1"),
    "others": ({"pyproject.toml": LISTS.format('"mcp>=2", "mcpgen-runtimes"')}, "pyproject.toml:4"),
    "a comment": ({"requirements.txt": "mcp\n# mcpgen-runtime\n"}, "requirements.txt:1"),
    "the generator for development": (
        {"pyproject.toml": LISTS.format("") + '[dependency-groups]\ndev = ["mcpgen"]\n'},
        "pyproject.toml:4",
    ),
    "the library for development": (
        {"pyproject.toml": LISTS.format(""), "requirements-dev.txt": "mcpgen-runtime\n"},
        "pyproject.toml:4",
    ),
    "poetry": ({"pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.11"\n'}, "pyproject.toml:1"),
    "setup.cfg": ({"setup.cfg": "[options]\npackages = x\ninstall_requires =\n    mcp\n"}, "setup.cfg:3"),
    "Pipfile": ({"Pipfile": '[packages]\nmcp = "*"\n[dev-packages]\nmcpgen = "*"\n'}, "Pipfile:1"),
    "only a project around it": (
        {"src/pyproject.toml": LISTS.format(""), "pyproject.toml": LISTS.format('"mcpgen-runtime"')},
        "src/pyproject.toml:4",
    ),
}
SUFFICIENT: dict[str, dict[str, str]] = {
    "no project": {"pyproject.toml": "[tool.ruff]\n"},
    "requirements for development alone": {"requirements-dev.txt": "pytest\n"},
    "another spelling": {"pyproject.toml": LISTS.format('"MCPGEN_runtime [mcp] >= 0.1"')},
    "an extra": {"pyproject.toml": PROJECT + '[project.optional-dependencies]\nserver = ["mcpgen-runtime"]\n'},
    "a group": {"pyproject.toml": LISTS.format("") + '[dependency-groups]\nserver = ["mcpgen-runtime"]\n'},
    "a file of requirements": {"pyproject.toml": PROJECT, "requirements.txt": "mcpgen-runtime==0.1.0 \\\n"},
    "the generator at run time": {"pyproject.toml": LISTS.format('"mcpgen"')},
    "poetry": {"pyproject.toml": '[tool.poetry.dependencies]\nmcpgen-runtime = {version = "*", extras = ["mcp"]}\n'},
    "setup.cfg": {"setup.cfg": "[options]\ninstall_requires =\n    mcpgen-runtime\n"},
    "the library itself": {"pyproject.toml": '[project]\nname = "mcpgen-runtime"\n'},
    "mcpgen itself": {"pyproject.toml": '[project]\nname = "mcpgen"\ndependencies = []\n'},
    "a list that is made by code": {"setup.py": "setup()\n", "requirements.txt": "mcp\n"},
    "a list that a plugin makes": {"pyproject.toml": PROJECT + 'dynamic = ["dependencies"]\n'},
}


@pytest.mark.parametrize("name", LACKING)
def test_a_project_that_does_not_list_the_library(name: str, project: Path) -> None:
    files, place = LACKING[name]
    for path, text in files.items():
        _write(project, path, text)
    notes = _list_notes(project, "build")
    assert [f"{note['file']}:{note['line']}" for note in notes] == [place]
    assert "mcpgen-runtime" in notes[0]["message"]
    assert "mcpgen-runtime>=0.1" in notes[0]["help"] or "pipenv install mcpgen-runtime" in notes[0]["help"]
    assert ("generator" in notes[0]["help"]) == any('mcpgen"' in text or "mcpgen =" in text for text in files.values())
    assert _list_notes(project, "check") == notes


@pytest.mark.parametrize("name", SUFFICIENT)
def test_a_project_about_which_there_is_nothing_to_say(name: str, project: Path) -> None:
    for path, text in SUFFICIENT[name].items():
        _write(project, path, text)
    assert _list_notes(project, "build") == []


def test_a_vendored_package_needs_what_the_library_needs(project: Path) -> None:
    _write(project, "mcpgen.toml", 'runtime = "vendored"\nsdk = "none"\n')
    _write(project, "pyproject.toml", LISTS.format('"Pydantic>2"'))
    (note,) = _list_notes(project, "build")
    needed = sorted(LIBRARY["dependencies"])
    missing = [requirement for requirement in needed if not requirement.startswith("pydantic>")]
    assert len(missing) == len(needed) - 1
    assert f"add {' and '.join(map(json.dumps, missing))} to dependencies" in note["help"]
    assert "mcpgen-runtime" not in note["message"] + note["help"]
    _write(project, "pyproject.toml", LISTS.format(json.dumps(needed)[1:-1]))
    assert _list_notes(project, "check") == []


def test_a_repeated_run_says_what_one_without_a_cache_says(project: Path) -> None:
    _write(project, "pyproject.toml", LISTS.format(""))
    cached = ("build", "--cache-dir", str(project / ".cache"), "--jobs", "1")
    changes = {
        "pyproject.toml": LISTS.format('"mcp"'),
        "requirements-server.txt": "mcpgen-runtime\n",
        "src/pyproject.toml": LISTS.format(""),
        "src/harbour/setup.py": "setup()\n",
    }
    said: list[bool] = []
    for path, text in {"": "", **changes}.items():
        if path:
            _write(project, path, text)
        run = mcpgen(*cached, cwd=project)
        for _ in range(2):
            time.sleep(0.15)
            run = mcpgen(*cached, cwd=project)
        said.append("MG309" in run.stderr)
        assert run.stderr.endswith(mcpgen("build", "--no-cache", cwd=project).stderr)
    assert said == [True, True, False, True, False]


def test_doctor_has_a_line_about_it(project: Path) -> None:
    _write(project, "pyproject.toml", LISTS.format('"mcp"'))
    text = mcpgen("doctor", cwd=project).stdout
    assert "  dependencies: pyproject.toml:4 does not list mcpgen-runtime\n" in text
    assert 'src/harbour/mcp_gen needs "mcpgen-runtime>=0.1" at run time' in text
    _write(project, "pyproject.toml", LISTS.format('"mcpgen-runtime[mcp]"'))
    text = mcpgen("doctor", cwd=project).stdout
    assert "  dependencies: pyproject.toml:4 lists mcpgen-runtime\n" in text
    assert "at run time" not in text


def test_init_adds_it_or_says_what_to_add(tmp_path: Path) -> None:
    _write(tmp_path, "requirements.txt", "httpx\n")
    assert 'add "mcpgen-runtime>=0.1" to requirements.txt\n' in mcpgen("init", "--yes", cwd=tmp_path).stderr
    (tmp_path / "mcpgen.toml").unlink()
    (tmp_path / "requirements.txt").unlink()
    _write(tmp_path, "pyproject.toml", PROJECT)
    run = mcpgen("init", "--yes", "--schemas", "others", cwd=tmp_path)
    assert 'added "mcpgen-runtime>=0.1" to dependencies in pyproject.toml\n' in run.stderr
    assert (tmp_path / "pyproject.toml").read_text("utf-8").startswith(LISTS.format('"mcpgen-runtime>=0.1"'))
    assert "MG309" not in mcpgen("build", cwd=tmp_path).stderr


# --- TOML -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("dependencies = []", 'dependencies = ["x>=1"]'),
        ("dependencies = [\"a[b]\", 'c',]  # d", 'dependencies = ["a[b]", \'c\', "x>=1",]  # d'),
        ('dependencies = [\n\t"a",\n\t"b"  # ]\n]', 'dependencies = [\n\t"a",\n\t"b",  # ]\n\t"x>=1"\n]'),
        ('dependencies = [\r\n  "a", # b,\r\n]\r\n', 'dependencies = [\r\n  "a", # b,\r\n  "x>=1",\r\n]\r\n'),
        ("", 'dependencies = ["x>=1"]\n'),
    ],
)
def test_a_requirement_is_added_in_the_style_of_the_list(before: str, after: str) -> None:
    text = '# mine\n[project]\nname = "a"\n' if "\r" not in before else '# mine\r\n[project]\r\nname = "a"\r\n'
    changed = add_requirement(text + before, ("project",), "x>=1")
    assert changed is not None
    assert changed == text + after
    assert tomllib.loads(changed)["project"]["dependencies"][-1] == "x>=1"


@pytest.mark.parametrize("text", ['project = {name = "a"}', '[project]\ndependencies = "a"', "project.name = 'a'", "["])
def test_what_cannot_be_changed_safely_is_left_alone(text: str) -> None:
    assert add_requirement(text, ("project",), "x>=1") is None
