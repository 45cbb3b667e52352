"""Instances that were changed after they were made, or never validated: what the glue sends satisfies the schema."""

from __future__ import annotations

import copy
import datetime
import json
import math
import pickle
from collections.abc import Callable
from random import Random
from typing import Any

import jsonschema_rs
import pytest
from mcpgen_runtime.arguments import build_leniently
from mcpgen_runtime.server_binding import BoundTool
from pydantic import BaseModel
from support.packages import get_tool, package, tool

pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")

POINT = {
    "type": "object",
    "properties": {"lat": {"type": "number", "minimum": -90}, "marks": {"type": "array", "items": {"type": "string"}}},
    "required": ["lat"],
    "additionalProperties": False,
}
ROW = {
    "type": "object",
    "properties": {
        "kind": {"const": "row"},
        "wind-speed": {"type": ["number", "null"]},
        "tags": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 3},
        "at": POINT,
        "more": {"type": "array"},
    },
    "required": ["kind", "tags"],
    "additionalProperties": {"type": "integer"},
}
OPEN = {**ROW, "additionalProperties": True}
ARRAY = {"type": "array", "items": OPEN, "minItems": 1}
NODE = {"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#"}}, "required": ["name"]}
BINARY = {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}
LISTED = {"type": "array", "items": {"type": "integer", "minimum": 0}, "uniqueItems": True, "maxItems": 3}
ROWS = {"type": "object", "properties": {"rows": ARRAY, "total": {"type": "integer"}}, "required": ["rows"]}
SCHEMAS: dict[str, Any] = {
    "rows": ROWS,
    "silent": ROWS,
    "row": ROW,
    "array": ARRAY,
    "checked": LISTED,
    "node": NODE,
    "map": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "boolean"}}},
    "wrapper": {"type": "object", "properties": {"result": LISTED}, "required": ["result"], "title": "wrapperOutput"},
    "text": {"type": "string", "maxLength": 5},
    "binary": BINARY,
    "anything": {},
}
NONE = {"x-mcpgen": {"content": "none"}}
POINT_VALUE = {"lat": 1.5, "marks": ["a"]}
ROW_VALUE = {"kind": "row", "wind-speed": None, "tags": ["x", "y"], "at": POINT_VALUE, "more": [1, {"a": [None]}]}
VALUES: dict[str, Any] = {
    "rows": {"rows": [ROW_VALUE, {**ROW_VALUE, "open": [1]}], "total": 2, "else": {"b": [1.5]}},
    "row": {**ROW_VALUE, "count": 4},
    "array": [ROW_VALUE],
    "checked": [1, 2],
    "node": {"name": "a", "next": {"name": "b", "next": {"name": "c"}}},
    "map": {"a": [True], "b": []},
    "wrapper": {"result": [3]},
    "text": "abc",
    "binary": "aGVsbG8=",
    "anything": {"a": [1, {"b": "c"}]},
}
VALUES["silent"] = VALUES["rows"]


class Odd:
    """Nothing that JSON knows."""


def _odd(random: Random) -> Any:
    """A value that a mistaken program may put somewhere."""
    circle: list[Any] = []
    circle.append(circle)
    return random.choice(
        [
            None,
            True,
            0,
            -91,
            1.5,
            math.nan,
            math.inf,
            "",
            "x",
            "\ud800",
            b"x",
            b"\xff",
            [],
            [1],
            ["x"] * 4,
            {},
            (1,),
            {"a": math.nan},
            {1: 2},
            {"\ud800": 1},
            Odd(),
            {1, 2},
            circle,
            datetime.date(2026, 1, 2),
            [[[None]]],
            10**30,
            "long enough",
            {"lat": 1},
            {"kind": "row", "tags": []},
            NotImplemented,
            print,
        ]
    )


def _places(value: Any) -> list[dict[Any, Any] | list[Any]]:
    """Every container that can be reached in an instance, however private."""
    containers: list[dict[Any, Any] | list[Any]] = []
    todo, seen = [value], set[int]()
    for item in todo:  # grows on the way
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, BaseModel):
            todo += [item.__dict__, item.__pydantic_extra__]
        elif isinstance(item, dict | list):
            containers.append(item)
            todo += item.values() if isinstance(item, dict) else item
    return containers


def _change(place: dict[Any, Any] | list[Any], random: Random) -> None:
    if isinstance(place, dict):
        key = random.choice([*place, "new"])
        if random.random() < 0.2 and place:
            place.popitem()
        else:
            place[key] = _odd(random)
    elif place and random.random() < 0.5:
        place[random.randrange(len(place))] = _odd(random)
    else:
        place.extend([_odd(random)] * random.choice([1, 1, 9]))


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tools = [tool(name, schema, **(NONE if name == "silent" else {})) for name, schema in SCHEMAS.items()]
    return package(tmp_path_factory.mktemp("changed"), tools, "--sdk", "mcp")


@pytest.fixture(scope="module")
def bound(generated: Any) -> Callable[[str], Any]:
    return lambda name: BoundTool.of(get_tool(generated, name), lambda **arguments: None, ())


def _sent(result: Any, wrapped: bool) -> Any:
    """Return the structured content as a client reads it."""
    wire = json.loads(result.model_dump_json(by_alias=True, exclude_unset=True))
    value = wire["structuredContent"]
    return value["result"] if wrapped else value


def _satisfies(name: str, value: Any) -> bool:
    return jsonschema_rs.Draft202012Validator(SCHEMAS[name]).is_valid(value)


@pytest.mark.parametrize("rounds", [120, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", SCHEMAS)
def test_whatever_was_changed_nothing_is_sent_that_violates_the_schema(
    name: str, generated: Any, bound: Any, rounds: int
) -> None:
    cls, handler = generated.RESULT_TYPES[name], bound(name)
    random, refused, sent = Random(f"changed {name}"), 0, 0
    for _ in range(rounds):
        instance = cls.from_structured_content(copy.deepcopy(VALUES[name]))
        if random.random() < 0.2:
            instance = pickle.loads(pickle.dumps(instance))
        for _ in range(random.choice([1, 1, 2])):
            _change(random.choice(_places(instance)), random)
        payload: Any = random.choice([instance, instance, instance, ("said", instance), {"result": instance}])
        result = handler.answer(payload, "2026-07-28")
        if result.is_error:
            refused += 1
            continue
        sent += 1
        assert _satisfies(name, _sent(result, False)), instance
        if payload is instance:
            assert not handler.answer(instance, "2024-11-05").is_error
    assert refused > rounds / 4
    assert sent > 0 or name in ("text", "binary")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cls, instance: cls.model_construct(rows="none"),
        lambda cls, instance: cls.model_construct(),
        lambda cls, instance: instance.rows.clear() or instance,
        lambda cls, instance: instance.rows[0].tags.append("") or instance,
        lambda cls, instance: instance.rows[0].at.__dict__.update(lat=-100) or instance,
        lambda cls, instance: (
            instance.__setstate__({**instance.__getstate__(), "__dict__": {**instance.__dict__, "total": "many"}})
            or instance
        ),
        lambda cls, instance: instance.model_extra.update(total=1, deep=math.nan) or instance,
        lambda cls, instance: pickle.loads(pickle.dumps(instance.rows[0].tags.extend("abc") or instance)),
        lambda cls, instance: copy.copy(instance.rows.append({"kind": "row"}) or instance),
    ],
)
def test_what_violates_the_schema_is_an_error_that_holds_nothing_of_the_value(
    spoil: Any, generated: Any, bound: Any
) -> None:
    cls = generated.RESULT_TYPES["rows"]
    instance = spoil(cls, cls.from_structured_content(VALUES["rows"]))
    for value in (instance, ("said", instance)):
        result = bound("rows").answer(value, "2026-07-28")
        assert result.is_error
        assert result.content[0].text.startswith("The tool's result is invalid: ")
        assert result.structured_content is None
        with pytest.raises(generated.ResultError):
            cls.normalize(value)
        with pytest.raises(generated.ResultError):
            cls.normalize_any(value)


def test_an_instance_that_is_part_of_a_value_is_held_against_the_schema_too(generated: Any, bound: Any) -> None:
    cls = generated.RESULT_TYPES["array"]
    row = cls.from_structured_content(VALUES["array"]).root[0]
    assert not bound("array").answer([row], "2026-07-28").is_error
    row.tags.append("")
    assert bound("array").answer([row], "2026-07-28").is_error
    assert bound("array").answer((row,), "2026-07-28").is_error
    inner = generated.RESULT_TYPES["rows"].from_structured_content(VALUES["rows"]).rows[0]
    inner.at.__dict__.pop("lat")
    for value in ({"rows": [inner]}, ("said", {"rows": [inner]})):
        assert bound("rows").answer(value, "2026-07-28").is_error
        with pytest.raises(generated.ResultError):
            generated.RESULT_TYPES["rows"].normalize_any(value)


def test_what_was_not_changed_or_is_still_valid_is_sent_as_it_is(generated: Any, bound: Any) -> None:
    for name, cls in generated.RESULT_TYPES.items():
        instance = cls.from_structured_content(VALUES[name])
        result = bound(name).answer(instance, "2026-07-28")
        assert _sent(result, False) == VALUES[name]
        assert result == instance.to_call_tool_result(protocol="2026-07-28")
    cls = generated.RESULT_TYPES["rows"]
    instance = cls.from_structured_content(VALUES["rows"])
    instance.rows[0].tags.append("z")
    assert _sent(bound("rows").answer(instance, "2026-07-28"), False)["rows"][0]["tags"] == ["x", "y", "z"]


def test_a_resource_is_held_against_its_schema_as_it_is_now(tmp_path: Any) -> None:
    declared = {"name": "rows", "uri": "rows://all", "mimeType": "application/json", "x-mcpgen": {"schema": ROWS}}
    resources = package(tmp_path, [], resources=[declared])
    cls = resources.RESOURCE_TYPES["rows"]
    instance = cls.from_structured_content(VALUES["rows"])
    assert json.loads(cls.normalize_any(instance).contents[0].text) == VALUES["rows"]
    instance.rows[0].tags.append("")
    with pytest.raises(ValueError, match="tags"):
        cls.normalize_any(instance)
    with pytest.raises(ValueError, match="cannot be written"):
        cls.normalize_any(cls.model_construct())


def test_text_and_numbers_that_json_has_not_do_not_leave_a_part_without_a_type(generated: Any) -> None:
    cls = generated.RESULT_TYPES["rows"]
    for odd in (math.nan, "\ud800", b"\xff", {1: 2}, Odd(), {"\ud800": 1}):
        instance = cls.from_structured_content(VALUES["rows"])
        instance.model_extra["else"] = [odd]
        if odd == b"\xff":  # as the bytes of a native type: base64
            assert instance.to_structured_content()["else"] == ["/w=="]
            continue
        with pytest.raises(ValueError, match=r"JSON has no|is not text"):
            instance.to_structured_content()


TEXT = {"type": "string"}
PLACES: dict[str, tuple[Any, Any]] = {
    "root": (TEXT, "\ud800"),
    "property": ({"type": "object", "properties": {"a": TEXT}, "required": ["a"]}, {"a": "\ud800"}),
    "keyword": ({"type": "object", "properties": {"const": TEXT}}, {"const": "\ud800"}),
    "item": ({"type": "array", "items": TEXT}, ["x", "\ud800"]),
    "bounded": ({"type": "array", "items": {**TEXT, "minLength": 1, "maxLength": 9}}, ["x", "\ud800"]),
    "tuple": ({"type": "array", "prefixItems": [TEXT], "items": False}, ["\ud800"]),
    "rest": ({"type": "array", "prefixItems": [{}], "items": TEXT}, [1, "\ud800"]),
    "value": ({"type": "object", "additionalProperties": TEXT}, {"a": "\ud800"}),
    "key": ({"type": "object", "additionalProperties": TEXT}, {"\ud800": "a"}),
    "items": ({"type": "object", "additionalProperties": {"type": "array", "items": TEXT}}, {"a": ["\ud800"]}),
    "nullable": ({"type": "array", "items": {"type": ["string", "null"]}}, ["\ud800"]),
    "either": ({"type": "array", "items": {"anyOf": [TEXT, {"type": "integer"}]}}, ["\ud800"]),
    "inner": ({"type": "array", "items": {"type": "array", "items": TEXT}}, [["\ud800"]]),
    "referred": ({"type": "array", "items": {"$ref": "#/$defs/T"}, "$defs": {"T": TEXT}}, ["\ud800"]),
    "both": ({"type": "array", "items": {"allOf": [TEXT, {"minLength": 1}]}}, ["\ud800"]),
    "unique": ({"type": "array", "items": TEXT, "uniqueItems": True}, ["\ud800"]),
}


def test_a_lone_surrogate_is_found_wherever_a_string_may_be(tmp_path: Any) -> None:
    tools = [tool(f"in_{name}", schema, **NONE) for name, (schema, _) in PLACES.items()]
    built = package(tmp_path, tools, "--sdk", "mcp")
    for name, (_, value) in PLACES.items():
        cls = built.RESULT_TYPES[f"in_{name}"]
        with pytest.raises(built.ResultError, match="surrogate"):
            cls.normalize(build_leniently(cls, value))
