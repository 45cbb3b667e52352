"""Which folder the schema of each tool belongs to."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from mcpgen.commands.learned_folders import choose_folders, read_package_tools
from mcpgen.commands.package_selection import select_packages
from mcpgen.diagnostics import Findings, Span
from support.packages import tool

ONE, TWO = Path("one/learned"), Path("two/learned")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two packages: both have the tool `both`, and each has one of its own."""
    monkeypatch.chdir(tmp_path)
    tables = "".join(f'[[package]]\nschemas = ["{name}"]\nout = "out_{name}"\n' for name in ("one", "two"))
    Path("mcpgen.toml").write_text(tables, "utf-8")
    for name in ("one", "two"):
        Path(name).mkdir()
        Path(name, "tools.json").write_text(json.dumps({"tools": [tool(name), tool("both")]}), "utf-8")
    return tmp_path


def choose(names: list[str], out: Path | None = None) -> tuple[dict[str, Path], list[str]]:
    """Return the folders below the project, and the messages with their places and helps."""
    findings = Findings()
    spans: dict[str, Span | None] = {name: Span("calls.jsonl", line) for line, name in enumerate(names, 1)}
    folders = choose_folders(read_package_tools(select_packages(None, None).packages), spans, out, findings)
    here = Path.cwd()
    shown = {name: folder.relative_to(here) if out is None else folder for name, folder in folders.items()}
    return shown, [f"{finding.span and finding.span.line}: {finding.message}; {finding.help}" for finding in findings]


@pytest.mark.usefixtures("project")
def test_a_schema_goes_to_the_package_of_its_tool() -> None:
    assert choose(["two", "one"]) == ({"two": TWO, "one": ONE}, [])
    assert choose([]) == ({}, [])


@pytest.mark.usefixtures("project")
def test_what_is_open_is_asked_for() -> None:
    folders, (several, none, misspelt) = choose(["one", "both", "elsewhere", "twoo"])
    assert folders == {"one": ONE}, "the others are open"
    assert several.startswith('2: several packages define "both", so its schema could go to one/learned or two/learned')
    assert none == (
        '3: none of the 2 packages in the settings defines "elsewhere"; they define both, one, two; '
        "pull it or write its definition first; --out FOLDER writes the schemas of all tools there"
    )
    assert misspelt == (
        '4: none of the 2 packages in the settings defines "twoo"; did you mean "two"? If not, pull it or write its '
        "definition first"
    )


@pytest.mark.usefixtures("project")
def test_a_folder_of_the_user_holds_for_all_tools() -> None:
    assert choose(["one", "both", "other"], Path("mine")) == (dict.fromkeys(["one", "both", "other"], Path("mine")), [])


def test_packages_that_share_a_folder(project: Path) -> None:
    (project / "mcpgen.toml").write_text((project / "mcpgen.toml").read_text().replace('["two"]', '["one"]'))
    assert choose(["both"]) == ({"both": ONE}, [])


def test_one_package_needs_no_definition(project: Path) -> None:
    (project / "mcpgen.toml").write_text('schemas = ["one"]\n')
    assert choose(["other"]) == ({"other": ONE}, [])


@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
def test_a_folder_out_of_the_project(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    (project / ONE).symlink_to(tmp_path_factory.mktemp("outside"))
    folders, (message,) = choose(["one", "two"])
    assert folders == {"two": TWO}
    assert "is outside the project " in message
