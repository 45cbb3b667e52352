"""Which SDK `init` and `pull` choose for a project, and what they say about it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from mcpgen.commands.sdk_choice import choose_sdk, is_sdk_importable
from mcpgen.targets import SDK_NAMES

SDK_MODULES = ("mcp", "mcp_types", "fastmcp", "dedalus_mcp")


def _write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")


def _install(environment: Path, **versions: str) -> None:
    """Make an environment with the metadata of some distributions, and with modules that must not be imported."""
    _write(environment, "pyvenv.cfg", "")
    site = environment / "lib" / "python3.12" / "site-packages"
    for name, version in versions.items():
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        _write(site, f"{name}-{version}.dist-info/METADATA", metadata)
        _write(site, f"{name}/__init__.py", "raise SystemExit('imported')\n")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in a repository, whose environment is empty."""
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    (tmp_path / ".git").mkdir()
    _install(tmp_path / ".venv")
    return tmp_path


@pytest.mark.parametrize(
    ("dependencies", "sdk"),
    [
        (("mcp>=2",), "mcp"),
        (("mcp",), "mcp"),
        (("mcp[cli]<2",), "mcp1"),
        (("mcp==1.30.*",), "mcp1"),
        (("mcp>=1.24,!=1.25,<2; python_version > '3'",), "mcp1"),
        (("mcp ~= 1.24",), "mcp1"),
        (("mcp ~= 2.2",), "mcp"),
        (("mcp==2.0.1",), "mcp"),
        (("mcp @ git+https://example.org/mcp",), "mcp"),
        (("fastmcp", "mcp"), "fastmcp"),
        (("mcp", "fastmcp"), "fastmcp"),
        (("mcp", "dedalus-mcp>=0.7"), "dedalus"),
        (("fastmcp>=4",), "fastmcp"),
        (("fastmcp>=2.13,<3",), "fastmcp3"),
        (("fastmcp ~= 3.2",), "fastmcp3"),
        (("fastmcp-slim>=3,<4", "mcp<2"), "fastmcp3"),
        (("fastmcp==2.14.5",), "fastmcp3"),
        (("fastmcp<5",), "fastmcp"),
        (("Dedalus_MCP",), "dedalus"),
        (("requests; python_version < '3.12'",), "none"),
        (("not a requirement", "mcp>=2"), "mcp"),
    ],
)
def test_the_sdk_is_that_of_the_dependencies(dependencies: tuple[str, ...], sdk: str, project: Path) -> None:
    _write(project, "pyproject.toml", f"[project]\nname = 'a'\ndependencies = {json.dumps(dependencies)}\n")
    assert choose_sdk(project).sdk == sdk


@pytest.mark.parametrize(
    ("files", "sdk", "reason"),
    [
        (
            {"pyproject.toml": '[project.optional-dependencies]\nserver = ["mcp>=2"]\n'},
            "mcp",
            'pyproject.toml requires "mcp>=2"',
        ),
        (
            {"pyproject.toml": '[dependency-groups]\ndev = [{include-group = "x"}, "fastmcp>=4"]\n'},
            "fastmcp",
            'pyproject.toml requires "fastmcp>=4"',
        ),
        (
            {"pyproject.toml": '[project]\ndependencies = ["mcp>=2"]\n[dependency-groups]\ndev = ["fastmcp<4"]\n'},
            "mcp",
            'pyproject.toml requires "mcp>=2"',
        ),
        (
            {"pyproject.toml": '[tool.poetry.dependencies]\npython = "^3.11"\nmcp = "^1.24"\n'},
            "mcp1",
            'pyproject.toml requires "mcp ^1.24"',
        ),
        (
            {"pyproject.toml": '[tool.poetry.group.x.dependencies]\nfastmcp = {version = "~3.1"}\n'},
            "fastmcp3",
            'pyproject.toml requires "fastmcp ~3.1"',
        ),
        ({"pyproject.toml": '[tool.uv]\ndev-dependencies = ["mcp<2"]\n'}, "mcp1", 'pyproject.toml requires "mcp<2"'),
        (
            {"requirements.txt": "# server\n-r other.txt\nhttpx\nmcp==2.3.0 \\\n    --hash=sha256:00\n"},
            "mcp",
            'requirements.txt requires "mcp==2.3.0"',
        ),
        (
            {"requirements/test.in": "fastmcp>=3,<4  # tests\n"},
            "fastmcp3",
            'requirements/test.in requires "fastmcp>=3,<4"',
        ),
        (
            {"requirements-dev.txt": "fastmcp>=4\n", "requirements.txt": "mcp<2\n"},
            "mcp1",
            'requirements.txt requires "mcp<2"',
        ),
        ({"setup.cfg": "[options]\ninstall_requires =\n    mcp<2\n"}, "mcp1", 'setup.cfg requires "mcp<2"'),
        ({"Pipfile": '[packages]\nmcp = ">=2"\n'}, "mcp", 'Pipfile requires "mcp >=2"'),
        (
            {"uv.lock": '[[package]]\nname = "mcp"\nversion = "1.30.0"\n[[package]]\nname = "httpx"\n'},
            "mcp1",
            "uv.lock has mcp 1.30.0",
        ),
        (
            {"poetry.lock": '[[package]]\nname = "fastmcp"\nversion = "4.1.0"\nname = "mcp"\nversion = "2"\n'},
            "fastmcp",
            "poetry.lock has fastmcp 4.1.0",
        ),
        ({"Pipfile.lock": '{"default": {"mcp": {"version": "==1.26.0"}}}'}, "mcp1", "Pipfile.lock has mcp 1.26.0"),
        (
            {"pyproject.toml": "[project]\ndependencies = ['mcp']\n", "uv.lock": 'name = "mcp"\nversion = "1.27.1"\n'},
            "mcp1",
            'pyproject.toml requires "mcp", and uv.lock has mcp 1.27.1',
        ),
        (
            {
                "pyproject.toml": "[project]\ndependencies = ['mcp>=2']\n",
                "uv.lock": 'name = "mcp"\nversion = "1.27.1"\n',
            },
            "mcp",
            'pyproject.toml requires "mcp>=2"',
        ),
        ({"pyproject.toml": "[broken", "Pipfile": "[", "setup.cfg": "x", "Pipfile.lock": "{"}, "none", ""),
        (
            {"pyproject.toml": "project = 3\ntool = 4\ndependency-groups = 5\n", "requirements.txt": "\0\n==\n"},
            "none",
            "",
        ),
    ],
)
def test_every_kind_of_file_is_read(files: dict[str, str], sdk: str, reason: str, project: Path) -> None:
    for name, text in files.items():
        _write(project, name, text)
    choice = choose_sdk(project)
    assert choice.sdk == sdk
    assert choice.reason == reason or sdk == "none"


@pytest.mark.parametrize(
    ("versions", "sdk", "reason"),
    [
        ({"mcp": "2.3.0"}, "mcp", ".venv has mcp 2.3.0"),
        ({"mcp": "1.30.0"}, "mcp1", ".venv has mcp 1.30.0"),
        ({"mcp": "2.3.0", "fastmcp": "4.0.1"}, "fastmcp", ".venv has fastmcp 4.0.1"),
        ({"mcp": "1.30.0", "fastmcp_slim": "3.2.0"}, "fastmcp3", ".venv has fastmcp-slim 3.2.0"),
        ({"httpx": "1"}, "none", "no SDK is among the dependencies, and none is installed in .venv"),
    ],
)
def test_what_is_installed_counts_where_nothing_is_declared(
    versions: dict[str, str], sdk: str, reason: str, project: Path
) -> None:
    _install(project / ".venv", **versions)
    choice = choose_sdk(project)
    assert (choice.sdk, choice.reason) == (sdk, reason)
    assert choice.describe()[0] == f'chose sdk = "{sdk}": {reason}'


def test_the_installed_version_decides_what_the_requirement_leaves_open(project: Path) -> None:
    _write(project, "requirements.txt", "mcp>=1.20\n")
    assert choose_sdk(project).sdk == "mcp"
    _install(project / ".venv", mcp="1.30.0")
    assert choose_sdk(project).reason == 'requirements.txt requires "mcp>=1.20", and .venv has mcp 1.30.0'
    assert choose_sdk(project).sdk == "mcp1"


def test_the_active_environment_counts_if_the_project_has_none(
    project: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    active = tmp_path_factory.mktemp("active")
    _install(active, mcp="1.26.0")
    monkeypatch.setenv("VIRTUAL_ENV", str(active))
    assert choose_sdk(project).sdk == "none", "the project has an environment of its own"
    (project / ".venv" / "pyvenv.cfg").unlink()
    assert choose_sdk(project).reason == "the active environment has mcp 1.26.0"
    monkeypatch.delenv("VIRTUAL_ENV")
    monkeypatch.setenv("CONDA_PREFIX", str(active))
    assert choose_sdk(project).sdk == "mcp1"


def test_the_environment_and_the_files_around_a_folder_of_a_repository_count(project: Path) -> None:
    inner = project / "packages" / "server"
    inner.mkdir(parents=True)
    _install(project / ".venv", mcp="1.30.0")
    assert choose_sdk(inner).sdk == "mcp1"
    _write(project, "pyproject.toml", "[project]\ndependencies = ['fastmcp>=4']\n")
    assert choose_sdk(inner).sdk == "fastmcp"
    _write(inner, "pyproject.toml", "[project]\ndependencies = ['mcp']\n")
    assert choose_sdk(inner).sdk == "mcp1"


def test_nothing_outside_of_the_repository_counts(project: Path) -> None:
    inner = project / "inner"
    (inner / ".git").mkdir(parents=True)
    _install(inner / ".venv")
    _write(project, "requirements.txt", "mcp\n")
    assert choose_sdk(inner).sdk == "none"


@pytest.mark.parametrize(
    ("text", "sdk", "remark"),
    [
        ("fastmcp>=4\nmcp>=2\n", "fastmcp", "mcp is there, too, which fastmcp builds on: --sdk mcp chooses it"),
        ("fastmcp>=4\ndedalus-mcp\n", "fastmcp", "dedalus-mcp is there, too: --sdk dedalus chooses it"),
        ("mcp==1.9.4\n", "mcp1", "generated code for mcp1 needs mcp 1.22 or newer, below 2"),
        ("mcp>=3\n", "mcp", "generated code for mcp needs mcp 2.1 or newer, below 3"),
        ("fastmcp==2.3\n", "fastmcp3", "generated code for fastmcp3 needs fastmcp 2.13 or newer, below 4"),
    ],
)
def test_what_is_ambiguous_or_not_supported_is_said(text: str, sdk: str, remark: str, project: Path) -> None:
    _write(project, "requirements.txt", text)
    choice = choose_sdk(project)
    assert (choice.sdk, choice.remarks) == (sdk, (remark,))


def test_an_installed_version_that_is_too_old_is_said(project: Path) -> None:
    _install(project / ".venv", mcp="1.9.0")
    assert choose_sdk(project).remarks == ("generated code for mcp1 needs mcp 1.22 or newer, below 2",)


def test_no_sdk_is_imported(project: Path) -> None:
    before = {name for name in SDK_MODULES if name in sys.modules}
    _install(project / ".venv", mcp="2.3.0", fastmcp="4.0.0", dedalus_mcp="0.7")
    choose_sdk(project)
    assert {name for name in SDK_MODULES if name in sys.modules} == before


@pytest.mark.parametrize(
    ("versions", "importable"),
    [
        ({"mcp": "2.3.0"}, {"none", "mcp"}),
        ({"mcp": "1.30.0", "fastmcp_slim": "3.2.0"}, {"none", "mcp1", "fastmcp3"}),
        ({"mcp": "1.9.0"}, {"none"}),
        ({}, {"none"}),
    ],
)
def test_which_packages_can_be_imported_here(
    versions: dict[str, str], importable: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _install(tmp_path, **versions)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "lib" / "python3.12" / "site-packages")])
    assert {name for name in SDK_NAMES if is_sdk_importable(name)} == importable
