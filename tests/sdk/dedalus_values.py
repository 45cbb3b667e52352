"""What handlers return: the values that go to dedalus-mcp's normalizers and to generated code."""

from __future__ import annotations

import collections
import datetime
import decimal
import enum
import math
import pathlib
import types
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pydantic import BaseModel, Field, computed_field
from support.packages import tool

ITEMS: dict[str, Any] = {"x-mcpgen": {"content": "items"}}
ROW: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "note": {"type": "string"}, "next": {"$ref": "#/$defs/Row"}},
    "required": ["name"],
    "additionalProperties": False,
}
TOOLS = [
    tool("string", {"type": "string"}),
    tool("integer", {"type": "integer"}),
    tool("number", {"type": "number"}),
    tool("boolean", {"type": "boolean"}),
    tool("null", {"type": "null"}),
    tool("strings", {"type": "array", "items": {"type": "string"}}, **ITEMS),
    tool("array", {"type": "array"}, **ITEMS),
    tool("rows", {"type": "array", "items": {"$ref": "#/$defs/Row"}, "$defs": {"Row": ROW}}, **ITEMS),
    tool("object", {"type": "object"}),
    tool("row", {"$ref": "#/$defs/Row", "type": "object", "$defs": {"Row": ROW}}),
    tool("wind", {"type": "object", "properties": {"windSpeed": {"type": "number"}}, "required": ["windSpeed"]}),
    tool("point", {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}),
    tool("page", {"type": "object", "properties": {"content": {"type": "string"}}, "required": ["content"]}),
    tool("nothing"),
]
RESOURCES = [
    {"name": "plain", "uri": "plain://x"},
    {"name": "json", "uri": "json://x", "mimeType": "application/json"},
    {"name": "image", "uri": "image://x", "mimeType": "image/png"},
]


# --- what handlers return --------------------------------------------------------------------------------------------
class Colour(enum.Enum):
    RED = "red"


class Shade(enum.StrEnum):
    DARK = "dark"


@dataclass
class Row:
    name: str
    note: str | None = None
    next: Row | None = None


@dataclass(frozen=True, slots=True)
class Tagged:
    name: str
    tags: set[str] = field(default_factory=set)


@dataclass
class Stamped:
    at: datetime.datetime
    key: uuid.UUID


class Wind(BaseModel):
    speed: float = Field(alias="windSpeed")


class Square(BaseModel):
    side: int

    @computed_field
    def area(self) -> int:
        return self.side**2


class Visit(BaseModel):
    name: str
    at: datetime.datetime


class RowModel(BaseModel):
    name: str
    next: RowModel | None = None


class Point(NamedTuple):
    x: int
    y: int


class Spoken:
    def __str__(self) -> str:
        return "Spoken, in words"


NOON = datetime.datetime(2026, 7, 28, 12, tzinfo=datetime.UTC)
KEY = uuid.UUID(int=7)
PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Case:
    """A value of a tool's or a resource's handler, made from dedalus-mcp's `types`."""

    id: str
    of: str
    value: Callable[[Any], Any]


def _text(types: Any, text: str = "a") -> Any:
    return types.TextContent(type="text", text=text)


def _image(types: Any) -> Any:
    return types.ImageContent(type="image", data="YQ==", mimeType="image/png", annotations={"priority": 0.5})


def _embedded(types: Any) -> Any:
    contents = types.TextResourceContents(uri="file:///a", mimeType="text/plain", text="a")
    return types.EmbeddedResource(type="resource", resource=contents)


def _contents(types: Any, uri: str = "a://1") -> Any:
    return types.TextResourceContents(uri=uri, mimeType="text/x", text="a")


def _always(value: Any) -> Callable[[Any], Any]:
    return lambda types: value


def _cases(of: str, **values: Any) -> list[Case]:
    return [
        Case(f"{of} {name.replace('_', ' ')}", of, value if callable(value) else _always(value))
        for name, value in values.items()
    ]


TEXT = [{"type": "text", "text": "a"}]
VALUES = [
    *_cases(
        "string", empty="", one="a", unicode="é\u2028\U0001f40b\x7f", lines='a\nb\t"c"\\', json='{"a": 1}', digits="5"
    ),
    *_cases("string", str_enum=Shade.DARK, enum=Colour.RED, moment=NOON, date=NOON.date(), uuid=KEY),
    *_cases("string", path=pathlib.PurePosixPath("/a"), duration=datetime.timedelta(seconds=5), bytes=b"\xff"),
    *_cases("string", pair=("a", "b"), surrogate="\ud800"),
    *_cases(
        "integer", zero=0, negative=-1, big=2**53 + 1, huge=10**30, float=1.0, true=True, decimal=decimal.Decimal(3)
    ),
    *_cases("number", one=1.0, large=1e300, negative_zero=-0.0, tenth=0.1, small=5e-324, integer=3),
    *_cases("number", decimal=decimal.Decimal("1.5"), nan=math.nan, infinity=math.inf),
    *_cases("boolean", true=True, false=False),
    *_cases("null", none=None),
    *_cases("strings", empty=[], three=["a", "b", "c"], unicode=["é", ""], tuple=("a", "b", "c"), pair=("a", "b")),
    *_cases("strings", set={"a"}, frozenset=frozenset({"a"}), deque=collections.deque(["a"]), keys={"a": 1}.keys()),
    *_cases("strings", generator=lambda types: (item for item in "ab"), iterator=lambda types: iter(["a", "b"])),
    *_cases("array", numbers=[1, 2.5, True], nulls=[None, 1], nested=[[1, 2], [3]], objects=[{"a": 1}, {}]),
    *_cases("array", range=range(3), moments=[NOON], mixed=["a", 1, {"b": [None]}], bytes=[b"a"], nan=[math.nan]),
    *_cases("array", blocks=lambda types: [_text(types), _image(types)]),
    *_cases("rows", dataclasses=[Row("a", "b"), Row("c", "d")], optional_none=[Row("a")]),
    *_cases("rows", models=[RowModel(name="a", next=RowModel(name="b"))], empty=[], mappings=[{"name": "a"}]),
    *_cases("object", empty={}, plain={"key": "value", "count": 10}, nested={"a": {"b": [1, {"c": None}]}}),
    *_cases("object", unicode={"é": "\U0001f40b"}, floats={"a": 1.0, "b": 1e300, "c": -0.0}, tuple={"a": (1, 2)}),
    *_cases(
        "object", set={"a": {1}}, integer_keys={1: "a"}, float_keys={1.5: "a"}, none_key={None: 1}, true_key={True: 1}
    ),
    *_cases(
        "object", tuple_key={(1, 2): 3}, same_keys={1: "a", "1": "b"}, enum_key={Colour.RED: 1}, moment={"at": NOON}
    ),
    *_cases("object", uuid={"key": KEY}, decimal={"price": decimal.Decimal("1.5")}, enum={"colour": Colour.RED}),
    *_cases(
        "object", bytes={"raw": b"\xff\xfe"}, text_bytes={"raw": b"a"}, nan={"a": [math.nan]}, infinity={"a": -math.inf}
    ),
    *_cases(
        "object",
        dataclass={"row": Row("a", "b", Row("c", "d"))},
        model={"row": RowModel(name="a")},
        generator=lambda types: {"a": (n for n in range(2))},
    ),
    *_cases("object", namespace=types.SimpleNamespace(a=1), mapping_proxy=types.MappingProxyType({"a": 1})),
    *_cases(
        "object",
        tagged=Tagged("a", {"b"}),
        stamped=Stamped(NOON, KEY),
        computed=Square(side=2),
        visit=Visit(name="a", at=NOON),
    ),
    *_cases("object", block_mapping={"type": "text", "text": "a"}, result_and_more={"content": TEXT, "more": 1}),
    *_cases(
        "object", result={"content": TEXT, "structuredContent": {"a": 1}}, error={"content": TEXT, "isError": True}
    ),
    *_cases("object", meta={"content": TEXT, "_meta": {"k": None}}, meta_by_name={"content": TEXT, "meta": {"k": 1}}),
    *_cases(
        "object",
        only_structured={"structuredContent": {"a": 1}},
        no_result={"content": "a"},
        only_is_error={"isError": True},
    ),
    *_cases("object", scalar=5, array=[1]),
    *_cases(
        "object",
        call_tool_result=lambda types: types.CallToolResult(content=[_text(types)], structuredContent={"a": None}),
        call_tool_error=lambda types: types.CallToolResult(content=[_text(types), _image(types)], isError=True),
        call_tool_meta=lambda types: types.CallToolResult(content=[], _meta={"k": None}),
    ),
    *_cases("object", pair=("done", {"a": 1}), pair_of_none=(None, {"a": 1}), pair_of_nones=(None, None)),
    *_cases("object", pair_of_mappings=({"b": [1]}, {"a": 1}), pair_of_lists=(["a", ["b", None]], {"a": 1})),
    *_cases(
        "object", pair_without=({"a": 1}, None), pair_with_dataclass=("done", Row("a", "b")), pair_bytes=(b"a", {})
    ),
    *_cases(
        "object", pair_of_a_dataclass=(Row("a", "b"), {"a": 1}), pair_with_moment=(NOON, {"at": NOON}), triple=(1, 2, 3)
    ),
    *_cases(
        "object",
        pair_of_blocks=lambda types: ([_text(types), _image(types)], {"a": 1}),
        pair_of_a_block=lambda types: (_image(types), {}),
    ),
    *_cases(
        "row",
        full=Row("a", "b", Row("c", "d")),
        optional_none=Row("a"),
        model=RowModel(name="a", next=RowModel(name="b")),
    ),
    *_cases("row", mapping={"name": "a"}, mapping_with_null={"name": "a", "note": None}, misspelt={"nam": "a"}),
    *_cases("wind", alias=Wind(windSpeed=1.5), mapping={"windSpeed": 2}),
    *_cases("point", named_tuple=Point(1, 2), mapping={"x": 1.0, "y": 2}),
    *_cases("page", mapping={"content": "a"}, result={"content": TEXT, "structuredContent": {"content": "a"}}),
    *_cases(
        "nothing", none=None, bytes=PNG, bytearray=bytearray(PNG), memoryview=memoryview(b"ab"), string="a", number=5
    ),
    *_cases(
        "nothing",
        mapping={"a": 1},
        list=["a", "b"],
        dataclass=Row("a", "b"),
        pair=("a", {"b": 1}),
        triple=("a", "b", 3),
    ),
    *_cases("nothing", moment=NOON, spoken=Spoken(), pair_of_strings=("a", "b"), nan=math.nan, empty=[]),
    *_cases(
        "nothing",
        text_block=_text,
        image_block=_image,
        audio_block=lambda types: types.AudioContent(type="audio", data="YQ==", mimeType="audio/wav"),
        link_block=lambda types: types.ResourceLink(type="resource_link", uri="file:///a", name="a"),
        embedded_block=_embedded,
        blocks=lambda types: [_text(types), _image(types), _embedded(types)],
        blocks_and_texts=lambda types: ["said", _image(types), Row("a", "b")],
        nested_blocks=lambda types: [[_text(types)], (_image(types), [_text(types, "b")])],
        generator_of_blocks=lambda types: (_text(types, text) for text in "ab"),
        pair_of_blocks=lambda types: (_text(types), _image(types)),
        call_tool_result=lambda types: types.CallToolResult(content=[_image(types)]),
    ),
]
READS = [
    *_cases(
        "plain",
        string="a",
        empty="",
        unicode="é\U0001f40b",
        bytes=PNG,
        bytearray=bytearray(b"a"),
        memoryview=memoryview(b"a"),
    ),
    *_cases("plain", none=None, true=True, integer=5, float=1.5, nan=math.nan, array=[1, "a", None], empty_array=[]),
    *_cases(
        "plain", mapping={"a": {"b": 1}}, empty_mapping={}, keys={1: "a", "b": {2: 3}}, none_key={None: 1}, set={1}
    ),
    *_cases("plain", text={"text": "a"}, text_and_mime={"text": "a", "mimeType": "text/html"}, blob={"blob": "YQ=="}),
    *_cases(
        "plain",
        text_and_uri={"text": "a", "uri": "b://c"},
        text_and_more={"text": "a", "author": "b"},
        no_text={"text": 5},
    ),
    *_cases(
        "plain", dataclass=Row("a"), model=RowModel(name="a"), alias=Wind(windSpeed=1.5), visit=Visit(name="a", at=NOON)
    ),
    *_cases(
        "plain",
        moment=NOON,
        uuid=KEY,
        enum=Colour.RED,
        str_enum=Shade.DARK,
        decimal=decimal.Decimal("1.5"),
        stamped=Stamped(NOON, KEY),
    ),
    *_cases("plain", spoken=Spoken(), error=ValueError("broken"), range=range(3), namespace=types.SimpleNamespace(a=1)),
    *_cases("plain", generator=lambda types: (n for n in range(2)), bytes_inside={"raw": b"a"}, tuple=(1, 2)),
    *_cases(
        "plain",
        contents=_contents,
        blob_contents=lambda types: types.BlobResourceContents(uri="a://b", mimeType="image/png", blob="YQ=="),
        contents_without_mime=lambda types: types.TextResourceContents(uri="a://b", text="a"),
        several_contents=lambda types: [_contents(types, f"a://{n}") for n in range(3)],
        tuple_of_contents=lambda types: (_contents(types), _contents(types, "a://2")),
        contents_and_text=lambda types: [_contents(types), "a"],
        answer=lambda types: types.ReadResourceResult(contents=[_contents(types)]),
        block=_text,
    ),
    *_cases(
        "json", string='{"a": 1}', mapping={"a": 1}, dataclass=Row("a", "b"), bytes=b"{}", text={"text": "a"}, number=1
    ),
    *_cases("image", bytes=PNG, blob={"blob": "YQ=="}, blob_and_mime={"blob": "YQ==", "mimeType": "image/gif"}),
]
