"""What `server.py` and `client.py` print: each tool as a function of its arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcpgen.ir.package import Package, ToolModule, get_root_class
from mcpgen.ir.types import Field, Node, Presence
from mcpgen.literals import Literal, make_docstring, make_literal
from mcpgen.names.allocator import PackageNames, ToolNames
from mcpgen.names.identifiers import make_class_stem, make_field_names, make_method_name
from mcpgen.render import normalize_method
from mcpgen.render.scope import Scope

CONTEXT_PARAMETER = "ctx"
"""The parameter that a handler may have for the SDK's Context without a default."""
_OMITTED = "OMITTED"


@dataclass(frozen=True)
class Argument:
    """An argument of a tool, as a parameter: its name, its annotation, what stands for absence."""

    name: str
    annotation: str
    presence: Presence


def make_server_values(package: Package, names: PackageNames) -> dict[str, Any]:
    """What `package/server.py.j2` prints."""
    aliases = _ModuleAliases(package, names)
    tools = [_make_handler_values(tool, names.tools[tool.wire], aliases) for tool in package.tools]
    needed = {
        "AnyContext": any(tool["context"] for tool in tools),
        "Interim": any(tool.output is not None for tool in package.tools),
    }
    kinds = ", ".join(name for name, is_needed in needed.items() if is_needed)
    return {"tools": tools, "shared": _find_used_alias(aliases.shared, tools), "kinds": kinds}


def make_client_values(package: Package, names: PackageNames, hashes: Mapping[str, str]) -> dict[str, Any]:
    """What `package/client.py.j2` prints; `hashes` are those of the tools' contracts."""
    aliases = _ModuleAliases(package, names)
    tools = [
        _make_call_values(tool, names.tools[tool.wire], aliases) | {"hash": hashes[tool.wire]} for tool in package.tools
    ]
    omits = any(one.endswith(_OMITTED) for tool in tools for one in tool["parameters"])
    return {"tools": tools, "shared": _find_used_alias(aliases.shared, tools), "omits": omits}


def _find_used_alias(alias: str | None, tools: Sequence[Mapping[str, Any]]) -> str | None:
    """A module's name where some annotation says it."""
    texts = [text for tool in tools for text in (str(tool.get("returns")), *tool["parameters"])]
    return alias if any(f"{alias}." in text for text in texts) else None


def _make_call_values(tool: ToolModule, names: ToolNames, aliases: _ModuleAliases) -> dict[str, Any]:
    scope = aliases.make_scope(tool, names)
    arguments = _make_arguments(tool, scope)
    own = get_root_class(tool.input)
    parameters = [_render_parameter(_allow_none(one), _render_default(one)) for one in arguments]
    extra = None if own is None else own.extra
    if extra is not None:
        parameters.append(f"extras: Mapping[str, {scope.render_static_annotation(extra)}] | None = None")
    return {
        "module": names.module,
        "alias": aliases.of[tool.wire],
        "method": make_method_name(names.module),
        "wire": make_literal(tool.wire),
        "result": scope.names[_RESULT_KEY],
        "parameters": parameters,
        "arguments": [*(one.name for one in arguments), *(["extras"] if extra is not None else [])],
        "doc": _make_tool_docstring(tool) or make_docstring(f"Call the tool `{names.module}`.", 8),
    }


def _allow_none(one: Argument) -> Argument:
    """Where null is no value, None stands for absence."""
    if one.presence is not Presence.OPTIONAL or re.search(r"\bNone\b", one.annotation):
        return one
    return replace(one, annotation=f"{one.annotation} | None")


def _render_default(one: Argument) -> str:
    return "None" if one.presence is Presence.OPTIONAL else _OMITTED


def _make_handler_values(tool: ToolModule, names: ToolNames, aliases: _ModuleAliases) -> dict[str, Any]:
    stem, scope = make_class_stem(tool.wire, tool.python), aliases.make_scope(tool, names)
    arguments = _make_arguments(tool, scope)
    context = f"{stem}HandlerWithContext" if all(one.name != CONTEXT_PARAMETER for one in arguments) else None
    handler = f"{stem}Handler"
    made: dict[str, Any] = {
        "module": names.module,
        "method": make_method_name(names.module),
        "wire": make_literal(tool.wire),
        "shown": Literal(f"`{names.module}`"),
        "doc": _make_tool_docstring(tool),
        "handler": handler,
        "context": context,
        "handlers": f"{handler} | {context}" if context else handler,
        "returned": f"{stem}Returned",
        "returns": Literal(_render_handler_return(tool, names, scope)),
        "parameters": [_render_parameter(one, "...") for one in arguments],
    }
    return made | {"alias": _find_used_alias(aliases.of[tool.wire], [made])}


def _render_handler_return(tool: ToolModule, names: ToolNames, scope: Scope) -> str:
    """What a handler may return: what `normalize` takes, or the SDK's interim result."""
    if tool.output is None:
        return "object"
    return f"{normalize_method.make_normalize_view(tool.output, scope.names[_RESULT_KEY], scope).value} | Interim"


def _make_arguments(tool: ToolModule, scope: Scope) -> list[Argument]:
    own = get_root_class(tool.input)
    if own is None:
        return []
    names = scope.get_attribute_names(own)
    found = [Argument(names[one.wire], _render_argument_annotation(one, scope), one.presence) for one in own.fields]
    return sorted(found, key=lambda one: one.presence is not Presence.REQUIRED)


def _render_argument_annotation(field: Field, scope: Scope) -> str:
    text = scope.render_static_annotation(field.type)
    nullable = field.presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(field.type)
    return f"{text} | None" if nullable else text


def _render_parameter(one: Argument, absent: str) -> str:
    default = "" if one.presence is Presence.REQUIRED else f" = {absent}"
    return f"{one.name}: {one.annotation}{default}"


def _make_tool_docstring(tool: ToolModule) -> Literal | None:
    first = tool.description.strip().split("\n")[0].strip()
    return make_docstring(first, 8) if first else None


# --- names in a module that knows all tools --------------------------------------------------------------------------
_RESULT_KEY = "#result"


class _ModuleAliases:
    """The modules of a package under names that no tool's method and no argument has."""

    def __init__(self, package: Package, names: PackageNames) -> None:
        self._names, self._shared_nodes = names, {node.id: node for node in package.shared}
        taken = {make_method_name(one.module) for one in names.tools.values()}
        for tool in package.tools:  # an argument is a variable where the client says the type of the result
            own = get_root_class(tool.input)
            taken |= set() if own is None else {*make_field_names(own.fields).values()}
        self.of = {wire: _find_free_name(f"{one.module}_tool", taken) for wire, one in sorted(names.tools.items())}
        self.shared = _find_free_name("shared_types", taken) if package.shared else None

    def make_scope(self, tool: ToolModule, names: ToolNames) -> Scope:
        """The names of a tool's classes, seen from outside of its module."""
        own: list[Node] = [node for root in (tool.output, tool.input) if root is not None for node in root.nodes]
        alias = self.of[tool.wire]
        nodes = {**self._shared_nodes, **{node.id: node for node in own}}
        classes = {**self._qualified(self._names.shared, self.shared), **self._qualified(names.nested, alias)}
        twins = {**self._qualified(self._names.shared_twins, self.shared), **self._qualified(names.twins, alias)}
        return Scope({**classes, _RESULT_KEY: f"{alias}.{names.result}"}, nodes, twins)

    def _qualified(self, names: Mapping[str, str], alias: str | None) -> dict[str, str]:
        return {key: f"{alias}.{name}" for key, name in names.items()}


def _find_free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name
