"""Write serializers: the expressions of JSON values, and the statements of `to_structured_content`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import count
from typing import assert_never

from mcpgen.ir.package import ToolModule
from mcpgen.ir.types import (
    NULL,
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
from mcpgen.ir.visitors import collect_refs, list_node_types, list_reached, walk_type
from mcpgen.literals import Literal, make_literal
from mcpgen.render.scope import Scope

PLAIN_KINDS = frozenset({ScalarKind.STRING, ScalarKind.INTEGER, ScalarKind.NUMBER, ScalarKind.BOOLEAN, ScalarKind.NULL})
"""Scalars whose Python value is the JSON value."""
_MOST_LEVELS = 2
"""The most levels of objects that a serializer writes itself, apart from its own."""


def _is_mostly_plain(node: ObjectClass) -> bool:
    """Check whether at least half of an object's properties are required, and are their own JSON values."""
    copied = sum(field.presence is Presence.REQUIRED and is_plain(field.type) for field in node.fields)
    return 0 < len(node.fields) <= 2 * copied


def is_plain(node: Type) -> bool:
    """Check whether values of the type are their own JSON value, and immutable."""
    match node:
        case Scalar(kind=kind):
            return kind in PLAIN_KINDS
        case Choice():
            return True
        case Union(members=members):
            return all(is_plain(member) for member in members)
        case Array() | FixedArray() | Map() | Ref():
            return False
        case _:
            assert_never(node)


# --- expressions -----------------------------------------------------------------------------------------------------
def render_json_value(node: Type, value: str, scope: Scope, depth: int = 0) -> str:
    """Return an expression for the JSON value of a value; `depth` is the number of comprehensions around it."""
    if is_plain(node):
        return value
    match node:
        case Scalar() | Choice():
            return f"to_json_value({value})"
        case Array(item=item):
            if is_plain(item):
                return f"[*{value}]"
            name = _make_variable_name(depth)
            return f"[{render_json_value(item, name, scope, depth + 1)} for {name} in {value}]"
        case FixedArray(items=items):
            elements = (render_json_value(item, f"{value}[{i}]", scope, depth) for i, item in enumerate(items))
            return f"[{', '.join(elements)}]"
        case Map(value=value_type):
            if is_plain(value_type):
                return f"{{**{value}}}"
            name = _make_variable_name(depth)
            converted = render_json_value(value_type, name, scope, depth + 1)
            return f"{{key{depth}: {converted} for key{depth}, {name} in {value}.items()}}"
        case Union(members=members):
            return _render_union_value(members, value, scope, depth)
        case Ref():
            return f"to_json_value({value})" if scope.refers_to_alias(node) else f"{value}.to_structured_content()"
        case _:
            assert_never(node)


def _render_union_value(members: tuple[Type, ...], value: str, scope: Scope, depth: int) -> str:
    """Return an expression with at most one test; if that cannot tell the members apart, a call that walks."""
    converted = [member for member in members if not is_plain(member)]
    unconverted = [member for member in members if is_plain(member)]
    if all(scope.get_class(member) for member in converted):
        call = f"{value}.to_structured_content()"
        if not unconverted:
            return call
        if unconverted == [NULL]:
            return f"None if {value} is None else {call}"
        return f"{call} if isinstance({value}, JsonObject) else {value}"
    if len(converted) == 1 and unconverted == [NULL]:
        return f"None if {value} is None else {render_json_value(converted[0], value, scope, depth)}"
    return f"to_json_value({value})"


def _make_variable_name(depth: int) -> str:
    return "item" if depth == 0 else f"item{depth}"


# --- statements ------------------------------------------------------------------------------------------------------
def list_only_arguments(tool: ToolModule) -> frozenset[str]:
    """Return the ids of a tool's classes that nothing which it answers contains: the library serializes them."""
    starts = collect_refs(*(root.type for root in (tool.output, tool.error) if root is not None))
    return frozenset(node.id for node in tool.nodes) - {*list_reached(starts, {node.id: node for node in tool.nodes})}


def find_inlined(roots: Iterable[Type], nodes: Mapping[str, Node]) -> set[str]:
    """Return the ids of classes that have one place in the roots' values, so that another serializer writes them."""
    roots = [*roots]
    reached = list_reached(collect_refs(*roots), nodes)
    types = [*roots, *(part for node_id in reached for part in list_node_types(nodes[node_id]))]
    places = Counter(part.id for node in types for part in walk_type(node) if isinstance(part, Ref))
    once = (nodes[node_id] for node_id in reached if places[node_id] == 1)
    return {node.id for node in once if isinstance(node, ObjectClass) and node.base is None}


class SerializerWriter:
    """Writes the statements of `to_structured_content` of the classes of a module, each after those that contain it.

    A serializer writes the objects in arrays and maps itself, and those inside of these: they are many, so calls would
    count. Everything else is a call of the class's own method.
    """

    def __init__(self, scope: Scope, inlined: Container[str] = (), only_arguments: Container[str] = ()) -> None:
        """Start a module; the ids are of classes that others may write, and of those that the library serializes."""
        self._scope, self._inlined, self._only_arguments = scope, inlined, only_arguments
        self._numbers = count(1)  # of the objects in one serializer, for the names of their variables
        self._written = set[str]()  # the ids of the classes that another one has written

    def write_object(self, node: ObjectClass) -> Literal | None:
        """Return the statements for a class, None where the library serializes it."""
        if node.id in self._only_arguments:
            return None
        if node.base is not None:
            return Literal(f"return {self._scope.names[node.base.id]}.to_structured_content(self)")
        self._numbers = count(1)
        level = _MOST_LEVELS if node.id in self._written else 0
        return Literal("\n".join(self._write_object(node, "self", "", level, _make_finish("return "))))

    def write_root(self, node: Type) -> Literal:
        """Return the statements for a class over a value that is not an object, of this type."""
        statements, value = self._convert(node, "self.root", 0)
        return Literal("\n".join([*statements, f"return {value}"]))

    def _write_object(
        self, node: ObjectClass, instance: str, number: str, level: int, finish: Callable[[str], str]
    ) -> Iterator[str]:
        values, out = f"values{number}", f"out{number}"
        names = self._scope.get_attribute_names(node)
        if level > 0:
            self._written.add(node.id)
            if instance != "self" and self._is_copied(node):  # which may be of a subclass with further attributes
                yield from self._write_copy(node, instance, number, level, finish)
                return
        if node.fields:
            yield f"{values} = {instance}.__dict__"
        leading: list[str] = []
        further = [*node.fields]
        while further and further[0].presence is Presence.REQUIRED:
            field = further.pop(0)
            value = f"{values}[{make_literal(names[field.wire])}]"
            if part := self._find_part(field.type, level):
                written = f"part{next(self._numbers)}"
                statements = [f"{written}: Any", *self._write_part(part, value, written, level, field.type)]
            else:
                statements, written = self._convert(field.type, value, level)
            yield from statements
            leading.append(f"{make_literal(field.wire)}: {written}")
        display = f"{{{', '.join(leading)}}}"
        if not further and node.extra is None:
            yield finish(display)
            return
        yield f"{out}: dict[str, Any] = {display}"
        for field in further:
            yield from self._write_member(field, names[field.wire], instance, number, level)
        yield finish(_add_extras(node, instance, out))

    def _is_copied(self, node: ObjectClass) -> bool:
        """Check whether an object in another's serializer is a copy of the attributes, some of them changed."""
        names = self._scope.get_attribute_names(node)
        return _is_mostly_plain(node) and all(field.wire == names[field.wire] for field in node.fields)

    def _write_copy(
        self, node: ObjectClass, instance: str, number: str, level: int, finish: Callable[[str], str]
    ) -> Iterator[str]:
        """Yield the statements for an instance of exactly this class, which has all of its attributes and no others."""
        copied, out = f"{instance}.__dict__.copy()", f"out{number}"
        changes: list[str] = []
        for field in node.fields:
            value = f"{out}[{make_literal(field.wire)}]"
            statements = [] if is_plain(field.type) else [*self._write_value(field, value, value, level)]
            if field.presence is not Presence.REQUIRED:
                changes += [f"if {_test_presence(field, field.wire, value, instance, True)}:", f"    del {value}"]
                statements = ["else:", *_indent(statements)] if statements else []
            changes += statements
        if not changes and node.extra is None:
            yield finish(copied)
            return
        yield from [f"{out} = {copied}", *changes]
        yield finish(_add_extras(node, instance, out))

    def _write_member(self, field: Field, name: str, instance: str, number: str, level: int) -> Iterator[str]:
        value, target = f"values{number}[{make_literal(name)}]", f"out{number}[{make_literal(field.wire)}]"
        if field.presence is Presence.OPTIONAL and (part := self._find_part(field.type, level)):
            yield from self._write_part(part, value, target, level, None)
            return
        statements = self._write_value(field, value, target, level)
        if field.presence is not Presence.REQUIRED:
            yield f"if {_test_presence(field, name, value, instance)}:"
            statements = _indent(statements)
        yield from statements

    def _write_value(self, field: Field, value: str, target: str, level: int) -> Iterator[str]:
        """Yield the statements that assign the JSON value of a property that is present."""
        nullable = field.presence is Presence.OPTIONAL_NULLABLE and not self._scope.admits_none(field.type)
        emitted = _add_null(field.type) if nullable else field.type
        if part := self._find_part(field.type, level):
            yield from self._write_part(part, value, target, level, emitted)
            return
        statements, converted = self._convert(emitted, value, level)
        yield from [*statements, f"{target} = {converted}"]

    def _find_part(self, node: Type, level: int) -> ObjectClass | None:
        """Return the class of an object inside one of several, which may be null, if it is written inline."""
        return self._find_inlined(node, level) if level > 0 else None

    def _find_inlined(self, node: Type, level: int) -> ObjectClass | None:
        if isinstance(node, Union) and len(node.members) == 2 and NULL in node.members:
            (node,) = (member for member in node.members if member != NULL)
        found = self._scope.get_class(node) if level < _MOST_LEVELS else None
        return found if found is not None and found.id in self._inlined else None

    def _write_part(
        self, node: ObjectClass, value: str, target: str, level: int, emitted: Type | None
    ) -> Iterator[str]:
        """Yield the statements that assign an object's JSON value; `emitted` is its type, None if it may be absent."""
        number = str(next(self._numbers))
        item = f"item{number}"
        test = f"type({item} := {value}) is {self._scope.names[node.id]}"
        yield f"if {test} and {_test_count(node, item, '==')}:" if self._is_copied(node) else f"if {test}:"
        yield from _indent(self._write_object(node, item, number, level + 1, _make_finish(f"{target} = ")))
        yield "else:" if emitted is not None else f"elif {item} is not None:"
        yield f"    {target} = {render_json_value(emitted or Ref(node.id), item, self._scope)}"

    def _convert(self, node: Type, value: str, level: int) -> tuple[list[str], str]:
        match node:
            case Array(item=item) if found := self._find_inlined(item, level):
                number = str(next(self._numbers))
                head = [f"items{number}: list[Any] = []", f"for item{number} in {value}:"]
                finish = _make_finish(f"items{number}.append(", ")")
            case Map(value=item) if found := self._find_inlined(item, level):
                number = str(next(self._numbers))
                head = [f"items{number}: dict[str, Any] = {{}}", f"for key{number}, item{number} in {value}.items():"]
                finish = _make_finish(f"items{number}[key{number}] = ")
            case _:
                return [], render_json_value(node, value, self._scope)
        test = f"type(item{number}) is not {self._scope.names[found.id]}"
        if self._is_copied(found):
            test += f" or {_test_count(found, f'item{number}', '!=')}"
        body = [
            f"if {test}:",
            f"    {finish(render_json_value(item, f'item{number}', self._scope))}",
            "    continue",
            *self._write_object(found, f"item{number}", number, level + 1, finish),
        ]
        return [*head, *_indent(body)], f"items{number}"


def _test_presence(field: Field, name: str, value: str, instance: str, is_absent: bool = False) -> str:
    """Return the condition under which an optional property is present, or absent; `name` is its attribute's."""
    if field.presence is Presence.OPTIONAL:
        return f"{value} is {'' if is_absent else 'not '}None"
    return f"{make_literal(name)} {'not ' if is_absent else ''}in {instance}.__pydantic_fields_set__"


def _test_count(node: ObjectClass, instance: str, operator: str) -> str:
    """Return a comparison of the number of attributes with the declared one: an invalid instance may lack some."""
    return f"len({instance}.__dict__) {operator} {len(node.fields)}"


def _add_extras(node: ObjectClass, instance: str, out: str) -> str:
    """Return the expression of an object's undeclared properties and of the declared ones, which `out` has."""
    if node.extra is None:
        return out
    extras = "extras" if is_plain(node.extra) else "to_json_value(extras)"
    return f"{{**{out}, **{extras}}} if (extras := {instance}.__pydantic_extra__) else {out}"


def _make_finish(before: str, after: str = "") -> Callable[[str], str]:
    return lambda expression: f"{before}{expression}{after}"


def _add_null(node: Type) -> Type:
    return Union((*(node.members if isinstance(node, Union) else (node,)), NULL))


def _indent(statements: Iterable[str]) -> Iterator[str]:
    return (f"    {statement}" for statement in statements)
