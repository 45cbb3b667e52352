"""Make the view of a tool's handlers: the types of functions that answer the tool."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mcpgen.ir.package import ToolModule
from mcpgen.ir.types import Field, Presence
from mcpgen.literals import Literal
from mcpgen.names.allocator import HandlerNames, list_handler_names, make_any_handler_name
from mcpgen.names.identifiers import is_parameter_name
from mcpgen.names.package_names import ToolNames
from mcpgen.render.arguments import collect_arguments
from mcpgen.render.normalize_method import NormalizeView
from mcpgen.render.scope import Scope
from mcpgen.render.static_annotations import render_static_annotation

CONTEXT_PARAMETER, CONTEXT_TYPE = "ctx", "AnyContext"
"""The parameter that a handler may have for the SDK's Context without a default."""
OWN_CLASS = "_OwnClass"
"""The name of the user's class that a handler may return, or of the class that it is nested in."""
_SERVER_NAMES = frozenset(("InterimResult", "Returns", "ReturnsArray", "Whole"))
"""Names in types of handlers that are those of the SDK's server."""


@dataclass(frozen=True)
class HandlerParameter:
    """A parameter of a handler."""

    name: str
    """Its Python name."""
    wire: str
    """Its name on the wire, which handlers may use, too, where it is a name in Python."""
    declared: str
    """Its annotation, and its default if it has one."""


@dataclass(frozen=True)
class ProtocolView:
    """A Protocol of handlers."""

    name: str
    parameters: list[str]
    has_context: bool
    """Whether it has the SDK's Context as a parameter."""


@dataclass(frozen=True)
class HandlerView:
    """The types of a tool's handlers in `package/tool.py.j2`."""

    protocols: list[ProtocolView]
    returned: str
    """The name of the alias for `returns`."""
    returns: Literal
    own_class: Literal | None
    """Import of the user's class that a handler may return, too, as `_OwnClass`."""
    kinds: list[str]
    """The types of functions that may be handlers."""
    takes_any: bool
    """A handler takes no arguments, so that one signature of the decorator is enough."""
    union: str | None = None
    """The name of the alias for `kinds`, which `testing.py` imports; None: nothing does."""

    @property
    def server_names(self) -> list[str]:
        """The names that the types need of the facade's `server`."""
        words = set(re.findall(r"\w+", " ".join([*self.kinds, self.returns.source])))
        has_context = any(protocol.has_context for protocol in self.protocols)
        return sorted(words & _SERVER_NAMES | ({CONTEXT_TYPE} if has_context else set()))


def make_handler_view(
    tool: ToolModule, names: ToolNames, normalize: NormalizeView | None, scope: Scope, testing: bool = False
) -> HandlerView:
    """Return the view of a tool's handlers.

    Args:
        tool: the tool.
        names: its names.
        normalize: what its `normalize` takes; None if it declares no outputSchema.
        scope: the names in its module.
        testing: the package has a module for tests.
    """
    stem = names.result.removesuffix("Result")
    types = list_handler_names(stem)
    parameters = _list_parameters(tool, scope)
    protocols = make_protocols(types, parameters)
    has_context = any(protocol.has_context for protocol in protocols)
    kinds = [protocol.name for protocol in protocols]
    if parameters:
        kinds.append(f"{'Whole' if has_context else 'TakesArguments'}[{names.arguments}, {types.returned}]")
    returns = "object" if normalize is None else _render_returns(tool, normalize)
    return HandlerView(
        protocols=protocols,
        returned=types.returned,
        returns=Literal(returns),
        own_class=_render_own_import(tool) if normalize is not None else None,
        kinds=kinds,
        takes_any=not parameters,
        union=make_any_handler_name(stem) if testing else None,
    )


def _render_returns(tool: ToolModule, normalize: NormalizeView) -> str:
    """Return the type of what a handler returns."""
    if tool.returns is None:
        return normalize.returns
    _, dot, nested = tool.returns.partition(":")[2].partition(".")
    return f"MaybeAwaitable[{normalize.returned} | InterimResult | {OWN_CLASS}{dot}{nested}]"


def _render_own_import(tool: ToolModule) -> Literal | None:
    """Return the import of the user's class that a handler may return, too."""
    if tool.returns is None:
        return None
    module, _, name = tool.returns.partition(":")
    return Literal(f"from {module} import {name.partition('.')[0]} as {OWN_CLASS}")


def make_protocols(types: HandlerNames, parameters: Sequence[HandlerParameter]) -> list[ProtocolView]:
    """Return the Protocols of functions that take these parameters, the required ones first.

    A second pair is for functions that were written before: their parameters have the names on the wire.
    """
    names = [parameter.name for parameter in parameters]
    wires = [parameter.wire if is_parameter_name(parameter.wire) else parameter.name for parameter in parameters]
    protocols = _make_pair(types.handler, types.with_context, names, parameters)
    if wires != names and len({*wires}) == len(wires):
        protocols += _make_pair(types.by_wire, types.by_wire_with_context, wires, parameters)
    return protocols


def _make_pair(
    plain: str, with_context: str, names: Sequence[str], parameters: Sequence[HandlerParameter]
) -> list[ProtocolView]:
    declared = [f"{name}: {parameter.declared}" for name, parameter in zip(names, parameters, strict=True)]
    pair = [ProtocolView(plain, declared, False)]
    if CONTEXT_PARAMETER not in names:
        pair.append(ProtocolView(with_context, declared, True))
    return pair


def _list_parameters(tool: ToolModule, scope: Scope) -> list[HandlerParameter]:
    """Return the arguments of a tool as keyword parameters, the required ones first."""
    arguments = collect_arguments(tool.input, scope)
    fields = sorted(arguments.fields, key=lambda field: field.presence is not Presence.REQUIRED)
    return [HandlerParameter(arguments.names[field.wire], field.wire, _declare(field, scope)) for field in fields]


def _declare(field: Field, scope: Scope) -> str:
    annotation = render_static_annotation(field.type, scope)
    if field.presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(field.type):
        annotation = f"{annotation} | None"
    return f"{annotation}{'' if field.presence is Presence.REQUIRED else ' = ...'}"
