"""Render the module of a tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from mcpgen.ir.package import ToolModule, collect_module_references, get_root_class
from mcpgen.ir.types import Node, ObjectClass
from mcpgen.ir.visitors import can_contain_null, list_reached
from mcpgen.literals import Literal, make_comment, make_docstring, make_literal
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.render.annotations import TypedDictAliasView, TypedDictView, make_typed_dict_views
from mcpgen.render.arguments import RootArgumentsView, make_root_arguments_view
from mcpgen.render.class_views import (
    ModuleBody,
    RootView,
    is_string,
    list_keywords,
    make_module_body,
    make_root_view,
    sort_by_use,
)
from mcpgen.render.content_view import ContentView, make_content_view
from mcpgen.render.declared_places import map_declared_places
from mcpgen.render.handlers import HandlerView, NormalizeView, make_normalize_view, make_tool_handler_view
from mcpgen.render.jobs import ImportScope, Job
from mcpgen.render.scope import Scope
from mcpgen.render.serializers import SerializerWriter, find_inlined, list_only_arguments
from mcpgen.render.types import make_tool_scope


@dataclass(frozen=True)
class ToolOptions:
    """Keywords of a result class besides `tool`, which describe its tool; the defaults are those of `ToolInfo`."""

    wrapped: str = "never"
    raw_text: bool = False
    binary: bool = False
    nulls: bool = False
    pairs: bool = True
    bare: bool = False
    results: bool = True
    beside: bool = False
    json_text: bool = True
    audience: tuple[str, ...] = ()
    priority: float | None = None
    as_sdk: bool = False
    checks_input: bool = False
    lenient: bool = False
    raises: bool = False
    unchecked: bool = False


@dataclass(frozen=True)
class ToolInfoView:
    """The keywords of a result class, and a comment with the keywords of its schema that its types do not express."""

    source: Literal
    checks: Literal | None
    normalize: NormalizeView | None
    """None: the tool declares no outputSchema."""


@dataclass(frozen=True)
class ToolView:
    """Variables of `package/tool.py.j2`."""

    doc: Literal
    module: ModuleBody
    result: str
    arguments: str
    info: ToolInfoView
    content: ContentView | None
    """None: the tool declares no outputSchema."""
    typed_dicts: list[TypedDictView | TypedDictAliasView]
    root: RootView | None
    """The result class where it is not an object class of `module`."""
    handler: HandlerView | None
    """None: the package is for no SDK."""
    exports: list[str]
    facade: str
    root_arguments: RootArgumentsView | None
    """The arguments class where it is not an object class of `module`."""


def make_tool_job(
    tool: ToolModule,
    package: PackageNames,
    shared: Mapping[str, Node],
    facade: str,
    serves: bool,
    testing: bool = False,
) -> Job:
    """Make the job that renders the module of a tool, with handlers in a package that `serves`."""
    names = package.tools[tool.wire]
    nodes = tool.nodes
    scope = make_tool_scope(nodes, names, package, shared)
    output = tool.output
    result_class = None if output is None else get_root_class(output)
    arguments_class = get_root_class(tool.input)
    base = "Checked" if output is not None and output.checks else "ToolResult"
    own_nodes = [node for node in nodes if node.id not in names.type_modules]
    body = {node.id: node for node in _describe_arguments_class(own_nodes, tool, arguments_class)}
    order = sort_by_use(
        body,
        [root_class.id for root_class in (result_class, arguments_class) if root_class is not None],
        [root.type for root in tool.roots],
    )
    bases = {} if result_class is None else {result_class.id: (base,)}
    declared = map_declared_places(body.keys() - bases)
    inlined = find_inlined([] if output is None else [output.type], body)
    writer = SerializerWriter(scope, inlined, list_only_arguments(tool))
    root = _make_result_root_view(tool, scope, base, writer) if result_class is None else None
    module = make_module_body(body.values(), scope, bases, order, declared, writer)
    normalize = None if output is None else make_normalize_view(output, names.result, scope)
    typed_dicts = [] if result_class is None else [names.typed_dicts[result_class.id]]
    view = ToolView(
        doc=make_docstring(f"Tool `{tool.wire}`.", 0),
        module=module,
        result=names.result,
        arguments=names.arguments,
        info=_make_tool_info(tool, normalize, scope.nodes),
        content=None if output is None else make_content_view(tool, output, scope),
        typed_dicts=make_typed_dict_views([body[node_id] for node_id in order], scope),
        root=root,
        handler=make_tool_handler_view(tool, names, normalize, scope, testing) if serves else None,
        exports=sorted([names.result, names.arguments, *typed_dicts]),
        facade=facade,
        root_arguments=(
            make_root_arguments_view(tool.input, names.arguments, scope, _describe_arguments(tool))
            if arguments_class is None
            else None
        ),
    )
    template_origin = None if tool.template is None else tool.template.origin
    origin = tool.origin if template_origin is None else f"{tool.origin} and {template_origin}"
    imports = ImportScope(facade, exported=_list_type_imports(tool, names, package, shared))
    return Job(names.path, "package/tool.py.j2", origin, view, imports)


def _list_type_imports(
    tool: ToolModule, names: ToolNames, package: PackageNames, shared: Mapping[str, Node]
) -> tuple[tuple[str, str], ...]:
    """Return the tool's types in other modules, each with its module: its own module exports all of them."""
    classes = list_reached(collect_module_references(tool), shared)
    typed_dicts = [] if tool.output is None else list_reached(tool.output.references, shared)
    own = names.list_type_imports(f"..{names.types_folder.replace('/', '.')}")
    return tuple(sorted((*own, *package.list_shared_imports("..types", classes, typed_dicts))))


def _describe_arguments_class(nodes: Iterable[Node], tool: ToolModule, arguments: ObjectClass | None) -> list[Node]:
    return [
        replace(node, description=_describe_arguments(tool))
        if arguments is not None and isinstance(node, ObjectClass) and node.id == arguments.id and not node.description
        else node
        for node in nodes
    ]


def _describe_arguments(tool: ToolModule) -> str:
    return tool.description.strip().split("\n")[0].strip() or f"The arguments of the tool `{tool.wire}`."


# --- keywords of the result class -----------------------------------------------------------------------------------
def _make_tool_info(tool: ToolModule, normalize: NormalizeView | None, nodes: Mapping[str, Node]) -> ToolInfoView:
    checks = ", ".join(tool.output.checks) if tool.output is not None else ""
    keywords = [f"tool={make_literal(tool.wire)}", *list_keywords(make_tool_options(tool, normalize, nodes))]
    return ToolInfoView(Literal(", ".join(keywords)), make_comment(checks) if checks else None, normalize)


def make_tool_options(tool: ToolModule, normalize: NormalizeView | None, nodes: Mapping[str, Node]) -> ToolOptions:
    """Return the run-time options of a tool; `nodes` are the classes and aliases that its types refer to, by id."""
    output = tool.output
    return ToolOptions(
        wrapped=tool.wrapped,
        raw_text=output is not None and is_string(output.type),
        binary=output is not None and tool.content == "binary",
        nulls=output is not None and can_contain_null(output.type, nodes),
        pairs=normalize is None or normalize.pairs,
        bare=normalize is not None and normalize.wrapper,
        results=normalize is None or normalize.results,
        beside=tool.template is not None and tool.wrapped == "legacy",
        json_text=output is not None and tool.content == "json" and not tool.has_annotations,
        audience=tool.audience,
        priority=tool.priority,
        as_sdk=output is None and tool.content == "sdk",
        checks_input=bool(tool.input.checks),
        lenient=tool.lenient,
        raises=tool.exceptions == "sdk",
        unchecked=tool.own_results == "unchecked",
    )


# --- a result class that is not an object class ----------------------------------------------------------------------
def _make_result_root_view(tool: ToolModule, scope: Scope, base: str, writer: SerializerWriter) -> RootView:
    if tool.output is None:
        description = f"The result of the tool `{tool.wire}`, which declares no outputSchema."
        return RootView(Literal("ContentResult"), None, make_docstring(description, 4), None, None)
    bases = [] if base == "ToolResult" else [base]
    return make_root_view(tool.output, scope, "Result", bases, tool.output.description or None, writer)
