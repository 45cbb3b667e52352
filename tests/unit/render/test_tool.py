"""The module of a tool."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace

import pytest
from mcpgen import paths
from mcpgen.ir.package import Package, SchemaRoot, ToolModule
from mcpgen.ir.template import Template, Write
from mcpgen.ir.types import Array, Field, ObjectClass, Presence, Ref, Scalar, ScalarKind, Union
from mcpgen.names.allocator import allocate_names
from mcpgen.render.jobs import ImportScope, Job, render_job
from mcpgen.render.resource import ResourceOptions
from mcpgen.render.tool import ToolOptions, ToolView, make_tool_job, make_tool_options

STRING, NULL = Scalar(ScalarKind.STRING), Scalar(ScalarKind.NULL)
ARGUMENTS = ObjectClass("input:#", "", (), (Field("port", STRING, Presence.REQUIRED),), None)
RESULT = ObjectClass("output:#", "", (), (Field("metres", Scalar(ScalarKind.NUMBER), Presence.REQUIRED),), None)
TOOL = ToolModule(
    wire="get_tide",
    origin="tide.json",
    description="Tells the tide.\n\nAt a port.",
    output=SchemaRoot(Ref(RESULT.id), (RESULT,), ()),
    input=SchemaRoot(Ref(ARGUMENTS.id), (ARGUMENTS,), ()),
    content="json",
)


def make_job(tool: ToolModule) -> Job:
    names, clashes = allocate_names(Package((tool,), (), (), "none", None))
    assert not clashes
    return make_tool_job(tool, names, {}, "..runtime", False)


def make_view(tool: ToolModule) -> ToolView:
    view = make_job(tool).view
    assert isinstance(view, ToolView)
    return view


# --- options ---------------------------------------------------------------------------------------------------------
def list_defaults(class_name: str) -> Iterator[tuple[str, object]]:
    """Return the fields of a run-time class that have a default."""
    for path in paths.find_shipped_folder("templates").rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name == class_name:
                for field in node.body:
                    if isinstance(field, ast.AnnAssign) and field.value is not None:
                        assert isinstance(field.target, ast.Name)
                        yield field.target.id, ast.literal_eval(field.value)


def test_options_of_tools_are_those_of_the_run_time() -> None:
    options = {field.name: field.default for field in fields(ToolOptions)}
    assert MISSING not in options.values()
    assert options == dict(list_defaults("ToolInfo"))


def test_options_of_resources_are_those_of_the_run_time() -> None:
    run_time = dict(list_defaults("ResourceInfo"))
    options = {field.name: field.default for field in fields(ResourceOptions)}
    assert options.keys() == run_time.keys()
    assert {name for name, default in options.items() if default not in (None, run_time[name])} == set()


def options_of(**changes: object) -> ToolOptions:
    tool = replace(TOOL, **changes)  # type: ignore[arg-type]
    return make_tool_options(tool, make_view(tool).info.normalize, {RESULT.id: RESULT})


STRING_ROOT = SchemaRoot(STRING, (), ())


@pytest.mark.parametrize(
    ("changes", "options"),
    [
        ({}, ToolOptions()),
        ({"wrapped": "always"}, ToolOptions(wrapped="always")),
        ({"output": STRING_ROOT}, ToolOptions(raw_text=True)),
        ({"output": STRING_ROOT, "content": "binary"}, ToolOptions(raw_text=True, binary=True, json_text=False)),
        ({"output": SchemaRoot(Array(STRING), (), ())}, ToolOptions(pairs=False)),
        ({"output": SchemaRoot(Union((STRING, NULL)), (), ())}, ToolOptions(nulls=True)),
        ({"audience": ("user",)}, ToolOptions(json_text=False)),
        ({"priority": 0.0}, ToolOptions(json_text=False)),
        ({"content": "none"}, ToolOptions(json_text=False)),
        ({"output": None}, ToolOptions(json_text=False)),
        ({"output": None, "content": "sdk"}, ToolOptions(json_text=False, as_sdk=True)),
        ({"input": replace(TOOL.input, checks=("minProperties",))}, ToolOptions(checks_input=True)),
        (
            {"wrapped": "legacy", "content": "template", "template": Template("t.j2", ())},
            ToolOptions(wrapped="legacy", beside=True, json_text=False),
        ),
    ],
)
def test_options(changes: dict[str, object], options: ToolOptions) -> None:
    assert options_of(**changes) == options


# --- the view --------------------------------------------------------------------------------------------------------
def test_the_view_of_an_object() -> None:
    view = make_view(TOOL)
    assert str(view.doc) == '"""Tool `get_tide`: Tells the tide."""'
    assert [node.name for node in view.module.nodes] == ["GetTideResult", "GetTideArguments"]
    assert (view.result, view.arguments, view.root) == ("GetTideResult", "GetTideArguments", None)
    assert str(view.info.source) == 'ToolInfo(__file__, "get_tide")'
    assert view.content is not None
    assert str(view.content.blocks) == "[text_block(self._json_text())]"


def test_the_view_of_a_value_that_is_no_object() -> None:
    view = make_view(replace(TOOL, output=SchemaRoot(Array(STRING), (), ("uniqueItems",))))
    assert view.root is not None
    assert str(view.root.bases) == "Checked, RootArrayResult"
    assert str(view.root.doc) == '"""The result of the tool `get_tide`."""'
    assert str(view.info.checks) == "uniqueItems"


def test_a_tool_without_output_schema() -> None:
    view = make_view(replace(TOOL, output=None))
    assert view.root is not None
    assert (str(view.root.bases), view.root.returns) == ("ContentResult", None)
    assert (view.content, view.info.normalize, view.typed_dicts) == (None, None, [])


@pytest.mark.parametrize(
    ("changes", "blocks"),
    [
        ({"content": "none"}, "[]"),
        ({"content": "sdk"}, "sdk_blocks(self.to_structured_content())"),
        (
            {"content": "items", "output": SchemaRoot(Array(STRING), (), ())},
            "item_blocks(self.to_structured_content())",
        ),
        ({"output": STRING_ROOT, "priority": 0.5}, "[text_block(self.root, None, 0.5)]"),
        ({"audience": ("user",)}, '[text_block(self._json_text(), ["user"], None)]'),
        ({"content": "template", "template": Template("t.j2", (Write(("Low.",)),))}, '[text_block("Low.")]'),
        (
            {"content": "binary", "output": SchemaRoot(STRING, (), (), media_type="image/png")},
            '[binary_block(self.to_structured_content(), "image/png")]',
        ),
    ],
)
def test_blocks(changes: dict[str, object], blocks: str) -> None:
    content = make_view(replace(TOOL, **changes)).content  # type: ignore[arg-type]
    assert content is not None
    assert str(content.blocks) == blocks


def test_the_module_is_python_with_its_imports() -> None:
    job = make_job(TOOL)
    assert (job.path, job.origin, job.imports) == (
        "tools/get_tide.py",
        "tide.json",
        ImportScope("..runtime"),
    )
    text = render_job(job)
    assert "from ..runtime.returned_values import Normalize, Returned\n" in text
    assert "from ..runtime.tool_definitions import ToolInfo\nfrom ..runtime.tool_result import ToolResult\n" in text
    assert "class GetTideResult(ToolResult, ClosedObject):" in text
