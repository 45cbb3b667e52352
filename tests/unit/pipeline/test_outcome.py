"""Passes of a build, and what they come to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from mcpgen.diagnostics import Findings
from mcpgen.ir.package import ANY_ROOT, Package
from mcpgen.ir.types import Alias, Choice
from mcpgen.names.allocator import allocate_names
from mcpgen.pipeline.checks import (
    MAX_NAME_LENGTH,
    check_definitions,
    check_names,
    count_classes,
    report_early_clashes,
)
from mcpgen.pipeline.lowering import assemble_tool
from mcpgen.pipeline.outcome import GeneratedFiles, Outcome, compare_output, write_output
from mcpgen.read.definitions import Definitions, ToolOptions
from mcpgen.render.header import add_header
from support.definitions import configure_package, define_tool


# --- generated files against the disk ---------------------------------------------------------------------------------
def _make_outcome(out: Path, **texts: str) -> Outcome:
    files = {f"{name}.py": add_header(text, "a.json") for name, text in texts.items()}
    return Outcome(out, Findings(), GeneratedFiles(files))


def test_what_is_written_is_up_to_date(tmp_path: Path) -> None:
    first = _make_outcome(tmp_path / "out", a="A = 1\n", b="B = 1\n")
    write_output(first, force=False)
    assert first.written
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"a.py", "b.py"}
    second = _make_outcome(tmp_path / "out", a="A = 1\n", b="B = 2\n")
    compare_output(second)
    assert second.plan is not None
    assert [(step.path, step.action.value) for step in second.plan.changes] == [("b.py", "update")]
    assert not second.written


@pytest.mark.parametrize(("text", "code"), [("MINE = 1\n", "MG402"), (None, "MG401")])
def test_a_file_of_the_user_is_refused(tmp_path: Path, text: str | None, code: str) -> None:
    write_output(_make_outcome(tmp_path, a="A = 1\n"), force=False)
    file = tmp_path / "a.py"
    mine = file.read_text("utf-8") + "MINE = 1\n" if text is None else text
    file.write_text(mine, "utf-8")
    outcome = _make_outcome(tmp_path, a="A = 2\n")
    write_output(outcome, force=False)
    assert [finding.code for finding in outcome.findings] == [code]
    assert not outcome.written
    assert file.read_text("utf-8") == mine
    forced = _make_outcome(tmp_path, a="A = 2\n")
    write_output(forced, force=True)
    assert forced.written


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine", "utf-8")
    outcome = _make_outcome(tmp_path / "out", a="A = 1\n")
    write_output(outcome, force=True)
    assert [finding.code for finding in outcome.findings] == ["MG402"]
    assert (tmp_path / "out").read_text("utf-8") == "mine"


def test_wrong_input_is_not_compared(tmp_path: Path) -> None:
    outcome = Outcome(tmp_path, Findings())
    compare_output(outcome)
    write_output(outcome, force=True)
    assert outcome.plan is None


# --- checks of definitions before they are lowered --------------------------------------------------------------------
def test_an_input_without_definitions_is_an_error(tmp_path: Path) -> None:
    findings = Findings()
    assert not check_definitions(Definitions(), configure_package(tmp_path, [], schemas=["a", "b"]), findings)
    assert [finding.code for finding in findings] == ["MG007", "MG007"]


def test_clashes_are_reported_together_with_other_errors(tmp_path: Path) -> None:
    findings = Findings()
    definitions = Definitions(tools=[define_tool("a_b"), define_tool("a-b"), define_tool("猫")])
    assert not check_definitions(definitions, configure_package(tmp_path, []), findings)
    assert sorted(finding.code for finding in findings) == ["MG201", "MG202"]


def test_right_definitions_pass(tmp_path: Path) -> None:
    findings = Findings()
    assert check_definitions(Definitions(tools=[define_tool("a")]), configure_package(tmp_path, []), findings)
    assert not len(findings)


# --- diagnostics about names ------------------------------------------------------------------------------------------
def test_names_without_letters_and_long_names_are_reported() -> None:
    findings = Findings()
    long_name = "a" * (MAX_NAME_LENGTH + 1)
    tools = [
        define_tool("fine"),
        define_tool("猫"),
        define_tool(long_name),
        replace(define_tool("猫2"), choices=ToolOptions(name="cat")),
    ]
    check_names(Definitions(tools=tools), findings)
    assert [(finding.code, finding.span and finding.span.file) for finding in findings] == [
        ("MG202", "猫.json"),
        ("MG202", f"{long_name}.json"),
    ]


def test_clashing_names_are_reported_with_both_places() -> None:
    findings = Findings()
    report_early_clashes(Definitions(tools=[define_tool("get_a"), define_tool("get-a")]), findings)
    (finding,) = findings
    assert finding.code == "MG201"
    assert 'tool "get-a" and tool "get_a" (get_a.json:1)' in finding.message
    assert finding.span is not None
    assert finding.span.file == "get-a.json"


def test_each_tool_has_a_class_for_its_result_and_one_for_its_arguments() -> None:
    tools = tuple(assemble_tool(define_tool(name), ANY_ROOT) for name in ("a", "b", "c"))
    package = Package(tools, (), (), "none", None)
    assert count_classes(package, allocate_names(package)[0]) == 6
    alias = Alias("types~a", "", (("a",),), Choice(("a",)), recursive=False)
    package = Package(tools, (), (alias,), "none", None)
    assert count_classes(package, allocate_names(package)[0]) == 6
