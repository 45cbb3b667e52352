"""Find the array of a result, and lay it out as a table: what columns the properties of a row become."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from mcpgen.content.type_lookup import TypeLookup, join_types
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import NULL, Array, Field, FixedArray, Node, ObjectClass, Presence, Ref
from mcpgen.ir.types import Type as JsonType
from mcpgen.names.identifiers import make_field_names

_MAX_COLUMNS = 64
"""The most columns that properties of nested objects make; objects nested more deeply stay JSON."""
_ROOT_HELP = "the outputSchema must be an array of objects, or an object with one property that is such an array"

_ITEMS_HELP = "the outputSchema must be an array, or an object with one property that is an array"


class NoTable(Exception):
    """A result is not a table, or not even a list: the message says why, `help` what to do."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.help = help

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.help), self.__dict__


@dataclass(frozen=True)
class Property:
    """Property of an object, as the text of a table shows it."""

    wire: str
    name: str
    type: JsonType
    """Its type apart from null."""
    presence: Presence
    is_nullable: bool


@dataclass(frozen=True)
class Column:
    """Column with the text of one property."""

    title: str
    property: Property
    is_distinct: bool
    """A cell may be empty or null because the property, or an object around it, is absent or null."""


@dataclass(frozen=True)
class ColumnGroup:
    """Columns of an object inside of the row."""

    title: str
    property: Property
    parts: tuple[Column | ColumnGroup, ...]
    is_open: bool


@dataclass(frozen=True)
class Table:
    """Layout of a result."""

    rows: Property | None
    """The property with the rows, None if the value itself is the array."""
    lines: tuple[Property, ...]
    """The other properties of the object with the rows, which are in lines above the table."""
    has_open_root: bool
    columns: tuple[Column | ColumnGroup, ...]
    has_open_rows: bool


def list_leaves(columns: tuple[Column | ColumnGroup, ...]) -> Iterator[Column]:
    """Yield the columns, those of nested objects in their places."""
    for column in columns:
        if isinstance(column, ColumnGroup):
            yield from list_leaves(column.parts)
        else:
            yield column


def make_title(*names: str) -> str:
    """Return the title of a column, as `column_name` of the run-time module `templates` does."""
    return ".".join(
        json.dumps(name, ensure_ascii=False) if "." in name or name.startswith('"') or name in ("", "…") else name
        for name in names
    )


def lay_out_table(root: SchemaRoot, nodes: Mapping[str, Node]) -> Table:
    """Return the layout of a result as a table; raise `NoTable` without rows, or with several arrays."""
    types = TypeLookup(nodes)
    single = _get_single(types, root.type)
    if isinstance(single, Array):
        row = _get_row_class(types, single)
        return Table(None, (), False, _make_columns(types, row), row.extra is not None)
    owner = None if single is None else types.get_class(single)
    if owner is None:
        raise NoTable("its result is not an array of objects", _ROOT_HELP)
    rows = _find_array(types, owner, _is_table, "of objects", _ROOT_HELP)
    row = _get_row_class(types, rows.type)
    lines = tuple(property for property in _list_properties(types, owner) if property.wire != rows.wire)
    return Table(rows, lines, owner.extra is not None, _make_columns(types, row), row.extra is not None)


def find_items(root: SchemaRoot, nodes: Mapping[str, Node]) -> str | None:
    """Return the property that is an array, None for the result itself; raise `NoTable` for none or several."""
    types = TypeLookup(nodes)
    if _is_array(types, root.type):
        return None
    owner = types.get_class(_get_single(types, root.type) or root.type)
    if owner is None:
        raise NoTable("its result is not an array", _ITEMS_HELP)
    return _find_array(types, owner, _is_array, "", _ITEMS_HELP).wire


def _find_array(
    types: TypeLookup, owner: ObjectClass, fits: Callable[[TypeLookup, JsonType], bool], kind: str, help: str
) -> Property:
    properties = [property for property in _list_properties(types, owner) if fits(types, property.type)]
    if not properties:
        raise NoTable(f"its result has no property that is an array {kind}".rstrip(), help)
    if len(properties) > 1:
        listed = ", ".join(f'"{property.wire}"' for property in properties)
        raise NoTable(
            f"its result has several {f'arrays {kind}'.rstrip()}: {listed}",
            "the content shows one of them; write a template, or choose another content",
        )
    return properties[0]


def _is_array(types: TypeLookup, type: JsonType) -> bool:
    return isinstance(_get_single(types, type), Array | FixedArray)


def _is_table(types: TypeLookup, type: JsonType) -> bool:
    single = _get_single(types, type)
    if not isinstance(single, Array):
        return False
    atoms = types.split_atoms(single.item)
    return all((row := types.get_class(atom)) is not None and row.fields for atom in atoms)


def _get_row_class(types: TypeLookup, type: JsonType) -> ObjectClass:
    array = _get_single(types, type)
    assert isinstance(array, Array)
    atoms = types.split_atoms(array.item)
    row = types.get_class(atoms[0])
    if row is None or NULL in atoms:
        raise NoTable("the items of its array are not all objects with properties", _ROOT_HELP)
    if len(atoms) > 1:
        raise NoTable(
            "the items of its array are objects of several kinds",
            "declare one object with the properties of all of them, write a template, or choose another content",
        )
    if not row.fields:
        raise NoTable(
            "the items of its array declare no properties", "a column comes from a property: declare `properties`"
        )
    return row


def _get_single(types: TypeLookup, type: JsonType) -> JsonType | None:
    atoms = types.split_atoms(type)
    return atoms[0] if len(atoms) == 1 else None


# --- columns ----------------------------------------------------------------------------------------------------------


def _list_properties(types: TypeLookup, owner: ObjectClass) -> list[Property]:
    names = make_field_names(owner.fields)
    return [_make_property(types, field, names[field.wire]) for field in owner.fields]


def _make_property(types: TypeLookup, field: Field, name: str) -> Property:
    atoms = types.split_atoms(field.type)
    others = [atom for atom in atoms if atom != NULL]
    is_nullable = len(others) < len(atoms) or field.presence is Presence.OPTIONAL_NULLABLE
    is_nullable |= "value" in types.collect_kinds(field.type)
    type = field.type if len(others) == len(atoms) else join_types(*others) if others else NULL
    return Property(field.wire, name, type, field.presence, is_nullable)


def _make_columns(types: TypeLookup, row: ObjectClass) -> tuple[Column | ColumnGroup, ...]:
    columns = _split_object(types, row, (), False, 0)
    depth = 1
    while True:
        deeper = _split_object(types, row, (), False, depth)
        if deeper == columns or sum(1 for _ in list_leaves(deeper)) > _MAX_COLUMNS:
            return columns
        columns, depth = deeper, depth + 1


def _split_object(
    types: TypeLookup, owner: ObjectClass, path: tuple[str, ...], is_distinct: bool, depth: int
) -> tuple[Column | ColumnGroup, ...]:
    """Return the columns of an object, which `is_distinct` if it may be absent or null, up to a depth."""
    columns: list[Column | ColumnGroup] = []
    for property in _list_properties(types, owner):
        names = (*path, property.wire)
        may_miss = is_distinct or property.is_nullable or property.presence is not Presence.REQUIRED
        nested = types.get_class(property.type) if isinstance(property.type, Ref) else None
        if depth and nested is not None and nested.fields and (not may_miss or _has_sure_text(types, nested)):
            parts = _split_object(types, nested, names, may_miss, depth - 1)
            columns.append(ColumnGroup(make_title(*names), property, parts, nested.extra is not None))
        else:
            columns.append(Column(make_title(*names), property, may_miss))
    return tuple(columns)


def _has_sure_text(types: TypeLookup, owner: ObjectClass) -> bool:
    """Return whether an object has a property whose cell tells that the object is neither absent nor null."""
    return any(
        property.presence is Presence.REQUIRED
        and not property.is_nullable
        and property.type != NULL
        and types.get_class(property.type) is None
        for property in _list_properties(types, owner)
    )
