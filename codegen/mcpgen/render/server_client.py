"""Render `server.py` and `client.py`: each tool as a function of its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from mcpgen.ir.package import Package, ToolModule
from mcpgen.ir.types import Field, Node, Presence
from mcpgen.literals import Literal, make_docstring, make_literal
from mcpgen.names.allocator import PackageNames, ToolNames
from mcpgen.names.identifiers import make_class_stem, make_method_name
from mcpgen.render.arguments import collect_arguments
from mcpgen.render.normalize_method import make_normalize_view
from mcpgen.render.scope import Scope

CONTEXT_PARAMETER = "ctx"
"""The parameter that a handler may have for the SDK's Context without a default."""
_OMITTED = "OMITTED"
"""The default that stands for absence where None is a value."""
_RESULT_KEY = "#result"
"""The id under which a scope knows a tool's result class, which no node has."""


@dataclass(frozen=True)
class Argument:
    """An argument of a tool as a parameter."""

    name: str
    annotation: str
    presence: Presence


@dataclass(frozen=True)
class HandlerView:
    """A tool in `package/server.py.j2`."""

    module: str
    alias: str | None
    """The name of the tool's module, if an annotation uses it."""
    method: str
    wire: Literal
    shown: Literal
    """The tool as docstrings name it."""
    doc: Literal | None
    handler: str
    """The name of the Protocol of its handlers."""
    context: str | None
    """The same with the SDK's Context as a parameter; None: an argument of the tool has that name."""
    handlers: str
    returned: str
    """The name of the alias for `returns`."""
    returns: Literal
    parameters: list[str]


@dataclass(frozen=True)
class ServerView:
    """Variables of `package/server.py.j2`."""

    tools: list[HandlerView]
    shared: str | None
    """The name of `types.py`, if an annotation uses it."""
    kinds: str
    """The names to import from the SDK's adapter."""


@dataclass(frozen=True)
class CallView:
    """A tool in `package/client.py.j2`."""

    module: str
    alias: str
    method: str
    wire: Literal
    result: str
    parameters: list[str]
    arguments: list[str]
    doc: Literal
    hash: str
    """The hash of the tool's contract."""


@dataclass(frozen=True)
class ClientView:
    """Variables of `package/client.py.j2`."""

    tools: list[CallView]
    shared: str | None
    """The name of `types.py`, if an annotation uses it."""
    omits: bool
    """A parameter has `OMITTED` as its default."""


def make_server_view(package: Package, names: PackageNames) -> ServerView:
    """Return the view of `server.py`."""
    aliases = _ModuleAliases(package, names)
    tools = [_make_handler_view(tool, names.tools[tool.wire], aliases) for tool in package.tools]
    imports = {
        "AnyContext": any(tool.context for tool in tools),
        "Interim": any(tool.output is not None for tool in package.tools),
    }
    annotations = [text for tool in tools for text in (tool.returns.source, *tool.parameters)]
    return ServerView(
        tools,
        _get_alias_if_used(aliases.shared, annotations),
        ", ".join(name for name, is_used in imports.items() if is_used),
    )


def make_client_view(package: Package, names: PackageNames, hashes: Mapping[str, str]) -> ClientView:
    """Return the view of `client.py`; `hashes` are those of the tools' contracts, by wire name."""
    aliases = _ModuleAliases(package, names)
    tools = [_make_call_view(tool, names.tools[tool.wire], aliases, hashes[tool.wire]) for tool in package.tools]
    parameters = [parameter for tool in tools for parameter in tool.parameters]
    omits = any(parameter.endswith(_OMITTED) for parameter in parameters)
    return ClientView(tools, _get_alias_if_used(aliases.shared, parameters), omits)


def _get_alias_if_used(alias: str | None, annotations: Iterable[str]) -> str | None:
    """Return a module's name if an annotation uses it, else None."""
    return alias if any(f"{alias}." in annotation for annotation in annotations) else None


# --- calls -----------------------------------------------------------------------------------------------------------
def _make_call_view(tool: ToolModule, names: ToolNames, aliases: _ModuleAliases, contract_hash: str) -> CallView:
    scope = aliases.make_scope(tool, names)
    arguments = _make_arguments(tool, scope)
    parameters = [_render_parameter(_allow_none(argument), _render_absence_default(argument)) for argument in arguments]
    extra = collect_arguments(tool.input, scope).extra
    if extra is not None:
        parameters.append(f"extras: Mapping[str, {scope.render_static_annotation(extra)}] | None = None")
    return CallView(
        module=names.module,
        alias=aliases.tools[tool.wire],
        method=make_method_name(names.module),
        wire=make_literal(tool.wire),
        result=scope.names[_RESULT_KEY],
        parameters=parameters,
        arguments=[*(argument.name for argument in arguments), *(["extras"] if extra is not None else [])],
        doc=_make_tool_docstring(tool) or make_docstring(f"Call the tool `{names.module}`.", 8),
        hash=contract_hash,
    )


def _allow_none(argument: Argument) -> Argument:
    """Return an optional argument with None in its annotation, which stands for absence where null is no value."""
    if argument.presence is not Presence.OPTIONAL or re.search(r"\bNone\b", argument.annotation):
        return argument
    return replace(argument, annotation=f"{argument.annotation} | None")


def _render_absence_default(argument: Argument) -> str:
    return "None" if argument.presence is Presence.OPTIONAL else _OMITTED


# --- handlers --------------------------------------------------------------------------------------------------------
def _make_handler_view(tool: ToolModule, names: ToolNames, aliases: _ModuleAliases) -> HandlerView:
    stem, scope = make_class_stem(tool.wire, tool.python), aliases.make_scope(tool, names)
    arguments = _make_arguments(tool, scope)
    has_context = all(argument.name != CONTEXT_PARAMETER for argument in arguments)
    context = f"{stem}HandlerWithContext" if has_context else None
    handler = f"{stem}Handler"
    returns = Literal(_render_handler_return(tool, names, scope))
    parameters = [_render_parameter(argument, "...") for argument in arguments]
    return HandlerView(
        module=names.module,
        alias=_get_alias_if_used(aliases.tools[tool.wire], [returns.source, *parameters]),
        method=make_method_name(names.module),
        wire=make_literal(tool.wire),
        shown=Literal(f"`{names.module}`"),
        doc=_make_tool_docstring(tool),
        handler=handler,
        context=context,
        handlers=f"{handler} | {context}" if context else handler,
        returned=f"{stem}Returned",
        returns=returns,
        parameters=parameters,
    )


def _render_handler_return(tool: ToolModule, names: ToolNames, scope: Scope) -> str:
    """Return the annotation of what a handler may return: what `normalize` takes, or the SDK's interim result."""
    if tool.output is None:
        return "object"
    return f"{make_normalize_view(tool.output, scope.names[_RESULT_KEY], scope).value} | Interim"


# --- arguments -------------------------------------------------------------------------------------------------------
def _make_arguments(tool: ToolModule, scope: Scope) -> list[Argument]:
    """Return the arguments of a tool, the required ones first."""
    collected = collect_arguments(tool.input, scope)
    arguments = [
        Argument(collected.names[field.wire], _render_argument_annotation(field, scope), field.presence)
        for field in collected.fields
    ]
    return sorted(arguments, key=lambda argument: argument.presence is not Presence.REQUIRED)


def _render_argument_annotation(field: Field, scope: Scope) -> str:
    annotation = scope.render_static_annotation(field.type)
    nullable = field.presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(field.type)
    return f"{annotation} | None" if nullable else annotation


def _render_parameter(argument: Argument, absent: str) -> str:
    """Return the declaration of a parameter, with the default `absent` unless it is required."""
    default = "" if argument.presence is Presence.REQUIRED else f" = {absent}"
    return f"{argument.name}: {argument.annotation}{default}"


def _make_tool_docstring(tool: ToolModule) -> Literal | None:
    summary = tool.description.strip().split("\n")[0].strip()
    return make_docstring(summary, 8) if summary else None


# --- names in a module that imports the modules of all tools ----------------------------------------------------------
class _ModuleAliases:
    """Names for the modules of a package that differ from the name of every method and argument."""

    def __init__(self, package: Package, names: PackageNames) -> None:
        self._names, self._shared_nodes = names, {node.id: node for node in package.shared}
        used = {make_method_name(tool_names.module) for tool_names in names.tools.values()}
        for tool in package.tools:  # in the client an argument is a local variable beside the result's annotation
            nodes = {**self._shared_nodes, **{node.id: node for node in tool.input.nodes}}
            used |= {*collect_arguments(tool.input, Scope({}, nodes)).names.values()}
        self.tools = {
            wire: _claim_free_name(f"{tool_names.module}_tool", used)
            for wire, tool_names in sorted(names.tools.items())
        }
        self.shared = _claim_free_name("shared_types", used) if package.shared else None

    def make_scope(self, tool: ToolModule, names: ToolNames) -> Scope:
        """Return the names of a tool's classes as another module writes them: `get_weather_tool.Wind`."""
        nodes: list[Node] = [node for root in (tool.output, tool.input) if root is not None for node in root.nodes]
        alias = self.tools[tool.wire]
        nodes_by_id = {**self._shared_nodes, **{node.id: node for node in nodes}}
        shared = self._names
        classes = {**_qualify_names(shared.shared, self.shared), **_qualify_names(names.nested, alias)}
        twins = {**_qualify_names(shared.shared_twins, self.shared), **_qualify_names(names.twins, alias)}
        return Scope({**classes, _RESULT_KEY: f"{alias}.{names.result}"}, nodes_by_id, twins)


def _qualify_names(names: Mapping[str, str], module: str | None) -> dict[str, str]:
    return {node_id: f"{module}.{name}" for node_id, name in names.items()}


def _claim_free_name(name: str, used: set[str]) -> str:
    """Return the name, with underscores behind it if it is used already, and add it to `used`."""
    while name in used:
        name += "_"
    used.add(name)
    return name
