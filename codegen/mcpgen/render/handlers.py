"""Make the view of a tool's handlers: the types of functions that answer the tool."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgen.ir.package import ToolModule
from mcpgen.ir.types import Field, Presence
from mcpgen.literals import Literal
from mcpgen.names.allocator import list_handler_names, make_any_handler_name
from mcpgen.names.package_names import ToolNames
from mcpgen.render.arguments import collect_arguments
from mcpgen.render.normalize_method import NormalizeView
from mcpgen.render.scope import Scope
from mcpgen.render.static_annotations import render_static_annotation

CONTEXT_PARAMETER = "ctx"
"""The parameter that a handler may have for the SDK's Context without a default."""
OWN_CLASS = "_OwnClass"
"""The name of the user's class that a handler may return, or of the class that it is nested in."""


@dataclass(frozen=True)
class HandlerView:
    """The types of a tool's handlers in `package/tool.py.j2`."""

    shown: Literal
    """The tool as docstrings name it."""
    name: str
    """The name of the Protocol of handlers."""
    with_context: str | None
    """The same with the SDK's Context as a parameter; None: an argument of the tool has that name."""
    decorator: str
    """The name of the type of the decorator that binds a handler."""
    returned: str
    """The name of the alias for `returns`."""
    returns: Literal
    own_class: Literal | None
    """Import of the user's class that a handler may return, too, as `_OwnClass`."""
    kinds: list[str]
    """The types of functions that may be handlers."""
    interim: bool
    """A handler may return the SDK's interim result."""
    parameters: list[str]
    takes_any: bool
    """A handler takes no arguments and may return anything."""
    subject: str = "tool"
    """The kind of definition that it answers."""
    union: str | None = None
    """The name of the alias for `kinds`, which `testing.py` imports; None: nothing does."""


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
    returned, handler, with_context, decorator = list_handler_names(stem)
    parameters = _render_parameters(tool, scope)
    has_context = all(parameter.partition(":")[0] != CONTEXT_PARAMETER for parameter in parameters)
    kinds = [handler]
    if has_context:
        kinds.append(with_context)
    if parameters:
        kinds.append(f"TakesArguments[{names.arguments}, {returned}]")
        if has_context:
            kinds.append(f"TakesArgumentsWithContext[{names.arguments}, AnyContext, {returned}]")
    return HandlerView(
        shown=Literal(f"`{names.module}`"),
        name=handler,
        with_context=with_context if has_context else None,
        decorator=decorator,
        returned=returned,
        returns=Literal("object" if normalize is None else " | ".join(_list_returned(tool, normalize))),
        own_class=_render_own_import(tool) if normalize is not None else None,
        kinds=kinds,
        interim=normalize is not None,
        parameters=parameters,
        takes_any=normalize is None and not parameters,
        union=make_any_handler_name(stem) if testing else None,
    )


def _list_returned(tool: ToolModule, normalize: NormalizeView) -> list[str]:
    """Return the types of what a handler may return."""
    returned = [str(normalize.returned), "InterimResult"]
    if tool.returns is not None:
        _, dot, nested = tool.returns.partition(":")[2].partition(".")
        returned.append(f"{OWN_CLASS}{dot}{nested}")
    return returned


def _render_own_import(tool: ToolModule) -> Literal | None:
    """Return the import of the user's class that a handler may return, too."""
    if tool.returns is None:
        return None
    module, _, name = tool.returns.partition(":")
    return Literal(f"from {module} import {name.partition('.')[0]} as {OWN_CLASS}")


def _render_parameters(tool: ToolModule, scope: Scope) -> list[str]:
    """Return the declarations of the arguments of a tool as keyword parameters, the required ones first."""
    arguments = collect_arguments(tool.input, scope)
    fields = sorted(arguments.fields, key=lambda field: field.presence is not Presence.REQUIRED)
    return [_render_parameter(arguments.names[field.wire], field, scope) for field in fields]


def _render_parameter(name: str, field: Field, scope: Scope) -> str:
    annotation = render_static_annotation(field.type, scope)
    if field.presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(field.type):
        annotation = f"{annotation} | None"
    return f"{name}: {annotation}{'' if field.presence is Presence.REQUIRED else ' = ...'}"
