"""First versions of handlers."""

from __future__ import annotations

import ast
from dataclasses import replace

from mcpgen.ir.package import Package, SchemaRoot, ToolModule
from mcpgen.ir.types import Field, ObjectClass, Presence, Ref, Scalar, ScalarKind
from mcpgen.names.allocator import allocate_names
from mcpgen.render.handler_stubs import StubModule, render_stubs

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
    return render_stubs(tools, names, StubModule("acme.tools", "acme.runtime"))


def test_a_handler_has_the_types_of_its_tool() -> None:
    text = render(TIDE)
    assert "from acme.tools import GetTideResult, tool_error\n" in text
    assert "from acme.runtime.protocol import CallToolResult\n" in text
    assert "async def get_tide() -> GetTideResult | CallToolResult:\n" in text
    assert '"""Tells the tide."""\n    return tool_error("get_tide is not implemented")\n' in text
    assert "tools.get_tide(get_tide)\n" in text


def test_names_of_the_module_are_avoided() -> None:
    text = render(PLAIN)
    assert "async def bind_handlers_(args: BindHandlersArguments) -> CallToolResult:\n" in text
    assert '"""Answer the tool `bind_handlers`."""' in text
    assert [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)] == ["bind_handlers"]
