"""Help, completion and explanations."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from typing import Any

import pytest
import typer
from mcpgen import cli
from mcpgen.commands.explain import normalize_code, run_explain
from mcpgen.commands.generated_package import explain_unknown_tool
from mcpgen.commands.help_pages import COMMAND_GROUPS, EXAMPLES, EXIT_CODES
from mcpgen.commands.options import complete_clients, complete_codes, complete_sdks
from mcpgen.compat.registry import RULES
from mcpgen.compat.rules.rule import CATEGORY_CODES
from mcpgen.diagnostics import CATALOGUE
from mcpgen.report import exit_codes
from mcpgen.report.output import CommandOutput
from support.repository import ROOT
from typer.testing import CliRunner


# --- what shells propose ----------------------------------------------------------------------------------------------
def test_names_that_begin_so_are_proposed() -> None:
    assert complete_sdks("fast") == ["fastmcp", "fastmcp3"]
    assert complete_clients("openai") == ["openai", "openai-agents", "openai-strict"]
    assert [code for code, _ in complete_codes("mg50")] == [code for code in CATALOGUE if code.startswith("MG50")]


# --- the help names every command once, with examples that parse and exit codes that exist ----------------------------
COMMANDS: dict[str, Any] = dict(vars(typer.main.get_command(cli.app))["commands"])


def help_of(*command: str) -> str:
    result = CliRunner().invoke(cli.app, [*command, "--help"], env={"COLUMNS": "100"})
    assert result.exit_code == 0
    return result.output


def test_every_command_is_in_one_group_with_a_summary_and_examples() -> None:
    grouped = [name for group in COMMAND_GROUPS.values() for name in group]
    assert sorted(grouped) == sorted(COMMANDS)
    assert set(EXAMPLES) == {"", *COMMANDS}
    assert set(EXIT_CODES) <= {"", *COMMANDS}


def test_the_help_shows_the_groups_in_order() -> None:
    text = help_of()
    places = [text.index(f"\n{title}:\n") for title in (*COMMAND_GROUPS, "Examples", "Exit codes")]
    assert places == sorted(places)
    for name, summary in [entry for group in COMMAND_GROUPS.values() for entry in group.items()]:
        assert re.search(rf"^  {name} +{re.escape(summary)}$", text, re.MULTILINE)


def test_every_exit_code_is_explained() -> None:
    codes = {value for name, value in vars(exit_codes).items() if name.isupper()}
    shown = help_of().partition("Exit codes:\n")[2]
    assert {int(code) for code in re.findall(r"^  (\d)  \S", shown, re.MULTILINE)} == codes | {1}


def test_the_documentation_has_the_same_exit_codes() -> None:
    page = (ROOT / "docs" / "terminal.md").read_text("utf-8").partition("## Exit codes")[2]
    documented = re.findall(r"^\| (\d) \| (.+?) \|$", page, re.MULTILINE)
    shown = re.findall(r"^  (\d)  (.+)$", help_of().partition("Exit codes:\n")[2], re.MULTILINE)
    assert [code for code, _ in documented] == [code for code, _ in shown]
    for (_, text), (code, meaning) in zip(documented, shown, strict=True):
        assert meaning.startswith(text), code


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_help_of_a_command_ends_with_examples_and_exit_codes(command: str) -> None:
    text = help_of(command)
    examples, _, codes = text.partition("Examples:\n")[2].partition("Exit codes:\n")
    assert examples.count("mcpgen ") >= 1
    assert re.findall(r"^  (\d)  ", codes, re.MULTILINE)[:3] == ["0", "1", "2"]


@pytest.mark.parametrize("line", [line for examples in EXAMPLES.values() for line, _ in examples])
def test_an_example_is_a_command_with_options_that_exist(line: str) -> None:
    program, name, *arguments = shlex.split(line)
    assert program == "mcpgen"
    command = COMMANDS[name]
    command.make_context(name, [*arguments], resilient_parsing=False)  # raises where an option does not exist


def test_help_imports_no_heavy_library() -> None:
    program = (
        "import sys; from mcpgen.cli import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'rich', 'black', 'pydantic', 'jsonschema_rs', 'datamodel_code_generator', 'jinja2', 'packaging',"
        "         'ruamel'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ})
    assert "heavy: []" in run.stdout


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version(option: str) -> None:
    result = CliRunner().invoke(cli.app, [option])
    assert re.fullmatch(r"mcpgen \d+\.\d+\S*\n", result.output)


# --- help about a name that is no tool's ------------------------------------------------------------------------------
def test_what_is_probably_meant() -> None:
    kinds = {"get_ticket": "tool", "add_book": "tool", "greet": "prompt"}
    assert explain_unknown_tool("greet", kinds) == '"greet" is a prompt, and this command is for tools'
    assert explain_unknown_tool("get_tickets", kinds) == 'did you mean "get_ticket"?'
    assert explain_unknown_tool("search_tickets", kinds) == "there are add_book, get_ticket"


# --- `explain`: codes in any spelling ---------------------------------------------------------------------------------
@pytest.mark.parametrize("code", ["MG101", "mg101", "101", "MG-101", "mg-101"])
def test_a_code_is_known_in_each_spelling(code: str) -> None:
    assert normalize_code(code) == "MG101"


@pytest.mark.parametrize(
    ("code", "suggestion"),
    [
        ("MG1011", "near it are"),
        ("jinja", "MG501"),
        ("xyz", "`mcpgen explain` lists all"),
        ("tool-remove", "tool-removed"),
    ],
)
def test_an_unknown_code_has_suggestions(code: str, suggestion: str) -> None:
    with pytest.raises(typer.BadParameter) as error:
        normalize_code(code)
    assert suggestion in error.value.message


def test_each_rule_of_diff_is_explained_by_its_code(capsys: pytest.CaptureFixture[str]) -> None:
    for rule in RULES.values():
        assert run_explain(rule.id, CommandOutput("explain", "text", "never")) == 0
        heading, _, remark, *_ = capsys.readouterr().out.splitlines()
        assert heading.startswith(f"# {CATEGORY_CODES[rule.category]}: ")
        assert remark == f"`{rule.id}` is a rule of `mcpgen diff`: {rule.doc}"


def test_without_a_code_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_explain(None, CommandOutput("explain", "text", "never")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{code}  {meaning}" for code, meaning in CATALOGUE.items()]


def test_the_json_has_the_whole_explanation(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_explain("101", CommandOutput("explain", "json")) == 0
    (entry,) = json.loads(capsys.readouterr().out)["data"]["codes"]
    assert (entry["code"], entry["meaning"]) == ("MG101", CATALOGUE["MG101"])
    assert "## Bad example" in entry["explanation"]
