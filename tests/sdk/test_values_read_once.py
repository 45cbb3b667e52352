"""Values of handlers: read once, with exact numbers; and arguments as JSON where no class is asked for."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field
from sdk import exchange
from sdk.exchange import SDK
from support.packages import package as built
from support.packages import tool
from typing_extensions import TypedDict

pytestmark = pytest.mark.skipif(SDK is None, reason="no SDK is installed")

ROW = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
ROWS = {"type": "array", "items": ROW}
OUTPUTS: dict[str, Any] = {
    "rows": {"type": "object", "properties": {"rows": ROWS, "day": {"type": "string", "format": "date"}, "any": {}}},
    "union": {
        "type": "object",
        "properties": {"rows": {"anyOf": [ROWS, {"type": "array", "items": {"type": "null"}}]}},
    },
    "blocks": {"type": "object", "properties": {"content": ROWS}},
    "listed": ROWS,
    "numbers": {"type": "object", "properties": {"i": {"type": "integer"}, "n": {"type": "number"}, "any": {}}},
}
INPUT = {
    "type": "object",
    "properties": {"page": ROW, "many": ROWS, "limit": {"type": "integer"}},
    "required": ["page"],
}


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    tools = [*(tool(name, schema) for name, schema in OUTPUTS.items()), tool("free")]
    return built(tmp_path_factory.mktemp("once"), [*tools, {"name": "take", "inputSchema": INPUT}], "--sdk", str(SDK))


class Once:
    """An iterable that says how often it was read."""

    def __init__(self, items: list[Any]) -> None:
        self._items, self.reads = items, 0

    def __iter__(self) -> Iterator[Any]:
        self.reads += 1
        yield from self._items if self.reads == 1 else ()


@dataclass
class Row:
    id: int


class Page(BaseModel):
    rows: Any = Field(serialization_alias="lines")


DATA = [{"id": 1}, {"id": 2}]
SHAPES: dict[str, tuple[str, Callable[[Once], Any], Any]] = {
    "in a dict": ("rows", lambda items: {"rows": items}, {"rows": DATA}),
    "beside a date": (
        "rows",
        lambda items: {"rows": items, "day": date(2020, 1, 2)},
        {"rows": DATA, "day": "2020-01-02"},
    ),
    "untyped": ("rows", lambda items: {"any": [items]}, {"any": [DATA]}),
    "in a model": ("rows", lambda items: Page(rows=items), {"rows": DATA}),
    "beside blocks": ("rows", lambda items: ("text", {"rows": items}), {"rows": DATA}),
    "in a result": ("rows", lambda items: {"content": [], "structuredContent": {"rows": items}}, {"rows": DATA}),
    "in a union": ("union", lambda items: {"rows": items}, {"rows": DATA}),
    "as content": ("blocks", lambda items: {"content": items}, {"content": DATA}),
    "alone": ("listed", lambda items: items, DATA),
    "for a pair": ("free", lambda items: ("text", {"rows": items}), {"rows": DATA}),
}


@pytest.mark.parametrize("wrap", [Once, lambda items: map(dict, items)], ids=["iterable", "iterator"])
@pytest.mark.parametrize("items", [DATA, [Row(1), Row(2)]], ids=["dicts", "dataclasses"])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_can_be_read_once_is_read_once(generated: Any, shape: str, items: Any, wrap: Any) -> None:
    name, make, expected = SHAPES[shape]
    result = generated.RESULT_TYPES[name]
    for convert in (result.normalize, result.normalize_any, lambda value: json.loads(result.normalize_to_json(value))):
        source = Once(items) if wrap is Once else iter(items)
        answer = convert(make(source))
        wire = answer if isinstance(answer, dict) else answer.model_dump(by_alias=True, mode="json")
        value = wire["structuredContent"]
        assert (value["result"] if expected is DATA and isinstance(value, dict) else value) == expected
        assert getattr(source, "reads", 1) == 1


@pytest.mark.parametrize("error", [KeyError("confidential"), ValueError("confidential"), "own"])
@pytest.mark.parametrize("shape", SHAPES)
def test_what_an_iterator_raises_is_the_handlers_exception(generated: Any, shape: str, error: Any) -> None:
    name, make, _ = SHAPES[shape]
    raised = generated.ResultError(name, [("", "confidential")]) if error == "own" else error

    def rows() -> Iterator[Any]:
        yield Row(1)
        raise raised

    with pytest.raises(type(raised)) as caught:
        generated.RESULT_TYPES[name].normalize_any(make(rows()))  # type: ignore[arg-type]
    assert caught.value is raised
    server = exchange.server()
    getattr(generated.bind(server), name)(lambda: make(rows()))  # type: ignore[arg-type]
    answer = exchange.talk(server, lambda connection: exchange.call(connection, name))
    assert answer["isError"] is True
    assert "confidential" not in exchange.text(answer)
    assert "invalid" not in exchange.text(answer)


@pytest.mark.parametrize("text", ["9007199254740993", "1E+30", "-7", "1.0", "0.1", "1E-400", "0.1000000000000000055"])
@pytest.mark.parametrize("name", ["i", "n", "any"])
def test_decimals_are_exact_or_refused(generated: Any, name: str, text: str) -> None:
    value = Decimal(text)
    for convert in (generated.NumbersResult.normalize, generated.NumbersResult.normalize_any):
        try:
            sent = convert({name: value}).model_dump(by_alias=True)["structuredContent"][name]
        except generated.ResultError:
            assert name == "i" or Decimal(repr(float(value))) != value
        else:
            assert Decimal(str(sent)) == value
            assert name == "any" or type(sent) is (int if value == value.to_integral_value() else float)


def test_values_of_another_shape(generated: Any) -> None:
    for value in [(1, 2, 3), {"any": 10**5000}, {"any": [{"a": -(10**4300)}]}]:
        for convert in ("normalize", "normalize_any", "normalize_to_json"):
            with pytest.raises(generated.ResultError, match=r"should be an object|/any.*4,300 digits"):
                getattr(generated.RowsResult, convert)(value)
    assert generated.RowsResult.normalize({"any": (1, (2,))}).model_dump()  # a tuple is an array
    assert json.loads(generated.RowsResult.normalize_to_json({"any": (1, (2,))}))["structuredContent"] == {
        "any": [1, [2]]
    }
    assert json.loads(generated.RowsResult.normalize_to_json({"any": 10**4299}))


def test_a_client_keeps_structured_content_without_a_schema(generated: Any) -> None:
    wire = {"content": [], "structuredContent": {"a": [1, {"b": None}]}}
    result = generated.FreeResult.from_call_tool_result(wire)
    assert result.to_structured_content() == wire["structuredContent"]
    assert result.to_wire(protocol="2025-06-18") == wire
    assert result.to_call_tool_result().model_dump(by_alias=True)["structuredContent"] == wire["structuredContent"]
    assert result != generated.FreeResult(content=[])
    with pytest.raises(TypeError):
        generated.FreeResult(content=[]).to_structured_content()


# --- arguments -------------------------------------------------------------------------------------------------------
class RowDict(TypedDict):
    id: int


def take_dict(page: dict[str, Any], many: list[dict[str, int]] | None = None, limit: int = 0) -> Any:
    return json.dumps([page, many])


def take_mapping(page: Mapping[str, Any], many: list[Any] | None = None, limit: int = 0) -> Any:
    return json.dumps([dict(page), many])


def take_typed_dict(page: RowDict, many: Any = None, limit: int = 0) -> Any:
    return json.dumps([page, many])


def take_anything(page, many=None, limit=0):  # type: ignore[no-untyped-def]
    return json.dumps([page, many])


def take_all(**arguments: Any) -> Any:
    return json.dumps([arguments["page"], arguments["many"]])


def take_whole(args: dict[str, Any]) -> Any:
    return json.dumps([args["page"], args["many"]])


def take_named(name: str, arguments: Mapping[str, Any]) -> Any:
    return json.dumps([arguments["page"], arguments["many"]])


def take_text(page: str, many: Any = None, limit: int = 0) -> Any:
    return page


JSON_HANDLERS = [
    take_dict,
    take_mapping,
    take_typed_dict,
    take_anything,
    take_all,
    take_whole,
    partial(take_named, "take"),
]


@pytest.mark.parametrize("lenient", [False, True])
def test_handlers_get_json_unless_they_ask_for_a_class(tmp_path: Path, lenient: bool) -> None:
    (tmp_path / "mcpgen.toml").write_text(f"lenient = {str(lenient).lower()}", "utf-8")
    package = built(tmp_path, [{"name": "take", "inputSchema": INPUT}], "--sdk", str(SDK))
    page_class = importlib.import_module(f"{package.__name__}.tools.take").TakeArguments.model_fields["page"].annotation

    def take_class(page: Any, many: Any = None, limit: int = 0) -> Any:
        assert isinstance(page, page_class)
        return json.dumps([page.to_structured_content(), many])

    take_class.__annotations__["page"] = page_class
    sent = {"page": {"id": 1, "more": [2]}, "many": [{"id": 3}]}
    for handler in (*JSON_HANDLERS, take_class):
        server = exchange.server()
        package.bind(server).take(handler)
        answer = exchange.talk(server, lambda connection: exchange.call(connection, "take", sent))
        assert not answer.get("isError"), (handler, answer)
        assert json.loads(exchange.text(answer)) in ([sent["page"], sent["many"]], [{"id": 1}, sent["many"]])
    for wrong, message in [
        (take_text, r"'page' is annotated with str.*annotate it with .*, or with `dict\[str, Any\]`"),
        (lambda args: args, r"'args' is not an argument.*annotate it with `dict\[str, Any\]` or `TakeArguments`"),
        (take_named, "'name' is not an argument.*functools.partial"),
    ]:
        with pytest.raises(TypeError, match=message):
            package.bind(exchange.server()).take(wrong)
