"""Questions about the types of values in a template, and what tests show of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeGuard, assert_never

from mcpgen.ir.template import (
    Constant,
    Expr,
    IsInstance,
    IsNone,
    KeyValuePair,
    Logic,
    Markup,
    Not,
    Stream,
    TemplateType,
)
from mcpgen.ir.template import ConstantValue as ScalarValue
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
    Ref,
    Scalar,
    ScalarKind,
    Union,
)
from mcpgen.ir.types import Type as JsonType
from mcpgen.names.identifiers import make_field_names

STRING, INTEGER, NUMBER = Scalar(ScalarKind.STRING), Scalar(ScalarKind.INTEGER), Scalar(ScalarKind.NUMBER)
BOOLEAN, NULL = Scalar(ScalarKind.BOOLEAN), Scalar(ScalarKind.NULL)
ALL_TYPES = (STRING, INTEGER, NUMBER, BOOLEAN, NULL, Array(ANY), Map(ANY))
"""What a JSON value can be."""
_SCALARS_BY_CLASS: dict[type[object], Scalar] = {str: STRING, bool: BOOLEAN, int: INTEGER, float: NUMBER}
_NAMES_BY_KIND = {
    ScalarKind.STRING: "string",
    ScalarKind.INTEGER: "integer",
    ScalarKind.NUMBER: "number",
    ScalarKind.BOOLEAN: "boolean",
    ScalarKind.NULL: "null",
    ScalarKind.ANY: "value",
}
_KIND_DESCRIPTIONS = {
    "null": "null",
    "array": "a list",
    "object": "an object",
    "integer": "an integer",
    "value": "any JSON value",
}
_CLASSES_BY_KIND = {
    **{"string": ("str",), "integer": ("int",), "number": ("int", "float"), "boolean": ("bool",), "null": ("None",)},
    **{"array": ("list",), "object": ("dict",)},
}
NUMERIC_KINDS = frozenset(("integer", "number"))
PRINTABLE_KINDS = frozenset(("string", "integer", "number", "boolean", "null"))


def is_json(type: TemplateType) -> TypeGuard[JsonType]:
    """Whether a value of the type is a JSON value, not something that only templates have."""
    return not isinstance(type, Stream | KeyValuePair | Markup)


def get_literal_type(value: ScalarValue) -> JsonType:
    """The type of a literal."""
    if value is None:
        return NULL
    return Scalar(ScalarKind.NUMBER) if isinstance(value, float) else Choice((value,))


def widen_type(type: JsonType) -> JsonType:
    """The type of a variable that starts with a literal."""
    if isinstance(type, Choice):
        return join_types(*(NULL if value is None else _SCALARS_BY_CLASS[value.__class__] for value in type.values))
    return type


def join_types(*types: JsonType) -> JsonType:
    """A type for values of any of these."""
    flat: list[JsonType] = []
    for one in types:
        flat += one.members if isinstance(one, Union) else (one,)
    if ANY in flat:
        return ANY
    bare = [Scalar(one.kind) if isinstance(one, Scalar) else one for one in flat]
    constants = [value for one in bare if isinstance(one, Choice) for value in one.values]
    kept: list[JsonType] = list(dict.fromkeys(one for one in bare if not isinstance(one, Choice)))
    rest = [v for v in constants if (NULL if v is None else _SCALARS_BY_CLASS[v.__class__]) not in kept]
    if rest:
        kept = [Choice(tuple({(v.__class__, v): v for v in rest}.values())), *kept]
    return kept[0] if len(kept) == 1 else Union(tuple(kept))


@dataclass(frozen=True)
class TypeLookup:
    """The classes that types refer to."""

    nodes: Mapping[str, Node]

    def get_class(self, type: JsonType) -> ObjectClass | None:
        """The class of a reference."""
        node = self.nodes.get(type.id) if isinstance(type, Ref) else None
        return node if isinstance(node, ObjectClass) else None

    def get_fields(self, type: JsonType) -> dict[str, Field]:
        """The properties of a class by their Python names."""
        owner = self.get_class(type)
        if owner is None:
            return {}
        names = make_field_names(owner.fields)
        return {names[field.wire]: field for field in owner.fields}

    def split_atoms(self, type: JsonType) -> tuple[JsonType, ...]:
        """The members of a type: unions and aliases are taken apart, and constants by their kinds."""
        found: list[JsonType] = []
        self._atoms(type, found, set())
        return tuple(dict.fromkeys(found))

    def _atoms(self, type: JsonType, found: list[JsonType], seen: set[str]) -> None:
        match type:
            case Union(members=members):
                for member in members:
                    self._atoms(member, found, seen)
            case Ref(id=key):
                node = self.nodes.get(key)
                if isinstance(node, Alias):
                    if key not in seen:
                        self._atoms(node.type, found, seen | {key})
                else:
                    found.append(type)
            case Choice(values=values):
                by_class: dict[str, list[str | int | bool | None]] = {}
                for value in values:
                    by_class.setdefault(value.__class__.__name__, []).append(value)
                found += [NULL if one == [None] else Choice(tuple(one)) for one in by_class.values()]
            case _:
                found.append(type)

    def get_kind(self, atom: JsonType) -> str:
        """What JSON calls a value of an atom: `string`, …, `array`, `object`, or `value` when that is open."""
        match atom:
            case Scalar(kind=kind):
                return _NAMES_BY_KIND.get(kind, "string")
            case Choice(values=values):
                return _NAMES_BY_KIND[_SCALARS_BY_CLASS[values[0].__class__].kind]
            case Array() | FixedArray():
                return "array"
            case Map() | Ref():
                return "object"
            case Union():
                raise AssertionError("an atom is no union")
            case _:
                assert_never(atom)

    def collect_kinds(self, type: TemplateType) -> frozenset[str]:
        """The kinds of a type's atoms."""
        return (
            frozenset(self.get_kind(atom) for atom in self.split_atoms(type))
            if is_json(type)
            else frozenset(("generator",))
        )

    def has_only_kinds(self, type: TemplateType, kinds: Iterable[str]) -> TypeGuard[JsonType]:
        """Whether all values of a type are of these kinds."""
        return is_json(type) and self.collect_kinds(type) <= frozenset(kinds)

    def describe_type(self, type: TemplateType) -> str:
        """A type in the words of a message."""
        match type:
            case Stream():
                return "a generator"
            case KeyValuePair():
                return "a pair of key and value"
            case Markup():
                return "the result of `tojson`"
            case _:
                names = list(
                    dict.fromkeys(
                        _KIND_DESCRIPTIONS.get(kind, f"a {kind}") for kind in map(self.get_kind, self.split_atoms(type))
                    )
                )
                return " or ".join(names)

    def filter_atoms(self, type: JsonType, keep: Callable[[JsonType], JsonType | None]) -> JsonType:
        """The type of what is left of each atom; the type as it was when nothing is."""
        left = [one for atom in self.split_atoms(type) if (one := keep(atom)) is not None]
        if tuple(left) == self.split_atoms(type) or not left:
            return type
        return join_types(*left)

    # --- truth ----------------------------------------------------------------------------------------------------
    def narrow_to_truthy(self, type: JsonType) -> JsonType:
        """The type of what is true in a condition."""

        def keep(atom: JsonType) -> JsonType | None:
            match atom:
                case Choice(values=values):
                    left = tuple(value for value in values if value)
                    return Choice(left) if left else None
                case Scalar(kind=ScalarKind.BOOLEAN):
                    return Choice((True,))
                case Scalar(kind=ScalarKind.NULL):
                    return None
                case _:
                    return atom

        return self.filter_atoms(type, keep)

    def narrow_to_falsy(self, type: JsonType) -> JsonType:
        """The type of what is false in a condition."""

        def keep(atom: JsonType) -> JsonType | None:
            match atom:
                case Choice(values=values):
                    left = tuple(value for value in values if not value)
                    return Choice(left) if left else None
                case Scalar(kind=ScalarKind.BOOLEAN):
                    return Choice((False,))
                case Ref():
                    return None
                case _:
                    return atom

        return self.filter_atoms(type, keep)

    def is_always_true(self, atom: JsonType) -> bool:
        """Whether no value of an atom is false in a condition."""
        match atom:
            case Choice(values=values):
                return all(values)
            case Scalar(kind=kind, bounds=bounds):
                own = kind in (ScalarKind.DATE_TIME, ScalarKind.DATE, ScalarKind.TIME, ScalarKind.UUID)
                return own or _excludes_zero(bounds)
            case Array(bounds=bounds):
                return any(word == "min_length" and number >= 1 for word, number in bounds)
            case FixedArray(items=items):
                return bool(items)
            case Ref():
                return self.has_required(atom)
            case Map() | Union():
                return False
            case _:
                assert_never(atom)

    def has_required(self, atom: JsonType) -> bool:
        """Whether an object always has a property, so that it is never empty."""
        node = self.get_class(atom)
        return node is not None and any(field.presence == "required" for field in node.fields)

    # --- tests by type --------------------------------------------------------------------------------------------
    def make_instance_test(self, expr: Expr, type: JsonType, yes: Callable[[JsonType], bool]) -> tuple[Expr, JsonType]:
        """The condition that a value is of those atoms for which `yes` says so, and the type it then has.

        Raises:
            ValueError: a native format has no test.
        """
        atoms = ALL_TYPES if ANY in self.split_atoms(type) else self.split_atoms(type)
        held = [atom for atom in atoms if yes(atom)]
        if len(held) == len(atoms) or not held:
            return Constant(bool(held)), type
        rest = [atom for atom in atoms if not yes(atom)]
        narrowed = join_types(*held)
        if NULL in rest and len(rest) == 1:
            return Not(IsNone(expr)), narrowed
        tests: list[Expr] = []
        names = dict.fromkeys(name for atom in held for name in self._runtime(atom))
        if "None" in names:
            tests.append(IsNone(expr))
            del names["None"]
        if names:
            one: Expr = IsInstance(expr, tuple(names))
            if "int" in names and "bool" not in names and any(self.get_kind(atom) == "boolean" for atom in rest):
                one = Logic("and", (one, Not(IsInstance(expr, ("bool",)))))
            tests.append(one)
        return tests[0] if len(tests) == 1 else Logic("or", tuple(tests)), narrowed

    def _runtime(self, atom: JsonType) -> tuple[str | Ref, ...]:
        """What `isinstance` calls the Python values of an atom."""
        match atom:
            case Scalar(kind=ScalarKind.BASE64):
                return ("bytes", "str")
            case Scalar(kind=ScalarKind.DATE_TIME | ScalarKind.DATE | ScalarKind.TIME | ScalarKind.UUID):
                raise ValueError("its Python type depends on the format")
            case Ref():
                return (atom,)
            case FixedArray():
                return ("tuple",)
            case _:
                return _CLASSES_BY_KIND[self.get_kind(atom)]


def _excludes_zero(bounds: tuple[tuple[str, int | float], ...]) -> bool:
    for word, number in bounds:
        if (word == "ge" and number > 0) or (word == "gt" and number >= 0):
            return True
        if (word == "le" and number < 0) or (word == "lt" and number <= 0):
            return True
        if word == "min_length" and number > 0:
            return True
    return False
