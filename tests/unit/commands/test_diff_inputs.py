"""What `mcpgen diff` compares, and what it may switch off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands import diff_comparison
from mcpgen.commands.diff_comparison import DiffRequest, FileLabels, find_renamed_tools, make_snapshot, pair_packages
from mcpgen.compat.git_revision import Revision
from mcpgen.diagnostics import Findings, Span
from mcpgen.read.definitions import Definitions
from support.definitions import PRICE, define_tool, make_settings


# --- pairs of packages that `diff` compares ---------------------------------------------------------------------------
@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with two input folders."""
    folder = tmp_path.resolve() / "project"
    for name in ("schemas", "before"):
        (folder / name).mkdir(parents=True)
    (folder / "mcpgen.toml").write_text('sdk = "mcp"\n', "utf-8")
    monkeypatch.chdir(folder)
    return folder


def _make_request(*paths: str, against: str | None = None) -> DiffRequest:
    return DiffRequest(tuple(map(Path, paths)), against, (), (), None, 1)


def test_two_paths_are_the_old_and_the_new_side(project: Path) -> None:
    findings = Findings()
    (pair,) = pair_packages(_make_request("before", "schemas"), project.parent, findings)
    assert pair.old.settings.schemas == [str(project / "before")]
    assert pair.new.settings.schemas == [str(project / "schemas")]
    assert (pair.old.settings.sdk, len(findings)) == ("mcp", 0)


def test_a_revision_has_its_own_settings(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exported = project.parent / "exported"
    (exported / "schemas").mkdir(parents=True)
    (exported / "mcpgen.toml").write_text('sdk = "fastmcp"\n', "utf-8")
    monkeypatch.setattr(diff_comparison, "export_revision", lambda *_: Revision(project, exported))
    (pair,) = pair_packages(_make_request(against="main"), exported, Findings())
    assert (pair.old.settings.sdk, pair.new.settings.sdk) == ("fastmcp", "mcp")
    assert pair.old.settings.schemas == [str(exported / "schemas")]
    assert pair.old.roots == (exported,)


def test_files_of_a_revision_have_its_name(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    labels = FileLabels("main", folder, Path.cwd())
    assert labels.relabel(Span(f"{folder}/schemas/a.json", 3)) == Span("schemas/a.json", 3, revision="main")
    assert labels.relabel(Span("/elsewhere/a.json")) == Span("/elsewhere/a.json")
    assert labels.relabel(Span("a.json")) == Span("a.json")
    assert FileLabels().relabel(Span(f"{folder}/a.json")) == Span(f"{folder}/a.json")


def test_files_of_a_server_are_the_server(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    labels = FileLabels("weather:server", folder, protocol="2025-11-25")
    span = labels.relabel(Span(f"{folder}/weather.json", 3, 7, "/tools/0/name", "{", 7))
    assert span == Span("weather:server", pointer="/tools/0/name", is_file=False)


# --- python names that `diff` compares --------------------------------------------------------------------------------
def _share(name: str, description: str = "") -> Any:
    return define_tool(name, {"$defs": {"Money": PRICE}, "$ref": "#/$defs/Money", "description": description})


def test_changed_tools_and_those_that_may_share_classes_may_be_renamed() -> None:
    old = Definitions(tools=[_share("a"), _share("b"), define_tool("c", PRICE), define_tool("gone")])
    new = Definitions(tools=[_share("a", "new"), _share("b"), define_tool("c", PRICE), define_tool("new")])
    assert find_renamed_tools(old, new) == {"a", "b", "gone", "new"}
    assert find_renamed_tools(old, old) == frozenset()
    renamed = replace(old, tools=[*old.tools[:2], replace(old.tools[2], class_names={"#output": "Cost"}), old.tools[3]])
    assert find_renamed_tools(old, renamed) == {"a", "b", "c"}


def test_a_snapshot_has_the_names_of_some_tools() -> None:
    nested = {"type": "object", "properties": {"first-cost": PRICE}}
    definitions = Definitions(tools=[define_tool("get_cost", nested), define_tool("other", PRICE)])
    snapshot = make_snapshot(definitions, make_settings(), 1, frozenset({"get_cost"}))
    assert snapshot.tools.keys() == {"get_cost"}
    names = snapshot.tools["get_cost"]
    assert names.module == "get_cost"
    assert {"GetCostResult", "GetCostArguments"} < names.classes
    assert names.attributes["GetCostResult", "first-cost"] == "first_cost"


def test_nothing_is_lowered_for_a_snapshot_without_tools() -> None:
    snapshot = make_snapshot(Definitions(tools=[define_tool("a", PRICE)]), make_settings(), 1, frozenset())
    assert (snapshot.tools, snapshot.resources) == ({}, {})
