"""What `server.py` and `client.py` print: each tool as a function of its arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcpgen.ir.package import Package, ToolModule, root_class
from mcpgen.ir.types import Field, Node, Presence
from mcpgen.literals import Literal, docstring, scalar
from mcpgen.names.allocator import PackageNames, ToolNames
from mcpgen.names.identifiers import class_stem, field_names, method_name
from mcpgen.render import normalize_method
from mcpgen.render.scope import Scope

CONTEXT = "ctx"
"""The parameter that a handler may have for the SDK's Context without a default."""
_OMITTED = "OMITTED"


@dataclass(frozen=True)
class Argument:
    """An argument of a tool, as a parameter: its name, its annotation, what stands for absence."""

    name: str
    annotation: str
    presence: Presence


def server_values(package: Package, names: PackageNames) -> dict[str, Any]:
    """What `server.py.j2` prints."""
    aliases = _Aliases(package, names)
    tools = [_handler(tool, names.tools[tool.wire], aliases) for tool in package.tools]
    needed = {
        "AnyContext": any(tool["context"] for tool in tools),
        "Interim": any(tool.output is not None for tool in package.tools),
    }
    kinds = ", ".join(name for name, is_needed in needed.items() if is_needed)
    return {"tools": tools, "shared": _used(aliases.shared, tools), "kinds": kinds}


def client_values(package: Package, names: PackageNames, hashes: Mapping[str, str]) -> dict[str, Any]:
    """What `client.py.j2` prints; `hashes` are those of the tools' contracts."""
    aliases = _Aliases(package, names)
    tools = [_call(tool, names.tools[tool.wire], aliases) | {"hash": hashes[tool.wire]} for tool in package.tools]
    omits = any(one.endswith(_OMITTED) for tool in tools for one in tool["parameters"])
    return {"tools": tools, "shared": _used(aliases.shared, tools), "omits": omits}


def _used(alias: str | None, tools: Sequence[Mapping[str, Any]]) -> str | None:
    """A module's name where some annotation says it."""
    texts = [text for tool in tools for text in (str(tool.get("returns")), *tool["parameters"])]
    return alias if any(f"{alias}." in text for text in texts) else None


def _call(tool: ToolModule, names: ToolNames, aliases: _Aliases) -> dict[str, Any]:
    scope = aliases.make_scope(tool, names)
    arguments = _arguments(tool, scope)
    own = root_class(tool.input)
    parameters = [_parameter(_or_none(one), _absent(one)) for one in arguments]
    extra = None if own is None else own.extra
    if extra is not None:
        parameters.append(f"extras: Mapping[str, {scope.render_static_annotation(extra)}] | None = None")
    return {
        "module": names.module,
        "alias": aliases.of[tool.wire],
        "method": method_name(names.module),
        "wire": scalar(tool.wire),
        "result": scope.names[_RESULT],
        "parameters": parameters,
        "arguments": [*(one.name for one in arguments), *(["extras"] if extra is not None else [])],
        "doc": _doc(tool) or docstring(f"Call the tool `{names.module}`.", 8),
    }


def _or_none(one: Argument) -> Argument:
    """Where null is no value, None stands for absence."""
    if one.presence is not Presence.OPTIONAL or re.search(r"\bNone\b", one.annotation):
        return one
    return replace(one, annotation=f"{one.annotation} | None")


def _absent(one: Argument) -> str:
    return "None" if one.presence is Presence.OPTIONAL else _OMITTED


def _handler(tool: ToolModule, names: ToolNames, aliases: _Aliases) -> dict[str, Any]:
    stem, scope = class_stem(tool.wire, tool.python), aliases.make_scope(tool, names)
    arguments = _arguments(tool, scope)
    context = f"{stem}HandlerWithContext" if all(one.name != CONTEXT for one in arguments) else None
    handler = f"{stem}Handler"
    made: dict[str, Any] = {
        "module": names.module,
        "method": method_name(names.module),
        "wire": scalar(tool.wire),
        "shown": Literal(f"`{names.module}`"),
        "doc": _doc(tool),
        "handler": handler,
        "context": context,
        "handlers": f"{handler} | {context}" if context else handler,
        "returned": f"{stem}Returned",
        "returns": Literal(_returns(tool, names, scope)),
        "parameters": [_parameter(one, "...") for one in arguments],
    }
    return made | {"alias": _used(aliases.of[tool.wire], [made])}


def _returns(tool: ToolModule, names: ToolNames, scope: Scope) -> str:
    """What a handler may return: what `normalize` takes, or the SDK's interim result."""
    if tool.output is None:
        return "object"
    return f"{normalize_method.normalize(tool.output, scope.names[_RESULT], scope).value} | Interim"


def _arguments(tool: ToolModule, scope: Scope) -> list[Argument]:
    own = root_class(tool.input)
    if own is None:
        return []
    names = scope.get_attribute_names(own)
    found = [Argument(names[one.wire], _annotation(one, scope), one.presence) for one in own.fields]
    return sorted(found, key=lambda one: one.presence is not Presence.REQUIRED)


def _annotation(field: Field, scope: Scope) -> str:
    text = scope.render_static_annotation(field.type)
    nullable = field.presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(field.type)
    return f"{text} | None" if nullable else text


def _parameter(one: Argument, absent: str) -> str:
    default = "" if one.presence is Presence.REQUIRED else f" = {absent}"
    return f"{one.name}: {one.annotation}{default}"


def _doc(tool: ToolModule) -> Literal | None:
    first = tool.description.strip().split("\n")[0].strip()
    return docstring(first, 8) if first else None


# --- names in a module that knows all tools --------------------------------------------------------------------------
_RESULT = "#result"


class _Aliases:
    """The modules of a package under names that no tool's method and no argument has."""

    def __init__(self, package: Package, names: PackageNames) -> None:
        self._names, self._shared_nodes = names, {node.id: node for node in package.shared}
        taken = {method_name(one.module) for one in names.tools.values()}
        for tool in package.tools:  # an argument is a variable where the client says the type of the result
            own = root_class(tool.input)
            taken |= set() if own is None else {*field_names(own.fields).values()}
        self.of = {wire: _free(f"{one.module}_tool", taken) for wire, one in sorted(names.tools.items())}
        self.shared = _free("shared_types", taken) if package.shared else None

    def make_scope(self, tool: ToolModule, names: ToolNames) -> Scope:
        """The names of a tool's classes, seen from outside of its module."""
        own: list[Node] = [node for root in (tool.output, tool.input) if root is not None for node in root.nodes]
        alias = self.of[tool.wire]
        nodes = {**self._shared_nodes, **{node.id: node for node in own}}
        classes = {**self._qualified(self._names.shared, self.shared), **self._qualified(names.nested, alias)}
        twins = {**self._qualified(self._names.shared_twins, self.shared), **self._qualified(names.twins, alias)}
        return Scope({**classes, _RESULT: f"{alias}.{names.result}"}, nodes, twins)

    def _qualified(self, names: Mapping[str, str], alias: str | None) -> dict[str, str]:
        return {key: f"{alias}.{name}" for key, name in names.items()}


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name
