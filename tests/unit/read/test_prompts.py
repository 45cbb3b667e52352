"""Prompts are read with their choices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcpgen.config.models import ConfiguredPackage, PackageSettings
from mcpgen.diagnostics import Findings
from mcpgen.ir.definitions import PromptArgument
from mcpgen.read.definitions import Definitions
from mcpgen.read.idle_settings import report_unknown_definitions
from mcpgen.read.loader import read_definitions
from mcpgen.read.resources import read_prompt
from support.documents import list_messages, make_context, make_site

PLAN: dict[str, Any] = {
    "name": "plan-voyage",
    "description": "Plans.",
    "arguments": [{"name": "port", "required": True}, {"name": "style", "title": "Style"}],
}


def read(
    folder: Path, document: Any, settings: dict[str, Any] | None = None
) -> tuple[Definitions, list[tuple[str, str]]]:
    (folder / "schemas").mkdir(exist_ok=True)
    (folder / "schemas/all.json").write_text(json.dumps(document))
    findings = Findings()
    package = ConfiguredPackage(settings=PackageSettings.model_validate({"prompts": settings or {}}), folder=folder)
    definitions = read_definitions(package, findings)
    return definitions, [(finding.code, finding.message) for finding in findings.sorted()]


def test_prompts_of_a_list_and_alone(tmp_path: Path) -> None:
    for document in (
        {"prompts": [{"name": "greet"}, PLAN]},
        {"jsonrpc": "2.0", "id": 1, "result": {"prompts": [PLAN]}},
        PLAN,
    ):
        definitions, messages = read(tmp_path, document)
        assert messages == []
        prompt = definitions.prompts[-1]
        assert (prompt.name, prompt.prompt, prompt.python) == ("plan-voyage", PLAN, None)
        assert prompt.arguments == (PromptArgument("port", True), PromptArgument("style", False))


def test_choices_of_the_settings_win(tmp_path: Path) -> None:
    own_value = {"name": "own", "arguments": {"style": {"enum": ["a", "b", "a"]}, "port": {"enum": ["x"]}}}
    chosen = {"name": "mine", "arguments": {"style": {"enum": ["c"]}}}
    definitions, messages = read(tmp_path, {**PLAN, "x-mcpgen": own_value})
    assert (definitions.prompts[0].python, messages) == ("own", [])
    assert definitions.prompts[0].arguments == (
        PromptArgument("port", True, ("x",)),
        PromptArgument("style", False, ("a", "b")),
    )
    definitions, messages = read(tmp_path, {**PLAN, "x-mcpgen": own_value}, {"plan-voyage": chosen})
    assert (definitions.prompts[0].python, messages) == ("mine", [])
    assert definitions.prompts[0].arguments == (
        PromptArgument("port", True, ("x",)),
        PromptArgument("style", False, ("c",)),
    )
    assert "x-mcpgen" not in definitions.prompts[0].prompt


def test_what_is_wrong_is_reported(tmp_path: Path) -> None:
    assert read(tmp_path, {"prompts": [{"name": "a", "arguments": [{"required": True}]}]})[1][0][0] == "MG004"
    assert read(tmp_path, {"prompts": [{"name": "a", "argument": []}]})[1][0] == (
        "MG005",
        'a Prompt has no member "argument"',
    )
    twice = {"name": "a", "arguments": [{"name": "x"}, {"name": "x"}]}
    assert read(tmp_path, twice)[1] == [("MG203", 'the prompt "a" has two arguments "x"')]
    assert read(tmp_path, {"prompts": [PLAN, PLAN]})[1] == [("MG203", 'the prompt "plan-voyage" is defined twice')]
    wrong = {**PLAN, "x-mcpgen": {"name": "no name", "arguments": {"stile": {"enum": ["a"]}}}}
    assert read(tmp_path, wrong)[1] == [
        ("MG202", '"no name" is not an ASCII identifier'),
        ("MG006", 'the prompt "plan-voyage" has no argument "stile"'),
    ]
    empty = {**PLAN, "x-mcpgen": {"arguments": {"style": {"enum": []}}}}
    assert [code for code, _ in read(tmp_path, empty)[1]] == ["MG006"]
    assert read(tmp_path, PLAN, {"plan-voyages": {"name": "x"}})[1] == [
        ("MG308", 'the settings name a prompt "plan-voyages" that nothing defines: its `name` has no effect')
    ]


def test_instructions_beside_lists_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, {"prompts": [PLAN], "instructions": "Ask first."})[0].instructions == ["Ask first."]
    assert read(tmp_path, {"prompts": [PLAN], "instructions": " "})[0].instructions == []
    assert read(tmp_path, PLAN)[0].instructions == []


def test_two_arguments_of_one_name_are_an_error_at_the_second(tmp_path: Path) -> None:
    value: dict[str, Any] = {"name": "plan", "arguments": [{"name": "a"}, {"name": "a", "required": True}]}
    context = make_context(tmp_path)
    prompt = read_prompt(value, make_site(tmp_path, value), context)
    assert prompt is not None
    assert prompt.arguments == (PromptArgument("a", True),)
    assert list_messages(context.findings) == [("MG203", 'the prompt "plan" has two arguments "a"')]


def test_what_is_no_prompt_is_reported_and_left_out(tmp_path: Path) -> None:
    value: dict[str, Any] = {"name": "plan", "arguments": [{"required": True}]}
    context = make_context(tmp_path)
    assert read_prompt(value, make_site(tmp_path, value), context) is None
    assert context.findings.failed


def test_the_settings_win_over_the_definition_and_repeated_values_count_once(tmp_path: Path) -> None:
    values = {"style": {"enum": ["brief", "long", "brief"]}}
    value = {**PLAN, "x-mcpgen": {"name": "one", "arguments": {"style": {"enum": ["other"]}}}}
    context = make_context(tmp_path, prompts={"plan-voyage": {"name": "two", "arguments": values}})
    prompt = read_prompt(value, make_site(tmp_path, value), context)
    assert prompt is not None
    assert prompt.python == "two"
    assert prompt.arguments == (PromptArgument("port", True), PromptArgument("style", False, ("brief", "long")))


def test_unknown_prompts_are_reported_only_where_no_error_may_have_hidden_them(tmp_path: Path) -> None:
    context = make_context(tmp_path, prompts={"plan-voyag": {"name": "two"}})
    prompt = read_prompt(PLAN, make_site(tmp_path, PLAN), context)
    assert prompt is not None
    report_unknown_definitions(Definitions(prompts=[prompt]), context.package, context.findings)
    (finding,) = context.findings
    assert (finding.code, finding.help) == ("MG308", 'did you mean "plan-voyage"? If not, remove the table')
    context.findings.error("MG001", "something else", finding.span)
    report_unknown_definitions(Definitions(prompts=[]), context.package, context.findings)
    assert len([*context.findings]) == 2


def test_arguments_without_end(tmp_path: Path) -> None:
    """10,000 of them took half a minute to generate."""
    definitions, messages = read(tmp_path, {**PLAN, "arguments": [{"name": f"a{i}"} for i in range(1_000)]})
    assert (len(definitions.prompts[0].arguments), messages) == (1_000, [])
    definitions, messages = read(tmp_path, {**PLAN, "arguments": [{"name": f"a{i}"} for i in range(1_001)]})
    assert definitions.prompts == []
    assert messages == [("MG009", 'the prompt "plan-voyage" has more than 1000 arguments (`limits.members`)')]
