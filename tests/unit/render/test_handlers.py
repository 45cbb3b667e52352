"""Types of handlers."""

from __future__ import annotations

from mcpgen.ir.package import Package, SchemaRoot, ToolModule
from mcpgen.ir.types import Field, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type
from mcpgen.names.allocator import allocate_names
from mcpgen.render.handlers import HandlerView, make_handler_view
from mcpgen.render.normalize_method import make_normalize_view
from mcpgen.render.scope import Scope

STRING = Scalar(ScalarKind.STRING)


def make_arguments(*fields: Field, extra: Type | None = None) -> SchemaRoot:
    return SchemaRoot(Ref("input:#"), (ObjectClass("input:#", "", (), fields, extra),), ())


def make_view(wire: str, arguments: SchemaRoot, output: SchemaRoot | None = None) -> HandlerView:
    tool = ToolModule(wire, "a.json", "Tells.\nMore.", output, arguments, "json")
    names = allocate_names(Package((tool,), (), (), "mcp", None))[0].tools[wire]
    scope = Scope(names.nested, {node.id: node for node in arguments.nodes})
    normalize = None if output is None else make_normalize_view(output, names.result, scope)
    return make_handler_view(tool, names, normalize, scope)


ARGUMENTS = make_arguments(
    Field("note", STRING, Presence.OPTIONAL),
    Field("port", STRING, Presence.REQUIRED),
    Field("since", STRING, Presence.OPTIONAL_NULLABLE),
)


def test_a_handler() -> None:
    handler = make_view("get-tide", ARGUMENTS, SchemaRoot(STRING, (), ()))
    assert (handler.name, handler.with_context) == ("GetTideHandler", "GetTideHandlerWithContext")
    assert (handler.decorator, handler.returned) == ("GetTideDecorator", "GetTideReturned")
    assert handler.parameters == ["port: str", "note: str = ...", "since: str | None = ..."]
    result = "GetTideResult | str"
    assert str(handler.returns) == f"Returned[{result}] | InterimResult"
    assert handler.interim


def test_an_argument_with_the_name_of_the_context_leaves_no_room_for_it() -> None:
    assert make_view("a", make_arguments(Field("ctx", STRING, Presence.OPTIONAL))).with_context is None


def test_a_tool_without_output_schema_returns_anything() -> None:
    handler = make_view("a", make_arguments())
    assert (str(handler.returns), handler.interim) == ("object", False)
