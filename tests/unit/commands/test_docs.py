"""`mcpgen docs`."""

from __future__ import annotations

import gc
import json
from pathlib import Path
from typing import Any

import pytest
from mcpgen.commands.diff_comparison import DiffRequest
from mcpgen.commands.docs import (
    CollectedRemarks,
    DocsRequest,
    collect_changes,
    collect_lint,
    make_tool_result_page,
    measure_example,
    run_docs,
)
from mcpgen.commands.package_selection import select_packages
from mcpgen.config.models import ConfiguredPackage, LintSettings, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.read.definitions import Definitions
from mcpgen.read.loader import read_definitions
from mcpgen.reference.model import Note, SiteHead
from mcpgen.reference.pages import ToolSource
from mcpgen.report.output import CommandOutput
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import hash_json
from support.packages import package, tool


# --- where `mcpgen docs` writes, and that it collects garbage afterwards ----------------------------------------------
@pytest.mark.ci  # the vocabulary takes 130 MB
@pytest.mark.parametrize("title", ["Harbour", "<Harbour>"])
def test_the_title_and_the_folder_are_those_of_the_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, title: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tools.json").write_text(json.dumps({"tools": [tool("say")]}), "utf-8")
    request = DocsRequest(Path("pages"), title, None, False, 1)
    assert run_docs(select_packages(None, None), request, CommandOutput("docs", quiet=True)) == 0
    assert (tmp_path / "pages" / "index.md").read_text("utf-8").splitlines()[2] == f"# {title}".replace(
        "<", "\\<"
    ).replace(">", "\\>")
    assert gc.isenabled()


# --- findings and changes, by the definition that they are about ------------------------------------------------------
def read(folder: Path, *names: str) -> Definitions:
    folder.mkdir(exist_ok=True)
    tools = [tool(name, description=f"Does \u200b{name}.") for name in names]
    (folder / "tools.json").write_text(json.dumps({"tools": tools}), "utf-8")
    findings = Findings()
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"schemas": ["."]}), folder=folder)
    definitions = read_definitions(package, findings)
    assert not findings.failed
    return definitions


def test_findings_belong_to_their_definitions(tmp_path: Path) -> None:
    found = collect_lint(read(tmp_path / "a", "one", "two"), LintSettings.model_validate({}))
    assert set(found) == {("tool", "one"), ("tool", "two")}
    (note,) = found["tool", "one"]
    assert (note.code, note.severity) == ("MG901", "warning")


def test_rules_about_several_definitions_are_asked(tmp_path: Path) -> None:
    settings = LintSettings.model_validate({"select": ["MG932"], "ignore": []})
    definitions = read(tmp_path / "a", "one", "two")
    for item in definitions.tools:
        item.tool["description"] = "Does it."
    assert {note.code for notes in collect_lint(definitions, settings).values() for note in notes} == {"MG932"}


def test_changes_and_what_is_new_or_gone(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    read(old, "one", "two")
    read(new, "two", "three", "four")  # two, so that neither is taken for "one" with another name
    request = DiffRequest((old, new), None, (), (), None, 1)
    remarks = CollectedRemarks(changes=collect_changes(request, Findings()))
    assert remarks.take("tool", "three").changes == (Note("MG813", "note", "is new"),)
    assert remarks.take("tool", "four").changes == (Note("MG813", "note", "is new"),)
    assert remarks.take("tool", "two").changes == ()
    left = remarks.list_left()
    assert "error" in {note.severity for note in left}
    assert all(note.text.startswith('tool "one": ') for note in left)


# --- example results for the reference --------------------------------------------------------------------------------
CITY: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "examples": [{"city": "Oslo"}],
}


def make_source(**more: Any) -> ToolSource:
    definition = tool("get_city", CITY, inputSchema=CITY, **more)
    return ToolSource("get_city", definition, Schema(CITY, DRAFT_2020_12), Schema(CITY, DRAFT_2020_12))


def build(folder: Path) -> Path:
    generated = package(folder, [make_source().tool])
    return Path(generated.__file__).parent


def test_the_text_is_what_the_class_writes(tmp_path: Path) -> None:
    example = measure_example(build(tmp_path), None, "get_city")
    assert example.digest == hash_json(make_source().tool)
    page = make_tool_result_page(SiteHead("x"), (make_source(), example))
    assert '{"city":"Oslo"}' in page.markdown or '{"city": "Oslo"}' in page.markdown
    assert page.entry.cost is not None
    definition = {name: make_source().tool[name] for name in ("name", "inputSchema")}
    assert page.entry.cost.bytes == len(json.dumps(definition, separators=(",", ":")))
    assert "| whole result |" in page.markdown


@pytest.mark.ci  # the vocabulary takes 110 MB
def test_tokens_are_counted_with_a_vocabulary() -> None:
    cost = make_tool_result_page(SiteHead("x", vocabulary="o200k_base"), (make_source(), None)).entry.cost
    assert cost is not None
    assert cost.tokens is not None
    assert 0 < cost.tokens < cost.bytes


def test_without_an_example_result_the_value_is_drawn() -> None:
    page = make_tool_result_page(SiteHead("x"), (make_source(), None))
    assert "Text of the result" not in page.markdown
    assert "Structured result" in page.markdown


def test_a_tool_without_an_example_has_no_result(tmp_path: Path) -> None:
    nothing = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?!x)x"}}, "required": ["a"]}
    out = Path(package(tmp_path, [tool("get_nothing", nothing)]).__file__).parent
    example = measure_example(out, None, "get_nothing")
    assert (example.result, example.sizes) == (None, ())
