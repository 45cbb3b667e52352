"""Results that a stranger sent: whatever they are, only the documented exceptions come out of reading them."""

from __future__ import annotations

import asyncio
import copy
import importlib
import json
import math
import types
import warnings
from collections import UserDict
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import pytest
from mcpgen_runtime.content import map_attributes
from pydantic import BaseModel, ValidationError
from support.packages import get_types, package, tool

pytestmark = pytest.mark.ci

ROW: dict[str, Any] = {
    "type": "object",
    "properties": {"kind": {"enum": ["a", "b"]}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["kind"],
}
OTHER = {**ROW, "properties": {**ROW["properties"], "kind": {"const": "c"}}}
TOOLS = [
    tool("object", ROW),
    tool("closed", {**ROW, "additionalProperties": False}),
    tool("array", {"type": "array", "items": {"anyOf": [ROW, OTHER]}}),
    tool("always", {"type": "boolean"}, **{"x-mcpgen": {"wrap": "always"}}),
    tool("binary", {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}),
    tool("text", {"type": "string"}),
    tool("anything", {}),
    tool("checked", {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}),
    tool("plain"),
]
ROW_VALUE = {"kind": "a", "tags": ["x"], "more": [1, None]}
RESULTS: list[dict[str, Any]] = [
    {"content": [{"type": "text", "text": json.dumps(ROW_VALUE)}], "structuredContent": ROW_VALUE, "isError": False},
    {"content": [{"type": "text", "text": json.dumps([ROW_VALUE])}], "_meta": {"a": 1}, "resultType": "complete"},
    {"content": [{"type": "text", "text": "no such place", "annotations": {"priority": 1}}], "isError": True},
    {"content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}], "structuredContent": {"result": True}},
    {"content": [{"type": "resource", "resource": {"uri": "a://b", "blob": "aGk=", "mimeType": "x/y"}}]},
    {"content": [{"type": "resource_link", "uri": "a://b", "name": "b"}], "structuredContent": [ROW_VALUE, ROW_VALUE]},
    {"content": [], "structuredContent": None},
]


class Raising:
    """An object whose every attribute and method raises something."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("__class__", "__dict__"):
            return object.__getattribute__(self, name)
        raise ZeroDivisionError(name)

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    def __hash__(self) -> int:
        return 1

    def __repr__(self) -> str:
        raise ZeroDivisionError

    __str__ = __repr__


class RaisingMapping(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise ZeroDivisionError(key)

    def __iter__(self) -> Iterator[str]:
        raise OSError

    def __len__(self) -> int:
        return 1


class RaisingModel(BaseModel):
    content: list[Any] = []

    def model_dump(self, **options: Any) -> Any:
        raise ZeroDivisionError


def _circle() -> Any:
    out: list[Any] = []
    out.append({"a": out})
    return out


def _deep(levels: int) -> Any:
    out: Any = []
    for _ in range(levels):
        out = [out]
    return out


def _odd(random: Random, raising: bool = True) -> Any:
    """Something that does not belong there; `raising`: its own code may fail."""
    return random.choice(
        [
            *(
                [Raising(), RaisingMapping(), RaisingModel(), [Raising()], {"kind": Raising()}, 10**5000]
                if raising
                else []
            ),
            None,
            True,
            False,
            0,
            1,
            -1,
            10**4000,
            1.5,
            math.nan,
            math.inf,
            "",
            "x",
            "true",
            "\ud800",
            b"x",
            b"\xff",
            [],
            {},
            (),
            [[]],
            [None],
            {"": None},
            {1: 2},
            {None: 1},
            {"text": 1},
            {"type": "text"},
            {"type": ["text"]},
            set(),
            {"type": "text", "text": None},
            {"type": "text", "text": {}},
            {"type": None},
            {"type": "new", "a": []},
            {"type": "resource", "resource": 1},
            {"type": "resource", "resource": {"blob": 1}},
            "[" * 50_000,
            "1" * 5000,
            "NaN",
            '{"kind": "a"',
            '{"kind": "a", "kind": "b"}',
            '"\\ud800"',
            object(),
            print,
            UserDict(ROW_VALUE),
            types.MappingProxyType(ROW_VALUE),
            iter([1]),
            type,
            _circle(),
            _deep(300),
            {"kind": ["a"]},
        ]
    )


def _places(value: Any) -> list[dict[Any, Any] | list[Any]]:
    out: list[dict[Any, Any] | list[Any]] = []
    todo = [value]
    for item in todo:
        if type(item) in (dict, list) and all(item is not other for other in out):
            out.append(item)
            todo += item.values() if isinstance(item, dict) else item
    return out


NAMES = ["content", "structuredContent", "isError", "_meta", "resultType", "type", "text", "data", "resource", "kind"]


def _mutated(random: Random, raising: bool = True) -> Any:
    if random.random() < 0.05:
        return _odd(random, raising)
    result = copy.deepcopy(random.choice(RESULTS))
    for _ in range(random.choice([1, 1, 2, 3])):
        place = random.choice(_places(result))
        if isinstance(place, dict):
            key = random.choice([*place, *NAMES[:3]]) if place is result else random.choice([*place, *NAMES, 1])
            if key in place and random.random() < 0.3:
                del place[key]
            else:
                place[key] = _odd(random, raising)
        elif place and random.random() < 0.7:
            place[random.randrange(len(place))] = _odd(random, raising)
        else:
            place.append(_odd(random, raising))
    return result


@pytest.fixture(scope="module", params=["none", "mcp"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    if request.param == "mcp":
        pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
    return package(tmp_path_factory.mktemp("odd"), TOOLS, "--sdk", str(request.param))


def _as_object(generated: Any, wire: Any, random: Random) -> Any:
    """Return the SDK's object with these members, unchecked; or the wire dict."""
    if not isinstance(wire, dict) or random.random() < 0.6 or not all(type(key) is str for key in wire):
        return wire
    cls = get_types(generated).CallToolResult
    names: Any = map_attributes(cls)
    members = {names.get(key, key): item for key, item in wire.items()}
    instance = cls.model_construct(**dict.fromkeys(members))
    for name, item in members.items():  # a generated class refuses what JSON has not; an SDK's takes it
        (instance.__dict__ if name in cls.model_fields else instance.__pydantic_extra__ or {})[name] = item
    return instance


def _outcome(run: Callable[[], Any], *documented: type[Exception]) -> str:
    """Return what became of a call: that it returned, or which of the documented exceptions it raised."""
    try:
        run()
    except documented as error:
        text, name = str(error), type(error).__name__  # which must not raise, whatever the value is
        return name if text else f"{name} without a text"
    return "returned"


@pytest.mark.parametrize("count", [400, 4000], ids=["few", "many"])
@pytest.mark.parametrize("name", [tool["name"] for tool in TOOLS])
def test_reading_an_odd_result_raises_what_is_documented(name: str, count: int, generated: Any) -> None:
    cls, random = generated.RESULT_TYPES[name], Random(f"odd {name}")
    outcomes: set[str] = set()
    for _ in range(count):
        wire = _mutated(random)
        result = _as_object(generated, wire, random)
        protocol = random.choice([None, "2025-06-18", "2026-07-28", "2024-11-05"])
        how = random.choice(["raise", "raise", "warn", "raw"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcomes.add(
                _outcome(
                    lambda: cls.from_call_tool_result(result, protocol, on_invalid=how),  # noqa: B023
                    generated.ToolCallError,
                    ValidationError,
                )
            )
    assert outcomes == {"returned", "ToolCallError", "ValidationError"}
    with pytest.raises(ValueError, match="unknown MCP protocol version"):
        cls.from_call_tool_result({"content": [], "structuredContent": 1, "resultType": 1}, "1999-01-01")


def test_what_belongs_into_a_models_context_is_told_of_no_odd_result(generated: Any) -> None:
    random = Random("odd content")
    outcomes: set[str] = set()
    for _ in range(3000):
        result = _as_object(generated, _mutated(random), random)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcomes.add(_outcome(lambda: generated.model_content(result), ValidationError))  # noqa: B023
    assert outcomes == {"returned", "ValidationError"}


@pytest.mark.parametrize("name", [tool["name"] for tool in TOOLS])
def test_what_a_handler_hands_on_is_a_result_or_refused(name: str, generated: Any) -> None:
    cls, random = generated.RESULT_TYPES[name], Random(f"handed on {name}")
    for _ in range(500):
        value = _as_object(generated, _mutated(random, raising=False), random)
        foreign: Any = type("CallToolResult", (BaseModel,), {"__annotations__": {"content": Any, "isError": Any}})
        if isinstance(value, dict) and "content" in value:
            value = random.choice([value, foreign.model_construct(**{str(key): item for key, item in value.items()})])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _outcome(lambda: cls.normalize_any(value), generated.ResultError)  # noqa: B023


def test_the_error_of_an_odd_result_says_what_is_wrong_and_where(generated: Any) -> None:
    messages = {
        "/content should be an array": {"content": "text"},
        "/content/0 should be an object": {"content": ["text"]},
        "/content/0/type should be a string": {"content": [{"text": "x"}]},
        "/content/1/text should be a string": {"content": [{"type": "text", "text": "x"}, {"type": "text"}]},
        "/content/0/text should be a string": {"content": [{"type": "text", "text": 5}], "isError": True},
        "/isError should be true or false": {"content": [], "isError": "yes"},
        "/_meta should be an object": {"content": [], "_meta": []},
        "got a value of type NoneType": None,
        "reading it failed with ZeroDivisionError": RaisingMapping(),
    }
    for message, result in messages.items():
        with pytest.raises(ValidationError, match=message):
            generated.RESULT_TYPES["object"].from_call_tool_result(result)


def test_null_and_types_of_content_that_are_new_are_no_reason_to_refuse(generated: Any) -> None:
    cls = generated.RESULT_TYPES["object"]
    new = {"content": [{"type": "hologram", "data": 5}], "structuredContent": ROW_VALUE, "isError": None, "_meta": None}
    assert cls.from_call_tool_result(new).to_structured_content() == ROW_VALUE


class Listing:
    """A session whose server lists tools and answers calls, as it likes."""

    def __init__(self, tools: list[dict[str, Any]], result: Any) -> None:
        self._tools, self._result = tools, result

    async def tools(self) -> list[dict[str, Any]]:
        return self._tools

    def take_change(self) -> bool:
        return False

    async def call(self, tool: str, arguments: dict[str, Any], options: Any, as_task: bool = False) -> Any:
        return self._result


def _schema(random: Random) -> Any:
    deep: Any = {}
    for _ in range(2000):
        deep = {"items": deep}
    odd = [
        deep,
        {"properties": 5},
        {"required": {}},
        {"$ref": 5},
        {"$ref": "#/$defs/none"},
        {"enum": 3},
        {"allOf": {}},
        {"type": [{}, None]},
        {"dependentRequired": {"a": 5}},
        {"$defs": []},
        {"properties": {"a": [1]}},
        {"items": 7},
        {"$ref": "#"},
        {"$ref": "#/%zz"},
        {"$schema": []},
        {"properties": {"a": {"$ref": {}}}},
        {"anyOf": [[], None]},
    ]
    return random.choice(odd)


def test_a_client_reads_odd_tools_as_changed_ones_and_odd_results_as_documented(generated: Any) -> None:
    try:
        client = importlib.import_module(f"{generated.__name__}.client")
    except ModuleNotFoundError:
        pytest.skip("a package for no SDK has no client")
    random = Random("odd tools")
    for _ in range(300):
        listed = [
            {"name": name, "inputSchema": _schema(random), "outputSchema": _schema(random)}
            for name in ("object", "new")
        ]
        session: Any = Listing(listed, _mutated(random))
        comparing = client.Client(session, random.choice([None, "2025-11-25"]), client.Contract((), (), (), ()))
        contract = asyncio.run(comparing.refresh())
        assert contract.changed == ("object",)
        assert contract.new == ("new",)
        caller = client.Client(session, None, contract, on_invalid=random.choice(["raise", "warn"]), timeout=None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _outcome(lambda: asyncio.run(caller.object()), generated.ToolCallError, generated.ResultError)  # noqa: B023
