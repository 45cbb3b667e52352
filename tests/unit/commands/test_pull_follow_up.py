"""What follows a pull: the first settings, a build, and the next command as the last line."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcpgen.cache.store import Store
from mcpgen.commands import pull
from mcpgen.commands.package_selection import select_packages
from mcpgen.commands.pull import PullRequest, run_pull
from mcpgen.commands.pull_follow_up import FollowUp
from mcpgen.introspect.server_query import parse_server_query
from mcpgen.report.output import CommandOutput
from support.definitions import PRICE
from support.listings import advertised, answer_at_once
from support.packages import mcpgen, tool

pytestmark = pytest.mark.ci


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without an SDK in its environment; the server answers at once."""
    answer = advertised(tool("buy", PRICE), tool("talk it over"), protocol="2025-06-18")
    answer_at_once(monkeypatch, pull, answer)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("")
    return tmp_path


def _pull(
    out: str | None = None, build: bool = False, sdk: str | None = None, config: str | None = None, format: Any = "text"
) -> int:
    query = parse_server_query(["https://a.test/mcp"], (), (), (), None, None)
    file = None if config is None else Path(config)
    build_with = (lambda paths: select_packages(file, None, paths), Store()) if build else None
    request = PullRequest(query, "shop", None if out is None else Path(out), (), False, FollowUp(build_with, sdk, file))
    return run_pull(select_packages(file, None), request, CommandOutput("pull", format))


def _read_settings(path: str = "mcpgen.toml") -> Any:
    return tomllib.loads(Path(path).read_text("utf-8"))


def _get_last_line(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return shlex.split(capsys.readouterr().err.splitlines()[-1])


def test_the_first_settings_are_written_with_the_sdk_of_the_project(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "requirements.txt").write_text("mcp<2\n")
    assert _pull() == 0
    assert _read_settings() == {"schemas": ["schemas"], "out": "generated", "sdk": "mcp1"}
    lines = capsys.readouterr().err.splitlines()
    assert 'chose sdk = "mcp1": requirements.txt requires "mcp<2"' in lines
    assert 'wrote mcpgen.toml: sdk = "mcp1", out = "generated"' in lines
    assert lines[-2:] == ["next:", "  mcpgen build"]
    before = (project / "mcpgen.toml").stat().st_mtime_ns
    assert _pull() == 0
    assert (project / "mcpgen.toml").stat().st_mtime_ns == before
    assert "chose" not in capsys.readouterr().err


def test_they_go_into_a_pyproject(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = '[project]\nname = "shop"\ndependencies = ["fastmcp>=4"%s]\n'
    (project / "pyproject.toml").write_text(text % "")
    assert _pull() == 0
    assert (project / "pyproject.toml").read_text().startswith(text % ', "mcpgen-runtime>=0.1"')
    settings = {"schemas": ["schemas"], "out": "generated", "sdk": "fastmcp"}
    assert _read_settings("pyproject.toml")["tool"]["mcpgen"] == settings
    assert "added [tool.mcpgen] to pyproject.toml" in capsys.readouterr().err


def test_a_package_that_was_built_without_settings_stays_what_it_is(project: Path) -> None:
    (project / "requirements.txt").write_text("fastmcp\n")
    assert _pull(build=True, sdk="dedalus") == 0
    (project / "mcpgen.toml").unlink()
    (project / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    assert _pull(build=True) == 0, "the package is not of another kind"
    settings = {"schemas": ["schemas"], "out": "generated", "sdk": "dedalus"}
    assert _read_settings("pyproject.toml")["tool"]["mcpgen"] == settings


def test_build_makes_the_package_at_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _pull(build=True) == 0
    assert (project / "generated" / "tools" / "buy.py").is_file()
    err = capsys.readouterr().err
    assert "generated: 2 tools, 4 classes, " in err
    assert err.splitlines()[-2:] == ["next:", "  mcpgen show buy"]


def test_the_document_says_what_was_built(capsys: pytest.CaptureFixture[str]) -> None:
    assert _pull(build=True, format="json") == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert (data["file"], data["settings"], data["sdk"]) == ("schemas/pulled/shop.json", "mcpgen.toml", "none")
    assert [(package["out"], package["written"]) for package in data["packages"]] == [("generated", True)]


def test_a_build_that_is_refused_ends_with_its_exit_code(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _pull(build=True, sdk="mcp") == 0
    (project / "mcpgen.toml").write_text('sdk = "none"\n')
    capsys.readouterr()
    assert _pull(build=True) == 3
    err = capsys.readouterr().err
    assert "MG409" in err
    assert "next:" not in err


def test_warnings_that_fail_stop_the_build_after_a_pull(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    warned = {"type": "object", "properties": {"a": {"type": "number", "minimum": 2, "maximum": 1}}}
    answer_at_once(monkeypatch, pull, advertised(tool("buy", warned), protocol="2025-06-18"))
    (project / "mcpgen.toml").write_text('fail-on = "warning"\n')
    assert _pull(build=True, sdk="none") == 8
    err = capsys.readouterr().err
    assert err.splitlines()[-1] == 'nothing was written: fail-on = "warning" makes warnings fail'
    assert "next:" not in err
    assert not (project / "generated").exists()
    (project / "mcpgen.toml").write_text("")
    assert _pull(build=True, sdk="none") == 0
    assert "next:" in capsys.readouterr().err


def test_the_next_command_names_what_the_settings_do_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert _pull(out="my defs") == 0
    assert not Path("mcpgen.toml").exists(), "the settings would not name the folder"
    assert _get_last_line(capsys) == ["mcpgen", "build", "my defs"]
    assert _pull(out="schemas/shop") == 0
    assert _get_last_line(capsys) == ["mcpgen", "build"]
    assert _pull(out="my defs", build=True) == 0
    assert Path("generated/tools/buy.py").is_file()
    Path("other.toml").write_text("")
    Path("schemas/shop/shop.json").unlink()
    assert _pull(config="other.toml") == 0
    assert _get_last_line(capsys) == ["mcpgen", "build", "--config", "other.toml"]


def test_the_name_of_a_tool_is_no_command(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "$(touch x); 'a\x1b[2J"
    answer_at_once(monkeypatch, pull, advertised(tool(name, PRICE), protocol="2025-06-18"))
    (project / "mcpgen.toml").write_text(f"[tools.{json.dumps(name)}]\nname = 'a'\n")
    assert _pull(build=True) == 0
    line = capsys.readouterr().err.splitlines()[-1]
    assert "\x1b" not in line
    assert shlex.split(line)[:3] == ["mcpgen", "show", name.replace("\x1b", "\\x1b")]


def test_an_sdk_that_is_named_is_written_and_nothing_is_looked_for(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "requirements.txt").write_text("mcp<2\n")
    assert _pull(sdk="fastmcp") == 0
    assert _read_settings()["sdk"] == "fastmcp"
    assert "chose" not in capsys.readouterr().err
    assert _pull(sdk="fastmcp") == 0
    assert _pull(sdk="mcp") == 2
    assert 'mcpgen.toml:3:1: error[MG302]: the settings say sdk = "fastmcp"' in capsys.readouterr().err


def test_settings_that_leave_the_sdk_open_get_it(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "requirements.txt").write_text("mcp<2\n")
    (project / "mcpgen.toml").write_text('# Ours.\nout = "gen"\n')
    assert _pull(build=True) == 0
    assert (project / "mcpgen.toml").read_text() == '# Ours.\nsdk = "mcp1"\nout = "gen"\n'
    assert 'added to mcpgen.toml: sdk = "mcp1"' in capsys.readouterr().err


def test_completed_settings_bring_what_copies_of_the_library_need(project: Path) -> None:
    text = '[tool.poetry.dependencies]\nmcp = "^2"\n%s\n[tool.mcpgen]\n%sruntime = "vendored"\n'
    (project / "pyproject.toml").write_text(text % ("", ""))
    assert _pull(build=True) == 0
    needs = 'jsonschema-rs = ">=0.60"\norjson = ">=3.10"\npydantic = ">=2.13"\n'
    assert (project / "pyproject.toml").read_text() == text % (needs, 'sdk = "mcp"\n')
    assert (project / "generated" / "_runtime" / "SHA256SUMS").is_file()


def test_settings_of_a_package_that_is_there_stay(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "mcpgen.toml").write_text('out = "gen"\n')
    assert _pull(build=True) == 0
    assert (project / "mcpgen.toml").read_text() == 'out = "gen"\n', "no SDK is there to choose"
    (project / "requirements.txt").write_text("mcp\n")
    capsys.readouterr()
    assert _pull(build=True) == 0, "the package stays of its kind"
    assert (project / "mcpgen.toml").read_text() == 'out = "gen"\n'
    assert "chose" not in capsys.readouterr().err


def test_an_sdk_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert _pull(sdk="mpc") == 2
    assert "there are none, mcp, mcp1" in capsys.readouterr().err
    assert not Path("schemas").exists()


def test_after_a_pull_that_changed_nothing_a_package_that_is_up_to_date_is_checked(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _pull() == 0
    assert _pull() == 0
    assert _get_last_line(capsys) == ["mcpgen", "build"], "nothing was built"
    assert _pull(build=True) == 0
    assert _pull() == 0
    assert _get_last_line(capsys) == ["mcpgen", "check"]
    answer = advertised(tool("buy", PRICE), protocol="2025-06-18")
    answer_at_once(monkeypatch, pull, answer)
    for _ in range(2):
        assert _pull() == 0
        assert _get_last_line(capsys) == ["mcpgen", "build"], "the package has a tool more"


def test_settings_that_clash_with_the_server_are_to_be_removed_before_a_build(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = 'sdk = "none"\n[tools.buy]\noutputSchema = "buy.json"\n'
    (project / "mcpgen.toml").write_text(settings)
    (project / "buy.json").write_text('{"type": "object"}')
    for _ in range(2):  # also when the file stays the same
        assert _pull() == 0
        err = capsys.readouterr().err
        assert "buy -> BuyResult: the server's outputSchema differs from the one of the settings; remove the" in err
        assert err.splitlines()[-3:] == [
            "next: remove these settings, since the server declares the schemas now; then build:",
            "  outputSchema of buy (mcpgen.toml:3)",
            "  mcpgen build",
        ]
    assert mcpgen("build", "--no-cache", cwd=project).returncode == 2
    (project / "mcpgen.toml").write_text('sdk = "none"\n')
    assert mcpgen("build", "--no-cache", cwd=project).returncode == 0
