"""Files of `stubs/`: which there are, their functions and their index."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any, cast

import pytest
from mcpgen.files.ownership import Owner, detect_owner
from mcpgen.ir.package import Package, SchemaRoot, ToolModule
from mcpgen.ir.types import Field, ObjectClass, Presence, Ref, Scalar, ScalarKind
from mcpgen.names.allocator import allocate_names
from mcpgen.read.definitions import ToolDefinition
from mcpgen.render.jobs import render_job
from mcpgen.render.stubs import INDEX_PATH, STUBS_INIT_PATH, make_stub_jobs, render_stub_index
from mcpgen.schema.document import Schema

STRING = Scalar(ScalarKind.STRING)


class Definition:
    """Of a definition, what stubs are made from."""

    def __init__(self, name: str, input: Any) -> None:
        self.name, self.input, self.output = name, Schema(input, ""), None


def make_tool(wire: str, *fields: Field, description: str = "", python: str | None = None) -> ToolModule:
    arguments = ObjectClass("input:", "", (("Arguments",),), fields, None)
    return ToolModule(
        wire, "a.json", description, None, SchemaRoot(Ref("input:"), (arguments,), ()), "json", python=python
    )


def render(*tools: ToolModule, input: Any = None, stubs: bool = True) -> dict[str, str]:
    package = Package(tools, (), (), "mcp", None, stubs=stubs)
    names = allocate_names(package)[0]
    definitions = cast("list[ToolDefinition]", [Definition(tool.wire, input or {}) for tool in tools])
    jobs = make_stub_jobs(package, names, definitions)
    texts = {path: render_job(make_job()) for path, make_job in jobs.items()}
    return texts | render_stub_index(package, names)


def test_there_is_a_file_for_each_tool_and_two_for_all() -> None:
    files = render(make_tool("get-weather"), make_tool("search_tools"), make_tool("_2nd"), make_tool("int"))
    stubs = [f"stubs/{name}.pyi" for name in ("get_weather", "search_tools_", "_2_nd", "int_")]
    assert files.keys() == {*stubs, STUBS_INIT_PATH, INDEX_PATH}
    assert render(make_tool("x"), stubs=False) == {}


def test_mcpgen_owns_each_file_until_it_is_edited() -> None:
    for path, text in render(make_tool("get-weather", description="Says it.")).items():
        assert detect_owner(path, text) is Owner.MCPGEN, path
        assert detect_owner(path, text.replace("\n", "\r\n")) is Owner.MCPGEN, path
        assert detect_owner(path, text + "# x\n") is Owner.EDITED, path
        assert detect_owner(path, text.partition("\n")[2]) is Owner.FOREIGN, path


@pytest.mark.parametrize("path", [STUBS_INIT_PATH, INDEX_PATH])
def test_lists_that_git_has_merged_are_still_mcpgen_s(path: str) -> None:
    both = render(make_tool("a", description="One: two."), make_tool("b"))[path]
    one = render(make_tool("a", description="Another one."))[path]
    assert detect_owner(path, both) is detect_owner(path, one) is Owner.MCPGEN
    for line in ("b", "    from .b import b as b"):
        is_of_list = (line == "b") is (path == INDEX_PATH)
        assert detect_owner(path, f"{one}{line}\n") is (Owner.MCPGEN if is_of_list else Owner.EDITED)
    assert detect_owner(path, f"{both}    import os\n") is Owner.EDITED


def test_the_index_has_one_line_a_tool() -> None:
    tools = (
        make_tool("b", description="Does b.\n\nAnd more."),
        make_tool("a"),
        make_tool("c", description="Says # noqa\nand\u202e hides."),
    )
    assert render(*tools)[INDEX_PATH].splitlines()[3:] == ["a", "b: Does b...", "c: Says ? noqa and hides."]


def read_function(text: str) -> ast.AsyncFunctionDef:
    (function,) = (node for node in ast.parse(text).body if isinstance(node, ast.AsyncFunctionDef))
    return function


def test_parameters_have_the_names_on_the_wire_where_python_allows_them() -> None:
    fields = [
        Field("maxCount", STRING, Presence.REQUIRED),
        Field("from", STRING, Presence.OPTIONAL),
        Field("in-country", STRING, Presence.OPTIONAL),
        Field("extras", STRING, Presence.OPTIONAL),
        Field("self", STRING, Presence.OPTIONAL),
    ]
    function = read_function(render(make_tool("x", *fields))["stubs/x.pyi"])
    parameters = [parameter.arg for parameter in function.args.kwonlyargs]
    assert parameters == ["maxCount", "from_", "in_country", "extras_", "self_"]
    assert [default is not None for default in function.args.kw_defaults] == [False, True, True, True, True]


def test_short_signatures_have_one_line() -> None:
    field = Field("a", STRING, Presence.REQUIRED)
    assert "async def x(*, a: str) -> TextResult: ..." in render(make_tool("x", field))["stubs/x.pyi"]
    commented = render(make_tool("x", replace(field, description="In metres.")))["stubs/x.pyi"]
    assert "    a: str,  # In metres.\n" in commented
    stated = render(make_tool("x", field), input={"properties": {"a": {"pattern": "^x"}}})["stubs/x.pyi"]
    assert "    a: str,  # [pattern ^x]\n" in stated


@pytest.mark.parametrize(
    "text", ["type: ignore", "noqa: E501", "pyright: ignore", "mypy: ignore-errors", 'x"""\nimport os']
)
def test_no_description_is_a_directive_or_code(text: str) -> None:
    field = Field("a", STRING, Presence.REQUIRED, text)
    stub = render(make_tool("x", field, description=text))["stubs/x.pyi"]
    assert len(ast.parse(stub, type_comments=True).body) == 2
    (comment,) = (line.partition("  # ")[2] for line in stub.splitlines() if line.startswith("    a: str"))
    assert comment == " ".join(text.split()) if "os" in text else comment == f"- {text}"


def test_functions_that_would_meet_are_reported_for_their_classes() -> None:
    package = Package((make_tool("search_tools"), make_tool("x", python="search_tools_")), (), (), "mcp", None)
    assert "SearchToolsResult" in [clash.python for clash in allocate_names(package)[1]]
