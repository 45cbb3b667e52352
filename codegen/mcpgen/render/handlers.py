"""Make the views of handlers: the types of functions that answer a tool, what they return, and their first version."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from mcpgen.ir.package import SchemaRoot, ToolModule, get_root_class
from mcpgen.ir.types import Array, Field, FixedArray, Presence
from mcpgen.literals import Literal, make_docstring, make_literal
from mcpgen.names.allocator import HandlerNames, list_handler_names, make_any_handler_name
from mcpgen.names.identifiers import is_parameter_name, make_method_name
from mcpgen.names.package_names import PackageNames, ToolNames
from mcpgen.render.annotations import render_handler_annotation, render_member_annotation, render_static_annotation
from mcpgen.render.arguments import collect_arguments
from mcpgen.render.formatter import format_source
from mcpgen.render.imports import make_sort_key
from mcpgen.render.scope import Scope, is_any, list_alternatives

# --- what a tool's `normalize` takes ---------------------------------------------------------------------------------
RESULT_MEMBERS = frozenset(["content", "structuredContent", "isError", "_meta", "meta"])
"""Members by which a mapping is recognized as a CallToolResult."""


class NormalizeView(NamedTuple):
    """What a tool's `normalize` takes, and how it tells the alternatives apart."""

    structured: str
    pairs: bool
    """A 2-tuple is `(payload, structured)`, since no value of the tool is an array."""
    results: bool
    """A mapping may be a CallToolResult, since no value of the tool is an object with its members."""
    wrapper: bool
    """A bare value is wrapped in the declared `{"result": …}`."""

    @property
    def returns(self) -> str:
        """Return the annotation of what a handler returns, which may be awaitable."""
        return f"{'Returns' if self.pairs else 'ReturnsArray'}[{self.structured}]"

    @property
    def returned(self) -> str:
        """Return the annotation of what a handler may return."""
        return f"{'Returned' if self.pairs else 'ReturnedArray'}[{self.structured}]"


def make_normalize_view(root: SchemaRoot, result: str, scope: Scope) -> NormalizeView:
    """Derive from the outputSchema which values a tool's `normalize` takes, and how it distinguishes them."""
    root_class = get_root_class(root)
    json_value = render_handler_annotation(root.type, scope) if root_class is None else scope.typed_dicts[root_class.id]
    structured = [result, json_value]
    if root_class is not None and root_class.base is not None:
        structured.append(scope.names[root_class.base.id])
    if root_class is not None and not root_class.fields and root_class.extra is not None:
        structured.append(f"Mapping[str, {render_handler_annotation(root_class.extra, scope)}]")  # a TypedDict cannot
    wrapped_type = root_class.fields[0].type if root_class is not None and root.wrapper else None
    if wrapped_type is not None:
        structured.append(render_handler_annotation(wrapped_type, scope))
    value_type = root.type if wrapped_type is None else wrapped_type
    parts = list_alternatives(value_type, scope.nodes)
    classes = [node for node in map(scope.get_class, parts) if node is not None]
    return NormalizeView(
        structured=" | ".join(structured),
        pairs=not any(isinstance(part, Array | FixedArray) or is_any(part) for part in parts),
        results=not any(field.wire in RESULT_MEMBERS for node in classes for field in node.fields),
        wrapper=wrapped_type is not None,
    )


def render_inner_expression(root: SchemaRoot) -> str:
    """Return the expression for a tool's JSON value, taken out of its wrapper."""
    value = "self.to_structured_content()"
    return f'{value}["result"]' if root.wrapper else value


# --- types of handlers -----------------------------------------------------------------------------------------------
CONTEXT_PARAMETER, CONTEXT_TYPE = "ctx", "AnyContext"
"""The parameter that a handler may have for the SDK's Context without a default."""
OWN_CLASS = "_OwnClass"
"""The name of the user's class that a handler may return, or of the class that it is nested in."""
_SERVER_NAMES = frozenset(("InterimResult", "Returns", "ReturnsArray", "Whole"))
"""Names in types of handlers that are those of the SDK's server."""


class HandlerParameter(NamedTuple):
    """A parameter of a handler."""

    name: str
    wire: str
    """Its name on the wire, which handlers may use, too, where it is a name in Python."""
    declared: str
    """Its annotation, and its default if it has one."""


class ProtocolView(NamedTuple):
    """A Protocol of handlers."""

    name: str
    parameters: list[str]
    has_context: bool
    """Whether it has the SDK's Context as a parameter."""


class HandlerView(NamedTuple):
    """The types of a tool's handlers in `package/tool.py.j2`."""

    protocols: list[ProtocolView]
    returned: str
    """The name of the alias for `returns`."""
    returns: Literal
    own_class: Literal | None
    """Import of the user's class that a handler may return, too, as `_OwnClass`."""
    kinds: list[str]
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
    stem: str,
    parameters: Sequence[HandlerParameter],
    returns: str,
    testing: bool,
    arguments: str | None = None,
    own_class: Literal | None = None,
) -> HandlerView:
    """Return the view of handlers whose types begin with `stem`; one may take all as an object of `arguments`."""
    types = list_handler_names(stem)
    protocols = _make_protocols(types, parameters)
    kinds = [protocol.name for protocol in protocols]
    if arguments is not None and parameters:
        has_context = any(protocol.has_context for protocol in protocols)
        kinds.append(f"{'Whole' if has_context else 'TakesArguments'}[{arguments}, {types.returned}]")
    return HandlerView(
        protocols=protocols,
        returned=types.returned,
        returns=Literal(returns),
        own_class=own_class,
        kinds=kinds,
        takes_any=not parameters,
        union=make_any_handler_name(stem) if testing else None,
    )


def make_tool_handler_view(
    tool: ToolModule, names: ToolNames, normalize: NormalizeView | None, scope: Scope, testing: bool = False
) -> HandlerView:
    """Return the view of a tool's handlers; `normalize` is None if it declares no outputSchema."""
    returns = "object" if normalize is None else _render_returns(tool, normalize)
    own_class = None if normalize is None else _render_own_import(tool)
    return make_handler_view(names.stem, _list_parameters(tool, scope), returns, testing, names.arguments, own_class)


def _render_returns(tool: ToolModule, normalize: NormalizeView) -> str:
    if tool.returns is None:
        return normalize.returns
    _, dot, nested = tool.returns.partition(":")[2].partition(".")
    return f"MaybeAwaitable[{normalize.returned} | InterimResult | {OWN_CLASS}{dot}{nested}]"


def _render_own_import(tool: ToolModule) -> Literal | None:
    if tool.returns is None:
        return None
    module, _, name = tool.returns.partition(":")
    return Literal(f"from {module} import {name.partition('.')[0]} as {OWN_CLASS}")


def _make_protocols(types: HandlerNames, parameters: Sequence[HandlerParameter]) -> list[ProtocolView]:
    """Return the Protocols of functions with these parameters, and a pair for those that were written before."""
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
    arguments = collect_arguments(tool.input, scope)
    fields = sorted(arguments.fields, key=lambda field: field.presence is not Presence.REQUIRED)
    return [HandlerParameter(arguments.names[field.wire], field.wire, _declare(field, scope)) for field in fields]


def _declare(field: Field, scope: Scope) -> str:
    annotation = render_member_annotation(field, scope, render_static_annotation)
    return f"{annotation}{'' if field.presence is Presence.REQUIRED else ' = ...'}"


# --- the first version of a module of handlers, which is the user's from then on -------------------------------------
_HEAD = '''"""Handlers of the tools. This file is yours: mcpgen does not change it."""

from __future__ import annotations

'''
_OWN_NAMES = frozenset({"bind_handlers", "tool_error", "tools"})
"""Names that the module needs for itself."""


class StubModule(NamedTuple):
    """What a module of handlers imports from."""

    package: str
    """The generated package, as the module imports it."""
    facade: str


def render_stubs(tools: Sequence[ToolModule], names: PackageNames, module: StubModule) -> str:
    """Return a module with a handler for each tool, in their order, which says that it is not implemented."""
    pairs = [(tool, names.tools[tool.wire]) for tool in tools]
    classes = {names.arguments for tool, names in pairs if _takes_arguments(tool)}
    classes |= {names.result for tool, names in pairs if tool.output is not None}
    imported = ", ".join(sorted([*classes, "tool_error"], key=make_sort_key))
    library_import = f"from {module.facade}.types import CallToolResult\n"
    package_imports = f"from {module.package} import {imported}\n"
    server_import = f"from {module.package}.server import Tools\n"
    if module.facade.startswith(module.package):
        imports = f"{package_imports}{library_import}{server_import}\n\n"
    else:
        imports = f"{library_import}\n{package_imports}{server_import}\n\n"
    handlers = "\n\n".join(_render_handler(tool, names) for tool, names in pairs)
    binding = "\n".join(f"    tools.{make_method_name(names.module)}({_name_handler(names)})" for _, names in pairs)
    return format_source(
        f"{_HEAD}{imports}{handlers}\n\n"
        "def bind_handlers(tools: Tools) -> None:\n"
        '    """Bind the handlers to a server: `bind_handlers(bind(server))`."""\n'
        f"{binding}\n"
    )


def _takes_arguments(tool: ToolModule) -> bool:
    root_class = get_root_class(tool.input)
    return root_class is None or bool(root_class.fields)


def _name_handler(names: ToolNames) -> str:
    name = make_method_name(names.module)
    return f"{name}_" if name in _OWN_NAMES else name


def _render_handler(tool: ToolModule, names: ToolNames) -> str:
    parameter = f"args: {names.arguments}" if _takes_arguments(tool) else ""
    returned = "CallToolResult" if tool.output is None else f"{names.result} | CallToolResult"
    doc = make_docstring(tool.description or f"Answer the tool `{tool.wire}`.", 4)
    text = make_literal(f"{tool.wire} is not implemented")
    return f"async def {_name_handler(names)}({parameter}) -> {returned}:\n    {doc}\n    return tool_error({text})\n"
