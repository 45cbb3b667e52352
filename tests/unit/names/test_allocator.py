"""Names are pure functions of the wire names: unique, safe, and indifferent to what else there is."""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Iterable
from dataclasses import dataclass

import pytest
from hypothesis import strategies as st
from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.types import ANY, ObjectClass
from mcpgen.lower.assemble import lower_schemas
from mcpgen.lower.request import LoweringRequest
from mcpgen.lower.shared_types import share_types
from mcpgen.names.allocator import allocate_names
from mcpgen.names.package_names import NameClash, PackageNames, ResourceNames
from mcpgen.names.reserved import IMPORT_SOURCES
from mcpgen.schema.document import Schema
from mcpgen.schema.keywords import DRAFT_2020_12
from mcpgen.schema.values import Json

WIRES = st.text(st.characters(), max_size=8) | st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_ .-]{0,8}", fullmatch=True)


# --- modules and classes --------------------------------------------------------------------------------------------
EMPTY = SchemaRoot(ANY, (), ())


def bare(wire: str, python: str | None = None) -> ToolModule:
    """A tool of which nothing but its names matters."""
    return ToolModule(wire, "x.json", "", None, EMPTY, "json", python=python)


def resource(wire: str, python: str | None = None) -> ResourceModule:
    return ResourceModule(wire, "x.json", "", "x://y", None, (), None, python=python)


def allocated(
    tools: Iterable[ToolModule], resources: Iterable[ResourceModule] = ()
) -> tuple[PackageNames, list[NameClash]]:
    return allocate_names(Package(tuple(tools), tuple(resources), (), "none", None))


def test_a_tool_has_a_module_and_two_classes() -> None:
    names, clashes = allocated([bare("get-weather"), bare("list_berths"), bare("天気", "weather")], [resource("chart")])
    assert not clashes
    value = {wire: (item.module, item.result, item.arguments) for wire, item in names.tools.items()}
    assert value == {
        "get-weather": ("get_weather", "GetWeatherResult", "GetWeatherArguments"),
        "list_berths": ("list_berths", "ListBerthsResult", "ListBerthsArguments"),
        "天気": ("weather", "WeatherResult", "WeatherArguments"),
    }
    assert names.resources == {"chart": ResourceNames("chart", "Chart", None, {})}


def test_files_that_differ_in_case_alone_are_a_clash() -> None:
    """They are one file on Windows and macOS: a checkout there would lose one of them."""
    tools = [bare("a", "GetWeather"), bare("b", "getweather"), bare("c", "get_weather")]
    _, clashes = allocated(tools, [resource("x", "getweather")])
    assert clashes[0] == NameClash('tool "a"', 'tool "b"', "tools/getweather.py", True)
    assert {clash.second for clash in clashes if clash.differs_in_case} == {'tool "b"'}
    classes = allocated([bare("a", "GetX"), bare("b", "gety")])[1]
    assert not classes


@pytest.mark.parametrize(
    ("tools", "resources"),
    [
        (["get-weather", "get_weather"], []),
        (["get-weather", "getWeather"], []),
        (["getWEATHER", "get_weather"], []),
        (["données", "donnees"], []),
        ([], ["chart", "Chart"]),
        (["chart"], ["chart-result"]),
        (["chart"], ["chart arguments"]),
    ],
)
def test_two_that_fall_together_are_one_clash(tools: list[str], resources: list[str]) -> None:
    _, clashes = allocated(map(bare, tools), map(resource, resources))
    assert [(clash.first, clash.second) for clash in clashes] == [
        (*(f'tool "{name}"' for name in tools), *(f'resource "{name}"' for name in resources))
    ]


def test_a_choice_ends_a_clash() -> None:
    names, clashes = allocated(
        [bare("get-weather", "weather_2"), bare("get_weather")], [resource("weather-2-result", "w")]
    )
    assert not clashes
    assert names.tools["get-weather"].result == "Weather2Result"


@pytest.mark.parametrize("wire", ["tool", "root", "content", "resource", "Tool"])
def test_no_tool_silently_takes_a_name_of_the_package(wire: str) -> None:
    """`tool` would be `ToolResult`, the base of all results."""
    names, clashes = allocated([bare(wire)])
    own_value = {names.tools[wire].result, names.tools[wire].arguments}
    assert clashes or not own_value & (IMPORT_SOURCES.keys() | {"ToolResult", "ToolCallError"})


@pytest.mark.parametrize(
    "wire", ["tool_result", "tool-call-error", "unsupported protocol", "TOOLS", "any", "class-var", "resource_info"]
)
def test_no_resource_silently_takes_a_name_of_the_package(wire: str) -> None:
    names, clashes = allocated([], [resource(wire)])
    reserved = IMPORT_SOURCES.keys() | {"ToolCallError", "ToolResult", "UnsupportedProtocol", "TOOLS"}
    assert clashes or names.resources[wire].name not in reserved


# --- nested classes -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Named:
    """The classes of some tools: (tool, JSON pointer) → class, for those nested and for those shared."""

    nested: dict[tuple[str, str], str]
    shapes: dict[str, tuple[str, ...]]
    """The properties of each shared class."""

    @property
    def shared(self) -> set[str]:
        """The names of the shared classes."""
        return {*self.shapes}


def classes(**outputs: Json) -> Named:
    """Return the names of the nested classes of tools with these outputSchemas."""
    tools: list[ToolModule] = []
    for wire, schema in outputs.items():
        roots = lower_schemas(
            [
                LoweringRequest("output", Schema(schema, DRAFT_2020_12)),
                LoweringRequest("input", Schema({"type": "object"}, "")),
            ]
        )
        tools.append(ToolModule(wire, "x.json", "", roots[0], roots[1], "json"))
    remaining = share_types(tools, [])
    names, clashes = allocate_names(Package(tuple(remaining.tools), (), tuple(remaining.nodes), "none", None))
    assert not clashes
    nested: dict[tuple[str, str], str] = {}
    for tool in remaining.tools:
        assert tool.output is not None
        mine = names.tools[tool.wire].nested
        nested.update({(tool.wire, node.pointer): mine[node.id] for node in tool.output.nodes})
        assert len(set(mine.values())) == len(mine)
    shapes = {names.shared[node.id]: node for node in remaining.nodes if isinstance(node, ObjectClass)}
    return Named(nested, {name: tuple(field.wire for field in node.fields) for name, node in shapes.items()})


def obj(title: str = "", **properties: Json) -> dict[str, Json]:
    more: dict[str, Json] = {"title": title} if title else {}
    return {**more, "type": "object", "properties": {**properties, "n": {"type": "integer"}}, "required": ["n"]}


STATION = obj(
    station=obj(wind=obj(p=True), sky=obj("Sky reading", q=True)),
    rows={"type": "array", "items": obj(wind=obj(r=True))},
    by_name={"type": "object", "additionalProperties": obj(s=True)},
    either={"anyOf": [obj(a={"type": "string"}), obj(b={"type": "string"}), {"type": "null"}]},
    unit={"$ref": "#/$defs/Unit"},
)
STATION["$defs"] = {"Unit": obj()}


def test_nested_classes_are_named_after_title_definition_or_path() -> None:
    nested = classes(t=STATION).nested
    assert nested["t", ""] == "TResult"
    assert nested["t", "/properties/station"] == "Station"
    assert nested["t", "/properties/station/properties/wind"] == "StationWind"
    assert nested["t", "/properties/station/properties/sky"] == "SkyReading"
    assert nested["t", "/properties/rows/items"] == "RowsItem"
    assert nested["t", "/properties/rows/items/properties/wind"] == "RowsItemWind"
    assert nested["t", "/properties/by_name/additionalProperties"] == "ByNameValue"
    assert nested["t", "/properties/either/anyOf/0"] == "EitherA"
    assert nested["t", "/$defs/Unit"] == "Unit"


def test_nested_names_do_not_depend_on_the_order_of_properties() -> None:
    def reversed_(schema: Json) -> Json:
        if isinstance(schema, dict):
            return {key: reversed_(schema[key]) for key in reversed(schema)}
        return schema

    assert classes(t=reversed_(STATION)).nested == classes(t=STATION).nested


RENAMES = pytest.mark.xfail(
    reason="a given name goes before one made from a path, a short path before a long", strict=True
)


@pytest.mark.parametrize(
    "added",
    [
        pytest.param({"extra": {"type": "string"}}, id="scalar"),
        pytest.param({"extra": obj(station=obj(), wind=obj(), rows={"items": obj()})}, id="names used elsewhere"),
        pytest.param({"station_wind": {"type": "array", "items": obj()}}, id="path of another kind"),
        pytest.param({"station_wind": obj(t=True)}, id="path", marks=RENAMES),
        pytest.param({"extra": obj("Station")}, id="title like a path", marks=RENAMES),
        pytest.param({"extra": obj("Sky reading")}, id="title", marks=RENAMES),
        pytest.param({"extra": obj("Unit")}, id="title like a definition"),
        pytest.param({"extra": {"$ref": "#/$defs/Station"}}, id="definition like a path", marks=RENAMES),
        pytest.param({"extra": {"$ref": "#/$defs/RowsItem"}}, id="definition like an item", marks=RENAMES),
    ],
)
def test_nested_names_stay_when_a_property_is_added(added: dict[str, Json]) -> None:
    value, definitions = STATION["properties"], STATION["$defs"]
    assert isinstance(value, dict)
    assert isinstance(definitions, dict)
    more: Json = {**definitions, "Station": obj(x={"type": "string"}), "RowsItem": obj(y={"type": "string"})}
    old_names = classes(t=STATION).nested
    new_names = classes(t={**STATION, "properties": {**added, **value}, "$defs": more}).nested
    assert {place: new_names[place] for place in old_names} == old_names


def test_nested_names_stay_when_a_tool_is_added() -> None:
    alone = classes(t=STATION).nested
    other_schema: Json = {**obj(station=obj(z=True), unit={"$ref": "#/$defs/Unit"}), "$defs": {"Unit": obj(other={})}}
    together = classes(t=STATION, other=other_schema)
    assert {place: together.nested[place] for place in alone} == alone
    assert together.nested["other", "/properties/station"] == "Station"
    assert together.nested["other", "/$defs/Unit"] == "Unit"
    assert not together.shared


def test_what_is_shared_keeps_away_from_the_names_of_its_users() -> None:
    inner: Json = obj(wind=obj(p=True))
    item: Json = obj(forecast=inner, wind=obj(q=True))
    alone = classes(one=item).nested
    together = classes(
        one=item, two=obj(data=obj(wind=obj(p=True), z=True), x=True), three=obj(wind=obj(p=True), y=True)
    )
    assert alone["one", "/properties/wind"] == together.nested["one", "/properties/wind"] == "Wind"
    assert len(together.shared) == 1
    assert "Wind" not in together.shared


def test_what_is_shared_keeps_away_from_the_names_in_modules_that_reach_it_through_others() -> None:
    inner: Json = obj(wind=obj("Wind", p=True), z=True)
    together = classes(one=obj(forecast=inner, wind=obj(q=True)), two=obj(forecast=inner, y=True))
    assert together.nested["one", "/properties/wind"] == "Wind"
    assert together.shared == {"Forecast", "ForecastWind"}


def test_what_is_shared_keeps_away_from_the_types_of_handlers() -> None:
    titled = obj("OneHandler", p=True)
    assert classes(one=obj(a=titled, x=True), two=obj(b=titled, y=True)).shared == {"OneHandlerWithP"}
    assert classes(three=obj(a=titled, x=True), two=obj(b=titled, y=True)).shared == {"OneHandler"}


def count_uses(shapes: dict[str, Json], counts: dict[str, int]) -> Named:
    """Return the names of the classes of tools, as many for each shape as its count, that have it as `unit`."""
    tools = {f"{shape}_{index}": obj(unit=shapes[shape]) for shape, count in counts.items() for index in range(count)}
    return classes(**{tool: {**schema, "title": tool} for tool, schema in tools.items()})


TEXT: Json = {"type": "string"}


@pytest.mark.parametrize(
    ("shapes", "names"),
    [
        pytest.param([obj(a=True), obj(b=True)], {"UnitWithA", "UnitWithB"}, id="property"),
        pytest.param([obj(), obj(b=True)], {"UnitWithOnlyN", "UnitWithB"}, id="missing property"),
        pytest.param([obj(a=TEXT), obj(a={"enum": ["x"]})], {"UnitWithStringA", "UnitWithAX"}, id="constant"),
        pytest.param(
            [obj(a=TEXT), {**obj(a=TEXT), "required": ["n", "a"]}],
            {"UnitWithOptionalA", "UnitWithRequiredA"},
            id="presence",
        ),
        pytest.param([obj("Unit", a=True), obj(b=True)], {"UnitWithA", "UnitWithB"}, id="title and property"),
    ],
)
def test_a_name_that_two_shared_classes_could_have_belongs_to_neither(shapes: list[Json], names: set[str]) -> None:
    named = dict(zip("st", shapes, strict=True))
    assert count_uses(named, {"s": 2, "t": 2}).shared == names


@pytest.mark.parametrize("counts", itertools.permutations(range(1, 4)))
def test_no_name_moves_to_another_shape_when_a_tool_is_added(counts: tuple[int, ...]) -> None:
    shapes: dict[str, Json] = {"s": obj(), "t": obj(a=True), "u": obj(a=True, b=True)}
    uses = dict(zip(shapes, counts, strict=True))
    old = count_uses(shapes, uses).shapes
    for added in shapes:
        new = count_uses(shapes, {**uses, added: uses[added] + 1}).shapes
        assert {name: shape for name, shape in new.items() if name in old}.items() <= old.items()


def test_definitions_equal_in_name_and_content_are_one_shared_class() -> None:
    other_schema: Json = {**obj(unit={"$ref": "#/$defs/Unit"}), "$defs": {"Unit": obj()}}
    together = classes(t=STATION, other=other_schema)
    assert together.shared == {"Unit"}
    alone = classes(t=STATION).nested
    assert {place: name for place, name in alone.items() if place in together.nested} == {
        place: name for place, name in together.nested.items() if place[0] == "t"
    }


def test_definitions_whose_names_look_like_marks_are_told_apart() -> None:
    """`&`, `!` and `%` mean something in the ids of classes."""
    schema = obj(a={"$ref": "#/$defs/x"}, b={"$ref": "#/$defs/x!y"})
    item: Json = {**schema, "$defs": {"x": obj(), "x!y": obj(p=obj())}}
    two: Json = {**schema, "$defs": {"x": obj(), "x!y": obj(q=obj())}}
    assert classes(one=item, two=two).shared == {"X"}
    properties: dict[str, Json] = {"a&b": obj(p=True), "a%26b": obj(q=True), "a%2526b": obj(r=True)}
    assert len(classes(t={"type": "object", "properties": properties}).nested) == 4


@pytest.mark.parametrize("index", ["²", "1" * 5_000])
def test_what_stands_under_a_keyword_need_not_be_a_number(index: str) -> None:
    schema: Json = {**obj(a={"$ref": f"#/note/anyOf/{index}"}), "note": {"anyOf": {index: obj()}}}
    assert classes(t=schema).nested["t", f"/note/anyOf/{index}"] == "NoteOption"


def test_results_keep_their_names_when_arguments_have_the_same() -> None:
    schema: Json = obj(wind=obj())
    requests = [LoweringRequest(side, Schema(schema, DRAFT_2020_12)) for side in ("output", "input")]
    output, arguments = lower_schemas(requests)
    tool = ToolModule("t", "x.json", "", output, arguments, "json")
    names = allocated([tool])[0].tools["t"].nested
    assert names["output:/properties/wind"] == "Wind"
    assert names["input:/properties/wind"] == "ArgumentsWind"


LONG = "averyveryverylongproperty"


def open_object(properties: dict[str, Json]) -> dict[str, Json]:
    return {"type": "object", "properties": properties}


def test_no_name_is_longer_than_forty_characters_or_holds_a_hash() -> None:
    middle = open_object({LONG: obj(p=True)})
    deep = open_object({LONG: open_object({LONG + "2": middle, "x" * 90: obj(q=True), "y" + "x" * 90: obj(r=True)})})
    clashing = open_object({name: open_object({name: True}) for name in ("a_b", "a-b", "aB", "AB")})
    names = {name for name in classes(t=deep, u=clashing).nested.values() if not name.endswith("Result")}
    assert len(names) == 9
    assert all(len(name) <= 40 for name in names)
    assert {"AB", "ResultAB", "AB2", "AB3"} <= names


def test_nested_names_keep_away_from_what_modules_import() -> None:
    actual = classes(
        t=obj(a=obj("Any"), b=obj("Field"), c=obj("String"), d=obj("ToolResult"), e=obj("None"), f=obj("TypedDict"))
    )
    assert not set(actual.nested.values()) & (IMPORT_SOURCES.keys() | {"None", "TypedDict"})
    assert len(set(actual.nested.values())) == 7


@pytest.mark.parametrize("title", ["天気", "☂", "2nd", "class", "a\nb", '"""', "x" * 200, "Ünïcode wörd"])
def test_any_title_leads_to_an_identifier(title: str) -> None:
    for name in classes(t=obj(a=obj(title), b=obj(title))).nested.values():
        assert name.isidentifier()
        assert name.isascii()
        assert not keyword.iskeyword(name)
