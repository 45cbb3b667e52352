"""Errors about native formats: the first ones of the value, wherever a value is read, next to those of the schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema_rs
import pytest
from mcpgen_runtime.server_binding import ArgumentsError, BoundTool
from pydantic import ValidationError
from support.packages import get_tool, package, tool

NEWEST = "2026-07-28"
MOST = 5
DATE = {"type": "string", "format": "date"}
SCHEMA = {
    "type": "object",
    "properties": {
        "dates": {"type": "array", "items": DATE},
        "last": DATE,
        "few": {"type": "array", "items": {"type": "integer"}},
        "either": {"anyOf": [DATE, {"type": "integer"}]},
        "several": {"anyOf": [{"type": "array", "items": DATE}, DATE, {"type": "null"}]},
        "event": {
            "oneOf": [
                {"properties": {"kind": {"const": "storm"}, "day": DATE}, "required": ["kind"]},
                {"properties": {"kind": {"const": "calm"}, "until": DATE}, "required": ["kind"]},
            ],
            "type": "object",
        },
        "entry": {
            "anyOf": [
                {"type": "object", "properties": {"day": DATE}, "required": ["day"]},
                {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
            ]
        },
    },
}
Path = tuple[str | int, ...]


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("mcp_types", reason="handlers are bound with an SDK, and mcp 2.x is not installed here")
    folder = tmp_path_factory.mktemp("formats")
    (folder / "mcpgen.toml").write_text('formats = "native"\nwrap = "legacy"\n', "utf-8")
    both = {"name": "log", "inputSchema": SCHEMA, "outputSchema": SCHEMA}
    page = {"uri": "log://all", "name": "page", "x-mcpgen": {"schema": SCHEMA}}
    return package(folder, [both], "--sdk", "mcp", resources=[page])


def list_places(value: object, path: Path = ()) -> Iterator[Path]:
    """Yield the places of a JSON value in their order."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from list_places(item, (*path, key))


def find_wrong(value: object, schema: Any = SCHEMA) -> list[Path]:
    """Return the places that jsonschema-rs complains about if it asserts formats, in the order of the value."""
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    wrong = {path for error in validator.iter_errors(value) for path in find_places(error)}
    return [path for path in list_places(value) if path in wrong]


def find_places(error: Any) -> list[Path]:
    """Return the place of an error, or those inside the only alternative of which nothing but formats is wrong."""
    branches = [
        branch for branch in getattr(error.kind, "context", ()) if all(inner.kind.name == "format" for inner in branch)
    ]
    return [tuple(inner.instance_path) for inner in (branches[0] if len(branches) == 1 else [error])]


def format_pointers(paths: list[Path]) -> list[str]:
    return ["".join(f"/{token}" for token in path) for path in paths]


WRONG: list[dict[str, Any]] = [
    {"dates": ["x"]},
    {"dates": ["x"] * MOST},
    {"dates": ["x"] * (MOST + 1)},
    {"dates": ["2031-03-12", *["x"] * 50], "few": ["y"] * 50},
    {"dates": ["x" * 5_000] * 2},
    {"few": ["y"] * 3, "last": "x", "dates": ["x"] * 9},
    {"last": "x", "dates": ["x"] * 9},
    {"last": "x", "few": ["y"] * 9, "dates": ["x"]},
    {"few": ["y", 1, "y"], "last": "x", "dates": ["x"] * 9},
    {"either": "x"},
    {"either": "x", "last": "y"},
    {"last": "y", "either": "x", "several": "z"},
    {"several": ["2031-03-12", "x"]},
    {"event": {"kind": "storm", "day": "x"}},
    {"event": {"kind": "calm", "until": "x"}, "either": "y"},
    {"entry": {"day": "x"}, "either": "y"},
    {"either": 1.5, "last": "x"},
    {"either": "2031-03-12", "several": None, "few": ["x"]},
    {"few": [1, "y"], "dates": ["x"] * 2 + ["2031-03-12", "x"], "last": "x"},
]
NUMBERS = [str(number) for number in range(len(WRONG))]


def ways(generated: Any) -> dict[str, Callable[[Any], object]]:
    """Return the functions that read a value and raise pydantic's error."""
    log, page = generated.LogResult, generated.RESOURCE_TYPES["page"]
    return {
        "structured": log.from_structured_content,
        "result": lambda value: log.from_call_tool_result({"content": [], "structuredContent": value}, NEWEST),
        "json": lambda value: log.from_wire_json(json.dumps({"content": [], "structuredContent": value}), NEWEST),
        "resource": page.from_structured_content,
        "resource of a handler": page.normalize_any,
    }


@pytest.mark.parametrize("value", WRONG, ids=NUMBERS)
def test_readers_report_the_first_places_of_the_value(value: dict[str, Any], generated: Any) -> None:
    for way, read in ways(generated).items():
        with pytest.raises(ValidationError) as caught:
            read(value)
        assert [error["loc"] for error in caught.value.errors()] == find_wrong(value)[:MOST], way


@pytest.mark.parametrize("value", WRONG, ids=NUMBERS)
def test_handlers_learn_the_first_places_of_the_value(value: dict[str, Any], generated: Any) -> None:
    expected = format_pointers(find_wrong(value)[:MOST])
    for normalize in ("normalize", "normalize_any", "normalize_to_json"):
        with pytest.raises(generated.ResultError) as caught:
            getattr(generated.LogResult, normalize)(value)
        assert [pointer for pointer, _ in caught.value.problems] == expected, normalize


@pytest.mark.parametrize("value", WRONG, ids=NUMBERS)
def test_the_model_learns_the_first_places_of_the_value(value: dict[str, Any], generated: Any) -> None:
    bound = BoundTool.of(get_tool(generated, "log"), lambda **arguments: value, ())
    with pytest.raises(ArgumentsError) as caught:
        bound.read(value)
    text = str(caught.value).removeprefix("Invalid arguments for log: ")
    assert [part.split(": ")[0] for part in text.split("; ")] == format_pointers(find_wrong(value)[:MOST])
    assert bound.answer(value, NEWEST).is_error


@pytest.mark.parametrize("value", WRONG, ids=NUMBERS)
def test_a_client_may_read_a_wrong_value(value: dict[str, Any], generated: Any) -> None:
    result = {"content": [], "structuredContent": value}
    assert generated.LogResult.from_call_tool_result(result, NEWEST, on_invalid="raw") == value
    with pytest.warns(UserWarning, match="an invalid result was read") as caught:
        instance = generated.LogResult.from_call_tool_result(result, NEWEST, on_invalid="warn")
    assert instance.to_structured_content() == value
    for pointer in format_pointers(find_wrong(value)[:MOST]):
        assert f"{pointer}: " in str(caught[0].message)


UNCLEAR = {
    "type": "object",
    "properties": {
        "entry": {
            "anyOf": [
                {"type": "object", "properties": {"day": DATE, "at": {"type": "string", "format": "time"}}},
                {"type": "object", "properties": {"day": DATE, "n": {"type": "integer"}}},
            ]
        },
        "last": DATE,
        "node": {"$ref": "#/$defs/node"},
    },
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "day": DATE,
                "n": {"type": "integer"},
                "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "boolean"}]},
            },
        }
    },
}


@pytest.fixture(scope="module")
def unclear(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("unclear")
    (folder / "mcpgen.toml").write_text('formats = "native"\n', "utf-8")
    return package(folder, [tool("log", UNCLEAR)], "--sdk", "none").LogResult


def nest(levels: int, bottom: Any) -> Any:
    for _ in range(levels):
        bottom = {"next": bottom}
    return bottom


@pytest.mark.parametrize(
    ("value", "pointers"),
    [
        ({"entry": {"day": "x"}, "last": "x"}, ["/entry", "/last"]),
        ({"last": "x", "entry": {"day": "x", "n": "y"}}, ["/last", "/entry/day"]),
        ({"node": nest(3, {"day": "x"}), "last": "x"}, ["/node/next", "/last"]),
        ({"node": nest(30, {"day": "x"}), "last": "x"}, ["/node", "/last"]),
        ({"node": nest(3, {"n": "x"}), "last": "x"}, ["/node/next", "/last"]),
    ],
)
def test_a_place_is_named_once_if_the_string_is_unclear(unclear: Any, value: Any, pointers: list[str]) -> None:
    """Each pointer is the place, or one around it."""
    with pytest.raises(ValidationError) as caught:
        unclear.from_structured_content(value)
    places = [error["loc"] for error in caught.value.errors()]
    assert len(places) == len(pointers), caught.value
    for found, pointer in zip(format_pointers(places), pointers, strict=True):
        assert found.startswith(pointer)
    for wrong in find_wrong(value, UNCLEAR):
        assert any(wrong[: len(place)] == place or place[: len(wrong)] == wrong for place in places)
