"""The normalization document: its rows, and its examples as they stand, on a server.

Resources without a server are in `generated/test_resources.py`, what dedalus-mcp itself makes of such values is in
`test_dedalus.py`. docs/explanation/normalization.md has a table of all statements.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel
from sdk import exchange
from sdk.exchange import SDK
from support.packages import get_types, package, tool
from support.repository import SHARED, needs_shared
from support.wire_forms import parse_texts, wire

OLD, NEW = "2025-06-18", "2026-07-28"
PNG = b"\x89PNG\r\n\x1a\n"


def closed(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object with exactly these properties."""
    return {
        "type": "object",
        "properties": {name: {"type": kind} if isinstance(kind, str) else kind for name, kind in properties.items()},
        "required": [*properties],
        "additionalProperties": False,
    }


TOOLS = [
    tool("custom_response", closed(status="string", timestamp="string")),
    tool("dict_result", closed(value="integer")),
    tool("calculate", closed(operation="string", result="integer", units="string")),
    tool("get_person", closed(name="string", age="integer", email="string")),
    tool("tuple_result", closed(status="string", duration_ms="integer")),
    tool("dict_tool", closed(key="string", count="integer")),
    tool("greet", {"type": "string"}),
    tool("count", {"type": "integer"}),
    tool("share", {"type": "number"}),
    tool("is_open", {"type": "boolean"}),
    tool("noop"),
    tool("binary"),
    tool("list_tool", {"type": "array", "items": {"type": "string"}}, **{"x-mcpgen": {"content": "items"}}),
    tool("risky_operation", closed(result="integer")),
    tool("mixed_content"),
    tool("get_user", closed(name="string", address=closed(street="string", city="string"))),
]


@dataclass
class MathResult:
    operation: str
    result: int
    units: str


class Person(BaseModel):
    name: str
    age: int
    email: str


@dataclass
class Address:
    street: str
    city: str


@dataclass
class User:
    name: str
    address: Address


def text(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


MIXED = [*text("Here is an image:"), {"type": "image", "data": "base64encodedimage", "mimeType": "image/png"}]
SUM: dict[str, Any] = {"operation": "addition", "result": 42, "units": "meters"}
ALICE: dict[str, Any] = {"name": "Alice", "age": 30, "email": "alice@example.com"}
BOB: dict[str, Any] = {"name": "Bob", "address": {"street": "123 Main St", "city": "Springfield"}}
STATUS = {"status": "ok", "timestamp": "2025-11-03T10:00:00Z"}
FAILED = {"content": text("Error: x must be non-negative"), "isError": True}


@dataclass(frozen=True)
class Row:
    """A row, or a further example: the tool, the handler's value, the printed result, what the row is of a value.

    `value` makes the handler's value from the package, whose own CallToolResult and content blocks it may take.
    """

    id: str
    tool: str
    value: Callable[[Any], Any]
    result: dict[str, Any]
    typed: bool = True
    """`normalize` takes the value as well: it is not a dataclass, model or other Python object."""
    natural: Any = None
    """The structured value under 2026-07-28, where it is not wrapped."""
    unchanged: bool = False
    """The value is a CallToolResult already."""


def answer(wire: dict[str, Any]) -> Callable[[Any], Any]:
    return lambda package: get_types(package).CallToolResult.model_validate(copy.deepcopy(wire))


def blocks(wires: list[dict[str, Any]]) -> Callable[[Any], Any]:
    return lambda package: [get_types(package).TYPES.read_block(wire) for wire in wires]


def data(value: Any) -> Callable[[Any], Any]:
    return lambda package: copy.deepcopy(value)


CUSTOM = {"content": text("Operation succeeded"), "structuredContent": STATUS}
FIELDS = {"content": text("Custom content"), "structuredContent": {"value": 42}}
COUNTED = {"key": "value", "count": 10}
TOOK = {"status": "success", "duration_ms": 123}
THREE = ["first", "second", "third"]


def both(value: Any) -> dict[str, Any]:
    """Return the value as JSON text and as structured content."""
    return {"content": text(json.dumps(value)), "structuredContent": value}


def scalar(value: Any, message: str) -> dict[str, Any]:
    return {"content": text(message), "structuredContent": {"result": value}}


def row(identifier: str, name: str, value: Any, result: dict[str, Any], **more: Any) -> Row:
    return Row(identifier, name, value if callable(value) else data(value), result, **more)


ROWS = [
    row("1 CallToolResult", "custom_response", answer(CUSTOM), CUSTOM, unchanged=True),
    row("2 a mapping with its members", "dict_result", FIELDS, FIELDS),
    row("3 dataclass", "calculate", MathResult("addition", 42, "meters"), both(SUM), typed=False),
    row("4 model", "get_person", Person(**ALICE), both(ALICE), typed=False),
    row(
        "5 pair",
        "tuple_result",
        ("Operation completed", TOOK),
        {"content": text("Operation completed"), "structuredContent": TOOK},
    ),
    row("6 mapping", "dict_tool", COUNTED, both(COUNTED)),
    row("7 str", "greet", "Hello, Alice!", scalar("Hello, Alice!", "Hello, Alice!"), natural="Hello, Alice!"),
    row("7 int", "count", 42, scalar(42, "42"), natural=42),
    row("7 float", "share", 0.5, scalar(0.5, "0.5"), natural=0.5),
    row("7 bool", "is_open", True, scalar(True, "true"), natural=True),
    row("8 None", "noop", None, {"content": []}),
    row("9 bytes", "binary", PNG, {"content": text("iVBORw0KGgo=")}),
    row("9 bytearray", "binary", bytearray(PNG), {"content": text("iVBORw0KGgo=")}),
    row(
        "10 list", "list_tool", THREE, {"content": text(*THREE), "structuredContent": {"result": THREE}}, natural=THREE
    ),
    row("error", "risky_operation", answer(FAILED), FAILED, unchanged=True),
    row(
        "success beside the error",
        "risky_operation",
        answer({"content": text("Result: 42"), "structuredContent": {"result": 42}}),
        {"content": text("Result: 42"), "structuredContent": {"result": 42}},
        unchanged=True,
    ),
    row("mixed content", "mixed_content", blocks(MIXED), {"content": MIXED}),
    row("nested dataclass", "get_user", User("Bob", Address("123 Main St", "Springfield")), both(BOB), typed=False),
]


@pytest.fixture(scope="module", params=["none", "mcp"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    if request.param == "mcp":
        pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
    generated = package(tmp_path_factory.mktemp("document"), TOOLS, "--sdk", str(request.param))
    return generated


def expected(case: Row, version: str) -> dict[str, Any]:
    """Return the printed result; under 2026-07-28 with the natural value, and with the result type that it asks for."""
    if version == OLD or case.unchanged:
        return case.result
    out = {**case.result, "resultType": "complete"}
    return out if case.natural is None else {**out, "structuredContent": case.natural}


@pytest.mark.parametrize("version", [OLD, NEW])
@pytest.mark.parametrize("case", ROWS, ids=[row.id for row in ROWS])
def test_the_rows_of_the_document(generated: Any, case: Row, version: str) -> None:
    cls = generated.RESULT_TYPES[case.tool]
    methods = [cls.normalize_any, *([cls.normalize] if case.typed else [])]
    for method in methods:
        value = case.value(generated)
        result = method(value, protocol=version)
        assert isinstance(result, get_types(generated).CallToolResult)
        assert parse_texts(wire(result)) == parse_texts(expected(case, version))
        assert (result is value) == case.unchanged


@pytest.mark.parametrize("version", [OLD, NEW])
def test_instances_of_the_class_give_the_same(generated: Any, version: str) -> None:
    created = [
        ("3 dataclass", generated.CalculateResult(**SUM)),
        ("4 model", generated.GetPersonResult(**ALICE)),
        ("6 mapping", generated.DictToolResult(**COUNTED)),
        ("7 str", generated.GreetResult("Hello, Alice!")),
        ("7 int", generated.CountResult(42)),
        ("10 list", generated.ListToolResult(THREE)),
        ("nested dataclass", generated.GetUserResult.from_structured_content(BOB)),
    ]
    cases = {case.id: case for case in ROWS}
    for name, value in created:
        result = type(value).normalize(value, protocol=version)
        assert parse_texts(wire(result)) == parse_texts(expected(cases[name], version))
        assert parse_texts(value.to_wire(protocol=version)) == parse_texts(expected(cases[name], version))


def test_the_rest_of_the_section_on_structured_content(generated: Any) -> None:
    """Structured content of a pair where the tool declares none, and of an object with attributes inside a pair."""
    pair = generated.RESULT_TYPES["noop"].normalize(("said", {"a": {1: (2, 3)}}), protocol=OLD)
    assert wire(pair) == {"content": text("said"), "structuredContent": {"a": {"1": [2, 3]}}}
    person = generated.GetPersonResult.normalize_any(("said", Person(**ALICE)), protocol=OLD)
    assert wire(person) == {"content": text("said"), "structuredContent": ALICE}
    summed = generated.CalculateResult.normalize_any((None, MathResult(**SUM)), protocol=OLD)
    assert wire(summed) == {"content": [], "structuredContent": asdict(MathResult(**SUM))}


def test_none_and_bytes_have_no_structured_content_where_none_is_declared(generated: Any) -> None:
    """For None the document wins over dedalus-mcp 0.7, whose code sends `{"result": null}`."""
    for value in (None, b"", PNG):
        for version in (OLD, NEW):
            assert "structuredContent" not in wire(generated.RESULT_TYPES["noop"].normalize(value, protocol=version))


# --- the examples as they stand --------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Example:
    """A decorated function of the document, and the result that is printed below it."""

    name: str
    kind: str
    """`tool` or `resource`."""
    options: dict[str, Any]
    """The arguments of its decorator."""
    result: dict[str, Any] | None


DOCUMENT = "seeds/000_dd34f77945c040fc.txt"
UNPRINTED: dict[str, dict[str, Any]] = {
    "dict_result": FIELDS,
    "risky_operation": {"content": text("Result: 42"), "structuredContent": {"result": 42}},
    "custom_resource": {
        "contents": [{"uri": "custom://response", "mimeType": "application/json", "text": '{"status": "ok"}'}]
    },
}
"""Results that the document only describes: the example's own values, unchanged."""
ARGUMENTS: dict[str, dict[str, Any]] = {"greet": {"name": "Alice"}, "risky_operation": {"x": 21}}
INPUTS = {"greet": closed(name="string"), "risky_operation": closed(x="integer")}
TYPES = {"mcp": "mcp_types", "mcp1": "mcp.types", "dedalus": "dedalus_mcp.types"}


def read_document() -> tuple[str, list[Example]]:
    """Return the code of the examples, and its decorated functions."""
    blocks = re.findall(
        r"^```(python|json)\n(.*?)^```", (SHARED / DOCUMENT).read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    code: list[str] = []
    examples: list[Example] = []
    for position, (language, body) in enumerate(blocks):
        if language == "json":
            continue
        code.append(body)
        following = [text for kind, text in blocks[position + 1 : position + 3] if kind == "json"]
        printed = following if blocks[position + 1][0] == "json" else []
        functions = [node for node in ast.parse(body).body if isinstance(node, ast.AsyncFunctionDef)]
        for index, function in enumerate(functions):
            (decorator,) = function.decorator_list
            assert isinstance(decorator, ast.Call)
            assert isinstance(decorator.func, ast.Name)
            options = {str(option.arg): ast.literal_eval(option.value) for option in decorator.keywords}
            result = json.loads(printed[index]) if index < len(printed) else UNPRINTED[function.name]
            examples.append(Example(function.name, decorator.func.id, options, result))
    return "\n".join(code), examples


def bind_examples(generated: Any, code: str) -> Any:
    """Run the examples, in which the decorators bind to a package's tools and resources; return the server."""
    server = exchange.server()
    tools, resources = generated.bind(server), generated.bind_resources(server)
    module = ModuleType("document")
    vars(module)["tool"] = lambda **_: lambda handler: getattr(tools, handler.__name__)(handler)
    vars(module)["resource"] = lambda **_: lambda handler: getattr(resources, handler.__name__)(handler)
    code = re.sub(r"^from openmcp import .*$", "", code, flags=re.MULTILINE)
    code = code.replace("from openmcp.types import", f"from {TYPES[str(SDK)]} import")
    exec(compile(code, DOCUMENT, "exec", dont_inherit=True), vars(module))
    tools.complete()
    resources.complete()
    return server


@needs_shared(DOCUMENT)
@pytest.mark.skipif(SDK not in TYPES, reason="the SDK is none of those that write a block for each item of a list")
@pytest.mark.ci
def test_the_examples_as_they_stand(tmp_path: Any) -> None:
    """Definitions are made of the decorators' options, with the schemas of `TOOLS`; dedalus-mcp's text is exact."""
    code, examples = read_document()
    assert [case.kind for case in examples] == ["tool"] * 11 + ["resource"] * 8 + ["tool"] * 2 + ["resource", "tool"]
    schemas = {str(item["name"]): item for item in TOOLS}
    tools = [schemas[case.name] | case.options for case in examples if case.kind == "tool"]
    for definition in tools:
        definition["inputSchema"] = INPUTS.get(definition["name"], {"type": "object"})
        if "outputSchema" in definition:
            definition["x-mcpgen"] = {"content": "sdk"}
    resources = [
        {"name": case.name, "uri": case.options["uri"]}
        | ({"mimeType": case.options["mime_type"]} if "mime_type" in case.options else {})
        for case in examples
        if case.kind == "resource"
    ]
    generated = package(tmp_path, tools, "--sdk", str(SDK), resources=resources)
    server = bind_examples(generated, code)
    for case in examples:
        if case.kind == "tool":
            answer = exchange.ask(server, case.name, ARGUMENTS.get(case.name))
            assert answer.pop("isError") is False
        else:
            answer = exchange.request_once(server, "resources/read", uri=case.options["uri"])
        if case.kind == "tool" and SDK == "dedalus":
            assert answer == case.result, case.name
        assert parse_texts(answer) == parse_texts(case.result), case.name
    assert exchange.ask(server, "risky_operation", {"x": -1}) == FAILED
