"""`mcpgen lint` reports what the selected rules find, and fixes what has one answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from mcpgen.commands.lint import LintRequest, apply_fixes, run_lint
from mcpgen.commands.package_selection import LoadedPackages
from mcpgen.config.models import ConfiguredPackage, LintSettings, PackageSettings
from mcpgen.diagnostics import Findings, Span
from mcpgen.lint.linter import select_rules
from mcpgen.lint.rule import LintedDefinition
from mcpgen.read.document import SourceDocument
from mcpgen.read.linting import LintedSite
from mcpgen.read.parse import PARSERS
from mcpgen.report.output import CommandOutput
from support.documents import write_files

HIDDEN: dict[str, Any] = {"name": "a", "description": "A\u200b.", "inputSchema": {"type": "object"}}


def lint(
    folder: Path, capfd: pytest.CaptureFixture[str], settings: Any = None, **options: Any
) -> tuple[int, list[str], Any]:
    """Return the exit code, the codes of the findings and the data."""
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"lint": settings or {}}), folder=folder)
    output = CommandOutput("lint", "json")
    exit_code = run_lint(LoadedPackages([package], Findings()), LintRequest(**options), output)
    document = json.loads(capfd.readouterr().out)
    return exit_code, [item["code"] for item in document["diagnostics"]], document["data"]


def test_findings_have_an_exit_code_of_their_own(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_files(tmp_path, {"schemas/a.json": HIDDEN})
    data = {"definitions": 1, "findings": {"MG901": 1}, "fixed": 0}
    assert lint(tmp_path, capfd) == (7, ["MG901"], data)
    assert lint(tmp_path, capfd, {"ignore": ["MG901"]})[:2] == (0, [])
    assert lint(tmp_path, capfd, ignore=["MG9"])[:2] == (0, [])


def test_notes_do_not_count_and_errors_do(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    task = {"name": "a", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}}
    write_files(tmp_path, {"schemas/a.json": task})
    assert lint(tmp_path, capfd)[:2] == (0, ["MG111"])
    write_files(tmp_path, {"schemas/b.json": {"name": "b", "inputSchema": 1}})
    exit_code, codes, _ = lint(tmp_path, capfd)
    assert exit_code == 2
    assert "MG101" in codes


def test_options_replace_settings(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_files(tmp_path, {"schemas/a.json": {"name": "a.b", "inputSchema": {"type": "object"}}})
    assert lint(tmp_path, capfd, {"clients": ["openai"]})[1] == ["MG912"]
    assert lint(tmp_path, capfd, {"clients": ["openai"]}, clients=["gemini"])[1] == []
    assert lint(tmp_path, capfd, select=["MG931"])[1] == ["MG931"]


def test_a_fix_changes_what_has_one_answer(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    write_files(tmp_path, {"schemas/a.json": HIDDEN})
    (tmp_path / "schemas/b.yaml").write_text(
        "# why\ntype: array\nprefixItems: [{type: string}]\nitems: false  # closed\n", "utf-8"
    )
    exit_code, codes, data = lint(tmp_path, capfd, fix=True, ignore=["MG935"])
    assert (exit_code, codes, data["fixed"]) == (0, [], 2)
    assert json.loads((tmp_path / "schemas/a.json").read_text("utf-8")) == {**HIDDEN, "description": "A."}
    fixed = "# why\ntype: array\nprefixItems: [{type: string}]\nmaxItems: 1  # closed\n"
    assert (tmp_path / "schemas/b.yaml").read_text("utf-8") == fixed


def test_a_byte_order_mark_stays(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "schemas/a.json"
    write_files(tmp_path, {"schemas/a.json": HIDDEN})
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert lint(tmp_path, capfd, fix=True)[0] == 0
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{")


def test_a_pulled_file_keeps_its_bytes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    header = {"by": "mcpgen pull 1", "protocol": "2025-06-18", "mcpgen-sha256": "0" * 64}
    write_files(tmp_path, {"schemas/pulled/s.json": {"generated": header, "tools": [HIDDEN]}})
    before = (tmp_path / "schemas/pulled/s.json").read_bytes()
    exit_code, codes, data = lint(tmp_path, capfd, fix=True)
    assert (exit_code, codes, data["fixed"]) == (7, ["MG401", "MG901"], 0)
    assert (tmp_path / "schemas/pulled/s.json").read_bytes() == before


def test_what_several_definitions_show_is_reported(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tools = [{"name": name, "description": "A.", "inputSchema": {"type": "object"}} for name in "ab"]
    write_files(tmp_path, {"schemas/a.json": {"tools": tools}})
    assert lint(tmp_path, capfd, select=["MG932"])[:2] == (7, ["MG932"])


def test_tools_without_a_chosen_content_are_named_together(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    write_files(tmp_path, {f"schemas/{name}.json": schema for name in "abcd"})
    write_files(tmp_path, {"schemas/e.json": {**schema, "x-mcpgen": {"content": "json"}}, "schemas/d.content.j2": "x"})
    package = ConfiguredPackage(settings=PackageSettings.model_validate({}), folder=tmp_path)
    assert run_lint(LoadedPackages([package], Findings()), LintRequest(), CommandOutput("lint")) == 0
    assert 'note[MG935]: 3 tools ("a", "b", "c") have no chosen content' in capfd.readouterr().err
    assert lint(tmp_path, capfd, {"ignore": ["MG935"]})[:2] == (0, [])
    write_files(tmp_path, {f"schemas/{name}.content.j2": "x" for name in "abc"})
    assert lint(tmp_path, capfd)[:2] == (0, [])


def test_what_could_not_be_read_has_no_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def summarize(*packages: ConfiguredPackage) -> str:
        findings = Findings()
        findings.error("MG302", "wrong settings")
        assert run_lint(LoadedPackages([*packages], findings), LintRequest(), CommandOutput("lint")) == 2
        return capsys.readouterr().err

    assert "no findings" not in summarize()
    write_files(tmp_path, {"schemas/a.json": {"name": "a", "description": "A.", "inputSchema": {"type": "object"}}})
    package = ConfiguredPackage(settings=PackageSettings.model_validate({}), folder=tmp_path)
    assert " in 1 definition that could be read\n" in summarize(package)


def test_a_template_that_prints_null_is_a_note_in_the_template(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    point = {"type": "object", "properties": {"x": {"type": ["integer", "null"]}}, "required": ["x"]}
    schema = {"type": "object", "properties": {"at": point, "to": point}, "required": ["at", "to"]}
    write_files(tmp_path, {f"schemas/{name}.json": schema for name in "ab"})
    guarded = "{% if at.x is not none %}{{ at.x }}{% endif %}"
    for name, text in {"a": f"{guarded}\n{{{{ to.x }}}}\n", "b": guarded}.items():
        (tmp_path / f"schemas/{name}.content.j2").write_text(text, "utf-8")
    settings = {"select": ["MG936"]}
    assert lint(tmp_path, capfd, settings) == (0, ["MG936"], {"definitions": 2, "findings": {"MG936": 1}, "fixed": 0})
    assert lint(tmp_path, capfd, settings, ignore=["MG936"])[1] == []
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"lint": settings}), folder=tmp_path)
    run_lint(LoadedPackages([package], Findings()), LintRequest(), CommandOutput("lint", "text"))
    assert 'a.content.j2:2:7: note[MG936]: `to.x` may be null, and then prints "None"' in capfd.readouterr().err


def test_a_client_that_is_misspelt(tmp_path: Path) -> None:
    package = ConfiguredPackage(settings=PackageSettings.model_validate({}), folder=tmp_path)
    request = LintRequest(clients=["antropic"])
    with pytest.raises(typer.BadParameter, match=r'did you mean "anthropic"\?$'):
        run_lint(LoadedPackages([package], Findings()), request, CommandOutput("lint"))


# --- fixes change a file only where its new text has exactly the values that they ask for -----------------------------
RULES = select_rules(LintSettings.model_validate({"select": ["MG901"]}))
LIMITS = PackageSettings.model_validate({}).limits


def fix(path: Path, text: str, replaced_by: str | None = None) -> tuple[int, tuple[str, ...]]:
    """Apply the fixes of the prompt in a file, which has another text by then if there is one."""
    document = SourceDocument(path, path.name, text)
    assert PARSERS[path.suffix](document, Findings(), LIMITS)
    path.write_text(text if replaced_by is None else replaced_by, "utf-8")
    assert isinstance(document.value, dict)
    prompt = LintedDefinition("prompt", "a", document.value)
    return apply_fixes([LintedSite(prompt, document, "", Span(path.name))], RULES, LIMITS)


def test_all_fixes_of_a_file_are_applied(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    assert fix(path, "name: a # why\ntitle: A\u200b\ndescription: 'B\u200b'\n") == (2, ())
    assert path.read_text("utf-8") == "name: a # why\ntitle: A\ndescription: 'B'\n"


def test_a_file_without_faults_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert fix(path, '{"name": "a", "description": "B"}') == (0, ())


def test_a_file_that_has_changed_since_it_was_read_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    newer = json.dumps({"name": "a", "description": "newer"})
    applied = fix(path, json.dumps({"name": "a", "description": "B\u200b"}), newer)
    assert applied[0] == 0
    assert len(applied[1]) == 1
    assert path.read_text("utf-8") == newer


def test_a_pulled_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    header = {"by": "mcpgen pull 1", "protocol": "2025-06-18", "mcpgen-sha256": "0" * 64}
    text = json.dumps({"generated": header, "name": "a", "description": "B\u200b"})
    applied = fix(path, text)
    assert applied[0] == 0
    assert "left as it was pulled" in applied[1][0]
    assert path.read_text("utf-8") == text
