"""The project's own example: committed output, its values through every way in and out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.targets import get_default_wrap, get_sdk
from mcpgen_runtime.sdk.none.types import TextContent
from pydantic import TypeAdapter, ValidationError
from support import corpus
from support.packages import files, mcpgen
from support.repository import ROOT, SHARED, needs_shared

import generated

VALUES: dict[str, dict[str, list[Any]]] = json.loads(
    (ROOT / "tests" / "support" / "example_values.json").read_text("utf-8")
)
VALID = [(name, value) for name, data in VALUES.items() for value in data["valid"]]
INVALID = [(name, value) for name, data in VALUES.items() for value in data["invalid"]]
TEMPLATED = {path.name.removesuffix(".content.j2") for path in (ROOT / "schemas").rglob("*.content.j2")}
OWN_TEXT = TEMPLATED | {"flags_today", "list_arrivals", "list_pilots"}
"""Tools whose content is not the JSON of their value, so that it cannot be read back where that is all there is."""
VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")


@pytest.mark.ci
def test_committed_output_is_what_the_schemas_give(tmp_path: Path) -> None:
    run = mcpgen("build", "--out", str(tmp_path / "generated"), "--quiet", cwd=ROOT)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert files(tmp_path / "generated") == files(ROOT / "generated")


def test_check_agrees() -> None:
    run = mcpgen("check", cwd=ROOT)
    assert run.returncode == 0, run.stderr


OF_SDK = {
    "client.py",
    "index.py",
    "server.py",
    *(f"{kind}_{module}.py" for kind in ("prompt", "resource") for module in ("index", "server")),
}
"""Modules that only a package for an SDK has."""


def is_wrapped(definition: bytes) -> bool:
    """Check whether a tool's JSON file says that its result is wrapped where it has to be."""
    wrapping = json.loads(definition).get("wrapped", {})
    return (wrapping.get("when"), wrapping.get("as")) == ("legacy", "result")


@pytest.mark.parametrize(
    "sdk", ["mcp", "fastmcp", "dedalus", *(pytest.param(sdk, marks=pytest.mark.ci) for sdk in ("mcp1", "fastmcp3"))]
)
def test_packages_for_sdks_add_modules_and_the_types_of_handlers(tmp_path: Path, sdk: str) -> None:
    run = mcpgen("build", "--out", str(tmp_path / "generated"), "--sdk", sdk, cwd=ROOT)
    assert run.returncode == 0, run.stderr
    ours, theirs = files(ROOT / "generated"), files(tmp_path / "generated")
    assert theirs.keys() - ours.keys() == OF_SDK
    assert ours.keys() <= theirs.keys()
    differing = {path for path in ours if b"from mcpgen_runtime.sdk.none" in ours[path]} | {"forms/__init__.py"}
    if get_default_wrap(get_sdk(sdk)) != get_default_wrap(None):
        differing |= {path for path in ours if path.endswith(".json") and is_wrapped(ours[path])}
    differing |= {json for path in differing if (json := path.replace(".py", ".json")) in ours}  # the modules' hashes
    assert {path for path in ours if ours[path] != theirs[path]} == differing


def test_the_example_is_believable_and_covers_what_it_should() -> None:
    roots = {str(tool.get("outputSchema", {}).get("type")) for tool in generated.TOOLS.values()}
    assert len(generated.TOOLS) >= 15
    assert len(generated.RESOURCE_TYPES) >= 4
    assert {"object", "array", "string", "integer", "number", "boolean", "None"} <= roots
    assert VALUES.keys() == {name for name, tool in generated.TOOLS.items() if "outputSchema" in tool}


@pytest.mark.parametrize(("name", "value"), VALID)
def test_valid_values_go_through(name: str, value: Any) -> None:
    corpus.round_trip(generated.RESULT_TYPES[name], value, name in OWN_TEXT)


@pytest.mark.parametrize(("name", "value"), INVALID)
def test_invalid_values_are_refused(name: str, value: Any) -> None:
    result_type = generated.RESULT_TYPES[name]
    with pytest.raises(ValidationError):
        result_type.from_structured_content(value)


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_sent_satisfies_what_is_advertised(version: str) -> None:
    advertised = {tool["name"]: tool for tool in generated.list_tools(version)}
    for name, value in VALID:
        wire = generated.RESULT_TYPES[name].from_structured_content(value).to_wire(protocol=version)
        if version < "2025-06-18":
            assert "outputSchema" not in advertised[name]
            assert "structuredContent" not in wire
            continue
        schema = advertised[name]["outputSchema"]
        if version < "2026-07-28":
            assert schema["type"] == "object"
        assert jsonschema_rs.validator_for(schema, validate_formats=False).is_valid(wire["structuredContent"])


@needs_shared(*(f"mcp/{version}/schema.json" for version in VERSIONS))
@pytest.mark.parametrize("version", VERSIONS)
def test_wire_results_satisfy_the_official_schema(version: str) -> None:
    official = json.loads((SHARED / "mcp" / version / "schema.json").read_text("utf-8"))
    keyword = "$defs" if "$defs" in official else "definitions"
    validator = jsonschema_rs.validator_for(
        {**official, "$ref": f"#/{keyword}/CallToolResult"} if keyword == "$defs" else _seventh(official)
    )
    for name, value in VALID:
        wire = generated.RESULT_TYPES[name].from_structured_content(value).to_wire(protocol=version)
        assert validator.is_valid(wire), (name, next(validator.iter_errors(wire)).message)


def _seventh(official: dict[str, Any]) -> dict[str, Any]:
    bare = {key: value for key, value in official.items() if key not in ("type", "properties")}
    return {**bare, "allOf": [{"$ref": "#/definitions/CallToolResult"}]}


@pytest.mark.parametrize("name", sorted(VALUES))
def test_the_json_schema_is_the_declared_one(name: str) -> None:
    result_type: Any = generated.RESULT_TYPES[name]
    declared = generated.TOOLS[name]["outputSchema"]
    for mode in ("validation", "serialization"):
        assert result_type.model_json_schema(mode=mode) == declared
        assert TypeAdapter(result_type).json_schema(mode=mode) == declared


def test_templates_of_the_example_say_what_they_should() -> None:
    texts: dict[str, str] = {}
    for name in sorted(TEMPLATED):
        (block,) = generated.RESULT_TYPES[name].from_structured_content(VALUES[name]["valid"][1]).to_content()
        assert isinstance(block, TextContent)
        texts[name] = block.text
    assert texts == {
        "quote_stay": "The stay costs 54.00 EUR:\n- 1 x 2 nights, 9.6 m: 54.00\n"
        "Deposit: 10.00, to be paid on booking.\nGood until 4 May 2031, 09:30.\nQuiet hours from ten.",
        "tide_table": "00:05 low water, 1.0 m\n06:31 high water, 3.9 m\n12:44 low water, 0.7 m\n"
        "18:58 high water, 4.0 m",
        "vessel_profile": "Grey Wagtail (register no. 118), 9.6 m, draws 1.45 m.\nInsured: until 31 January 2032.\n",
    }


def test_json_is_kept_beside_a_template_where_the_value_is_no_object() -> None:
    table = generated.RESULT_TYPES["tide_table"].from_structured_content(VALUES["tide_table"]["valid"][0])
    for version in VERSIONS:
        texts = [block["text"] for block in table.to_wire(protocol=version)["content"]]
        assert texts[:1] == ["03:12 high water, 4.1 m\n09:40 low water, 0.6 m"]
        assert texts[1:] == (['[["03:12",4.1,"high"],["09:40",0.6,"low"]]'] if version == "2026-07-28" else [])
        if version >= "2025-06-18":
            result = table.to_call_tool_result(protocol=version)
            assert [block.text for block in result.content] == texts  # type: ignore[union-attr]
