"""Limits of what generated code reads: depth, patterns that need backtracking, and how much is said of a violation."""

from __future__ import annotations

import logging
import math
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from mcpgen_runtime import conversion, core_schemas
from mcpgen_runtime import schema_check as schema_validation
from pydantic import ValidationError
from support.packages import mcpgen, package, tool

DEPTH = 400
ANY = {"type": "object", "properties": {"x": {}}}
CHAIN = {"type": "object", "properties": {"next": {"$ref": "#"}, "v": {"type": "integer"}}}
TREE = {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#"}}}, "required": ["kids"]}
_LEAF = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}
AMBIGUOUS = {
    "type": "object",
    "properties": {"x": {"$ref": "#/$defs/node"}},
    "$defs": {"node": {"anyOf": [{**_LEAF, "maxProperties": 3}, {**_LEAF, "minProperties": 1}, {"type": "string"}]}},
}
LISTS = {
    "$ref": "#/$defs/list",
    "$defs": {
        "list": {
            "anyOf": [
                {"type": "array", "items": {"$ref": "#/$defs/list"}, "minItems": 1},
                {"type": "array", "items": {"$ref": "#/$defs/list"}, "maxItems": 9},
                {"type": "string"},
            ]
        }
    },
}
PATTERNS = {
    "type": "object",
    "properties": {
        "look": {"type": "string", "pattern": "(?=.*z)x"},
        "refused": {"type": "string", "not": {"pattern": "^(?=.*z)x"}},
        "back": {"not": {"pattern": r"^(a*)*\1b$"}},
        "plain": {"type": "string", "pattern": "^x*$"},
        "text": {"type": "string"},
    },
    "patternProperties": {r"^(a*)*\1b$": {"type": "integer"}},
}
WRONG = {
    "type": "object",
    "properties": {
        "count": {"type": "integer"},
        "name": {"enum": [f"name {number}" for number in range(1000)]},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"v": {"type": "integer"}}}},
    },
    "additionalProperties": False,
}
SCHEMAS = {
    "any": ANY,
    "chain": CHAIN,
    "tree": TREE,
    "ambiguous": AMBIGUOUS,
    "lists": LISTS,
    "patterns": PATTERNS,
    "wrong": WRONG,
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tools = [tool(name, schema) for name, schema in SCHEMAS.items()]
    return package(tmp_path_factory.mktemp("bounded"), tools)


def objects(levels: int, key: str = "next", bottom: Any = None) -> Any:
    value = {} if bottom is None else bottom
    for _ in range(levels - (bottom is None)):
        value = {key: value}
    return value


def arrays(levels: int) -> Any:
    value: list[Any] = ["x"]
    for _ in range(levels - 1):
        value = [value]
    return value


def tree(levels: int) -> Any:
    value: Any = {"kids": []}
    for _ in range(levels // 2 - 1):
        value = {"kids": [value]}
    return value


# --- depth -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("any", {"x": objects(300)}),
        ("any", {"x": arrays(DEPTH - 1)}),
        ("chain", objects(300)),
        ("chain", objects(DEPTH)),
        ("tree", tree(DEPTH)),
        ("ambiguous", {"x": objects(120)}),
        ("lists", arrays(120)),
    ],
)
def test_a_value_within_the_limit_goes_every_way(generated: Any, name: str, value: Any) -> None:
    cls = generated.RESULT_TYPES[name]
    read = cls.from_structured_content(value)
    assert read.to_structured_content() == value
    assert read.to_wire()["structuredContent"] == value
    assert len(read.to_wire_json()) > 100
    for result in (cls.normalize(value), cls.normalize_any(value)):
        assert cls.from_call_tool_result(result).to_structured_content() == value


@pytest.mark.ci
@pytest.mark.parametrize("levels", [DEPTH + 1, 5_000, 100_000])
def test_a_value_beyond_the_limit_is_refused(generated: Any, levels: int) -> None:
    values = {
        "any": {"x": objects(levels)},
        "chain": objects(levels),
        "tree": tree(levels + 2),
        "lists": arrays(levels),
    }
    for name, value in values.items():
        cls = generated.RESULT_TYPES[name]
        with pytest.raises(ValidationError, match="nested at most 400 levels deep"):
            cls.from_structured_content(value)
        for normalize in (cls.normalize, cls.normalize_any) if levels > 1_000 else ():
            with pytest.raises(generated.ResultError, match="nested"):
                normalize(value)


def constructed(cls: Any, value: Any) -> Any:
    """An instance that a handler makes of the JSON value of its properties."""
    return cls(**value) if isinstance(value, dict) else cls(value)


@pytest.mark.parametrize(("name", "value"), [("chain", objects(300)), ("tree", tree(300)), ("lists", arrays(300))])
def test_a_constructor_goes_as_deep_as_reading(generated: Any, name: str, value: Any) -> None:
    assert constructed(generated.RESULT_TYPES[name], value).to_structured_content() == value


@pytest.mark.parametrize("levels", [600, 5_000, 100_000])
@pytest.mark.parametrize(("name", "build"), [("chain", objects), ("tree", tree), ("lists", arrays)])
def test_a_constructor_names_the_limit(generated: Any, name: str, build: Any, levels: int) -> None:
    with pytest.raises(ValidationError, match="the limit `value-depth`") as refused:
        constructed(generated.RESULT_TYPES[name], build(levels + 2))
    assert "the limit `value-depth`" in generated.tool_error(refused.value).content[0].text


@pytest.mark.parametrize("levels", [DEPTH + 1, 5_000, 100_000])
def test_a_text_that_is_too_deep_to_be_read_names_the_limit(generated: Any, levels: int) -> None:
    text = '{"next":' * levels + "null" + "}" * levels
    result = {"content": [{"type": "text", "text": text}]}
    with pytest.raises(ValidationError, match="the limit `value-depth`") as refused:
        generated.ChainResult.from_call_tool_result(result)
    assert "the limit `value-depth`" in generated.tool_error(refused.value).content[0].text


@pytest.mark.parametrize("levels", [5_000, 100_000])
def test_a_part_of_a_result_that_is_too_deep_is_refused_for_that(generated: Any, levels: int) -> None:
    for wire in (
        {"content": [{"type": "text", "text": "", "_meta": arrays(levels)}], "structuredContent": {}},
        {"content": [], "structuredContent": {}, "_meta": {"x": arrays(levels)}},
    ):
        with pytest.raises(ValidationError, match="nested too deeply, beyond the limit"):
            generated.ChainResult.from_call_tool_result(wire)
    with pytest.raises(ValidationError, match="nested too deeply, beyond the limit"):
        generated.model_content({"content": [], "structuredContent": arrays(levels)})


def test_a_deep_place_leaves_room_for_what_is_wrong_there(generated: Any) -> None:
    """Check that the pointer is without its middle, in the error, in the text for the model and in the log."""
    for bottom in (math.nan, "\ud800"):
        for value in ({"x": objects(300, bottom=bottom)}, {"x": objects(90, "k" * 60, bottom)}):
            for normalize in (generated.AnyResult.normalize, generated.AnyResult.normalize_any):
                with pytest.raises(generated.ResultError) as refused:
                    normalize(value)
                text = generated.tool_error(refused.value).content[0].text
                assert re.search("should be a JSON value|is not a JSON value|JSON has no nan|lone surrogate", text)
                assert len(text.encode()) <= 1_000
                assert len(str(refused.value)) <= 4_000
                assert re.search("JSON value|JSON has no nan|lone surrogate", str(refused.value))
    wire = {"content": [{"type": "text", "text": "", "_meta": objects(300, bottom=math.nan)}]}
    with pytest.raises(ValidationError, match="JSON has no nan") as unread:
        generated.ChainResult.from_call_tool_result(wire)
    assert len(str(unread.value)) <= 4_000


def test_what_arrays_may_hold_is_listed_once(generated: Any) -> None:
    """Check that the kinds of the items do not grow with the level."""
    kinds = conversion.kinds_of(generated.ListsResult.model_fields["root"].annotation)
    for _ in range(60):
        kinds = next(conversion.items_of(kinds))
        assert len(kinds) <= 4


def count_readings(generated: Any, work: Callable[[], object]) -> int:
    """Count how often a union that leads back to itself is read."""
    count = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        is_read = event == "call" and frame.f_code.co_name == "read"
        count += is_read and frame.f_code.co_filename == core_schemas.__file__

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def test_an_invalid_result_is_read_with_a_warning_at_linear_cost(generated: Any) -> None:
    """Each level is tried anew, but what was tried is remembered."""

    def read(levels: int) -> None:
        wire = {"content": [], "structuredContent": {"x": objects(levels, bottom=5)}}
        with pytest.warns(UserWarning, match="an invalid result was read"):
            generated.AmbiguousResult.from_call_tool_result(wire, on_invalid="warn")

    counts = [count_readings(generated, partial(read, levels)) for levels in (20, 40, 80)]
    assert counts[0] > 10
    assert counts[2] < 2.2 * counts[1] < 2.2 * 2.2 * counts[0]


def test_a_value_that_holds_itself_is_refused(generated: Any) -> None:
    ring: list[Any] = []
    ring += [ring, ring]
    with pytest.raises(ValidationError, match="nested at most"):
        generated.ListsResult.from_structured_content(ring)
    with pytest.raises(generated.ResultError):
        generated.ListsResult.normalize_any(ring)
    with pytest.raises(ValidationError):
        generated.AnyResult(x=ring)


def read_inside(read: Callable[[Any], Any], value: Any) -> Any:
    return read({"x": value})


def iterate_readers(generated: Any) -> Iterator[Callable[[Any], Any]]:
    """Yield ways to read a value of the schema, and a value without a type."""
    chain, whole, plain = generated.ChainResult, generated.AnyResult, generated.PlainResult
    yield from (
        chain.from_structured_content,
        chain.normalize,
        chain.normalize_any,
        generated.Log.from_structured_content,
    )
    for read in (whole.from_structured_content, whole.normalize, whole.normalize_any, whole.normalize_to_json):
        yield partial(read_inside, read)
    yield lambda value: plain.from_call_tool_result({"content": [], "structuredContent": value})


def test_the_limit_is_a_setting(tmp_path: Path) -> None:
    """Each package keeps its own limits, also inside of values without a type, whatever was read in between."""
    tools = [tool("chain", CHAIN), tool("patterns", PATTERNS), tool("any", {"properties": {"x": {}}}), tool("plain")]
    declared = {"name": "log", "uri": "log:a", "mimeType": "application/json", "x-mcpgen": {"schema": CHAIN}}
    made: dict[tuple[int, int], Any] = {}
    for depth, length in ((350, 5), (450, 6)):
        folder = tmp_path / str(depth)
        folder.mkdir()
        (folder / "mcpgen.toml").write_text(f"limits = {{value-depth = {depth}, pattern-length = {length}}}\n")
        made[depth, length] = package(folder, tools, resources=[declared])
    for (depth, length), generated in [*made.items(), *made.items()]:
        for read in iterate_readers(generated):
            assert read(objects(depth))
            with pytest.raises(ValueError, match=f"nested at most {depth} levels deep"):
                read(objects(depth + 1))
        with pytest.raises(ValidationError, match=f"the text should be nested at most {depth} levels deep"):
            generated.Log.from_read_resource_result({"contents": [{"uri": "log:a", "text": "[" * 9_000}]})
        assert generated.PatternsResult.from_structured_content({"look": "x" * (length - 1) + "z"}) is not None
        with pytest.raises(ValidationError, match=f"at most {length} characters"):
            generated.PatternsResult.from_structured_content({"look": "x" * length + "z"})


# --- unions that lead back to themselves -----------------------------------------------------------------------------
def test_every_part_is_read_once(generated: Any) -> None:
    """Twice as many levels take about twice as many calls, not their square."""

    def read(levels: int) -> None:
        ambiguous_result = generated.AmbiguousResult(x=objects(levels))
        assert ambiguous_result.to_structured_content() == {"x": objects(levels)}
        with pytest.raises(ValidationError):
            generated.AmbiguousResult(x=objects(levels, bottom=5))

    counts = [count_readings(generated, partial(read, levels)) for levels in (20, 40, 80)]
    assert counts[0] > 10
    assert counts[2] < 2.2 * counts[1] < 2.2 * 2.2 * counts[0]


# --- patterns --------------------------------------------------------------------------------------------------------
def test_patterns_that_need_backtracking_have_limits(generated: Any) -> None:
    cls = generated.PatternsResult
    assert cls.from_structured_content({"look": "xz", "plain": "x" * 100_000, "text": "y" * 100_000})
    for value, expected in (
        ({"look": "z" * 2_001}, "at most 2000 characters"),
        ({"refused": "z" * 2_001}, "at most 2000 characters"),
        ({"back": "a" * 40 + "!"}, "more than 20000 steps"),
        ({"a" * 40 + "!": "text"}, "more than 20000 steps"),
    ):
        with pytest.raises(ValidationError, match=expected):
            cls.from_structured_content(value)
        with pytest.raises(generated.ResultError, match=expected):
            cls.normalize(value)


def test_a_pattern_that_needs_backtracking_is_noted(tmp_path: Path) -> None:
    package(tmp_path, [tool("patterns", PATTERNS)])
    run = mcpgen("check", "schemas", "--out", "elsewhere", cwd=tmp_path)
    assert run.stderr.count("note[MG110]") == 4


# --- what the schema alone makes expensive ---------------------------------------------------------------------------
def _doubling(levels: int) -> dict[str, Any]:
    """Each definition is asked twice by the one before it."""
    twice = {f"d{level}": {"allOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**twice, f"d{levels}": {"type": "object"}}}


def _doubling_below(levels: int) -> dict[str, Any]:
    """As `_doubling`, about a part of the value each."""
    below = [{"properties": {"x": {"$ref": f"#/$defs/d{level + 1}"}}} for level in range(levels)]
    twice = {f"d{level}": {"anyOf": [below[level], below[level]]} for level in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**twice, f"d{levels}": {"type": "object"}}}


def _unevaluated(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    for _ in range(levels):
        schema = {"allOf": [schema], "unevaluatedProperties": False}
    return schema


def _in_place(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {"next": {"$ref": "#"}}}
    for _ in range(levels):
        schema = {"allOf": [schema]}
    return schema


@pytest.mark.parametrize(
    ("schema", "limit"),
    [
        (_doubling(20), "repeats"),
        (_doubling_below(20), "repeats"),
        (_unevaluated(12), "repeats"),
        (_in_place(60), "check-depth"),
    ],
)
def test_a_schema_whose_checks_cost_too_much_does_not_build(tmp_path: Path, schema: dict[str, Any], limit: str) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tool.json").write_text(__import__("json").dumps(schema))
    run = mcpgen("build", "schemas", cwd=tmp_path)
    assert run.returncode == 2
    assert "MG009" in run.stderr
    assert f"limits.{limit}" in run.stderr


def test_a_definition_that_many_properties_share_is_not_too_much(tmp_path: Path) -> None:
    shared = {
        f"d{level}": {"properties": {f"p{n}": {"$ref": f"#/$defs/d{level + 1}"} for n in range(9)}}
        for level in range(9)
    }
    schema = {"type": "object", "$ref": "#/$defs/d0", "$defs": {**shared, "d9": {"type": "string"}}}
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "tool.json").write_text(__import__("json").dumps(schema))
    run = mcpgen("build", "schemas", cwd=tmp_path)
    assert "repeats" not in run.stderr


# --- how much is said ------------------------------------------------------------------------------------------------
WRONG_VALUES: list[Any] = [
    {"count": "x" * 3_000_000},
    {"name": "y" * 3_000_000},
    {"rows": [{"v": "z" * 10_000}] * 10_000},
    {f"{number}" + "k" * 10_000: 1 for number in range(1000)},
    {"rows": {"v": 1}, "count": 10**4000},
    "x" * 3_000_000,
]


@pytest.mark.ci
@pytest.mark.parametrize("value", WRONG_VALUES)
def test_little_is_said_of_a_wrong_value(generated: Any, value: Any, caplog: pytest.LogCaptureFixture) -> None:
    cls = generated.WrongResult
    with pytest.raises(ValidationError) as refused:
        cls.from_structured_content(value)
    assert len(str(refused.value)) <= 4_000
    assert refused.value.error_count() <= 5
    for normalize in (cls.normalize, cls.normalize_any):
        with pytest.raises(generated.ResultError) as failed:
            normalize(value)
        assert len(str(failed.value)) <= 4_000
        assert len(failed.value.problems) <= 5
        text = generated.tool_error(failed.value).content[0].text
        assert len(text.encode()) <= 1_000
        assert not re.search("x{9}|y{9}|z{9}|k{9}", text), "the value's own text"


def test_the_model_is_told_the_place_and_what_is_expected(generated: Any) -> None:
    with pytest.raises(generated.ResultError) as failed:
        generated.WrongResult.normalize({"rows": [{"v": 1}, {"v": "high"}], "name": "nobody"})
    text = generated.tool_error(failed.value).content[0].text
    assert "/rows/1/v: should be an integer" in text
    assert '/name: should be one of "name 0", "name 1"' in text
    assert "high" not in text
    logging.getLogger(__name__).debug(text)


def test_alternatives_that_lead_back_do_not_multiply(tmp_path: Path) -> None:
    """Check that the kinds of an item at any depth are as many as the schema has, whatever way leads to it."""
    array = {"type": "array", "items": {"$ref": "#"}}
    output = {"anyOf": [{"type": "null"}, {"type": "array", "items": array}, array]}
    node = {"type": "object", "patternProperties": {"^n": {"$ref": "#"}}}
    several = {"type": "object", "additionalProperties": {"$ref": "#"}, "minProperties": 2}
    nodes = {"anyOf": [{"type": "null"}, several, node]}
    maps = _map_of(_map_of({"$ref": "#"}))
    built = package(tmp_path, [tool("lists", output), tool("maps", maps), tool("nodes", nodes)])
    kinds = conversion.kinds_of(built.RESULT_TYPES["lists"].model_fields["root"].annotation)
    for _ in range(100):
        kinds = next(conversion.items_of(kinds))
        assert len(kinds) <= 3
    value: Any = "wrong"
    for _ in range(100):
        value = [value]
    with pytest.raises(built.ResultError):
        built.RESULT_TYPES["lists"].normalize(value)
    starts = (
        conversion.shape_of(built.RESULT_TYPES["maps"]).extra,
        conversion.kinds_of(built.RESULT_TYPES["nodes"].model_fields["root"].annotation),
    )
    for kinds in starts:
        for _ in range(100):
            kinds = conversion.values_of(kinds)
            assert len(kinds) <= 4


def _map_of(inner: Any) -> Any:
    either = [{"type": "null"}, {"type": "object", "additionalProperties": {"$ref": "#"}}, inner]
    return {"type": "object", "additionalProperties": {"anyOf": either}}


def test_what_the_stack_is_too_small_for_is_refused_for_that(tmp_path: Path) -> None:
    """pydantic tells of a stack that is used up as of a value that does not fit."""
    first = {"type": "array", "prefixItems": [{"type": "integer"}, {"$ref": "#"}, {"type": "string"}], "minItems": 3}
    second = {"type": "array", "prefixItems": [{"type": "number"}, {"$ref": "#"}], "minItems": 2, "maxItems": 2}
    built = package(tmp_path, [tool("pairs", {"oneOf": [{"type": "null"}, first, second]})])
    cls = built.RESULT_TYPES["pairs"]
    for levels in (50, 150, 250, DEPTH - 10):
        value: Any = None
        for _ in range(levels):
            value = [1, value]
        try:
            assert cls.from_structured_content(value).to_structured_content() == value
        except ValidationError as error:
            assert levels > 150
            assert "limit `value-depth`" in str(error)  # noqa: PT017 # it is read or refused
        with pytest.raises(ValidationError) as raised:
            cls.from_structured_content([1, value, 2, "x"])
        assert levels > 150 or "limit" not in str(raised.value)


def test_a_pattern_that_backtracks_may_be_in_a_content_schema() -> None:
    """`contentSchema` asserts nothing, but a reference can lead into it."""
    embedded = {"type": "string", "contentSchema": {"pattern": "(?=.*z)x"}}
    schema = {"properties": {"a": embedded, "b": {"$ref": "#/properties/a/contentSchema"}}}
    check = schema_validation.SchemaCheck(schema)
    assert check.is_valid({"a": "y", "b": "xz"})
    assert not check.is_valid({"b": "x"})
