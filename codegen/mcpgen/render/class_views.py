"""What the templates print: names and literals only, every decision made."""

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
from mcpgen.render.scope import Scope, render_annotated

NULL = Scalar(ScalarKind.NULL)
MIN_FIELDS_FOR_DICT_READS = 3
"""As many properties are read from `__dict__` by a serializer: pydantic's `__getattr__` makes every attribute slow."""


@dataclass(frozen=True)
class FieldView:
    """A property as a class attribute, as a parameter, and as a step of the serializer."""

    name: str
    wire: Literal
    annotation: str
    parameter: str
    default: Literal | None
    condition: str
    """When it is emitted; empty: always."""
    value: str
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
    """Annotation of undeclared properties where the schema says their type."""
    extras_value: str
    own: bool
    """Whether the serializer reads the attributes from `own`, the instance's `__dict__`."""
    always: list[FieldView]
    """The properties that lead the dict literal."""
    later: list[FieldView]


@dataclass(frozen=True)
class AliasView:
    """A recursive type alias."""

    name: str
    type: Literal


@dataclass(frozen=True)
class ModuleBody:
    """The classes of a module, each after what it needs where that is possible."""

    nodes: list[ClassView | AliasView]
    rebuild: list[str]
    """Classes that refer to later ones and so have to be completed at the end."""


def make_class_view(node: ObjectClass, scope: Scope, bases: Iterable[str] = ()) -> ClassView:
    """An object class, with `bases` before those that its own shape asks for."""
    names = scope.get_attribute_names(node)
    own = len(node.fields) >= MIN_FIELDS_FOR_DICT_READS
    fields = [_make_field_view(field, names[field.wire], scope, own) for field in node.fields]
    required = [f for f in fields if not f.condition]
    sparse = [field for field in node.fields if field.presence is Presence.OPTIONAL_NULLABLE]
    renamed = node.extra is not None and any(names[field.wire] != field.wire for field in sparse)
    kind = "Renamed" if renamed else "Sparse" if sparse else ""
    base = f"{kind}{'Closed' if node.extra is None else 'Open'}Object"
    typed = node.extra if node.extra is not None and node.extra != Scalar(ScalarKind.ANY) else None
    plain = node.extra is not None and scope.is_plain(node.extra)
    return ClassView(
        name=scope.names[node.id],
        bases=", ".join((*bases, base)),
        doc=make_docstring(node.description, 4) if node.description.strip() else None,
        fields=sorted(fields, key=lambda one: one.default is not None),
        open=node.extra is not None,
        extra=None if typed is None else scope.render_annotation(typed),
        extras_value="self.__pydantic_extra__" if plain else "to_json_value(self.__pydantic_extra__)",
        own=own,
        always=required,
        later=[f for f in fields if f.condition],
    )


def _make_field_view(field: Field, name: str, scope: Scope, own: bool) -> FieldView:
    base, metadata = scope.split_field_annotation(field.type, field.presence)
    optional = field.presence is not Presence.REQUIRED
    static = scope.render_static_annotation(field.type)
    parameter = static if field.presence is Presence.REQUIRED or scope.admits_none(field.type) else f"{static} | None"
    if field.presence is Presence.OPTIONAL:
        metadata = ("Omit", *metadata) if "None" in base else (*metadata, "Omit")
    wire = make_literal(field.wire)
    if name != field.wire:
        metadata = (*metadata, f"Field(alias={wire})")
    attribute = f"own[{make_literal(name)}]" if own else f"self.{name}"
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
        value=scope.dump(emitted, attribute),
        doc=make_docstring(field.description, 4) if field.description.strip() else None,
    )


def _add_null(node: Type) -> Type:
    return Union((*(node.members if isinstance(node, Union) else (node,)), NULL))


def make_module_body(nodes: Iterable[Node], scope: Scope, bases: Mapping[str, tuple[str, ...]]) -> ModuleBody:
    """The classes and aliases of a module in an order in which each stands after what it refers to."""
    own = {node.id: node for node in nodes}
    order = _sort_by_dependency(own)
    views: list[ClassView | AliasView] = []
    for key in order:
        node = own[key]
        match node:
            case ObjectClass():
                views.append(make_class_view(node, scope, bases.get(key, ())))
            case Alias():
                views.append(AliasView(scope.names[key], make_literal(scope.render_annotation(node.type))))
    incomplete: set[str] = set()
    done: set[str] = set()
    for key in order:
        mentioned = {ref for ref in collect_refs(*list_node_types(own[key])) if ref in own}
        if any((ref not in done and ref != key) or ref in incomplete for ref in mentioned):
            incomplete.add(key)
        done.add(key)
    rebuild = [scope.names[key] for key in order if key in incomplete and isinstance(own[key], ObjectClass)]
    return ModuleBody(views, rebuild)


def _sort_by_dependency(own: Mapping[str, Node]) -> list[str]:
    order: list[str] = []
    state: dict[str, int] = {}
    for start in own:
        stack: list[tuple[str, bool]] = [(start, False)]
        while stack:
            key, leaving = stack.pop()
            if leaving:
                order.append(key)
                continue
            if key in state:
                continue
            state[key] = 1
            stack.append((key, True))
            inner = [ref for ref in collect_refs(*list_node_types(own[key])) if ref in own and ref not in state]
            stack.extend((ref, False) for ref in reversed(inner))
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
        value=Literal(scope.dump(root.type, "self.root")),
    )


def is_string(node: Type) -> bool:
    """Whether every value of the type is a string."""
    match node:
        case Scalar(kind=kind):
            return kind is ScalarKind.STRING
        case Choice(values=values):
            return all(isinstance(value, str) for value in values)
        case _:
            return False


def render_root_annotation(root: SchemaRoot, scope: Scope) -> str:
    """The return annotation of a root model's `to_structured_content`."""
    match root.type:
        case Array() | FixedArray():
            return "list[Any]"
        case Map():
            return "dict[str, Any]"
        case Ref() | Union():
            return "Any"
        case other:
            if scope.is_plain(other):
                return scope.split_annotation(other)[0]
            return "Any"
