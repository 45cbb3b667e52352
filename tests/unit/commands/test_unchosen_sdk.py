"""`build` without a chosen SDK says which one the project has, once something was written."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcpgen.commands import sdk_choice
from mcpgen.commands.package_selection import suggest_sdk
from mcpgen.diagnostics import Findings
from mcpgen.pipeline.outcome import Outcome
from mcpgen.report.output import CommandOutput
from support.definitions import configure_package
from support.packages import mcpgen

pytestmark = pytest.mark.ci

REMARK = (
    'built for no SDK; .venv has mcp 2.3.0: to build for it, write `sdk = "mcp"` into {} '
    'and run `mcpgen build --force`; to keep it as it is, write `sdk = "none"` there\n'
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose environment has the official SDK."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "get_depth.json").write_text('{"type": "object"}\n', "utf-8")
    installed = tmp_path / ".venv" / "lib" / "python3.12" / "site-packages" / "mcp-2.3.0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: mcp\nVersion: 2.3.0\n", "utf-8")
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n", "utf-8")
    return tmp_path


def test_the_first_build_names_the_sdk_and_the_next_one_has_nothing_to_say(project: Path) -> None:
    assert mcpgen("build", cwd=project).stderr.endswith("files changed\n" + REMARK.format("mcpgen.toml"))
    assert "built for no SDK" not in mcpgen("build", cwd=project).stderr


def test_it_names_the_settings_file(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.mcpgen]\nout = "typed"\n', "utf-8")
    assert mcpgen("build", cwd=project).stderr.endswith(REMARK.format("pyproject.toml"))


def test_what_it_advises_builds_for_the_sdk(project: Path) -> None:
    assert mcpgen("build", cwd=project).returncode == 0
    (project / "mcpgen.toml").write_text('sdk = "mcp"\n', "utf-8")
    run = mcpgen("build", "--force", cwd=project)
    assert (run.returncode, "built for no SDK" in run.stderr) == (0, False), run.stderr
    assert (project / "generated" / "server.py").is_file()


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ('sdk = "none"', ()),
        ("", ("--sdk", "none")),
        ("", ("--quiet",)),
        ("", ("--format", "json")),
        ('skd = "mcp"', ()),
    ],
)
def test_it_is_not_said_where_somebody_has_chosen_or_reads_no_remarks(
    project: Path, settings: str, options: tuple[str, ...]
) -> None:
    (project / "mcpgen.toml").write_text(settings, "utf-8")
    run = mcpgen("build", *options, cwd=project)
    assert "built for no SDK" not in run.stdout + run.stderr


def test_a_project_without_an_sdk_has_nothing_to_choose(project: Path) -> None:
    (project / ".venv" / "lib" / "python3.12" / "site-packages" / "mcp-2.3.0.dist-info" / "METADATA").unlink()
    assert mcpgen("build", cwd=project).stderr.endswith("files changed\n")


def test_a_run_that_wrote_nothing_does_not_look_for_an_sdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdk_choice, "choose_sdk", lambda folder: pytest.fail(f"looked into {folder}"))
    package = configure_package(tmp_path, [])
    outcome = Outcome(package.out, Findings(), written=True)
    suggest_sdk([package], [outcome], CommandOutput("build"))
