"""Tables of random values of random schemas, read back by a Markdown parser and Python's `csv`: nothing is lost."""

from __future__ import annotations

import json
import random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from support.packages import package, tool
from support.tables import Parsed, Schema, decode_lines, decode_rows, parse_markdown, parse_separated

pytestmark = pytest.mark.ci
STRATEGIES = ("table", "csv", "tsv")
NAMES = [
    *("id", "name", "wind_speed", "callSign", "a", "b", "a.b", "x y", "a|b", "*a*", "`a`", "<b>", "&amp;", "[x](y)"),
    *("_a_", "a_", "\\", "a\\", "# a", "- a", "1. a", "> a", "[a]:", "---", "…", "", " ", " a ", '"q"', "a,b", "a\tb"),
    *("a\nb", "a\r\nb", "{x}", "{{ x }}", "%s", "row", "rows", "more", "has_more", "extra", "parts", "self", "extras"),
    *("value", "result", "Ünïcode", "中", "😀", "=1+1", "a: b", "null", "</td>", "~~a~~", "![i](u)", "http://a.b/c_d"),
    *("'; import os", "\u2028"),
]
PIECES = [
    *("a", "B", "7", " ", "  ", "\n", "\r\n", "\t", "|", "\\", "\\|", "*", "**", "_", "__", "`", "``", "~", "~~", "<"),
    *("<b>", "</td>", "<!--", "-->", "<http://x>", "&", "&amp;", "&#32;", "&#", ";", "[", "]", "](", "(", ")", "[a]:"),
    *("!", "#", "-", "---", "+", "1.", ">", "=", ",", '"', '""', "'", "{", "}", "null", "true", "1", "-1.5e3", "[1]"),
    *(".", ":", "é", "中", "😀", "\u00a0", "\u2003", "\u2028", "ª", "²", "http://a_b.c/d", "@x", "$x$", "%"),
]
"""Control characters other than tabs and line breaks are left out: Markdown has no text for all of them."""
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=6).map("".join),
    st.sampled_from(["", "null", '"', '""', "1", "true", "[]", "{}", " 1", "NaN", "-", "1e5", "\\"]),
    st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=8),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2), max_leaves=4
)


# --- random schemas --------------------------------------------------------------------------------------------------
def make_leaf(chance: random.Random) -> Schema:
    leaf: Schema = chance.choice(
        [
            {"type": "string"}, {"type": "string"}, {"type": "integer"}, {"type": "number"}, {"type": "boolean"}, {},
            {"enum": ["flood", "slack", "null", "a|b", ""]}, {"enum": ["on", "off"]}, {"enum": ["on", None]},
            {"type": "array", "items": {"type": "string"}}, {"type": ["string", "integer"]},
            {"type": "string", "format": "date"},
        ]
    )  # fmt: skip
    kind = leaf.get("type")
    if isinstance(kind, str) and "format" not in leaf and chance.random() < 0.3:
        return leaf | {"type": [kind, "null"]}
    return leaf


def make_object(chance: random.Random, depth: int) -> Schema:
    names = chance.sample(NAMES, chance.randint(1, 5))
    properties: dict[str, Schema] = {}
    for name in names:
        properties[name] = make_object(chance, depth - 1) if depth and chance.random() < 0.3 else make_leaf(chance)
        if "properties" in properties[name] and chance.random() < 0.4:
            properties[name]["type"] = ["object", "null"]
    required = [name for name in names if chance.random() < 0.6]
    closed = {} if chance.random() < 0.5 else {"additionalProperties": False}
    return {"type": "object", "properties": properties, "required": required, **closed}


def make_root(chance: random.Random) -> Schema:
    rows: Schema = {"type": "array", "items": make_object(chance, 2)}
    if chance.random() < 0.3:
        return rows
    other_properties = {name: make_leaf(chance) for name in chance.sample(NAMES, chance.randint(0, 3))}
    name = chance.choice(["boats", "a|b", "# a", "rows"])
    if chance.random() < 0.2:
        rows["type"] = ["array", "null"]
    required = [name for name in [*other_properties, name] if chance.random() < 0.6]
    closed = {} if chance.random() < 0.5 else {"additionalProperties": False}
    return {"type": "object", "properties": {**other_properties, name: rows}, "required": required, **closed}


def values_of(schema: Schema) -> st.SearchStrategy[Any]:
    """Return a strategy for values of a schema of this test."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        return st.one_of([values_of(schema | {"type": kind}) for kind in kinds])
    if kinds == "string":
        return st.just("2031-05-04") if "format" in schema else TEXTS
    if kinds == "array":
        return st.lists(values_of(schema["items"]), max_size=3)
    if kinds == "object":
        return objects_of(schema)
    numbers = st.floats(allow_nan=False, allow_infinity=False)
    strategies: dict[str, st.SearchStrategy[Any]] = {
        "integer": st.integers(),
        "number": numbers,
        "boolean": st.booleans(),
    }
    return {**strategies, "null": st.none(), "any": VALUES}[kinds]


def objects_of(schema: Schema) -> st.SearchStrategy[Any]:
    required = {name: values_of(inner) for name, inner in schema["properties"].items() if name in schema["required"]}
    optional = {
        name: values_of(inner) for name, inner in schema["properties"].items() if name not in schema["required"]
    }
    declared = st.fixed_dictionaries(required, optional=optional)
    if schema.get("additionalProperties") is False:
        return declared
    nothing: dict[str, Any] = {}
    extras = st.just(nothing) | st.dictionaries(st.sampled_from(NAMES) | TEXTS, VALUES, max_size=2)
    return st.tuples(extras, declared).map(
        lambda pair: {**{key: value for key, value in pair[0].items() if key not in schema["properties"]}, **pair[1]}
    )


# --- the tests -------------------------------------------------------------------------------------------------------
COUNT, EXAMPLES = 24, 40
CASES = {number: (STRATEGIES[number % 3], make_root(random.Random(number))) for number in range(COUNT)}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tools = [
        tool(f"tool_{number}", schema, **{"x-mcpgen": {"content": strategy}})
        for number, (strategy, schema) in CASES.items()
    ]
    return package(tmp_path_factory.mktemp("tables"), tools)


def find_rows(schema: Schema) -> str | None:
    """Return the name of the property with the rows, None if the root is the array."""
    if schema["type"] == "array":
        return None
    names: dict[str, Schema] = schema["properties"]
    return next(name for name, inner in names.items() if "properties" in inner.get("items", {}))


def parse(strategy: str, text: str, has_lines: bool) -> Parsed:
    if strategy == "table":
        return parse_markdown(text)
    delimiter, line_end = (",", "\r\n") if strategy == "csv" else ("\t", "\n")
    return parse_separated(text, delimiter, line_end, has_lines)


def read_back(strategy: str, schema: Schema, text: str) -> Any:
    """Return the value that a text tells."""
    name = find_rows(schema)
    if name is None:
        return decode_rows(schema["items"], parse(strategy, text, False).rows)
    has_lines = len(schema["properties"]) > 1 or schema.get("additionalProperties") is not False
    inner = schema["properties"][name]
    label = f"{name}:" if name in ("boats", "rows") else f"{json.dumps(name)}:"
    end = "\r\n" if strategy == "csv" else "\n"
    has_table = strategy == "table" or not has_lines or f"{label}{end}{end}" in text
    parsed = parse(strategy, text, has_lines) if has_table else Parsed([line for line in text.split(end) if line], [])
    nulls = [line for line in parsed.lines if line == f"{label} null"]
    out = decode_lines([line for line in parsed.lines if line not in nulls], name)
    if nulls:
        out[name] = None
    elif parsed.rows:
        out[name] = decode_rows(inner["items"], parsed.rows)
    return out


@pytest.mark.parametrize("number", CASES)
def test_a_table_tells_the_whole_value(number: int, generated: Any) -> None:
    strategy, schema = CASES[number]
    result_class = generated.RESULT_TYPES[f"tool_{number}"]

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    @given(values_of(schema))
    def check(value: Any) -> None:
        text = result_class.from_structured_content(value).to_content()[0].text
        assert read_back(strategy, schema, text) == value, text

    check()
