"""`normalize_any` and its kin: what of a handler's value becomes what, and what is said of the rest."""

from __future__ import annotations

import decimal
import enum
import json
import types
import uuid
from collections.abc import Callable
from dataclasses import dataclass, make_dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError, computed_field, field_serializer
from support.handled_tools import TOOLS
from support.packages import get_types, package
from support.wire_forms import wire

OLD, NEW = "2025-06-18", "2026-07-28"


@pytest.fixture(scope="module", params=["none", "mcp"])
def generated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    if request.param == "mcp":
        pytest.importorskip("mcp_types", reason="mcp 2.x is not installed here")
    generated = package(tmp_path_factory.mktemp("normalize"), TOOLS, "--sdk", str(request.param))
    return generated


def convert(cls: Any, value: Any, protocol: str | None = None) -> Any:
    """Return what `normalize_any` makes of a value, after checking that `normalize_to_json` writes the same."""
    try:
        result = cls.normalize_any(value, protocol=protocol)
    except Exception as error:
        with pytest.raises(type(error)) as caught:
            cls.normalize_to_json(value, protocol=protocol)
        assert str(caught.value) == str(error)  # noqa: PT017 # both functions, or neither
        raise
    written = json.loads(cls.normalize_to_json(value, protocol=protocol))
    assert written.pop("resultType", "complete") == "complete"
    expected = wire(result)
    expected.pop("resultType", None)
    assert written == expected
    return result


def structured(generated: Any, name: str, value: Any) -> Any:
    return wire(convert(generated.RESULT_TYPES[name], value, protocol=NEW))["structuredContent"]


# --- attributes ------------------------------------------------------------------------------------------------------
class Colour(enum.Enum):
    PIER = "pier"


@dataclass
class ByPythonName:
    wind_speed: float
    note: str | None = None
    gust_max: float | None = None


class ByAlias(BaseModel):
    speed: float = Field(alias="windSpeed")
    note: str | None = None


class Slotted:
    __slots__ = ("note", "windSpeed")

    def __init__(self) -> None:
        self.windSpeed, self.note = 1.5, None


class Handmade:
    def __init__(self) -> None:
        self.wind_speed, self._secret = 1.5, object()


class Spoken:
    def __str__(self) -> str:
        return "in words"


class Named(Spoken):
    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f"named {self.name}"


class Holder(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    inner: Spoken


@dataclass
class Moored:
    kind: str
    chain_length: float
    last: ByPythonName | None = None


PLAIN, FULL = {"windSpeed": 1.5}, {"windSpeed": 1.5, "gust-max": None}
HELD = ByPythonName(1.5)
NESTED: list[tuple[str, Any, Any]] = [
    ("reading", HELD, FULL),
    ("reading", ByPythonName(1.5, "a", 2), {"windSpeed": 1.5, "note": "a", "gust-max": 2}),
    ("reading", ByAlias(windSpeed=1.5), PLAIN),
    ("reading", Slotted(), PLAIN),
    ("reading", Handmade(), PLAIN),
    (
        "reading",
        types.SimpleNamespace(windSpeed=1.5, at=uuid.UUID(int=0)),
        {"windSpeed": 1.5, "at": str(uuid.UUID(int=0))},
    ),
    ("reading", types.MappingProxyType({"windSpeed": 1.5}), PLAIN),
    (
        "nested",
        types.SimpleNamespace(first=HELD, many=(HELD, {"windSpeed": 2})),
        {"first": FULL, "many": [FULL, {"windSpeed": 2}]},
    ),
    ("nested", {"first": HELD, "either": ByAlias(windSpeed=1.5)}, {"first": FULL, "either": PLAIN}),
    (
        "nested",
        {"either": "a", "place": Moored("buoy", 3, HELD)},
        {"either": "a", "place": {"kind": "buoy", "chainLength": 3, "last": FULL}},
    ),
    ("nested", types.SimpleNamespace(first=None, many=[]), {"many": []}),
    ("mapped", {"by": {"sea": HELD, "wind_speed": HELD}}, {"by": {"sea": FULL, "wind_speed": FULL}}),
    ("mapped", types.SimpleNamespace(by={1: HELD}), {"by": {"1": FULL}}),
    ("extras", {"first": HELD, "second": HELD}, {"first": FULL, "second": FULL}),
    ("extras", types.SimpleNamespace(first=None, second=HELD), {"second": FULL}),
    ("grid", [[HELD], (HELD,)], [[FULL], [FULL]]),
    ("couple", (HELD, 5), [FULL, 5]),
    ("place", types.SimpleNamespace(kind=Colour.PIER, max_length=3), {"kind": "pier", "maxLength": 3}),
    ("place", Moored("buoy", 3), {"kind": "buoy", "chainLength": 3}),
    ("maybe", {"a": [HELD, "x", {"b": HELD}]}, {"a": [FULL, "x", {"b": FULL}]}),
    ("maybe", HELD, FULL),
    (
        "tree",
        types.SimpleNamespace(full_name="a", sub_parts=[types.SimpleNamespace(full_name="b", sub_parts=None)]),
        {"fullName": "a", "subParts": [{"fullName": "b"}]},
    ),
    ("bare", [HELD, HELD], {"result": [FULL, FULL]}),
    ("bare", {"result": [HELD]}, {"result": [FULL]}),
    ("bare", types.SimpleNamespace(result=[HELD]), {"result": [FULL]}),
    ("word", Colour.PIER, "pier"),
    ("anything", {"a": HELD}, {"a": {"wind_speed": 1.5, "note": None, "gust_max": None}}),
]


@pytest.mark.parametrize(("name", "value", "expected"), NESTED, ids=[f"{n} {case[0]}" for n, case in enumerate(NESTED)])
def test_attributes_are_properties(generated: Any, name: str, value: Any, expected: Any) -> None:
    assert structured(generated, name, value) == expected
    if generated.RESULT_TYPES[name]._tool.pairs:
        assert structured(generated, name, ("said", value)) == expected


def test_instances_of_the_classes_inside_other_values(generated: Any) -> None:
    reading_result = generated.ReadingResult(wind_speed=1.5, gust_max=None)
    assert structured(generated, "mapped", {"by": {"a": reading_result}}) == {"by": {"a": FULL}}
    assert structured(generated, "reading", reading_result) == FULL


def test_none_in_a_mapping_is_null(generated: Any) -> None:
    with pytest.raises(generated.ResultError, match="/note"):
        convert(generated.ReadingResult, {"windSpeed": 1.5, "note": None})
    with pytest.raises(generated.ResultError, match="/many/0/note"):
        convert(generated.NestedResult, {"many": [{"windSpeed": 1.5, "note": None}]})


def test_what_the_class_does_not_declare(generated: Any) -> None:
    more = make_dataclass("More", [("wind_speed", float), ("secret", int)])(1.5, 2)
    with pytest.raises(generated.ResultError, match="secret"):
        convert(generated.ReadingResult, more)
    both = types.SimpleNamespace(wind_speed=1.5, windSpeed=2.5)
    with pytest.raises(generated.ResultError, match="wind_speed"):
        convert(generated.ReadingResult, both)
    with pytest.raises(generated.ResultError, match="wind_speed"):  # a mapping has wire names
        convert(generated.ReadingResult, {"wind_speed": 1.5})


# --- results and pairs -----------------------------------------------------------------------------------------------
OWN: list[Any] = [
    {},
    {"windSpeed": 1.5},
    {"windSpeed": "a"},
    {"many": [{"note": "a"}]},
    {"fullName": "a", "subParts": [{"fullName": 1}]},
    {"result": [{"windSpeed": 1.5}]},
    {"result": [{"windSpeed": None}]},
    {"result": [[]]},
    {"result": "a"},
    {"content": "a"},
    {"code": "a"},
    {"kind": "pier", "maxLength": 3},
]


def test_results_of_handlers_are_unchanged_where_they_fit_what_is_advertised(generated: Any) -> None:
    result_type = get_types(generated).CallToolResult
    block = get_types(generated).TextContent(type="text", text="a")
    failed = {"content": [{"type": "text", "text": "broken"}], "structuredContent": {"odd": 1}, "isError": True}
    for version in (OLD, NEW):
        advertised = {tool["name"]: tool.get("outputSchema", True) for tool in generated.list_tools(version)}
        for name, cls in generated.RESULT_TYPES.items():
            validator = jsonschema_rs.validator_for(advertised[name])
            for value in OWN:
                result = result_type(content=[block], structuredContent=value)
                for method in (partial(convert, cls), cls.normalize):
                    if validator.is_valid(value):
                        assert method(result, protocol=version) is result
                    else:
                        with pytest.raises(generated.ResultError, match=f"^{name}: "):
                            method(result, protocol=version)
            error = result_type.model_validate(failed)
            assert convert(cls, error, protocol=version) is cls.normalize(error, protocol=version) is error
            silent = result_type(content=[block])
            if "outputSchema" not in cls._tool.definition:
                assert convert(cls, silent, protocol=version) is silent
                continue
            assert convert(cls, silent, protocol="2025-03-26") is silent  # which has no structured content
            with pytest.raises(generated.ResultError, match="structuredContent: the tool declares"):
                convert(cls, silent, protocol=version)


@pytest.mark.parametrize("name", ["anything", "plain"])
def test_structured_content_of_a_handlers_result_is_json(generated: Any, name: str) -> None:
    cls, result_type = generated.RESULT_TYPES[name], get_types(generated).CallToolResult
    result = result_type(content=[], structuredContent={"a": 1})
    attribute = next(key for key, item in vars(result).items() if item == {"a": 1})
    for value in (float("nan"), float("inf"), "\ud800"):
        vars(result)[attribute] = {"a": [value]}
        with pytest.raises(generated.ResultError, match=f"^{name}: /a/0: "):
            cls.normalize(result, protocol=NEW)
    vars(result)[attribute] = {"at": uuid.UUID(int=0), "in": (1, decimal.Decimal(2))}
    sent = wire(cls.normalize(result, protocol=NEW))["structuredContent"]
    assert sent == {"at": str(uuid.UUID(int=0)), "in": [1, 2]}


class TextContent(BaseModel):
    """Another SDK's class: the same name and members."""

    type: str = "text"
    text: str
    annotations: dict[str, Any] | None = None


class CallToolResult(BaseModel):
    content: list[TextContent]
    structuredContent: dict[str, Any] | None = None
    isError: bool = False
    meta: dict[str, Any] | None = Field(default=None, alias="_meta")


def test_results_and_blocks_of_another_sdk(generated: Any) -> None:
    theirs = CallToolResult(content=[TextContent(text="a")], structuredContent={"b": None}, _meta={"k": None})
    expected = {"content": [{"type": "text", "text": "a"}], "structuredContent": {"b": None}, "_meta": {"k": None}}
    for cls in (generated.OpenResult, generated.PlainResult):
        assert wire(convert(cls, theirs, protocol=OLD)) == expected
        assert wire(convert(cls, theirs, protocol=NEW)) == {**expected, "resultType": "complete"}
    with pytest.raises(generated.ResultError, match="/b: there is no such property"):
        convert(generated.ReadingResult, theirs)
    failed = CallToolResult(content=[], isError=True)
    assert wire(convert(generated.PageResult, failed, protocol=OLD)) == {"content": [], "isError": True}
    assert wire(generated.PlainResult.normalize([theirs.content[0], "b"], protocol=OLD)) == {
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    }
    with pytest.raises(ValueError, match="unknown MCP protocol version"):
        convert(generated.ReadingResult, theirs, protocol="2027-01-01")


RESULT: dict[str, Any] = {"content": [{"type": "text", "text": "a"}], "isError": True}


@pytest.mark.parametrize("name", ["reading", "word", "open", "plain", "bare", "place"])
def test_mappings_that_are_results(generated: Any, name: str) -> None:
    cls = generated.RESULT_TYPES[name]
    assert wire(convert(cls, RESULT, protocol=OLD)) == RESULT
    assert wire(cls.normalize(RESULT, protocol=NEW)) == {**RESULT, "resultType": "complete"}
    block = get_types(generated).TextContent(type="text", text="a")
    assert wire(cls.normalize({"content": [block], "isError": True, "meta": {"k": 1}}, protocol=OLD)) == {
        **RESULT,
        "_meta": {"k": 1},
    }
    if name != "plain":
        with pytest.raises(generated.ResultError, match="structuredContent: the tool declares"):
            convert(cls, {"content": [block]}, protocol=OLD)
    broken = {"content": [block], "structuredContent": {"result": [{"windSpeed": "a"}], "windSpeed": "a"}}
    if name in ("reading", "bare"):
        with pytest.raises(generated.ResultError, match=f"^{name}: /"):
            convert(cls, broken, protocol=OLD)


def test_mappings_that_are_values(generated: Any) -> None:
    assert structured(generated, "page", {"content": "a"}) == {"content": "a"}
    with pytest.raises(generated.ResultError):
        convert(generated.PageResult, RESULT)
    values: list[dict[str, Any]] = [
        {**RESULT, "more": 1},
        {"content": "a"},
        {"content": [{"type": "odd"}]},
        {"_meta": {}},
        {"meta": {"a": 1}, "resultType": "complete"},
    ]
    for value in values:
        assert structured(generated, "open", value) == value


def test_pairs(generated: Any) -> None:
    block = get_types(generated).TextContent(type="text", text="b")
    pair = convert(generated.ReadingResult, (["a", block, {"c": HELD}], HELD), protocol=OLD)
    texts = [item["text"] for item in wire(pair)["content"]]
    assert texts[:2] == ["a", "b"]
    assert json.loads(texts[2]) == {"c": {"wind_speed": 1.5, "note": None, "gust_max": None}}
    assert wire(convert(generated.WordResult, (None, "a"), protocol=OLD)) == {
        "content": [],
        "structuredContent": {"result": "a"},
    }
    assert structured(generated, "couple", ({"windSpeed": 1}, 2)) == [{"windSpeed": 1}, 2]
    for name in ("anything", "maybe"):  # their values may be arrays
        assert structured(generated, name, ("a", "b")) == ["a", "b"]
    for wrong in (("a",), ("a", "b", "c"), ("a", None)):
        with pytest.raises(generated.ResultError):
            convert(generated.ReadingResult, wrong)


def test_declared_annotations(generated: Any) -> None:
    """They are those of every block that has none, whoever made it; a whole result stays as it is."""
    block = get_types(generated).TYPES.read_block
    own = {"type": "text", "text": "b", "annotations": {"priority": 1}}
    hints = {"annotations": {"audience": ["user"], "priority": 0.5}}
    image = {"type": "image", "data": "YQ==", "mimeType": "image/png"}
    made = wire(convert(generated.HintedResult, ["a", block(own), block(image)]))["content"]
    assert made == [{"type": "text", "text": "a", **hints}, own, {**image, **hints}]
    pair = wire(convert(generated.HintedResult, ("a", {"b": 1}), protocol=OLD))
    assert pair == {"content": [{"type": "text", "text": "a", **hints}], "structuredContent": {"b": 1}}
    said = wire(convert(generated.AimedResult, (["hello", block(own)], {"b": 1}), protocol=OLD))["content"]
    assert said == [{"type": "text", "text": "hello", "annotations": {"audience": ["assistant"]}}, own]
    whole = {"content": [{"type": "text", "text": "a"}], "structuredContent": {}}
    assert wire(convert(generated.AimedResult, whole, protocol=OLD)) == whole


def test_content_blocks_are_no_values(generated: Any) -> None:
    """Unless the schema describes them."""
    text = get_types(generated).TextContent(type="text", text="a")
    theirs = TextContent(text="a")
    values: list[tuple[str, Any]] = [
        *[("open", text), ("open", theirs), ("reading", theirs), ("open", ("said", theirs))],
        *[("listed", [text]), ("listed", ["a", theirs]), ("bare", [theirs]), ("anything", theirs)],
    ]
    for name, value in values:
        with pytest.raises(generated.ResultError, match="TextContent is content, not a value of the outputSchema"):
            convert(generated.RESULT_TYPES[name], value)
    with pytest.raises(generated.ResultError, match="TextContent is content"):
        generated.GridResult.normalize_any(iter([theirs]))
    assert structured(generated, "shown", [theirs])[0] | {"annotations": 0} == theirs.model_dump() | {"annotations": 0}
    assert wire(convert(generated.OpenResult, (text, {}), protocol=OLD)) == {
        "content": [{"type": "text", "text": "a"}],
        "structuredContent": {},
    }


def test_null_inside_the_meta_of_a_block_stays(generated: Any) -> None:
    block = {"type": "text", "text": "a", "_meta": {"k": None}}
    assert generated.WordResult("a").to_wire(content=[get_types(generated).TYPES.read_block(block)])["content"] == [
        block
    ]
    assert wire(generated.PlainResult.normalize([get_types(generated).TYPES.read_block(block)]))["content"] == [block]


def test_values_for_tools_without_a_schema(generated: Any) -> None:
    def blocks(value: Any) -> Any:
        out = wire(convert(generated.PlainResult, value, protocol=OLD))
        assert out.keys() == {"content"}
        return [item["text"] for item in out["content"]]

    assert blocks(None) == []
    assert blocks(["a", None, [1, [True, []]], b"\xff"]) == ["a", "1", "true", "/w=="]
    assert blocks(("a", "b")) == ["a", "b"]
    assert blocks(("a", None)) == ["a"]
    assert blocks(Spoken()) == blocks([None, Spoken()]) == ["in words"]
    assert blocks(("a", Spoken())) == ["a", "in words"]
    assert blocks({"a": Spoken(), "b": [Fraction(1, 2)]}) == ['{"a":"in words","b":["1/2"]}']
    assert blocks({Spoken(): Holder(inner=Spoken()), (1, 2): 3}) == ['{"in words":{"inner":"in words"},"(1, 2)":3}']
    assert blocks(Named("x")) == ["named x"]
    with pytest.raises(generated.ResultError, match=r"(?i)nan"):
        convert(generated.PlainResult, float("nan"))
    for code in (len, Spoken):
        with pytest.raises(generated.ResultError, match="not data"):
            convert(generated.PlainResult, code)
    assert blocks(HELD) == ['{"wind_speed":1.5,"note":null,"gust_max":null}']
    assert wire(generated.PlainResult.normalize(("a", HELD), protocol="2025-03-26")).keys() == {"content"}


# --- errors ----------------------------------------------------------------------------------------------------------
WRONG: list[tuple[str, Any, str]] = [
    ("reading", {"windSpeed": "a"}, "/windSpeed"),
    ("reading", types.SimpleNamespace(wind_speed="a"), "/windSpeed"),
    ("nested", {"many": [PLAIN, {"windSpeed": None}]}, "/many/1/windSpeed"),
    ("nested", types.SimpleNamespace(many=[HELD, ByPythonName(True)]), "/many/1/windSpeed"),
    ("nested", {"first": {"windSpeed": float("nan")}}, "/first/windSpeed"),
    ("mapped", {"by": {"a/b~": {"windSpeed": "x"}}}, "/by/a~1b~0/windSpeed"),
    ("tree", {"fullName": "a", "subParts": [{"fullName": 5}]}, "/subParts/0/fullName"),
    ("bare", [{"windSpeed": "a"}], "/result/0/windSpeed"),
    ("bare", [{"windSpeed": float("nan")}], "/result/0/windSpeed"),
    ("strict", {"code": "a"}, "/code"),
    ("strict", {"code": "A", "tags": ["red", "red"]}, "/tags"),
    ("couple", [PLAIN, "a"], "/1"),
    ("word", 5, ""),
]


@pytest.mark.parametrize(("name", "value", "pointer"), WRONG, ids=[f"{n} {case[0]}" for n, case in enumerate(WRONG)])
def test_errors_name_the_tool_and_the_place(generated: Any, name: str, value: Any, pointer: str) -> None:
    with pytest.raises(generated.ResultError) as caught:
        convert(generated.RESULT_TYPES[name], value)
    assert caught.value.tool == name
    assert pointer in [at for at, _ in caught.value.problems]
    assert str(caught.value).startswith(f"{name}: {pointer}")
    assert isinstance(caught.value, ValueError)


MARK = "ZQX7"
VALUES = st.recursive(
    st.sampled_from([MARK, f"a{MARK}", f"\ud800{MARK}", 5, None, True, 1.5, float("nan"), b"ZQX7"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    MARK,
                    f"{MARK}/~",
                    "windSpeed",
                    "note",
                    "first",
                    "many",
                    "by",
                    "place",
                    "kind",
                    "code",
                    "tags",
                    "result",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=6,
)


@settings(max_examples=120)
@given(st.sampled_from([tool["name"] for tool in TOOLS]), VALUES)
def test_the_model_is_told_nothing_of_the_value(name: str, value: Any) -> None:
    generated = _package()
    cls = generated.RESULT_TYPES[name]
    readers: list[Callable[[Any], Any]] = [cls.normalize_any, cls.normalize]
    if cls._holds_json:
        readers.append(cls.from_structured_content)
    for read in readers:
        try:
            read(value)
        except (generated.ResultError, ValidationError) as error:
            (block,) = wire(generated.tool_error(error))["content"]
            assert MARK not in block["text"], block["text"]
            assert block["text"].startswith("The tool's result is invalid")


_built: list[Any] = []


def _package() -> Any:
    assert _built
    return _built[0]


@pytest.fixture(autouse=True)
def _kept(generated: Any) -> None:
    _built[:] = [generated]


def test_errors_for_the_model(generated: Any) -> None:
    with pytest.raises(generated.ResultError) as caught:
        convert(generated.StrictResult, {"code": "secret", "tags": ["red", "blue"]})
    message = wire(generated.tool_error(caught.value, protocol=OLD))
    assert message["isError"] is True
    (block,) = message["content"]
    assert "/code" in block["text"]
    assert "pattern" in block["text"]
    assert "/tags/1" in block["text"]
    assert "secret" not in block["text"]
    assert "blue" not in block["text"]
    assert "resultType" not in message
    assert wire(generated.tool_error("a"))["resultType"] == "complete"
    assert wire(generated.tool_error(RuntimeError("secret")))["content"][0]["text"] == "The tool failed."
    text_content = get_types(generated).TextContent(type="text", text="b")
    assert wire(generated.tool_error([text_content]))["content"] == [{"type": "text", "text": "b"}]


# --- pydantic's JSON mode --------------------------------------------------------------------------------------------
class Priced(BaseModel):
    wind_speed: decimal.Decimal
    note: bytes | None = None


ONE = decimal.Decimal(1)


class Broken(BaseModel):
    wind_speed: float = 1.5

    @field_serializer("wind_speed")
    def write(self, _: float) -> float:
        raise LookupError("confidential")


def test_a_decimal_where_the_schema_has_only_numbers(generated: Any) -> None:
    priced = Priced(wind_speed=decimal.Decimal("1.10"), note=b"abc")
    assert structured(generated, "reading", priced) == {"windSpeed": 1.1, "note": "abc"}
    assert structured(generated, "nested", {"many": [priced]}) == {"many": [{"windSpeed": 1.1, "note": "abc"}]}
    once = generated.NestedResult.normalize_any({"many": (item for item in [priced])})
    assert wire(once)["structuredContent"] == {"many": [{"windSpeed": 1.1, "note": "abc"}]}
    assert structured(generated, "anything", {"a": priced})["a"] == {"wind_speed": "1.10", "note": "abc"}


class Summed(BaseModel):
    """Not just its fields: a model with a computed field, and whatever else it is given."""

    model_config = ConfigDict(extra="allow")
    net: decimal.Decimal
    rate: decimal.Decimal = Field(default=decimal.Decimal("0.50"), serialization_alias="taxRate")
    tags: dict[str, decimal.Decimal] = {}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def total(self) -> decimal.Decimal:
        return self.net * 2


class Masked(BaseModel):
    net: decimal.Decimal

    @field_serializer("net")
    def mask(self, _: decimal.Decimal) -> str:
        return "secret"


class Amount(RootModel[decimal.Decimal]):
    pass


@dataclass
class Sum:
    net: decimal.Decimal
    total: Any = None


NET = decimal.Decimal("1.50")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Sum(NET, NET), {"net": 1.5, "total": "1.50"}),
        ({"net": NET, "total": NET}, {"net": 1.5, "total": "1.50"}),
        ({"net": NET, "total": "1"}, {"net": 1.5, "total": "1"}),
        ({"net": NET, "either": NET, "open": NET}, {"net": 1.5, "either": 1.5, "open": 1.5}),
        ({"net": NET, "kind": NET, "list": [NET]}, {"net": 1.5, "kind": 1.5, "list": ["1.50"]}),
        (Summed(net=NET), {"net": 1.5, "taxRate": 0.5, "tags": {}, "total": "3.00"}),
        (
            Summed(net=NET, tags={"a": NET}, either=NET, open=NET),  # type: ignore[call-arg] # pyright: ignore
            {"net": 1.5, "taxRate": 0.5, "tags": {"a": "1.50"}, "total": "3.00", "either": "1.50", "open": "1.50"},
        ),
        ({"net": Amount(NET), "list": [Amount(NET)]}, {"net": 1.5, "list": ["1.50"]}),
    ],
)
def test_the_schema_decides_what_each_decimal_is(generated: Any, value: Any, expected: Any) -> None:
    assert structured(generated, "sum", value) == expected


def test_no_number_replaces_what_a_serializer_wrote(generated: Any) -> None:
    with pytest.raises(generated.ResultError, match="/net: should be a number"):
        convert(generated.SumResult, Masked(net=NET))


@pytest.mark.parametrize(("model", "place"), [(Priced(wind_speed=ONE, note=b"\xff"), "note"), (Broken(), "wind_speed")])
def test_what_pydantic_cannot_write(generated: Any, model: BaseModel, place: str) -> None:
    message = rf"/many/0/{place}: pydantic cannot write the \w+ as JSON"
    with pytest.raises(generated.ResultError, match=message) as caught:
        convert(generated.NestedResult, {"many": [model]})
    assert "confidential" not in str(caught.value)
