"""Contracts in canonical form: one for every way to write a Tool, another one wherever a caller could notice."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from mcpgen.samples.generator import ValueGenerator
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from mcpgen_runtime.tool_contract import contract, contract_hash, contract_text
from support.corpus import equal
from support.packages import tool
from support.random_schemas import schema

DAY: dict[str, Any] = {"type": "object", "properties": {"rain": {"type": "boolean"}}, "required": ["rain"]}
TREE: dict[str, Any] = {"type": "object", "properties": {"kids": {"items": {"$ref": "#/$defs/Tree"}}}}

RENAMED: dict[str, Any] = {"type": "object", "properties": {"kids": {"items": {"$ref": "#/$defs/T"}}}}


def same(first: Any, second: Any) -> bool:
    """Return whether two outputSchemas are one contract."""
    texts = [contract_text(tool("a", item)) for item in (first, second)]
    assert (texts[0] == texts[1]) == (contract_hash(tool("a", first)) == contract_hash(tool("a", second)))
    return texts[0] == texts[1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"type": "object", "title": "A", "description": "b"}, {"type": "object"}),
        ({"type": "string", "default": "a", "examples": ["b"], "$comment": "c"}, {"type": "string"}),
        ({"type": "object", "x-fastmcp-wrap-result": True}, {"type": "object"}),
        ({"$schema": DRAFT_2020_12, "type": "object"}, {"type": "object"}),
        ({"type": "object", "properties": {}, "required": []}, {"type": "object"}),
        ({"type": ["null", "string"]}, {"type": ["string", "null"]}),
        ({"type": ["string"]}, {"type": "string"}),
        ({"enum": ["a", 1, None]}, {"enum": [None, "a", 1.0]}),
        ({"required": ["a", "b"]}, {"required": ["b", "a"]}),
        ({"minimum": 1.0, "const": {"a": 2.0}}, {"const": {"a": 2}, "minimum": 1}),
        ({"dependentRequired": {"a": ["c", "b"]}}, {"dependentRequired": {"a": ["b", "c"]}}),
        ({"properties": {"a": {}}}, {"properties": {"a": True}}),
        ({"items": {"$ref": "#/$defs/Day"}, "$defs": {"Day": DAY}}, {"items": DAY}),
        ({"items": {"$ref": "#/$defs/Day", "title": "T"}, "$defs": {"Day": DAY}}, {"items": DAY}),
        ({"items": {"$ref": "#/$defs/a~1b%20c"}, "$defs": {"a/b c": DAY, "unused": True}}, {"items": DAY}),
        (
            {"$schema": DRAFT_07, "items": {"$ref": "#/definitions/Day", "not": {}}, "definitions": {"Day": DAY}},
            {"$schema": DRAFT_07 + "#", "items": DAY},
        ),
        (
            {"items": {"$ref": "#/$defs/Tree"}, "$defs": {"Tree": TREE}},
            {"items": {"$ref": "#/$defs/T"}, "$defs": {"T": RENAMED}},
        ),
        ({"$ref": "#/$defs/Tree", "$defs": {"Tree": TREE}}, {**TREE, "$defs": {"Tree": TREE}}),
    ],
)  # fmt: skip
def test_another_way_to_write_it(first: Any, second: Any) -> None:
    assert same(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"properties": {"title": {"type": "string"}}}, {"properties": {"title": {"type": "integer"}}}),
        ({"properties": {"default": DAY}}, {}),
        ({"const": {"title": "a"}}, {"const": {"title": "b"}}),
        ({"enum": [{"description": "a"}]}, {"enum": [{"description": "b"}]}),
        ({"enum": [1, True]}, {"enum": [1]}),
        ({"const": 1}, {"const": True}),
        ({"items": {"$ref": "#/$defs/Day"}, "$defs": {"Day": DAY}}, {"items": {**DAY, "required": []}}),
        ({"$schema": DRAFT_07, "items": [True]}, {"items": [True]}),
        ({"properties": {"a": {"x-mcp-header": "A"}}}, {"properties": {"a": {}}}),
        ({"prefixItems": [{"type": "string"}, True]}, {"prefixItems": [True, {"type": "string"}]}),
        ({"not": {}}, {}),
        (
            {"items": {"$anchor": "x", "$ref": "#/$defs/A"}, "$defs": {"A": True}},
            {"items": {"$anchor": "x", "$ref": "#/$defs/A"}, "$defs": {"A": False}},
        ),
        (None, {}),
    ],
)
def test_another_contract(first: Any, second: Any) -> None:
    assert not same(first, second)


def test_what_is_beside_the_schemas_is_no_part_of_it() -> None:
    beside: dict[str, Any] = {
        "title": "A",
        "description": "b",
        "annotations": {"readOnlyHint": True},
        "_meta": {},
        "icons": [],
    }
    assert contract_text(tool("a", DAY)) == contract_text({**tool("a", DAY), **beside, "execution": {}})
    assert contract_text(tool("a", DAY)) != contract_text(tool("b", DAY))
    assert list(contract(tool("a"))) == ["name", "inputSchema"]


def test_a_small_schema_stays_a_small_text() -> None:
    """2^60 and 20,000 nested uses of a definition."""
    twice = {f"D{n}": {"prefixItems": [{"$ref": f"#/$defs/D{n + 1}"}] * 2} for n in range(60)}
    chain = {f"D{n}": {"items": {"$ref": f"#/$defs/D{n + 1}"}} for n in range(20_000)}
    for definitions in (twice, chain):
        value = {"$ref": "#/$defs/D0", "$defs": {**definitions, f"D{len(definitions)}": True}}
        assert len(contract_text(tool("a", value))) < 2_000_000


def test_a_deep_schema_is_read() -> None:
    deep: Any = {"type": "string"}
    for _ in range(240):
        deep = {"items": deep}
    assert '{"items":' * 240 in contract_text(tool("a", deep))


@pytest.mark.ci
@pytest.mark.parametrize("dialect", [DRAFT_2020_12, DRAFT_07])
def test_random_schemas_keep_their_meaning(dialect: str) -> None:
    """Check that the canonical form is a schema, too: it accepts what the schema accepts, however that is written."""
    result: Any = jsonschema_rs.Draft7Validator if dialect == DRAFT_07 else jsonschema_rs.Draft202012Validator
    accepted = refused = 0
    for seed in range(300):
        random = Random(f"{dialect}{seed}")
        arguments = schema(random, dialect)
        canonical: Any = contract(tool("a", arguments))["outputSchema"]
        assert same(arguments, rewritten(arguments, random))
        assert same(arguments, canonical) or "$ref" in json.dumps(canonical)
        try:
            validators = [result(item, validate_formats=False, offline=True) for item in (arguments, canonical)]
        except (jsonschema_rs.ReferencingError, ValueError):
            continue
        drawer = ValueGenerator(arguments, dialect)
        for _ in range(6):
            value = drawer.draw_value(random)
            for entry in (value, drawer.mutate_value(value, random)):
                try:
                    verdicts = [validator.is_valid(entry) for validator in validators]
                except (ValueError, UnicodeEncodeError):
                    continue
                assert verdicts[0] == verdicts[1], (arguments, canonical, entry)
                accepted, refused = accepted + verdicts[0], refused + (not verdicts[0])
    assert min(accepted, refused) > 300


def rewritten(value: Any, random: Random) -> Any:
    """Return the same schema with its members in another order."""
    if isinstance(value, dict):
        keys = random.sample(sorted(value), len(value))
        return {key: rewritten(value[key], random) for key in keys}
    return [rewritten(item, random) for item in value] if isinstance(value, list) else value


def test_the_rewritten_schema_is_equal() -> None:
    value = schema(Random(1), DRAFT_2020_12)
    assert equal(value, rewritten(value, Random(2)))
