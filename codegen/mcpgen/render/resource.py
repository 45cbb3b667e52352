"""What the module of a resource prints: its declaration, its URIs, the class of its JSON value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mcpgen.ir.package import ResourceModule, Root, root_class
from mcpgen.ir.types import Alias, Choice, Kind, Map, Node, ObjectClass, Ref, Scalar, Type, Union
from mcpgen.ir.uri_template import TemplatePart, variables
from mcpgen.literals import Literal, comment, docstring, scalar
from mcpgen.names.allocator import ResourceNames
from mcpgen.names.identifiers import parameter_names
from mcpgen.render import class_views
from mcpgen.render.scope import Scope

FRONT = {"": "", "+": "", "#": "#", ".": ".", "/": "/", ";": ";", "?": "?", "&": "&"}
MOST_TERMS = 50
"""Terms of a sum: each lies inside of the one before it, and Python and its checkers read only so deep."""
BETWEEN = {"": ",", "+": ",", "#": ",", ".": ".", "/": "/", ";": ";", "?": "&", "&": "&"}
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


def values_of(resource: ResourceModule, names: ResourceNames, scope: Scope) -> dict[str, Any]:
    """What `resource.py.j2` needs to know."""
    wires = variables(resource.template)
    python = parameter_names(wires)
    parameters = sorted((_parameter(python[wire], wire, wires[wire]) for wire in wires), key=lambda one: one.optional)
    text = resource.description.strip() or f"The resource `{resource.wire}`."
    values: dict[str, Any] = {
        "doc": docstring(f"Resource `{resource.wire}`.", 0),
        "name": names.name,
        "class_doc": docstring(text, 4),
        "info": _info(resource, scope),
        "uri": Literal(_uri(resource, python)),
        "parts": [_part(part) for part in match_parts(resource.template)],
        "parameters": parameters,
        "signature": ", ".join(one.declared for one in parameters),
        "parameters_name": names.parameters,
        "module": class_views.ModuleBody([], []),
        "own": None,
        "root": None,
        "checks": None,
        "payload": None,
    }
    return values if resource.payload is None else {**values, **_payload(resource.payload, names, scope, text)}


def _parameter(name: str, wire: str, optional: bool) -> ParameterView:
    if optional:
        return ParameterView(name, "str | None", f"{name}: str | None = None", f"found.get({scalar(wire)})", True)
    return ParameterView(name, "str", f"{name}: str", f"found[{scalar(wire)}]", False)


def _info(resource: ResourceModule, scope: Scope) -> Literal:
    words = [str(scalar(resource.wire))]
    for word, value in (
        ("uri", resource.uri),
        ("uri_template", resource.uri_template),
        ("mime_type", resource.mime_type),
        ("ttl_ms", resource.ttl_ms),
        ("cache_scope", resource.cache_scope),
    ):
        if value is not None:
            words.append(f"{word}={scalar(value)}")
    root = resource.payload
    if root is not None:
        if not _may_be_string(root.type, scope.nodes):
            words.append("text_is_json=True")
        if _may_be_contents(root.type, scope.nodes):
            words.append("contents_in_mappings=False")
    return Literal(f"ResourceInfo({', '.join(words)})")


# --- URIs ------------------------------------------------------------------------------------------------------------
def _uri(resource: ResourceModule, python: dict[str, str]) -> str:
    """The expression for a URI, of its parameters."""
    if not resource.template:
        return str(scalar(resource.uri or ""))
    optional = variables(resource.template)
    terms: list[str] = []
    text = ""
    for part in resource.template:
        if isinstance(part, str):
            text += part
            continue
        if part.operator in ("?", "&") and any(optional[name] for name in part.names):
            pairs = ", ".join(f"({scalar(name)}, {python[name]})" for name in part.names)
            terms += [*_quoted(text), f"uris.query({scalar(part.operator)}, {pairs})"]
            text = ""
            continue
        for index, name in enumerate(part.names):
            text += FRONT[part.operator] if index == 0 else BETWEEN[part.operator]
            value = python[name]
            if part.operator == ";":
                terms += [*_quoted(text), f"uris.parameter({scalar(name)}, {value})"]
            else:
                text += f"{name}=" if part.operator in ("?", "&") else ""
                how = "reserved" if part.operator in ("+", "#") else "unreserved"
                terms += [*_quoted(text), f"uris.{how}({value})"]
            text = ""
    terms += _quoted(text)
    if len(terms) > MOST_TERMS:
        return f'"".join(({", ".join(terms)}))'
    return " + ".join(terms)


def _quoted(text: str) -> list[str]:
    return [str(scalar(text))] if text else []


def match_parts(template: tuple[TemplatePart, ...]) -> list[str | Variable | Query]:
    """The template as what a URI is matched against, neighbouring literals joined."""
    out: list[str | Variable | Query] = []

    def literal(text: str) -> None:
        if text and out and isinstance(previous := out[-1], str):
            out[-1] = previous + text
        elif text:
            out.append(text)

    for part in template:
        if isinstance(part, str):
            literal(part)
        elif part.operator in ("?", "&"):
            out.append(Query(part.operator, part.names))
        else:
            for index, name in enumerate(part.names):
                literal(FRONT[part.operator] if index == 0 else BETWEEN[part.operator])
                if part.operator == ";":
                    literal(name)
                out.append(Variable(name, part.operator in ("+", "#"), "=" if part.operator == ";" else ""))
    return out


@dataclass(frozen=True)
class Variable:
    """A place for a value, as `templates/uris.py` has it."""

    name: str
    reserved: bool
    lead: str


@dataclass(frozen=True)
class Query:
    """A place for the pairs of a query, as `templates/uris.py` has it."""

    first: str
    names: tuple[str, ...]


def _part(part: str | Variable | Query) -> Literal:
    match part:
        case str():
            return scalar(part)
        case Variable(name=name, reserved=reserved, lead=lead):
            words = [str(scalar(name)), *(["reserved=True"] if reserved else []), *([f'lead="{lead}"'] if lead else [])]
            return Literal(f"uris.Variable({', '.join(words)})")
        case Query(first=first, names=names):
            listed = ", ".join(str(scalar(name)) for name in names)
            return Literal(f"uris.Query({scalar(first)}, ({listed}{',' if len(names) == 1 else ''}))")


# --- the JSON value --------------------------------------------------------------------------------------------------
def _payload(root: Root, names: ResourceNames, scope: Scope, text: str) -> dict[str, Any]:
    own = root_class(root)
    base = "CheckedResource" if root.checks else "JsonResource"
    nodes = [replace(own, description=text) if own is not None and node.id == own.id else node for node in root.nodes]
    bases = {} if own is None else {own.id: (base,)}
    values: dict[str, Any] = {
        "module": class_views.body(nodes, scope, bases),
        "own": names.name if own is not None else None,
        "checks": comment(", ".join(root.checks)) if root.checks else None,
        "payload": Literal(_accepted(root, names.name, scope)),
    }
    if own is None:
        leading = "CheckedResource, " if root.checks else ""
        values["root"] = {
            "bases": Literal(f"{leading}RootResource[{scope.render_annotation(root.type)}]"),
            "returns": Literal(class_views.root_returns(root, scope)),
            "value": Literal(scope.dump(root.type, "self.root")),
        }
    return values


def _accepted(root: Root, name: str, scope: Scope) -> str:
    """The types of what a handler may return, beside whole answers."""
    returned = "dict[str, Any]" if root_class(root) is not None else class_views.root_returns(root, scope)
    value = {"dict[str, Any]": "Mapping[str, Any]", "Any": "JsonValue"}.get(returned, returned)
    text = [] if _may_be_string(root.type, scope.nodes) else ["str"]
    return " | ".join([name, value, *text, "ResourceAnswer"])


def _may_be_string(node: Type, nodes: Mapping[str, Node]) -> bool:
    """Whether a value of the type can be a string."""
    match node:
        case Scalar(kind=own):
            return own not in (Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN, Kind.NULL)
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
            return kind is Kind.ANY
        case _:
            return False
