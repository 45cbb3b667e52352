"""Environments, packages and processes of a project."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcpgen import cli
from mcpgen.cli import INTERRUPTED
from mcpgen.commands.doctor import InstalledSdk, list_libraries, list_sdks
from mcpgen.commands.generated_package import report_missing_package
from mcpgen.commands.package_selection import select_packages
from mcpgen.commands.project_requirements import find_locked_versions, list_requirements
from mcpgen.commands.sdk_choice import is_sdk_importable
from mcpgen.diagnostics import Findings
from mcpgen.prove.package_loader import PackageNotImportable
from packaging.version import Version
from support.definitions import configure_package
from support.packages import tool


# --- installed SDKs are matched with the settings that support them ---------------------------------------------------
@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder in which distributions are found, besides mcpgen's own metadata."""
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path


def install(site: Path, name: str, version: str) -> dict[str, InstalledSdk]:
    """Install the metadata of a distribution, and return the SDKs by name."""
    folder = site / f"{name.replace('-', '_')}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    return {sdk.distribution: sdk for sdk in list_sdks()}


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("mcp", "1.9.0", ""),
        ("mcp", "1.22", "mcp1"),
        ("mcp", "1.30.0", "mcp1"),
        ("mcp", "2.0.0", ""),
        ("mcp", "2.1.0", "mcp"),
        ("mcp", "2.3.0+local.1", "mcp"),
        ("mcp", "3.0", ""),
        ("mcp", "2.1.post1", "mcp"),
        ("mcp", "2.1rc1", "mcp"),
        ("mcp", "2.9.9.post1", "mcp"),
        ("mcp", "2.0.post1", ""),
        ("mcp", "3.0rc1", ""),
        ("mcp", "3.0.dev1", ""),
        ("mcp", "unknown", ""),
        ("fastmcp", "2.12.5", ""),
        ("fastmcp", "2.13", "fastmcp3"),
        ("fastmcp", "3.9.1", "fastmcp3"),
        ("fastmcp", "4.0.0", "fastmcp"),
        ("fastmcp-slim", "4.1", "fastmcp"),
        ("dedalus-mcp", "0.7.1", "dedalus"),
        ("dedalus-mcp", "1.0", ""),
    ],
)
def test_a_version_belongs_to_the_setting_that_supports_it(name: str, version: str, expected: str, site: Path) -> None:
    sdks = install(site, name, version)
    assert (sdks[name].version, sdks[name].sdk) == (version, expected)
    names = ("mcp", "mcp1", "fastmcp", "fastmcp3", "dedalus")
    assert [sdk for sdk in names if is_sdk_importable(sdk)] == [expected] * bool(expected)
    assert [sdk.version for other, sdk in sdks.items() if other != name] == [""] * (len(sdks) - 1)


@pytest.mark.parametrize("version", ["0.1", "unknown"])
def test_a_library_that_does_not_fit(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    install(tmp_path, "pydantic", version)
    unfit = [(library.name, library.version) for library in list_libraries() if not library.fits]
    assert unfit == [("pydantic", version)]


# --- requirements and locked versions of a project. `test_sdk_choice.py` reads a file of each kind --------------------
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
    assert requirement.specifier is not None
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
        ("fastmcp", "development", "fastmcp"),
        ("mypy", "development", "mypy"),
        ("pytest", "development", "pytest"),
    ]


def test_the_first_lock_file_counts_and_only_asked_names(tmp_path: Path) -> None:
    (tmp_path / "poetry.lock").write_text('name = "mcp"\nversion = "1.0"\n', "utf-8")
    (tmp_path / "uv.lock").write_bytes(
        b'name = "mcp"\r\nversion = "2.0"\r\n\r\nname = "mcp-extra"\r\nversion = "3"\r\n'
    )
    assert find_locked_versions(tmp_path, frozenset({"mcp", "fastmcp"})) == {"mcp": ("2.0", "uv.lock")}
    assert find_locked_versions(tmp_path / "nowhere", frozenset({"mcp"})) == {}


def test_a_file_that_is_no_file_is_passed_over(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "Pipfile", "setup.cfg", "requirements.txt", "uv.lock", "Pipfile.lock"):
        (tmp_path / name).mkdir()
    assert list_requirements(tmp_path) == []
    assert find_locked_versions(tmp_path, frozenset({"mcp"})) == {}


# --- packages that a command works on ---------------------------------------------------------------------------------
@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with settings."""
    (tmp_path / "mcpgen.toml").write_text('out = "made"\nsdk = "mcp"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_nearest_settings_are_used(project: Path) -> None:
    (package,) = select_packages(None, None).packages
    assert (package.folder.resolve(), package.settings.out, package.settings.sdk) == (project.resolve(), "made", "mcp")


def test_options_override_settings(project: Path) -> None:
    (project / "a.json").write_text("{}", "utf-8")
    loaded = select_packages(None, None, [Path("a.json")], Path("other"), None, "2025-06-18")
    (package,) = loaded.packages
    assert package.settings.schemas == [str(project / "a.json")]
    assert package.settings.out == str(project / "other")
    assert (package.settings.sdk, package.settings.protocol) == ("mcp", "2025-06-18")


def test_wrong_settings_and_options_are_findings(project: Path) -> None:
    assert [finding.code for finding in select_packages(None, None, sdk="other").findings] == ["MG302"]
    assert select_packages(Path("missing.toml"), None).findings.failed


# --- packages that cannot be imported: what is reported ---------------------------------------------------------------
@pytest.mark.parametrize("sdk", ["none", "mcp"])
@pytest.mark.parametrize("schema", [{"type": "object"}, {"type": "text"}])
@pytest.mark.parametrize("is_built", [True, False])
def test_the_help_says_what_keeps_the_package_away(tmp_path: Path, sdk: str, schema: Any, is_built: bool) -> None:
    package, findings = configure_package(tmp_path, [tool("a", schema)], sdk=sdk), Findings()
    if is_built:
        package.out.mkdir()
        (package.out / "__init__.py").touch()
    report_missing_package(package, PackageNotImportable("gone"), findings)
    (finding,) = findings
    is_wrong = schema["type"] == "text" and not is_built
    assert finding.message == "gone" + ", since the definitions have 1 error" * is_wrong
    assert ("SDK" in finding.help) == (sdk == "mcp" and not is_wrong)


# --- how the process of the command line ends -------------------------------------------------------------------------
def interrupt() -> None:
    raise KeyboardInterrupt


def lose_reader() -> None:
    raise BrokenPipeError


def lose_reader_in_typer() -> None:
    """Typer turns a closed pipe into exit code 1."""
    try:
        raise BrokenPipeError
    except BrokenPipeError:
        raise SystemExit(1)  # noqa: B904 # as Typer does


def exit_with_code() -> None:
    raise SystemExit(4)


@pytest.mark.parametrize(
    ("app", "code"),
    [
        (lambda: None, 0),
        (exit_with_code, 4),
        (interrupt, INTERRUPTED),
        (lose_reader, INTERRUPTED),
        (lose_reader_in_typer, INTERRUPTED),
    ],
)
def test_the_exit_code(app: Callable[[], None], code: int) -> None:
    with pytest.raises(SystemExit) as raised:
        cli.run(app)
    assert raised.value.code == code


def test_a_folder_that_is_gone_is_no_bug(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(SystemExit) as raised:
        cli.run(lambda: os.getcwd())
    monkeypatch.chdir(tmp_path)
    assert raised.value.code == 2
    assert "error[MG404]: the working folder is gone" in capsys.readouterr().err


def test_another_missing_file_is_a_bug(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        cli.run(lambda: (tmp_path / "missing").read_text())
