"""Views of tools, resources and prompts."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import MISSING, fields, replace
from typing import Any, get_args

import pytest
from mcpgen import paths
from mcpgen.diagnostics import Span
from mcpgen.ir.code_settings import BUILDERS, ContentStrategy
from mcpgen.ir.definitions import PromptArgument, PromptModule, UriExpression, UriTemplatePart
from mcpgen.ir.package import Package, ResourceModule, SchemaRoot, ToolModule
from mcpgen.ir.template import Template, Write
from mcpgen.ir.types import ANY, Array, Field, Node, ObjectClass, Presence, Ref, Scalar, ScalarKind, Type
from mcpgen.names.allocator import allocate_names
from mcpgen.names.package_names import PackageNames, PromptNames, ResourceNames
from mcpgen.read.definitions import PromptDefinition
from mcpgen.render.content_view import explain_unsuitable, make_content_view
from mcpgen.render.jobs import ImportScope, Job, render_job
from mcpgen.render.json_files import render_prompt_json
from mcpgen.render.package import make_index_job
from mcpgen.render.prompt import PromptView, make_prompt_job
from mcpgen.render.resource import (
    MAX_TERMS,
    ResourceOptions,
    ResourceView,
    make_match_parts,
    make_resource_options,
    make_resource_view,
    render_match_part,
    render_uri_expression,
)
from mcpgen.render.scope import Scope
from mcpgen.render.tool import ToolOptions, ToolView, make_tool_job, make_tool_options
from mcpgen.schema.values import Json
from mcpgen_runtime.sdk.uri_templates import Query, Variable

# --- the module of a tool ---------------------------------------------------------------------------------------------
STRING = Scalar(ScalarKind.STRING)
NULL = Scalar(ScalarKind.NULL)
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


FACADE = "mcpgen_runtime.sdk.none"


def make_job(tool: ToolModule) -> Job:
    names, clashes = allocate_names(Package((tool,), (), (), "none", None))
    assert not clashes
    return make_tool_job(tool, names, {}, FACADE, False)


def make_view(tool: ToolModule) -> ToolView:
    view = make_job(tool).view
    assert isinstance(view, ToolView)
    return view


# --- options ---------------------------------------------------------------------------------------------------------
def list_defaults(class_name: str) -> Iterator[tuple[str, object]]:
    """Return the fields of a class of the library that have a default."""
    for path in paths.find_library_file("").rglob("*.py"):
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
    return make_tool_options(tool, make_view(tool).info.normalize)


STRING_ROOT = SchemaRoot(STRING, (), ())


@pytest.mark.parametrize(
    ("changes", "options"),
    [
        ({}, ToolOptions()),
        ({"wrapped": "always"}, ToolOptions(wrapped="always")),
        ({"output": STRING_ROOT}, ToolOptions(raw_text=True)),
        ({"output": STRING_ROOT, "content": "binary"}, ToolOptions(raw_text=True, binary=True, json_text=False)),
        ({"output": SchemaRoot(Array(STRING), (), ())}, ToolOptions(pairs=False)),
        ({"audience": ("user",)}, ToolOptions(json_text=False, audience=("user",))),
        ({"priority": 0.0}, ToolOptions(json_text=False, priority=0.0)),
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
    assert str(view.doc) == '"""Tool `get_tide`."""'
    assert [node.name for node in view.module.nodes] == ["GetTideResult", "GetTideArguments"]
    assert (view.result, view.arguments, view.root) == ("GetTideResult", "GetTideArguments", None)
    assert str(view.info.source) == 'tool="get_tide"'
    assert view.content is None


def test_the_view_of_a_value_that_is_no_object() -> None:
    view = make_view(replace(TOOL, output=SchemaRoot(Array(STRING), (), ("uniqueItems",))))
    assert view.root is not None
    assert str(view.root.bases) == "Checked, RootArrayResult"
    assert view.root.doc is None
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
        ({"content": "sdk", "priority": 0.5}, "self._annotate(sdk_blocks(self.to_structured_content()))"),
        ({"audience": ("user",), "content": "none"}, "[]"),
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
    assert (job.path, job.origin, job.imports) == ("tools/get_tide.py", "tide.json", ImportScope(FACADE))
    text = render_job(job)
    assert f"from {FACADE}.types import ClosedObject, " in text
    assert 'class GetTideResult(ToolResult, ClosedObject, tool="get_tide"):' in text


# --- the module of a resource -----------------------------------------------------------------------------------------
INTEGER = Scalar(ScalarKind.INTEGER)
CHART = ResourceModule("chart", "a.json", "", "x://chart", None, (), "text/plain")
PARTS = ("x://", UriExpression("", ("id",)), UriExpression("?", ("at",)))
BERTH = ResourceModule("berth", "a.json", "A berth.", None, "x://{id}{?at}", PARTS, None)


def make_view_of_resource(resource: ResourceModule, name: str, parameters: str | None = None) -> ResourceView:
    nodes = () if resource.payload is None else resource.payload.nodes
    names = ResourceNames(resource.wire, name, parameters, {node.id: name for node in nodes})
    return make_resource_view(resource, names, Scope(names.nested, {node.id: node for node in nodes}), None)


def test_a_fixed_resource() -> None:
    view = make_view_of_resource(CHART, "Chart")
    assert str(view.info) == 'ResourceInfo(__file__, "chart", uri="x://chart", mime_type="text/plain")'
    assert str(view.uri) == '"x://chart"'
    assert str(view.class_doc) == '"""The resource `chart`."""'
    assert (view.parameters, view.parts, view.own, view.root, view.payload) == ([], [], None, None, None)


def test_a_template_has_parameters_the_optional_ones_last() -> None:
    view = make_view_of_resource(BERTH, "Berth", "BerthParameters")
    assert view.signature == "id: str, at: str | None = None"
    assert [parameter.found for parameter in view.parameters] == ['found["id"]', 'found.get("at")']
    assert str(view.uri) == '"x://" + uri_templates.unreserved(id) + uri_templates.query("?", ("at", at))'
    assert [str(part) for part in view.parts] == [
        '"x://"',
        'uri_templates.Variable("id")',
        'uri_templates.Query("?", ("at",))',
    ]


def test_a_json_object_is_the_resources_class() -> None:
    node = ObjectClass("resource:#", "", (), (Field("depth", INTEGER, Presence.REQUIRED),), None)
    view = make_view_of_resource(
        replace(BERTH, payload=SchemaRoot(Ref(node.id), (node,), ())), "Berth", "BerthParameters"
    )
    (body,) = view.module.nodes
    assert (view.own, view.root, body.name) == ("Berth", None, "Berth")
    assert str(view.payload) == "Berth | Mapping[str, Any] | str | ResourceAnswer"


def test_another_json_value_is_a_root_model() -> None:
    view = make_view_of_resource(replace(CHART, payload=SchemaRoot(Array(STRING), (), ("uniqueItems",))), "Chart")
    assert view.root is not None
    assert str(view.root.bases) == "CheckedResource, RootArrayResource"
    assert str(view.checks) == "uniqueItems"
    assert str(view.payload) == "Chart | list[Any] | str | ResourceAnswer"


@pytest.mark.parametrize(
    ("type", "text_is_json", "contents_in_mappings"),
    [
        (INTEGER, True, True),
        (STRING, False, True),
        (ANY, False, False),
        (Ref("plain"), True, True),
        (Ref("text"), True, False),
    ],
)
def test_options_by_the_type_of_the_json_value(type: Type, text_is_json: bool, contents_in_mappings: bool) -> None:
    nodes: dict[str, Node] = {
        name: ObjectClass(name, "", (), (Field(name, STRING, Presence.REQUIRED),), None) for name in ("plain", "text")
    }
    options = make_resource_options(replace(CHART, payload=SchemaRoot(type, (), ())), nodes)
    assert (options.text_is_json, options.contents_in_mappings) == (text_is_json, contents_in_mappings)


def test_options_of_a_declaration() -> None:
    options = make_resource_options(replace(CHART, ttl_ms=0, cache_scope="public"), {})
    assert options == ResourceOptions(uri="x://chart", mime_type="text/plain", ttl_ms=0, cache_scope="public")


# --- the module of a prompt, and its JSON file ------------------------------------------------------------------------
PROMPT_ARGUMENTS = (PromptArgument("style", False, ("short", "long")), PromptArgument("code", True))
PROMPT = PromptModule("review", "review.json", "Reviews code.", PROMPT_ARGUMENTS)
NAMES = PromptNames("review", "ReviewPrompt")


def make_view_of_prompt(prompt: PromptModule, serves: bool = True) -> PromptView:
    view = make_prompt_job(prompt, NAMES, FACADE, serves).view
    assert isinstance(view, PromptView)
    return view


def test_required_arguments_come_first_in_the_signature() -> None:
    view = make_view_of_prompt(PROMPT)
    assert view.signature == 'code: str, style: Literal["short", "long"] | None = None'
    assert [str(argument.info) for argument in view.arguments] == [
        '"style", values=("short", "long",)',
        '"code", required=True',
    ]


def test_handlers_are_for_packages_with_an_sdk() -> None:
    handler = make_view_of_prompt(PROMPT).handler
    assert handler is not None
    assert handler.protocols[0].name == "ReviewPromptHandler"
    assert make_view_of_prompt(PROMPT, serves=False).handler is None


def test_an_argument_may_have_the_name_of_the_context() -> None:
    handler = make_view_of_prompt(PromptModule("review", "", "", (PromptArgument("ctx", True),))).handler
    assert handler is not None
    assert handler.server_names == []
    assert handler.kinds == [handler.protocols[0].name]


def test_the_index_lists_modules() -> None:
    names = PackageNames({}, {}, {}, {}, {}, {"review": NAMES})
    view: Any = make_index_job(names, "prompt").view
    assert [(entry.module, entry.attribute) for entry in view.entries] == [("review", "review")]


def test_the_json_file_has_the_declaration_and_the_values() -> None:
    declared: dict[str, Json] = {"name": "review", "arguments": [{"name": "style"}, {"name": "code", "required": True}]}
    definition = PromptDefinition("review", "review.json", Span("review.json"), declared, PROMPT_ARGUMENTS)
    content = json.loads(render_prompt_json(definition, "review"))
    assert content["prompt"] == declared
    assert content["completions"] == {"style": ["short", "long"]}
    assert "attribute" not in content


# --- `to_content` of each content strategy, and what a tool needs for it ----------------------------------------------
DATA = Scalar(ScalarKind.BASE64)


def make_tool(content: ContentStrategy, type: Type, media_type: str | None = None) -> ToolModule:
    output = SchemaRoot(type, (), (), media_type=media_type)
    return ToolModule("t", "t.json", "", output, SchemaRoot(ANY, (), ()), content)


@pytest.mark.parametrize(
    ("content", "type", "blocks"),
    [
        ("items", Array(STRING), "item_blocks(self.to_structured_content())"),
        ("sdk", STRING, "sdk_blocks(self.to_structured_content())"),
        ("binary", DATA, '[binary_block(self.to_structured_content(), "image/png")]'),
        ("none", ANY, "[]"),
    ],
)
def test_blocks_of_content(content: ContentStrategy, type: Type, blocks: str) -> None:
    tool = make_tool(content, type, "image/png")
    assert tool.output is not None
    view = make_content_view(tool, tool.output, Scope({}, {}))
    assert view is not None
    assert str(view.blocks) == blocks


@pytest.mark.parametrize("content", get_args(ContentStrategy))
def test_each_strategy_is_rendered_with_its_builder(content: ContentStrategy) -> None:
    tool = make_tool(content, Array(STRING), "image/png")
    assert tool.output is not None
    view = make_content_view(tool, tool.output, Scope({}, {}))
    if view is None:
        assert content == "json", "the library writes it"
    else:
        blocks = str(view.blocks)
        assert blocks == "[]" if content == "none" else f"{BUILDERS[content]}(" in blocks


@pytest.mark.parametrize(
    ("tool", "sdk", "reason"),
    [
        (make_tool("items", STRING), "mcp", "its result is not an array"),
        (make_tool("items", Array(STRING)), "mcp", None),
        (make_tool("sdk", STRING), "none", "the package is for no SDK"),
        (make_tool("sdk", STRING), "mcp", None),
        (make_tool("binary", DATA), "mcp", "its result is not binary data"),
        (make_tool("binary", DATA, "image/png"), "none", None),
        (make_tool("json", STRING), "none", None),
    ],
)
def test_what_a_strategy_needs(tool: ToolModule, sdk: str, reason: str | None) -> None:
    problem = explain_unsuitable(tool, sdk)
    assert (problem and problem[0]) == reason


# --- URI templates as expressions and as parts to match ---------------------------------------------------------------
@pytest.mark.parametrize(
    ("template", "expression"),
    [
        (("x://a",), '"x://a"'),
        (("x://", UriExpression("", ("a",))), '"x://" + uri_templates.unreserved(a)'),
        ((UriExpression("+", ("a", "b")),), 'uri_templates.reserved(a) + "," + uri_templates.reserved(b)'),
        (
            ("x:", UriExpression("/", ("a", "b"))),
            '"x:/" + uri_templates.unreserved(a) + "/" + uri_templates.unreserved(b)',
        ),
        ((UriExpression(";", ("a",)),), '";" + uri_templates.parameter("a", a)'),
        (("x:", UriExpression("?", ("a", "b"))), '"x:" + uri_templates.query("?", ("a", a), ("b", b))'),
    ],
)
def test_expansion(template: tuple[UriTemplatePart, ...], expression: str) -> None:
    assert render_uri_expression(template, {"a": "a", "b": "b"}) == expression


def test_a_long_sum_is_joined() -> None:
    template = tuple(UriExpression("", ("a",)) for _ in range(MAX_TERMS + 1))
    assert render_uri_expression(template, {"a": "a"}).startswith('"".join((uri_templates.unreserved(a), ')


def test_parts_to_match() -> None:
    template = ("x://", "a", UriExpression("/", ("b",)), UriExpression(";", ("c",)), UriExpression("?", ("d",)))
    parts = make_match_parts(template)
    assert parts == ["x://a/", Variable("b", False, ""), ";c", Variable("c", False, "="), Query("?", ("d",))]
    assert [str(render_match_part(part)) for part in parts] == [
        '"x://a/"',
        'uri_templates.Variable("b")',
        '";c"',
        'uri_templates.Variable("c", lead="=")',
        'uri_templates.Query("?", ("d",))',
    ]
    assert str(render_match_part(Variable("e", True, ""))) == 'uri_templates.Variable("e", reserved=True)'
