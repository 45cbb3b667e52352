"""Render the module of a tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from mcpgen.ir.package import ToolModule, collect_module_references, get_root_class
from mcpgen.ir.types import Node, ObjectClass
from mcpgen.ir.visitors import list_reached
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
    linked: bool = False
    content_only: tuple[str, ...] = ()
    error: str = ""


class ToolInfoView(NamedTuple):
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
    error: str | None
    """The class of the data of errors."""
    root_error: RootView | None
    """That class where it is not an object class of `module`."""


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
    output, error = tool.output, tool.error
    result_class = None if output is None else get_root_class(output)
    arguments_class = get_root_class(tool.input)
    error_class = None if error is None else get_root_class(error)
    base = "Checked" if output is not None and output.checks else "ToolResult"
    own_nodes = [node for node in nodes if node.id not in names.type_modules]
    descriptions = {arguments_class: _describe_arguments(tool), error_class: _describe_error(tool)}
    body = {node.id: node for node in _describe_classes(own_nodes, descriptions)}
    order = sort_by_use(
        body,
        [root_class.id for root_class in (result_class, arguments_class, error_class) if root_class is not None],
        [root.type for root in tool.roots],
    )
    bases = {} if result_class is None else {result_class.id: (base,)}
    declared = map_declared_places(body.keys() - bases)
    error_base = "CheckedErrorData" if error is not None and error.checks else "ToolErrorData"
    if error_class is not None:
        bases[error_class.id] = (error_base,)
    inlined = find_inlined([root.type for root in (output, error) if root is not None], scope.nodes)
    writer = SerializerWriter(scope, inlined, list_only_arguments(tool))
    root = _make_result_root_view(tool, scope, base, writer) if result_class is None else None
    root_error = None
    if error is not None and error_class is None:
        own_bases, doc = [error_base] if error.checks else [], error.description or _describe_error(tool)
        root_error = make_root_view(error, scope, "ErrorData", own_bases, doc, writer)
    module = make_module_body(body.values(), scope, bases, order, declared, writer)
    normalize = None if output is None else make_normalize_view(output, names.result, scope)
    typed_dicts = [] if result_class is None else [names.typed_dicts[result_class.id]]
    view = ToolView(
        doc=make_docstring(f"Tool `{tool.wire}`.", 0),
        module=module,
        result=names.result,
        arguments=names.arguments,
        info=_make_tool_info(tool, names, normalize),
        content=None if output is None else make_content_view(tool, output, scope),
        typed_dicts=make_typed_dict_views([body[node_id] for node_id in order], scope),
        root=root,
        handler=make_tool_handler_view(tool, names, normalize, scope, testing) if serves else None,
        exports=sorted([names.result, names.arguments, *typed_dicts, *([names.error] if names.error else [])]),
        facade=facade,
        root_arguments=(
            make_root_arguments_view(tool.input, names.arguments, scope, _describe_arguments(tool))
            if arguments_class is None
            else None
        ),
        error=names.error,
        root_error=root_error,
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


def _describe_classes(nodes: Iterable[Node], descriptions: Mapping[ObjectClass | None, str]) -> Iterator[Node]:
    """Yield the nodes; root classes without a description of their own have one of these."""
    by_id = {root_class.id: text for root_class, text in descriptions.items() if root_class is not None}
    for node in nodes:
        is_bare = isinstance(node, ObjectClass) and not node.description
        yield replace(node, description=by_id[node.id]) if is_bare and node.id in by_id else node


def _describe_error(tool: ToolModule) -> str:
    return f"The data of an error result of the tool `{tool.wire}`."


def _describe_arguments(tool: ToolModule) -> str:
    return tool.description.strip().split("\n")[0].strip() or f"The arguments of the tool `{tool.wire}`."


# --- keywords of the result class -----------------------------------------------------------------------------------
def _make_tool_info(tool: ToolModule, names: ToolNames, normalize: NormalizeView | None) -> ToolInfoView:
    checks = ", ".join(tool.output.checks) if tool.output is not None else ""
    options = replace(make_tool_options(tool, normalize), error=names.error or "")
    keywords = [f"tool={make_literal(tool.wire)}", *list_keywords(options)]
    return ToolInfoView(Literal(", ".join(keywords)), make_comment(checks) if checks else None, normalize)


def make_tool_options(tool: ToolModule, normalize: NormalizeView | None) -> ToolOptions:
    """Return the run-time options of a tool."""
    output = tool.output
    return ToolOptions(
        wrapped=tool.wrapped,
        raw_text=output is not None and is_string(output.type),
        binary=output is not None and tool.content == "binary",
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
        linked=tool.content == "link",
        content_only=tool.content_only if output is not None and tool.content != "link" else (),
    )


# --- a result class that is not an object class ----------------------------------------------------------------------
def _make_result_root_view(tool: ToolModule, scope: Scope, base: str, writer: SerializerWriter) -> RootView:
    if tool.output is None:
        description = f"The result of the tool `{tool.wire}`, which declares no outputSchema."
        return RootView(Literal("ContentResult"), None, make_docstring(description, 4), None, None)
    bases = [] if base == "ToolResult" else [base]
    return make_root_view(tool.output, scope, "Result", bases, tool.output.description or None, writer)
