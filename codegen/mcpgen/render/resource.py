"""Make the view of a resource's module: its declaration, its URIs, the class of its JSON value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from mcpgen_runtime.sdk.uri_templates import Part, Query, Variable

from mcpgen.ir.definitions import UriTemplatePart, list_uri_variables
from mcpgen.ir.package import ResourceModule, SchemaRoot, get_root_class
from mcpgen.ir.types import Alias, Choice, Map, Node, ObjectClass, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.literals import Literal, make_comment, make_docstring, make_literal
from mcpgen.names.identifiers import make_parameter_names
from mcpgen.names.package_names import ResourceNames
from mcpgen.render.class_views import (
    ModuleBody,
    RootView,
    complete_root_class,
    make_module_body,
    make_root_view,
    render_constructor_call,
    render_root_annotation,
    sort_by_use,
)
from mcpgen.render.declared_places import map_declared_places
from mcpgen.render.handlers import HandlerParameter, HandlerView, make_handler_view
from mcpgen.render.scope import Scope, is_any
from mcpgen.render.serializers import PLAIN_KINDS, SerializerWriter, find_inlined

EXPANSION_PREFIXES = {"": "", "+": "", "#": "#", ".": ".", "/": "/", ";": ";", "?": "?", "&": "&"}
"""The text that an operator puts before its first value (RFC 6570, appendix A)."""
EXPANSION_SEPARATORS = {"": ",", "+": ",", "#": ",", ".": ".", "/": "/", ";": ";", "?": "&", "&": "&"}
"""The text that an operator puts between its values (RFC 6570, appendix A)."""
MAX_TERMS = 50
"""The most terms of a sum: each nests the one before it, and Python and the type checkers limit the depth."""


# --- expansion -------------------------------------------------------------------------------------------------------
def render_uri_expression(template: tuple[UriTemplatePart, ...], python_names: Mapping[str, str]) -> str:
    """Return the expression that expands a URI template; `python_names` are the parameters of the variables."""
    optional = list_uri_variables(template)
    terms: list[str] = []
    text = ""
    for part in template:
        if isinstance(part, str):
            text += part
            continue
        if part.operator in ("?", "&") and any(optional[name] for name in part.names):
            pairs = ", ".join(f"({make_literal(name)}, {python_names[name]})" for name in part.names)
            terms += [*_quote_nonempty(text), f"uri_templates.query({make_literal(part.operator)}, {pairs})"]
            text = ""
            continue
        for index, name in enumerate(part.names):
            text += EXPANSION_PREFIXES[part.operator] if index == 0 else EXPANSION_SEPARATORS[part.operator]
            if part.operator in ("?", "&"):
                text += f"{name}="
            function = {";": "parameter", "+": "reserved", "#": "reserved"}.get(part.operator, "unreserved")
            key = f"{make_literal(name)}, " * (part.operator == ";")
            terms += [*_quote_nonempty(text), f"uri_templates.{function}({key}{python_names[name]})"]
            text = ""
    terms += _quote_nonempty(text)
    if len(terms) > MAX_TERMS:
        return f'"".join(({", ".join(terms)}))'
    return " + ".join(terms)


def _quote_nonempty(text: str) -> list[str]:
    return [str(make_literal(text))] if text else []


# --- matching --------------------------------------------------------------------------------------------------------
def make_match_parts(template: tuple[UriTemplatePart, ...]) -> list[Part]:
    """Return the parts of a template that a URI is matched against, with neighbouring literals joined."""
    parts: list[Part] = []

    def add_literal(text: str) -> None:
        if text and parts and isinstance(previous := parts[-1], str):
            parts[-1] = previous + text
        elif text:
            parts.append(text)

    for part in template:
        if isinstance(part, str):
            add_literal(part)
        elif part.operator in ("?", "&"):
            parts.append(Query(part.operator, part.names))
        else:
            for index, name in enumerate(part.names):
                add_literal(EXPANSION_PREFIXES[part.operator] if index == 0 else EXPANSION_SEPARATORS[part.operator])
                if part.operator == ";":
                    add_literal(name)
                parts.append(Variable(name, part.operator in ("+", "#"), "=" if part.operator == ";" else ""))
    return parts


def render_match_part(part: Part) -> Literal:
    """Return the expression for a part that a URI is matched against."""
    match part:
        case str():
            return make_literal(part)
        case Variable(name=name, reserved=reserved, lead=lead):
            options = ", reserved=True" * reserved + f', lead="{lead}"' * bool(lead)
            return Literal(f"uri_templates.Variable({make_literal(name)}{options})")
        case Query(first=first, names=names):
            listed = ", ".join(str(make_literal(name)) for name in names)
            return Literal(f"uri_templates.Query({make_literal(first)}, ({listed}{',' if len(names) == 1 else ''}))")


# --- the module ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ResourceOptions:
    """Arguments of the run-time class `ResourceInfo` after the name; None: left out."""

    uri: str | None = None
    uri_template: str | None = None
    mime_type: str | None = None
    ttl_ms: int | None = None
    cache_scope: str | None = None
    text_is_json: bool = False
    contents_in_mappings: bool = True


class ParameterView(NamedTuple):
    """A variable of a URI template: a parameter of `uri`, and a member of the TypedDict that `match` returns."""

    name: str
    annotation: str
    declared: str
    """The declaration of the parameter, its default included."""
    found: str
    """The expression for its value in a URI that matched."""
    optional: bool


@dataclass(frozen=True)
class ResourceView:
    """Variables of `package/resource.py.j2`."""

    doc: Literal
    name: str
    class_doc: Literal
    info: Literal
    uri: Literal
    parts: list[Literal]
    parameters: list[ParameterView]
    signature: str
    parameters_name: str | None
    module: ModuleBody
    own: str | None
    """The name of the resource's class if it is one of the module's object classes."""
    root: RootView | None
    """The resource's class where its JSON value is not an object."""
    checks: Literal | None
    """The keywords that the types do not express."""
    payload: Literal | None
    """The annotation of what a handler may return; None: the text need not be JSON."""
    exports: list[str]
    handler: HandlerView | None
    """The types of its handlers; None: the package is for no SDK."""
    facade: str


def make_resource_view(
    resource: ResourceModule, names: ResourceNames, scope: Scope, facade: str | None, testing: bool = False
) -> ResourceView:
    """Return the view of a resource's module; without a `facade`, the package is for no SDK."""
    optional = list_uri_variables(resource.template)
    python_names = make_parameter_names(optional)
    parameters = sorted(
        (_make_parameter_view(python_names[wire], wire, is_optional) for wire, is_optional in optional.items()),
        key=lambda parameter: parameter.optional,
    )
    description = resource.description.strip() or f"The resource `{resource.wire}`."
    payload = resource.payload
    root_class = None if payload is None else get_root_class(payload)
    returned = None if payload is None else Literal(_render_handler_return(payload, names.name, scope))
    returns = f"MaybeAwaitable[{returned}]" if returned else "object"
    taken = [  # a handler gets no None: its own default stands for what is absent
        HandlerParameter(parameter.name, parameter.name, "str = ..." if parameter.optional else "str")
        for parameter in parameters
    ]
    module, root = ModuleBody([], []), None
    if payload is not None:
        own_nodes = {node.id: node for node in payload.nodes}
        writer = SerializerWriter(scope, find_inlined([payload.type], own_nodes))
        if root_class is None:
            root = make_root_view(payload, scope, "Resource", ["CheckedResource"] * bool(payload.checks), writer=writer)
        module = _make_payload_body(payload, scope, names.name, description, writer)
    return ResourceView(
        doc=make_docstring(f"Resource `{resource.wire}`.", 0),
        name=names.name,
        class_doc=make_docstring(description, 4),
        info=render_constructor_call("ResourceInfo", resource.wire, make_resource_options(resource, scope.nodes)),
        uri=Literal(render_uri_expression(resource.template or (resource.uri or "",), python_names)),
        parts=[render_match_part(part) for part in make_match_parts(resource.template)],
        parameters=parameters,
        signature=", ".join(parameter.declared for parameter in parameters),
        parameters_name=names.parameters,
        module=module,
        own=None if root_class is None else names.name,
        root=root,
        checks=make_comment(", ".join(payload.checks)) if payload is not None and payload.checks else None,
        payload=returned,
        exports=sorted(names.exports),
        handler=None if facade is None else make_handler_view(names.name, taken, returns, testing),
        facade=facade or "",
    )


def _make_parameter_view(name: str, wire: str, optional: bool) -> ParameterView:
    if optional:
        return ParameterView(name, "str | None", f"{name}: str | None = None", f"found.get({make_literal(wire)})", True)
    return ParameterView(name, "str", f"{name}: str", f"found[{make_literal(wire)}]", False)


def make_resource_options(resource: ResourceModule, nodes: Mapping[str, Node]) -> ResourceOptions:
    """Return the run-time options of a resource; `nodes` are the classes and aliases that its types refer to, by id."""
    payload = resource.payload
    return ResourceOptions(
        uri=resource.uri,
        uri_template=resource.uri_template,
        mime_type=resource.mime_type,
        ttl_ms=resource.ttl_ms,
        cache_scope=resource.cache_scope,
        text_is_json=payload is not None and not _may_be_string(payload.type, nodes),
        contents_in_mappings=payload is None or not _may_be_contents(payload.type, nodes),
    )


# --- the JSON value --------------------------------------------------------------------------------------------------
def _make_payload_body(
    root: SchemaRoot, scope: Scope, name: str, description: str, writer: SerializerWriter
) -> ModuleBody:
    root_class = get_root_class(root)
    if root_class is None:
        nodes = {node.id: node for node in root.nodes}
        order = sort_by_use(nodes, [], [root.type])
        body = make_module_body(root.nodes, scope, {}, order, map_declared_places(nodes), writer)
        return complete_root_class(body, root, name, nodes)
    described = replace(root_class, description=description)
    nodes = {node.id: described if node.id == root_class.id else node for node in root.nodes}
    bases = {root_class.id: ("CheckedResource" if root.checks else "JsonResource",)}
    order = sort_by_use(nodes, [root_class.id], [root.type])
    return make_module_body(nodes.values(), scope, bases, order, map_declared_places(nodes.keys() - bases), writer)


def _render_handler_return(root: SchemaRoot, name: str, scope: Scope) -> str:
    returned = "dict[str, Any]" if get_root_class(root) is not None else render_root_annotation(root, scope)
    value = {"dict[str, Any]": "Mapping[str, Any]", "Any": "JsonValue"}.get(returned, returned)
    text = [] if _may_be_string(root.type, scope.nodes) else ["str"]
    return " | ".join([name, value, *text, "ResourceAnswer"])


def _may_be_string(node: Type, nodes: Mapping[str, Node]) -> bool:
    match node:
        case Scalar(kind=kind):
            return kind is ScalarKind.STRING or kind not in PLAIN_KINDS
        case Choice(values=values):
            return any(isinstance(value, str) for value in values)
        case Union(members=members):
            return any(_may_be_string(member, nodes) for member in members)
        case _:
            return isinstance(node, Ref) and isinstance(nodes.get(node.id), Alias)


def _may_be_contents(node: Type, nodes: Mapping[str, Node]) -> bool:
    """Check whether a mapping of the type may be mistaken for resource contents: it declares a `text` or `blob`."""
    match node:
        case Ref(id=node_id):
            target = nodes.get(node_id)
            return not isinstance(target, ObjectClass) or any(field.wire in ("text", "blob") for field in target.fields)
        case Union(members=members):
            return any(_may_be_contents(member, nodes) for member in members)
        case _:
            return isinstance(node, Map) or is_any(node)
