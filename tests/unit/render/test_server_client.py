"""Tools as functions of their arguments."""

from __future__ import annotations

from dataclasses import replace

from mcpgen.ir.package import Package, SchemaRoot, ToolModule
from mcpgen.ir.types import ANY, Field, Node, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type
from mcpgen.names.allocator import PackageNames, allocate_names
from mcpgen.render.server_client import CallView, HandlerView, make_client_view, make_server_view

STRING = Scalar(ScalarKind.STRING)
NO_ARGUMENTS = SchemaRoot(Ref("input:#"), (ObjectClass("input:#", "", (), (), None),), ())


def make_arguments(*fields: Field, extra: Type | None = None) -> SchemaRoot:
    return SchemaRoot(Ref("input:#"), (ObjectClass("input:#", "", (), fields, extra),), ())


def make_tool(wire: str, arguments: SchemaRoot = NO_ARGUMENTS, output: SchemaRoot | None = None) -> ToolModule:
    return ToolModule(wire, "a.json", "Tells.\nMore.", output, arguments, "json")


def name_package(*tools: ToolModule, shared: tuple[Node, ...] = ()) -> tuple[Package, PackageNames]:
    package = Package(tools, (), shared, "mcp", None)
    return package, allocate_names(package)[0]


def make_call(tool: ToolModule) -> CallView:
    (call,) = make_client_view(*name_package(tool), {tool.wire: "0123"}).tools
    return call


def make_handler(tool: ToolModule) -> HandlerView:
    (handler,) = make_server_view(*name_package(tool)).tools
    return handler


ARGUMENTS = make_arguments(
    Field("note", STRING, Presence.OPTIONAL),
    Field("port", STRING, Presence.REQUIRED),
    Field("since", STRING, Presence.OPTIONAL_NULLABLE),
)


def test_a_call() -> None:
    call = make_call(make_tool("get-tide", ARGUMENTS))
    assert (call.module, call.alias, call.method, call.hash) == ("get_tide", "get_tide_tool", "get_tide", "0123")
    assert call.result == "get_tide_tool.GetTideResult"
    assert call.parameters == [
        "port: str",
        "note: str | None = None",
        "since: str | None = OMITTED",
    ]
    assert call.arguments == ["port", "note", "since"]
    assert str(call.doc) == '"""Tells."""'


def test_undeclared_arguments_are_one_more_parameter() -> None:
    call = make_call(make_tool("a", make_arguments(extra=ANY)))
    assert call.parameters == ["extras: Mapping[str, JsonValue] | None = None"]
    assert call.arguments == ["extras"]


def test_omitted_is_imported_where_a_parameter_needs_it() -> None:
    package, names = name_package(make_tool("a", ARGUMENTS))
    assert make_client_view(package, names, {"a": ""}).omits is True
    package, names = name_package(make_tool("a"))
    assert make_client_view(package, names, {"a": ""}).omits is False


def test_a_handler() -> None:
    handler = make_handler(make_tool("get-tide", ARGUMENTS, SchemaRoot(STRING, (), ())))
    assert (handler.handler, handler.context) == ("GetTideHandler", "GetTideHandlerWithContext")
    assert handler.handlers == "GetTideHandler | GetTideHandlerWithContext"
    assert handler.parameters == ["port: str", "note: str = ...", "since: str | None = ..."]
    result = "get_tide_tool.GetTideResult | str"
    assert str(handler.returns) == f"{result} | CallToolResult | tuple[Payload, {result}] | Interim"
    assert handler.alias == "get_tide_tool"


def test_an_argument_with_the_name_of_the_context_leaves_no_room_for_it() -> None:
    handler = make_handler(make_tool("a", make_arguments(Field("ctx", STRING, Presence.OPTIONAL))))
    assert (handler.context, handler.handlers) == (None, "AHandler")


def test_a_tool_without_output_schema_returns_anything_and_needs_no_import() -> None:
    handler = make_handler(make_tool("a"))
    assert (str(handler.returns), handler.alias) == ("object", None)


def test_names_to_import_from_the_adapter() -> None:
    assert make_server_view(*name_package(make_tool("a"))).kinds == "AnyContext"
    with_output = make_tool("a", make_arguments(Field("ctx", STRING, Presence.REQUIRED)), SchemaRoot(STRING, (), ()))
    assert make_server_view(*name_package(with_output)).kinds == "Interim"


def test_modules_have_names_that_no_method_and_no_argument_has() -> None:
    tools = [
        make_tool("a"),
        make_tool("a_tool"),
        make_tool("b", make_arguments(Field("b_tool", STRING, Presence.REQUIRED))),
    ]
    package, names = name_package(*tools)
    calls = make_client_view(package, names, dict.fromkeys(("a", "a_tool", "b"), "")).tools
    assert [call.alias for call in calls] == ["a_tool_", "a_tool_tool", "b_tool_"]


def test_shared_types_are_imported_where_an_annotation_uses_them() -> None:
    wind = ObjectClass("shared:wind", "", (("wind",),), (), None)
    tool = make_tool("a", make_arguments(Field("wind", Ref(wind.id), Presence.REQUIRED)))
    view = make_server_view(*name_package(tool, shared=(wind,)))
    assert (view.shared, view.tools[0].parameters) == ("shared_types", ["wind: shared_types.Wind"])
    assert make_server_view(*name_package(replace(tool, input=NO_ARGUMENTS), shared=(wind,))).shared is None
