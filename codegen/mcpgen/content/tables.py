"""Lay out a result as a table: find its array and the columns of a row, and compile them to statements."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from mcpgen.content.type_lookup import TypeLookup, join_types
from mcpgen.content.values import merge_texts
from mcpgen.ir import template as code
from mcpgen.ir.package import SchemaRoot
from mcpgen.ir.types import NULL, Array, Choice, Field, FixedArray, Node, ObjectClass, Presence, Ref
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


# --- statements ------------------------------------------------------------------------------------------------------
_PLAIN_TEXT = re.compile(r"[A-Za-z0-9]+(?:[-_ .][A-Za-z0-9]+)*")
"""Text that is the same in every format."""
_ROW, _EXTRA, _MORE, _HAS_MORE = code.Local("row"), code.Local("extra"), code.Local("more"), code.Local("has_more")
_NAME, _VALUE = code.Local("name"), code.Local("value")
_LINE_PARTS = (("line_name", _NAME), ("line_text", _VALUE))
_LITERAL_KINDS = frozenset(("integer", "number", "boolean"))
_EMPTY = code.Constant("")
MORE_TITLE = "…"
"""The title of the column with the undeclared properties of a row."""


@dataclass(frozen=True)
class TableFormat:
    """Text around the cells of a row, and the run-time function that escapes a cell's text."""

    start: str
    separator: str
    end: str
    line_end: str
    escape: str
    rule: str = ""
    """What stands below each title; empty: nothing."""


_FORMATS = {
    "table": TableFormat("|", "|", "|", "\n", "markdown_text", "---"),
    "csv": TableFormat("", ",", "", "\r\n", "csv_text"),
    "tsv": TableFormat("", "\t", "", "\n", "tsv_text"),
}


def compile_table(strategy: str, root: SchemaRoot, nodes: Mapping[str, Node]) -> tuple[code.Statement, ...]:
    """Return the statements that write a `table`, `csv` or `tsv`; raise `NoTable` if the result is none."""
    table = lay_out_table(root, nodes)
    return _TableCompiler(_FORMATS[strategy], TypeLookup(nodes), table).compile()


class _Texts:
    def __init__(self, format: TableFormat, types: TypeLookup, is_single: bool) -> None:
        self._format, self._types = format, types
        self._is_single = is_single

    def make_cell(self, owner: code.Expr, column: Column) -> code.Expr:
        property, value = column.property, code.Attribute(owner, column.property.name)
        text = self._make_text(value, property, column.is_distinct)
        if property.presence is Presence.OPTIONAL:
            text = code.Conditional(code.IsNone(value), _EMPTY, text)
        elif property.presence is Presence.OPTIONAL_NULLABLE:
            text = code.Conditional(code.IsSet(owner, property.name), text, _EMPTY)
        if self._is_single and not self._format.rule and not isinstance(text, code.ToString):
            return code.Logic("or", (text, code.Constant('""')))  # an empty line is not a row
        return text

    def _make_text(self, value: code.Expr, property: Property, is_distinct: bool) -> code.Expr:
        type, escape = property.type, partial(_call, self._format.escape)
        kinds = self._types.collect_kinds(type)
        if property.is_nullable and kinds <= _LITERAL_KINDS | {"null"}:
            return _call("value_text", code.ToJson(value, _restore_null(property)))
        if kinds <= {"integer", "number"}:
            return code.ToString(value, type)
        if kinds == frozenset(("boolean",)):
            return code.Conditional(value, code.Constant("true"), code.Constant("false"))
        if kinds == frozenset(("string",)):
            text = code.ToJson(value, _restore_null(property))
            if not property.is_nullable and self._is_plain(type):
                return text
            return escape(_call("nullable_text", text) if is_distinct else text)
        return escape(_call("value_text", code.ToJson(value, _restore_null(property))))

    def _is_plain(self, type: JsonType) -> bool:
        """Return whether all values of a type are constants that need no escapes, and don't read as null."""
        return all(
            isinstance(atom, Choice)
            and all(
                isinstance(value, str) and _PLAIN_TEXT.fullmatch(value) and value != "null" for value in atom.values
            )
            for atom in self._types.split_atoms(type)
        )

    def escape_title(self, text: str) -> str | code.Expr:
        return text if _PLAIN_TEXT.fullmatch(text) else code.Call(self._format.escape, (code.Constant(text),))

    def make_label(self, wire: str) -> tuple[code.Expr | str, ...]:
        if _PLAIN_TEXT.fullmatch(wire):
            return (f"{wire}:",)
        return (self.escape_line(code.Constant(json.dumps(wire, ensure_ascii=False))), ":")

    def make_line(self, value: code.Expr, property: Property) -> code.Expr:
        kinds = self._types.collect_kinds(property.type)
        is_number = kinds <= _LITERAL_KINDS
        if not property.is_nullable and (is_number or self._is_plain(property.type)):
            return self._make_text(value, property, False)
        return self.escape_line(code.Call("line_text", (code.ToJson(value, _restore_null(property)),)))

    def escape_line(self, text: code.Expr) -> code.Expr:
        """Return a text on a line above the table, escaped if that is Markdown."""
        return code.Call(self._format.escape, (text,)) if self._format.rule else text


class _TableCompiler:
    def __init__(self, format: TableFormat, types: TypeLookup, table: Table) -> None:
        self._format, self._table = format, table
        self._texts = _Texts(format, types, is_single=len([*list_leaves(table.columns)]) == 1)

    def compile(self) -> tuple[code.Statement, ...]:
        table, value = self._table, code.This(self._table.rows is None)
        if table.rows is None:
            return merge_texts(self._write_table(value))
        statements: list[code.Statement] = []
        for property in table.lines:
            statements += self._write_line(value, property)
        if table.has_open_root:
            statements.append(self._write_undeclared_lines(value))
        return merge_texts([*statements, *self._write_property(value, table.rows)])

    # --- lines above the table --------------------------------------------------------------------------------------
    def _write_line(self, owner: code.Expr, property: Property) -> Sequence[code.Statement]:
        label = self._texts.make_label(property.wire)
        text = self._texts.make_line(code.Attribute(owner, property.name), property)
        return _guard_present(owner, property, [code.Write((*label, " ", text, self._format.line_end))])

    def _write_undeclared_lines(self, owner: code.Expr) -> code.Statement:
        name, text = (self._texts.escape_line(code.Call(function, (part,))) for function, part in _LINE_PARTS)
        line = code.Write((name, ": ", text, self._format.line_end))
        return code.For((_NAME.name, _VALUE.name), code.Method(code.Call("undeclared", (owner,)), "items"), (line,))

    def _write_property(self, owner: code.Expr, rows: Property) -> Sequence[code.Statement]:
        end, label = self._format.line_end, self._texts.make_label(rows.wire)
        value = code.Attribute(owner, rows.name)
        statements = [*self._write_table(value)]
        if self._table.lines or self._table.has_open_root:
            statements.insert(0, code.Write((*label, end, end)))
        if rows.is_nullable:
            statements = [
                code.If(((code.Not(code.IsNone(value)), merge_texts(statements)),), (code.Write((*label, " null")),))
            ]
        return _guard_present(owner, rows, statements)

    # --- table ------------------------------------------------------------------------------------------------------
    def _write_table(self, rows: code.Expr) -> Iterator[code.Statement]:
        table, format = self._table, self._format
        nested = [*_list_open_groups(table.columns, _ROW)]
        has_extras = table.has_open_rows or bool(nested)
        if has_extras:
            arguments = [part for title, value in nested for part in (code.Constant(f"{title}."), value)]
            yield code.Assign(
                _MORE.name, code.Comprehension("row", rows, code.Call("undeclared_row", (_ROW, *arguments)))
            )
            yield code.Assign(_HAS_MORE.name, code.Call("any", (_MORE,)))
        titles = [self._texts.escape_title(column.title) for column in list_leaves(table.columns)]
        yield from self._write_cells(titles, MORE_TITLE if has_extras else "")
        if format.rule:
            yield code.Write((format.line_end,))
            yield from self._write_cells([format.rule] * len(titles), format.rule if has_extras else "")
        cells = [code.Write((format.line_end, format.start)), *self._write_columns(table.columns, _ROW, is_first=True)]
        end = code.Write((format.end,))
        if has_extras:
            extra = code.If(((_HAS_MORE, (code.Write((format.separator, code.Call(format.escape, (_EXTRA,)))),)),), ())
            yield code.For(("row", _EXTRA.name), code.Call("zip", (rows, _MORE)), merge_texts([*cells, extra, end]))
        else:
            yield code.For(("row",), rows, merge_texts([*cells, end]))

    def _write_cells(self, cells: list[str | code.Expr], last: str) -> Iterator[code.Statement]:
        format = self._format
        yield code.Write((format.start,))
        for index, cell in enumerate(cells):
            yield code.Write((format.separator if index else "", cell))
        if last:
            yield code.If(((_HAS_MORE, (code.Write((format.separator + last,)),)),), ())
        yield code.Write((format.end,))

    def _write_columns(
        self, columns: tuple[Column | ColumnGroup, ...], owner: code.Expr, is_first: bool
    ) -> Iterator[code.Statement]:
        for index, column in enumerate(columns):
            starts = is_first and not index
            if isinstance(column, Column):
                yield code.Write(("" if starts else self._format.separator, self._texts.make_cell(owner, column)))
            else:
                yield from self._write_group(column, owner, starts)

    def _write_group(self, group: ColumnGroup, owner: code.Expr, is_first: bool) -> Iterator[code.Statement]:
        property, value = group.property, code.Attribute(owner, group.property.name)
        columns = self._write_columns(group.parts, value, is_first)
        if property.presence is Presence.REQUIRED and not property.is_nullable:
            yield from columns
            return
        present = merge_texts(columns)
        nulls, blanks = (code.Write((self._repeat(text, group, is_first),)) for text in ("null", ""))
        is_object: code.Expr = code.Not(code.IsNone(value))
        match property.presence:
            case Presence.REQUIRED:
                yield code.If(((is_object, present),), (nulls,))
            case Presence.OPTIONAL:
                yield code.If(((is_object, present),), (blanks,))
            case Presence.OPTIONAL_NULLABLE:
                is_set = code.IsSet(owner, property.name)
                yield code.If(((code.Logic("and", (is_set, is_object)), present), (is_set, (nulls,))), (blanks,))

    def _repeat(self, text: str, group: ColumnGroup, is_first: bool) -> str:
        separator = self._format.separator
        return ("" if is_first else separator) + separator.join([text] * len([*list_leaves(group.parts)]))


def _guard_present(
    owner: code.Expr, property: Property, statements: Sequence[code.Statement]
) -> Sequence[code.Statement]:
    if property.presence is Presence.REQUIRED:
        return statements
    value = code.Attribute(owner, property.name)
    is_optional = property.presence is Presence.OPTIONAL
    is_present = code.Not(code.IsNone(value)) if is_optional else code.IsSet(owner, property.name)
    return [code.If(((is_present, merge_texts(statements)),), ())]


def _call(function: str, argument: code.Expr) -> code.Expr:
    return code.Call(function, (argument,))


def _restore_null(property: Property) -> JsonType:
    return join_types(property.type, NULL) if property.is_nullable else property.type


def _list_open_groups(columns: tuple[Column | ColumnGroup, ...], owner: code.Expr) -> list[tuple[str, code.Expr]]:
    """Return the objects inside of a row that may have undeclared properties, each with its title."""
    open_groups: list[tuple[str, code.Expr]] = []
    for group in columns:
        if not isinstance(group, ColumnGroup):
            continue
        property, value = group.property, code.Attribute(owner, group.property.name)
        inner = _list_open_groups(group.parts, value)
        if property.presence is not Presence.REQUIRED or property.is_nullable:
            is_object: code.Expr = code.Not(code.IsNone(value))
            if property.presence is Presence.OPTIONAL_NULLABLE:
                is_object = code.Logic("and", (code.IsSet(owner, property.name), is_object))
            inner = [(title, code.Conditional(is_object, expr, code.Constant(None))) for title, expr in inner]
        open_groups += [(group.title, value)] if group.is_open else []
        open_groups += inner
    return open_groups
