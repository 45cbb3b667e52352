"""Types and stubs of handlers."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest
from mcpgen.ir.package import Package, SchemaRoot, ToolModule
from mcpgen.ir.types import Field, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type
from mcpgen.names.allocator import allocate_names
from mcpgen.render.handlers import HandlerView, StubModule, make_normalize_view, make_tool_handler_view, render_stubs
from mcpgen.render.scope import Scope

# --- types of handlers ------------------------------------------------------------------------------------------------
STRING = Scalar(ScalarKind.STRING)


def make_arguments(*fields: Field, extra: Type | None = None) -> SchemaRoot:
    return SchemaRoot(Ref("input:#"), (ObjectClass("input:#", "", (), fields, extra),), ())


def make_view(wire: str, arguments: SchemaRoot, output: SchemaRoot | None = None) -> HandlerView:
    tool = ToolModule(wire, "a.json", "Tells.\nMore.", output, arguments, "json")
    names = allocate_names(Package((tool,), (), (), "mcp", None))[0].tools[wire]
    scope = Scope(names.nested, {node.id: node for node in arguments.nodes})
    normalize = None if output is None else make_normalize_view(output, names.result, scope)
    return make_tool_handler_view(tool, names, normalize, scope)


ARGUMENTS = make_arguments(
    Field("note", STRING, Presence.OPTIONAL),
    Field("port", STRING, Presence.REQUIRED),
    Field("since", STRING, Presence.OPTIONAL_NULLABLE),
)


def test_a_handler() -> None:
    handler = make_view("get-tide", ARGUMENTS, SchemaRoot(STRING, (), ()))
    assert [protocol.name for protocol in handler.protocols] == ["GetTideHandler", "GetTideHandlerWithContext"]
    assert [protocol.has_context for protocol in handler.protocols] == [False, True]
    assert handler.returned == "GetTideReturned"
    parameters = ["port: str", "note: str = ...", "since: str | None = ..."]
    assert [protocol.parameters for protocol in handler.protocols] == [parameters, parameters]
    result = "GetTideResult | str"
    assert str(handler.returns) == f"Returns[{result}]"
    assert handler.server_names == ["AnyContext", "Returns", "Whole"]


def test_an_argument_with_the_name_of_the_context_leaves_no_room_for_it() -> None:
    handler = make_view("a", make_arguments(Field("ctx", STRING, Presence.OPTIONAL)))
    assert "AnyContext" not in handler.server_names
    assert len(handler.protocols) == 1


def list_parameters(*wires: str) -> list[list[str]]:
    fields = [Field(wire, STRING, Presence.REQUIRED) for wire in wires]
    protocols = make_view("a", make_arguments(*fields)).protocols
    plain = [protocol for protocol in protocols if not protocol.has_context]
    return [[text.partition(":")[0] for text in protocol.parameters] for protocol in plain]


def test_a_handler_that_exists_may_have_the_names_on_the_wire() -> None:
    assert list_parameters("schema", "maxResults") == [["schema_", "max_results"], ["schema", "maxResults"]]


def test_a_name_that_no_parameter_can_have_stays_the_python_name() -> None:
    assert list_parameters("from", "next-page", "self") == [["from_", "next_page", "self_"]]
    assert len(list_parameters("__debug__", "__class")) == 1
    assert list_parameters("from", "callSign") == [["from_", "call_sign"], ["from_", "callSign"]]


def test_no_two_parameters_have_one_name() -> None:
    for wires in (["from", "from_"], ["from_", "from"], ["maxResults", "max_results"], ["json_", "json", "from"]):
        for names in list_parameters(*wires):
            assert len({*names}) == len(wires)


def test_only_handlers_with_a_context_may_take_no_argument_of_its_name_on_the_wire() -> None:
    handler = make_view("a", make_arguments(Field("Ctx", STRING, Presence.REQUIRED)))
    assert [(protocol.name, protocol.has_context) for protocol in handler.protocols] == [
        ("AHandler", False),
        ("AWireHandler", False),
        ("AWireHandlerWithContext", True),
    ]


def test_a_tool_without_output_schema_returns_anything() -> None:
    handler = make_view("a", make_arguments())
    assert str(handler.returns) == "object"


# --- first versions of handlers ---------------------------------------------------------------------------------------
NUMBER = Scalar(ScalarKind.NUMBER)
RESULT = ObjectClass("output:#", "", (), (Field("metres", NUMBER, Presence.REQUIRED),), None)
NOTHING = ObjectClass("input:#", "", (), (), None)
TIDE = ToolModule(
    "get_tide",
    "tide.json",
    "Tells the tide.",
    SchemaRoot(Ref(RESULT.id), (RESULT,), ()),
    SchemaRoot(Ref(NOTHING.id), (NOTHING,), ()),
    "json",
)
PLAIN = replace(TIDE, wire="bind_handlers", description="", output=None, input=SchemaRoot(NUMBER, (), ()))


def render(*tools: ToolModule) -> str:
    names, clashes = allocate_names(Package(tools, (), (), "mcp", None))
    assert not clashes
    return render_stubs(tools, names, StubModule("acme.tools", "mcpgen_runtime.sdk.mcp"))


def test_a_handler_has_the_types_of_its_tool() -> None:
    text = render(TIDE)
    assert "from acme.tools import GetTideResult, tool_error\n" in text
    assert "from mcpgen_runtime.sdk.mcp.types import CallToolResult\n" in text
    assert "async def get_tide() -> GetTideResult | CallToolResult:\n" in text
    assert '"""Tells the tide."""\n    return tool_error("get_tide is not implemented")\n' in text
    assert "tools.get_tide(get_tide)\n" in text


@pytest.mark.parametrize("name", ["tools", "tool_error"])
def test_names_of_the_module_are_avoided(name: str) -> None:
    assert f"async def {name}_(" in render(replace(PLAIN, wire=name))


def test_a_handler_of_a_tool_without_a_result() -> None:
    text = render(PLAIN)
    assert "async def bind_handlers_(args: BindHandlersArguments) -> CallToolResult:\n" in text
    assert '"""Answer the tool `bind_handlers`."""' in text
    assert [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)] == ["bind_handlers"]
