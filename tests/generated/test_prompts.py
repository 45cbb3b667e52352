"""Classes of prompts in packages for no SDK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from support.packages import package
from support.repository import ROOT

PLAN: dict[str, Any] = {
    "name": "plan-voyage",
    "description": "Plans a voyage.",
    "arguments": [{"name": "port", "required": True}, {"name": "class"}, {"name": "style"}],
    "x-mcpgen": {"arguments": {"style": {"enum": ["short", "long"]}}},
}
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("prompts")
    return package(folder, [], prompts=[PLAN, {"name": "greet"}], instructions="Ask first.")


def test_definitions_and_instructions(generated: Any) -> None:
    declared = {key: value for key, value in PLAN.items() if key != "x-mcpgen"}
    assert {"greet": {"name": "greet"}, "plan-voyage": declared} == generated.PROMPTS
    assert generated.list_prompts("2025-06-18") == [{"name": "greet"}, declared]
    assert generated.INSTRUCTIONS == "Ask first."
    with pytest.raises(ValueError, match="unknown"):
        generated.list_prompts("1999-01-01")
    assert "bind_prompts" not in dir(generated)


def test_arguments_of_a_request(generated: Any) -> None:
    prompt = generated.PlanVoyagePrompt
    assert prompt.arguments(port="Oslo") == {"port": "Oslo"}
    assert prompt.arguments(port="Oslo", class_="A", style="long") == {"port": "Oslo", "class": "A", "style": "long"}
    assert generated.GreetPrompt.arguments() == {}


@pytest.mark.parametrize("version", VERSIONS)
def test_results_are_those_of_the_version(generated: Any, version: str) -> None:
    types = generated.PlanVoyagePrompt.normalize("x")
    assert type(types).__name__ == "GetPromptResult"
    schema = json.loads((ROOT / "schemas/mcp" / version / "schema.json").read_text("utf-8"))
    schema["$ref"] = f"#/{'$defs' if '$defs' in schema else 'definitions'}/GetPromptResult"
    validator = jsonschema_rs.validator_for(schema)
    blocks = [
        {"type": "audio", "data": "eA==", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "x://y", "name": "y"},
        {"type": "resource", "resource": {"uri": "x://y", "text": "z"}},
    ]
    result = type(types).model_validate({"messages": [{"role": "assistant", "content": block} for block in blocks]})
    values = ["x", generated.assistant_message("y"), ["x", generated.user_message("y")], result]
    for value in values:
        wire = generated.PlanVoyagePrompt.to_wire(value, version)
        assert [str(error) for error in validator.iter_errors(wire)] == []
    assert generated.PlanVoyagePrompt.to_wire("x", version)["description"] == "Plans a voyage."
    assert "description" not in generated.PlanVoyagePrompt.to_wire(result, version)


def test_what_is_no_message_is_refused(generated: Any) -> None:
    for value in (5, None, {"role": "user"}, [5], ["x", None]):
        with pytest.raises(TypeError, match='prompt "greet": a handler returned a'):
            generated.GreetPrompt.normalize(value)


def test_arguments_without_end_are_refused_in_few_words(generated: Any) -> None:
    """A client's arguments are told by their names at most, however many and long they are."""
    info = generated.PlanVoyagePrompt.prompt
    many = {f"{number}{'x' * 1_000}": "" for number in range(10_000)}
    for sent in (many, {"port": "x" * 1_000_000, "style": "y" * 1_000_000}, {"port": [many]}, {"\x1b[2J" * 9: ""}):
        with pytest.raises(ValueError, match=r"^Invalid arguments for plan-voyage: ") as caught:
            info.read_arguments(sent)
        assert len(str(caught.value).encode()) <= 1_024
        assert str(caught.value).isprintable()
        assert "yyy" not in str(caught.value)
    assert info.read_arguments({"port": "x" * 1_000_000}) == {"port": "x" * 1_000_000}


def test_all_that_may_be_missing_is_told_in_few_words(tmp_path: Path) -> None:
    arguments = [{"name": f"argument_{number}", "required": True} for number in range(1_000)]
    prompt = {"name": "wide", "arguments": arguments, "x-mcpgen": {"arguments": {"argument_0": {"enum": ["A", "ab"]}}}}
    wide = package(tmp_path, [], prompts=[prompt]).WidePrompt.prompt
    with pytest.raises(ValueError, match="argument_0 is missing") as caught:
        wide.read_arguments({})
    assert len(str(caught.value).encode()) <= 1_024
    assert wide.complete("argument_0", "a") == ["A", "ab"]
    assert wide.complete("argument_0", "a" * 10_000_000) == []


def test_one_prompt_is_a_package(tmp_path: Path) -> None:
    assert package(tmp_path, [], prompts=[{"name": "greet"}]).INSTRUCTIONS is None
