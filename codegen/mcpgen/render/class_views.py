"""Make the views of classes, the names and expressions that templates print, and sort the classes of a module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, NamedTuple

from mcpgen.ir.package import SchemaRoot, get_root_class
from mcpgen.ir.types import (
    ANY,
    Alias,
    Array,
    Choice,
    Field,
    FixedArray,
    Map,
    Node,
    ObjectClass,
    Presence,
    Ref,
    Scalar,
    ScalarKind,
    Type,
    Union,
)
from mcpgen.ir.visitors import collect_refs, list_node_types
from mcpgen.literals import Literal, make_docstring, make_literal
from mcpgen.render.annotations import render_annotated, render_annotation, split_annotation, split_field_annotation
from mcpgen.render.scope import Scope
from mcpgen.render.serializers import SerializerWriter, is_plain

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


# --- the order of the classes of a module ----------------------------------------------------------------------------
def sort_by_use(nodes: Mapping[str, Node], heads: Iterable[str], first: Iterable[Type]) -> list[str]:
    """Return the ids in the order in which a reader needs them, as far as Python can run it.

    The `heads` begin. Then come the classes of the `first` types, each followed by those that it refers to, then all
    others. A class comes after the class that it inherits from, and a type alias after what it names.
    """
    order = dict.fromkeys(head for head in heads if head in nodes)
    used = [ref for ref in collect_refs(*first) if ref in nodes]
    entered: set[str] = set()
    stack = [*reversed((*used, *order, *nodes))]
    while stack:
        node_id = stack.pop()
        if node_id not in entered:
            entered.add(node_id)
            order.setdefault(node_id)
            stack.extend(reversed(_list_refs(nodes[node_id], nodes)))
    return _put_after(order, lambda node_id: _list_needed(nodes[node_id], nodes))


def sort_by_dependency(nodes: Mapping[str, Node]) -> list[str]:
    """Return the ids in depth-first order, dependencies first."""
    return _put_after(nodes, lambda node_id: _list_refs(nodes[node_id], nodes))


def _put_after(starts: Iterable[str], list_earlier: Callable[[str], list[str]]) -> list[str]:
    """Return the ids in their order, but each after those that `list_earlier` returns, without recursion."""
    order: list[str] = []
    entered: set[str] = set()
    for start in starts:
        stack: list[tuple[str, bool]] = [(start, False)]
        while stack:
            node_id, is_leaving = stack.pop()
            if is_leaving:
                order.append(node_id)
                continue
            if node_id in entered:
                continue
            entered.add(node_id)
            stack.append((node_id, True))
            stack.extend((ref, False) for ref in reversed(list_earlier(node_id)) if ref not in entered)
    return order


def find_incomplete(order: Iterable[str], nodes: Mapping[str, Node]) -> set[str]:
    """Return the nodes that refer to a later one, or to one that does."""
    incomplete: set[str] = set()
    defined: set[str] = set()
    for node_id in order:
        refs = _list_refs(nodes[node_id], nodes)
        if any((ref not in defined and ref != node_id) or ref in incomplete for ref in refs):
            incomplete.add(node_id)
        defined.add(node_id)
    return incomplete


def _list_refs(node: Node, nodes: Mapping[str, Node]) -> list[str]:
    return [ref for ref in collect_refs(*list_node_types(node)) if ref in nodes]


def _list_needed(node: Node, nodes: Mapping[str, Node]) -> list[str]:
    match node:
        case ObjectClass(base=base):
            return [] if base is None or base.id not in nodes else [base.id]
        case Alias(recursive=recursive):
            return [] if recursive else _list_refs(node, nodes)


# --- views -----------------------------------------------------------------------------------------------------------
class FieldView(NamedTuple):
    """A property as a class attribute."""

    name: str
    annotation: str
    default: Literal | None
    doc: Literal | None


class ClassView(NamedTuple):
    """An object class."""

    name: str
    bases: str
    doc: Literal | None
    fields: list[FieldView]
    extra: str | None
    """The annotation of undeclared properties, None where it is inherited, or any JSON value is allowed, or none."""
    declared: Literal | None
    """The place of its schema in a tool's; None: it has none of its own."""
    serializer: Literal | None
    """The statements of `to_structured_content`, None where that of the base class is right."""


class AliasView(NamedTuple):
    """A type alias."""

    name: str
    type: Literal
    """The type; of a recursive alias as a string, which refers to what comes later."""
    recursive: bool
    doc: Literal | None


class ModuleBody(NamedTuple):
    """Classes and aliases of a module, in order."""

    nodes: list[ClassView | AliasView]
    rebuild: list[str]
    """The classes that refer to later ones, which pydantic has to complete at the end, inner ones first."""


def make_class_view(
    node: ObjectClass,
    scope: Scope,
    bases: Iterable[str] = (),
    declared: Literal | None = None,
    serializer: Literal | None = None,
) -> ClassView:
    """Return the view of an object class, whose own `bases` stand before the run-time class that it needs."""
    names = scope.get_attribute_names(node)
    base = None if node.base is None else scope.names[node.base.id]
    has_typed_extra = base is None and node.extra not in (None, ANY)
    return ClassView(
        name=scope.names[node.id],
        bases=", ".join((*bases, base or _select_base_class(node, names))),
        doc=make_docstring(node.description, 4) if node.description.strip() else None,
        fields=[] if base else [_make_field_view(field, names[field.wire], scope) for field in node.fields],
        extra=render_annotation(node.extra, scope) if has_typed_extra and node.extra is not None else None,
        declared=declared,
        serializer=serializer,
    )


def _select_base_class(node: ObjectClass, names: Mapping[str, str]) -> str:
    """Return the run-time base class: for open or closed objects, and for null that differs from absence or not."""
    sparse = [field for field in node.fields if field.presence is Presence.OPTIONAL_NULLABLE]
    has_renamed = node.extra is not None and any(names[field.wire] != field.wire for field in sparse)
    kind = "Renamed" if has_renamed else "Sparse" if sparse else ""
    return f"{kind}{'Closed' if node.extra is None else 'Open'}Object"


def _make_field_view(field: Field, name: str, scope: Scope) -> FieldView:
    base, metadata = split_field_annotation(field.type, field.presence, scope)
    if name != field.wire:
        metadata = (*metadata, f"Field(alias={make_literal(field.wire)})")
    return FieldView(
        name=name,
        annotation=render_annotated(base, metadata),
        default=_make_default(field),
        doc=make_docstring(field.description, 4) if field.description.strip() else None,
    )


def _make_default(field: Field) -> Literal | None:
    """Return the default of an attribute: absence, or the only value that a required property can have."""
    match field:
        case Field(presence=Presence.OPTIONAL):
            return make_literal(None)
        case Field(presence=Presence.OPTIONAL_NULLABLE):
            return Literal("ABSENT")
        case Field(default=None, type=Choice(values=(constant,))) if constant is not None:
            return make_literal(constant)
        case _:
            return None if field.default is None else make_literal(field.default)


def make_module_body(
    nodes: Iterable[Node],
    scope: Scope,
    bases: Mapping[str, tuple[str, ...]],
    order: Sequence[str] | None = None,
    declared: Mapping[str, Literal] | None = None,
    writer: SerializerWriter | None = None,
) -> ModuleBody:
    """Return the classes and aliases of a module, in this order of ids; by default each follows what it refers to."""
    nodes_by_id = {node.id: node for node in nodes}
    order = sort_by_dependency(nodes_by_id) if order is None else order
    writer = writer or SerializerWriter(scope)
    views: list[ClassView | AliasView] = []
    for node_id in order:
        node = nodes_by_id[node_id]
        match node:
            case ObjectClass():
                place, serializer = (declared or {}).get(node_id), writer.write_object(node)
                views.append(make_class_view(node, scope, bases.get(node_id, ()), place, serializer))
            case Alias():
                views.append(_make_alias_view(node, scope))
    incomplete = find_incomplete(order, nodes_by_id)
    rebuild = [key for key in reversed(order) if key in incomplete and isinstance(nodes_by_id[key], ObjectClass)]
    return ModuleBody(views, [scope.names[key] for key in rebuild])


def _make_alias_view(alias: Alias, scope: Scope) -> AliasView:
    annotation = render_annotation(alias.type, scope)
    doc = make_docstring(alias.description, 0) if alias.description.strip() else None
    type = make_literal(annotation) if alias.recursive else Literal(annotation)
    return AliasView(scope.names[alias.id], type, alias.recursive, doc)


def complete_root_class(body: ModuleBody, root: SchemaRoot, name: str, nodes: Mapping[str, Node]) -> ModuleBody:
    """Return the body of a module with a class over a root other than an object, which refers to `nodes`."""
    refers = get_root_class(root) is None and any(ref in nodes for ref in collect_refs(root.type))
    return body._replace(rebuild=[*body.rebuild, name]) if refers else body


class RootView(NamedTuple):
    """A result or resource class over a value that is not an object."""

    bases: Literal
    annotation: Literal | None
    """The annotation of `root`; None: the class does not define it."""
    doc: Literal | None
    """None: the template prints the docstring."""
    returns: Literal | None
    """The return annotation of `to_structured_content`; None: the class does not define it."""
    serializer: Literal | None


def make_root_view(
    root: SchemaRoot,
    scope: Scope,
    kind: str,
    bases: Iterable[str] = (),
    description: str | None = None,
    writer: SerializerWriter | None = None,
) -> RootView:
    """Return the view of a `Result` or `Resource` over a root's value; without a `description` the template has one."""
    base = "RootArray" if scope.is_array(root.type) else "Root"
    return RootView(
        bases=Literal(", ".join((*bases, f"{base}{kind}"))),
        annotation=Literal(render_annotation(root.type, scope)),
        doc=None if description is None else make_docstring(description, 4),
        returns=Literal(render_root_annotation(root, scope)),
        serializer=(writer or SerializerWriter(scope)).write_root(root.type),
    )


def is_string(node: Type) -> bool:
    """Check whether every value of the type is a string."""
    match node:
        case Scalar(kind=kind):
            return kind is ScalarKind.STRING
        case Choice(values=values):
            return all(isinstance(value, str) for value in values)
        case _:
            return False


def render_root_annotation(root: SchemaRoot, scope: Scope) -> str:
    """Return the return annotation of a root model's `to_structured_content`."""
    match root.type:
        case Array() | FixedArray():
            return "list[Any]"
        case Map():
            return "dict[str, Any]"
        case Ref() | Union():
            return "Any"
        case node:
            return split_annotation(node, scope)[0] if is_plain(node) else "Any"


# --- options as keywords ---------------------------------------------------------------------------------------------
def render_constructor_call(class_name: str, name: str, options: DataclassInstance) -> Literal:
    """Return `class_name(__file__, name, keyword=value, …)` for the options, a dataclass, that are not defaults."""
    arguments = ["__file__", str(make_literal(name)), *list_keywords(options)]
    return Literal(f"{class_name}({', '.join(arguments)})")


def list_keywords(options: DataclassInstance) -> list[str]:
    """Return `keyword=value` for each option that is not the default; as above."""
    values = [(field.name, getattr(options, field.name), field.default) for field in fields(options)]
    return [f"{name}={make_literal(value)}" for name, value, default in values if value != default]
