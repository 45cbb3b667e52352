"""Make the views of classes: the names and expressions that templates print, with every decision made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import (
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
from mcpgen.render.json_values import is_plain, render_json_value
from mcpgen.render.scope import Scope
from mcpgen.render.static_annotations import render_static_annotation
from mcpgen.render.unions import NULL

MIN_FIELDS_FOR_DICT_READS = 3
"""From this number of properties on, a serializer reads them from `__dict__`: pydantic makes attribute access slow."""


@dataclass(frozen=True)
class FieldView:
    """A property as a class attribute, as a parameter, and as a step of the serializer."""

    name: str
    wire: Literal
    annotation: str
    parameter: str
    default: Literal | None
    condition: str
    """The expression for whether it is emitted; empty: always."""
    value: str
    """The expression for its JSON value."""
    doc: Literal | None


@dataclass(frozen=True)
class ClassView:
    """An object class."""

    name: str
    bases: str
    doc: Literal | None
    fields: list[FieldView]
    open: bool
    extra: str | None
    """The annotation of undeclared properties, None where any JSON value is allowed or none."""
    extras_value: str
    own: bool
    """The serializer reads the attributes from a variable `own`, the instance's `__dict__`."""
    always: list[FieldView]
    """The properties that are emitted always, in a dict literal."""
    later: list[FieldView]
    """The properties that are emitted on a condition, after those."""
    base: str | None = None
    """The class that it inherits all its properties and their serializer from."""


@dataclass(frozen=True)
class AliasView:
    """A type alias."""

    name: str
    type: Literal
    """The type; of a recursive alias as a string, which refers to what comes later."""
    recursive: bool
    doc: Literal | None


@dataclass(frozen=True)
class ModuleBody:
    """Classes and aliases of a module, each after those that it refers to, as far as there is no cycle."""

    nodes: list[ClassView | AliasView]
    rebuild: list[str]
    """The classes that refer to later ones: the module calls their `model_rebuild()` at the end."""


def make_class_view(node: ObjectClass, scope: Scope, bases: Iterable[str] = ()) -> ClassView:
    """Return the view of an object class, with `bases` before the run-time base class that it needs."""
    names = scope.get_attribute_names(node)
    base = None if node.base is None else scope.names[node.base.id]
    reads_dict = len(node.fields) >= MIN_FIELDS_FOR_DICT_READS
    fields = [make_field_view(field, names[field.wire], scope, reads_dict) for field in node.fields]
    typed_extra = node.extra if node.extra != Scalar(ScalarKind.ANY) else None
    is_extra_plain = node.extra is not None and is_plain(node.extra)
    return ClassView(
        name=scope.names[node.id],
        bases=", ".join((*bases, base or _select_base_class(node, names))),
        doc=make_docstring(node.description, 4) if node.description.strip() else None,
        fields=sorted(fields, key=lambda field: field.default is not None),
        open=node.extra is not None,
        extra=None if typed_extra is None else render_annotation(typed_extra, scope),
        extras_value="self.__pydantic_extra__" if is_extra_plain else "to_json_value(self.__pydantic_extra__)",
        own=reads_dict,
        always=[field for field in fields if not field.condition],
        later=[field for field in fields if field.condition],
        base=base,
    )


def _select_base_class(node: ObjectClass, names: Mapping[str, str]) -> str:
    """Return the run-time base class: for open or closed objects, and for null that differs from absence or not."""
    sparse = [field for field in node.fields if field.presence is Presence.OPTIONAL_NULLABLE]
    has_renamed = node.extra is not None and any(names[field.wire] != field.wire for field in sparse)
    kind = "Renamed" if has_renamed else "Sparse" if sparse else ""
    return f"{kind}{'Closed' if node.extra is None else 'Open'}Object"


def make_field_view(field: Field, name: str, scope: Scope, reads_dict: bool) -> FieldView:
    """Return the view of a property; `reads_dict`: its serializer reads it from `__dict__`."""
    base, metadata = split_field_annotation(field.type, field.presence, scope)
    optional = field.presence is not Presence.REQUIRED
    static = render_static_annotation(field.type, scope)
    parameter = static if field.presence is Presence.REQUIRED or scope.admits_none(field.type) else f"{static} | None"
    if field.presence is Presence.OPTIONAL:
        metadata = ("Omit", *metadata) if "None" in base else (*metadata, "Omit")
    wire = make_literal(field.wire)
    if name != field.wire:
        metadata = (*metadata, f"Field(alias={wire})")
    attribute = f"own[{make_literal(name)}]" if reads_dict else f"self.{name}"
    conditions = {
        Presence.REQUIRED: "",
        Presence.OPTIONAL: f"{attribute} is not None",
        Presence.OPTIONAL_NULLABLE: f"{make_literal(name)} in self.__pydantic_fields_set__",
    }
    nullable = field.presence is Presence.OPTIONAL_NULLABLE and not scope.admits_none(field.type)
    emitted: Type = _add_null(field.type) if nullable else field.type
    return FieldView(
        name=name,
        wire=wire,
        annotation=render_annotated(base, metadata),
        parameter=parameter,
        default=make_literal(field.default) if field.default is not None or optional else None,
        condition=conditions[field.presence],
        value=render_json_value(emitted, attribute, scope),
        doc=make_docstring(field.description, 4) if field.description.strip() else None,
    )


def _add_null(node: Type) -> Type:
    return Union((*(node.members if isinstance(node, Union) else (node,)), NULL))


def make_module_body(nodes: Iterable[Node], scope: Scope, bases: Mapping[str, tuple[str, ...]]) -> ModuleBody:
    """Return the classes and aliases of a module, sorted so that each follows those that it refers to.

    Args:
        nodes: the classes and aliases.
        scope: the names in the module.
        bases: the further base classes of a class, by id.
    """
    nodes_by_id = {node.id: node for node in nodes}
    order = _sort_by_dependency(nodes_by_id)
    views: list[ClassView | AliasView] = []
    for node_id in order:
        node = nodes_by_id[node_id]
        match node:
            case ObjectClass():
                views.append(make_class_view(node, scope, bases.get(node_id, ())))
            case Alias():
                views.append(_make_alias_view(node, scope))
    incomplete = _find_incomplete(order, nodes_by_id)
    rebuild = [scope.names[key] for key in order if key in incomplete and isinstance(nodes_by_id[key], ObjectClass)]
    return ModuleBody(views, rebuild)


def _make_alias_view(alias: Alias, scope: Scope) -> AliasView:
    annotation = render_annotation(alias.type, scope)
    doc = make_docstring(alias.description, 0) if alias.description.strip() else None
    type = make_literal(annotation) if alias.recursive else Literal(annotation)
    return AliasView(scope.names[alias.id], type, alias.recursive, doc)


def _find_incomplete(order: Iterable[str], nodes: Mapping[str, Node]) -> set[str]:
    """Return the nodes that refer to a later node, directly or through others."""
    incomplete: set[str] = set()
    defined: set[str] = set()
    for node_id in order:
        refs = {ref for ref in collect_refs(*list_node_types(nodes[node_id])) if ref in nodes}
        if any((ref not in defined and ref != node_id) or ref in incomplete for ref in refs):
            incomplete.add(node_id)
        defined.add(node_id)
    return incomplete


def _sort_by_dependency(nodes: Mapping[str, Node]) -> list[str]:
    """Return the ids in depth-first order, dependencies first, without recursion."""
    order: list[str] = []
    entered: set[str] = set()
    for start in nodes:
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
            refs = [
                ref for ref in collect_refs(*list_node_types(nodes[node_id])) if ref in nodes and ref not in entered
            ]
            stack.extend((ref, False) for ref in reversed(refs))
    return order


@dataclass(frozen=True)
class RootView:
    """A result or resource class over a value that is not an object."""

    bases: Literal
    doc: Literal | None
    """None: the template prints the docstring."""
    returns: Literal | None
    """The return annotation of `to_structured_content`; None: the class does not define it."""
    value: Literal | None
    """The expression that `to_structured_content` returns."""


def make_root_view(root: SchemaRoot, scope: Scope, bases: Iterable[str], description: str | None = None) -> RootView:
    """Return the view of a class over the root's value, with these bases."""
    return RootView(
        bases=Literal(", ".join(bases)),
        doc=None if description is None else make_docstring(description, 4),
        returns=Literal(render_root_annotation(root, scope)),
        value=Literal(render_json_value(root.type, "self.root", scope)),
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
