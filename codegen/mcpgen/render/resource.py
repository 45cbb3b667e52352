"""What the module of a resource prints: its declaration, its URIs, the class of its JSON value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcpgen.ir.package import ResourceModule, SchemaRoot, get_root_class
from mcpgen.ir.types import Alias, Choice, Map, Node, ObjectClass, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.ir.uri_template import UriTemplatePart, list_uri_variables
from mcpgen.literals import Literal, make_comment, make_docstring, make_literal
from mcpgen.names.allocator import ResourceNames
from mcpgen.names.identifiers import make_parameter_names
from mcpgen.render import class_views
from mcpgen.render.scope import Scope

EXPANSION_PREFIXES = {"": "", "+": "", "#": "#", ".": ".", "/": "/", ";": ";", "?": "?", "&": "&"}
MAX_TERMS = 50
"""Terms of a sum: each lies inside of the one before it, and Python and its checkers read only so deep."""
EXPANSION_SEPARATORS = {"": ",", "+": ",", "#": ",", ".": ".", "/": "/", ";": ";", "?": "&", "&": "&"}
"""What an operator puts before its values and between them (RFC 6570 appendix A)."""


@dataclass(frozen=True)
class ParameterView:
    """A variable of a URI template as a parameter of `uri`, and as a member of the TypedDict that `match` gives."""

    name: str
    annotation: str
    declared: str
    """The parameter itself, its default included."""
    found: str
    """Its value among those that were found in a URI."""
    optional: bool


def make_resource_values(resource: ResourceModule, names: ResourceNames, scope: Scope) -> dict[str, Any]:
    """What `package/resource.py.j2` needs to know."""
    wires = list_uri_variables(resource.template)
    python = make_parameter_names(wires)
    parameters = sorted(
        (_make_parameter_view(python[wire], wire, wires[wire]) for wire in wires), key=lambda one: one.optional
    )
    text = resource.description.strip() or f"The resource `{resource.wire}`."
    values: dict[str, Any] = {
        "doc": make_docstring(f"Resource `{resource.wire}`.", 0),
        "name": names.name,
        "class_doc": make_docstring(text, 4),
        "info": _render_resource_info(resource, scope),
        "uri": Literal(_render_uri_expression(resource, python)),
        "parts": [_render_match_part(part) for part in make_match_parts(resource.template)],
        "parameters": parameters,
        "signature": ", ".join(one.declared for one in parameters),
        "parameters_name": names.parameters,
        "module": class_views.ModuleBody([], []),
        "own": None,
        "root": None,
        "checks": None,
        "payload": None,
    }
    return (
        values if resource.payload is None else {**values, **_make_payload_values(resource.payload, names, scope, text)}
    )


def _make_parameter_view(name: str, wire: str, optional: bool) -> ParameterView:
    if optional:
        return ParameterView(name, "str | None", f"{name}: str | None = None", f"found.get({make_literal(wire)})", True)
    return ParameterView(name, "str", f"{name}: str", f"found[{make_literal(wire)}]", False)


def _render_resource_info(resource: ResourceModule, scope: Scope) -> Literal:
    words = [str(make_literal(resource.wire))]
    for word, value in (
        ("uri", resource.uri),
        ("uri_template", resource.uri_template),
        ("mime_type", resource.mime_type),
        ("ttl_ms", resource.ttl_ms),
        ("cache_scope", resource.cache_scope),
    ):
        if value is not None:
            words.append(f"{word}={make_literal(value)}")
    root = resource.payload
    if root is not None:
        if not _may_be_string(root.type, scope.nodes):
            words.append("text_is_json=True")
        if _may_be_contents(root.type, scope.nodes):
            words.append("contents_in_mappings=False")
    return Literal(f"ResourceInfo({', '.join(words)})")


# --- URIs ------------------------------------------------------------------------------------------------------------
def _render_uri_expression(resource: ResourceModule, python: dict[str, str]) -> str:
    """The expression for a URI, of its parameters."""
    if not resource.template:
        return str(make_literal(resource.uri or ""))
    optional = list_uri_variables(resource.template)
    terms: list[str] = []
    text = ""
    for part in resource.template:
        if isinstance(part, str):
            text += part
            continue
        if part.operator in ("?", "&") and any(optional[name] for name in part.names):
            pairs = ", ".join(f"({make_literal(name)}, {python[name]})" for name in part.names)
            terms += [*_quote_nonempty(text), f"uris.query({make_literal(part.operator)}, {pairs})"]
            text = ""
            continue
        for index, name in enumerate(part.names):
            text += EXPANSION_PREFIXES[part.operator] if index == 0 else EXPANSION_SEPARATORS[part.operator]
            value = python[name]
            if part.operator == ";":
                terms += [*_quote_nonempty(text), f"uris.parameter({make_literal(name)}, {value})"]
            else:
                text += f"{name}=" if part.operator in ("?", "&") else ""
                how = "reserved" if part.operator in ("+", "#") else "unreserved"
                terms += [*_quote_nonempty(text), f"uris.{how}({value})"]
            text = ""
    terms += _quote_nonempty(text)
    if len(terms) > MAX_TERMS:
        return f'"".join(({", ".join(terms)}))'
    return " + ".join(terms)


def _quote_nonempty(text: str) -> list[str]:
    return [str(make_literal(text))] if text else []


def make_match_parts(template: tuple[UriTemplatePart, ...]) -> list[str | UriVariable | UriQuery]:
    """The template as what a URI is matched against, neighbouring literals joined."""
    out: list[str | UriVariable | UriQuery] = []

    def literal(text: str) -> None:
        if text and out and isinstance(previous := out[-1], str):
            out[-1] = previous + text
        elif text:
            out.append(text)

    for part in template:
        if isinstance(part, str):
            literal(part)
        elif part.operator in ("?", "&"):
            out.append(UriQuery(part.operator, part.names))
        else:
            for index, name in enumerate(part.names):
                literal(EXPANSION_PREFIXES[part.operator] if index == 0 else EXPANSION_SEPARATORS[part.operator])
                if part.operator == ";":
                    literal(name)
                out.append(UriVariable(name, part.operator in ("+", "#"), "=" if part.operator == ";" else ""))
    return out


@dataclass(frozen=True)
class UriVariable:
    """A place for a value, as `templates/runtime/uris.py` has it."""

    name: str
    reserved: bool
    lead: str


@dataclass(frozen=True)
class UriQuery:
    """A place for the pairs of a query, as `templates/runtime/uris.py` has it."""

    first: str
    names: tuple[str, ...]


def _render_match_part(part: str | UriVariable | UriQuery) -> Literal:
    match part:
        case str():
            return make_literal(part)
        case UriVariable(name=name, reserved=reserved, lead=lead):
            words = [
                str(make_literal(name)),
                *(["reserved=True"] if reserved else []),
                *([f'lead="{lead}"'] if lead else []),
            ]
            return Literal(f"uris.Variable({', '.join(words)})")
        case UriQuery(first=first, names=names):
            listed = ", ".join(str(make_literal(name)) for name in names)
            return Literal(f"uris.Query({make_literal(first)}, ({listed}{',' if len(names) == 1 else ''}))")


# --- the JSON value --------------------------------------------------------------------------------------------------
def _make_payload_values(root: SchemaRoot, names: ResourceNames, scope: Scope, text: str) -> dict[str, Any]:
    own = get_root_class(root)
    base = "CheckedResource" if root.checks else "JsonResource"
    nodes = [replace(own, description=text) if own is not None and node.id == own.id else node for node in root.nodes]
    bases = {} if own is None else {own.id: (base,)}
    values: dict[str, Any] = {
        "module": class_views.make_module_body(nodes, scope, bases),
        "own": names.name if own is not None else None,
        "checks": make_comment(", ".join(root.checks)) if root.checks else None,
        "payload": Literal(_render_accepted_types(root, names.name, scope)),
    }
    if own is None:
        leading = "CheckedResource, " if root.checks else ""
        values["root"] = {
            "bases": Literal(f"{leading}RootResource[{scope.render_annotation(root.type)}]"),
            "returns": Literal(class_views.render_root_annotation(root, scope)),
            "value": Literal(scope.dump(root.type, "self.root")),
        }
    return values


def _render_accepted_types(root: SchemaRoot, name: str, scope: Scope) -> str:
    """The types of what a handler may return, beside whole answers."""
    returned = "dict[str, Any]" if get_root_class(root) is not None else class_views.render_root_annotation(root, scope)
    value = {"dict[str, Any]": "Mapping[str, Any]", "Any": "JsonValue"}.get(returned, returned)
    text = [] if _may_be_string(root.type, scope.nodes) else ["str"]
    return " | ".join([name, value, *text, "ResourceAnswer"])


def _may_be_string(node: Type, nodes: Mapping[str, Node]) -> bool:
    """Whether a value of the type can be a string."""
    match node:
        case Scalar(kind=own):
            return own not in (ScalarKind.INTEGER, ScalarKind.NUMBER, ScalarKind.BOOLEAN, ScalarKind.NULL)
        case Choice(values=values):
            return any(isinstance(value, str) for value in values)
        case Union(members=members):
            return any(_may_be_string(member, nodes) for member in members)
        case Ref(id=key):
            return isinstance(nodes.get(key), Alias)
        case _:
            return False


def _may_be_contents(node: Type, nodes: Mapping[str, Node]) -> bool:
    """Whether an object of the type may have a `text` or `blob` of its own, as far as is declared."""
    match node:
        case Ref(id=key):
            held = nodes.get(key)
            if isinstance(held, ObjectClass):
                return bool({"text", "blob"} & {field.wire for field in held.fields})
            return True
        case Union(members=members):
            return any(_may_be_contents(member, nodes) for member in members)
        case Map():
            return True
        case Scalar(kind=kind):
            return kind is ScalarKind.ANY
        case _:
            return False
