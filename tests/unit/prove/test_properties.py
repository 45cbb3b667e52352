"""Claims about classes: right classes keep them, and each wrong one breaks the claim that it should."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from mcpgen.prove.package_loader import load_package
from mcpgen.prove.proofs import ArgumentClaims, ContentClaims, ResourceClaims, ResultClaims, make_validator
from mcpgen.schema.keywords import DRAFT_07
from mcpgen.schema.values import Json
from mcpgen.targets import PROTOCOLS
from pydantic import BaseModel, Field, field_validator
from pydantic_core import PydanticCustomError
from support.repository import ROOT


@pytest.fixture(scope="module")
def package() -> Any:
    return load_package(ROOT / "generated")


def test_validators_follow_the_dialect_and_ignore_formats() -> None:
    is_valid = make_validator({"type": "string", "format": "date"})
    assert is_valid("no date")
    assert not is_valid(5)
    draft_07 = make_validator({"$schema": DRAFT_07, "$ref": "#/definitions/a", "minimum": 9, "definitions": {"a": {}}})
    assert draft_07(1)


# --- arguments -------------------------------------------------------------------------------------------------------
class Arguments(BaseModel):
    count: int

    def to_structured_content(self) -> Any:
        return self.model_dump(exclude_unset=True)


class StrictArguments(Arguments):
    count: int = Field(ge=5)


class FormatArguments(Arguments):
    @field_validator("count")
    @classmethod
    def refuse(cls, value: Any) -> Any:
        raise PydanticCustomError("string_format", "Input should be a date")


class LossyArguments(Arguments):
    def to_structured_content(self) -> Any:
        return {}


@pytest.mark.parametrize(
    ("cls", "claim"),
    [
        (Arguments, None),
        (StrictArguments, "accepts what the schema accepts"),
        (FormatArguments, None),
        (LossyArguments, "the round trip loses nothing"),
    ],
)
def test_arguments(cls: type, claim: str | None) -> None:
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    package = SimpleNamespace(ARGUMENT_TYPES={"a": cls}, TOOLS={"a": {"inputSchema": schema}})
    claims = ArgumentClaims(package, "a")
    broken = claims.find_broken({"count": 3})
    assert (broken.claim if broken else None) == claim
    assert claims.find_broken({"count": "x"}) is None


# --- results ---------------------------------------------------------------------------------------------------------
def replace_result_class(package: Any, tool: str, cls: type) -> Any:
    return SimpleNamespace(TOOLS=package.TOOLS, RESULT_TYPES={tool: cls}, list_tools=package.list_tools)


def test_right_results(package: Any) -> None:
    claims = ResultClaims(package, "gate_is_open")
    values: list[Json] = [{"result": True}, {"result": 5}, {}, []]
    for value in values:
        assert claims.find_broken(value) is None
    assert claims.is_valid({"result": True})
    assert not claims.is_valid({"result": 5})
    assert ResultClaims(package, "flags_today").find_broken(["red", "black"]) is None


def test_wrong_results(package: Any) -> None:
    right: Any = package.RESULT_TYPES["gate_is_open"]

    class Lossy(right):  # type: ignore[misc]
        def to_structured_content(self) -> Any:
            return {"result": True}

    class Wireless(right):  # type: ignore[misc]
        def to_wire(self, **options: Any) -> Any:
            return {}

    def find(cls: type, value: Any) -> str:
        claims = ResultClaims(replace_result_class(package, "gate_is_open", cls), "gate_is_open")
        broken = claims.find_broken(value)
        return broken.claim if broken is not None else ""

    assert find(right, {"result": False}) == ""
    assert find(Lossy, {"result": False}) == "the round trip loses nothing"
    assert find(Wireless, {"result": False}).startswith("to_wire() is a CallToolResult of")


def test_a_class_that_accepts_or_refuses_too_much(package: Any) -> None:
    right = package.RESULT_TYPES["gate_is_open"]
    other = package.RESULT_TYPES["lock_phase"]

    claims = ResultClaims(replace_result_class(package, "gate_is_open", other), "gate_is_open")
    assert (broken := claims.find_broken({"result": True})) is not None
    assert broken.claim == "accepts what the schema accepts"
    claims = ResultClaims(replace_result_class(package, "lock_phase", right), "lock_phase")
    assert (broken := claims.find_broken({"result": True})) is not None
    assert broken.claim == "refuses what the schema refuses"


# --- resources and texts ---------------------------------------------------------------------------------------------
def test_resources(package: Any) -> None:
    schema: Any = {
        "type": "object",
        "properties": {"theme": {"enum": ["light", "dark"]}, "channels": {"type": "array"}},
        "required": ["theme", "channels"],
    }
    claims = ResourceClaims(package, "office-settings", schema)
    assert claims.find_broken({"theme": "dark", "channels": [16]}) is None
    assert (broken := claims.find_broken({"theme": "dark", "channels": ["x"]})) is not None
    assert broken.claim == "accepts what the schema accepts"


def test_texts_of_tools_without_a_schema(package: Any) -> None:
    claims = ContentClaims(package, "release-berth")
    assert claims.is_valid("text")
    assert not claims.is_valid(5)
    assert claims.find_broken("ü\u2028") is None


def test_the_tools_of_a_version_are_listed_once_for_all_tools(package: Any) -> None:
    listed: list[str] = []

    def list_tools(version: str) -> list[dict[str, Any]]:
        listed.append(version)
        tools: list[dict[str, Any]] = package.list_tools(version)
        return tools

    counting = SimpleNamespace(TOOLS=package.TOOLS, RESULT_TYPES=package.RESULT_TYPES, list_tools=list_tools)
    names = [name for name, tool in package.TOOLS.items() if "outputSchema" in tool][:5]
    for name in names:
        ResultClaims(counting, name)
    assert len(names) == 5
    assert sorted(listed) == sorted(PROTOCOLS)
