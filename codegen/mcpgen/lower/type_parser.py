"""Parse the annotations that datamodel-code-generator returns into IR types.

Its output is not trusted: an annotation of an unknown form is refused, and the caller falls back to other types.
"""

from __future__ import annotations

import ast

from mcpgen.ir.types import ANY, Array, Bound, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.schema.keywords import BOUND_NAMES

_SCALAR_KINDS = {
    "StrictStr": ScalarKind.STRING,
    "str": ScalarKind.STRING,
    "StrictInt": ScalarKind.INTEGER,
    "int": ScalarKind.INTEGER,
    "StrictFloat": ScalarKind.NUMBER,
    "float": ScalarKind.NUMBER,
    "StrictBool": ScalarKind.BOOLEAN,
    "bool": ScalarKind.BOOLEAN,
    "None": ScalarKind.NULL,
    "Any": ScalarKind.ANY,
    "Base64Str": ScalarKind.BASE64,
    "AwareDatetime": ScalarKind.DATE_TIME,
    "date": ScalarKind.DATE,
    "time": ScalarKind.TIME,
    "UUID": ScalarKind.UUID,
    "IPv4Address": ScalarKind.IPV4,
    "IPv6Address": ScalarKind.IPV6,
}


class UnreadableAnnotation(Exception):
    """An annotation of a form that is unknown here."""


def parse_annotations(source: str, keys: set[str]) -> dict[str, dict[str, Type]]:
    """Return the types of the properties of some classes, by class and property.

    Args:
        source: a module, as `type_generator.generate_annotations` returns it.
        keys: the names of the classes.

    Raises:
        UnreadableAnnotation: an annotation has an unknown form, or a class is missing.
    """
    return _AnnotationParser(source, keys).parse()


class _AnnotationParser:
    def __init__(self, source: str, keys: set[str]) -> None:
        self._keys = keys
        self._classes: dict[str, ast.ClassDef] = {}
        self._aliases: dict[str, ast.expr] = {}
        self._open_aliases: set[str] = set()
        for node in ast.parse(source).body:
            match node:
                case ast.ClassDef(name=name):
                    self._classes[name] = node
                case ast.Assign(
                    targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="TypeAliasType"), args=[_, body])
                ):
                    self._aliases[name] = body
                case _:
                    pass

    def parse(self) -> dict[str, dict[str, Type]]:
        """Return the types of all properties, by class and property."""
        types: dict[str, dict[str, Type]] = {}
        for key in self._keys:
            if key not in self._classes:
                raise UnreadableAnnotation(f"no class {key}")
            types[key] = {
                node.target.id: self._parse_type(node.annotation)
                for node in self._classes[key].body
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
            }
        return types

    def _parse_alias(self, name: str) -> Type:
        """Return the type behind a name that datamodel-code-generator invented for a part."""
        if name in self._open_aliases:
            raise UnreadableAnnotation(f"{name} refers to itself")
        self._open_aliases.add(name)
        try:
            return self._parse_type(self._aliases[name])
        finally:
            self._open_aliases.discard(name)

    def _parse_type(self, node: ast.expr) -> Type:
        match node:
            case ast.Constant(value=str() as text):
                return self._parse_type(ast.parse(text, mode="eval").body)
            case ast.Constant(value=None):
                return Scalar(ScalarKind.NULL)
            case ast.Name(id=name):
                return self._parse_name(name)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return _make_union([self._parse_type(left), self._parse_type(right)])
            case ast.Subscript(value=ast.Name(id=name), slice=argument):
                return self._parse_generic(name, argument)
            case _:
                raise UnreadableAnnotation(ast.unparse(node))

    def _parse_name(self, name: str) -> Type:
        if name in self._keys:
            return Ref(name)
        if name in _SCALAR_KINDS:
            return Scalar(_SCALAR_KINDS[name])
        if name in self._aliases:
            return self._parse_alias(name)
        raise UnreadableAnnotation(name)

    def _parse_generic(self, name: str, argument: ast.expr) -> Type:
        arguments = argument.elts if isinstance(argument, ast.Tuple) else [argument]
        match name, arguments:
            case (("list" | "List"), [item]):
                return Array(self._parse_type(item))
            case (("dict" | "Dict"), [ast.Name(id="str" | "StrictStr"), value]):
                return Map(self._parse_type(value))
            case (("tuple" | "Tuple"), items):
                return FixedArray(tuple(self._parse_type(item) for item in items))
            case "Optional", [item]:
                return _make_union([self._parse_type(item), Scalar(ScalarKind.NULL)])
            case "Union", members:
                return _make_union([self._parse_type(member) for member in members])
            case "Literal", values:
                return Choice(tuple(_parse_constant(value) for value in values))
            case "Annotated", [body, ast.Call(func=ast.Name(id="Field"), keywords=keywords)]:
                return _add_bounds(self._parse_type(body), tuple(_parse_bound(keyword) for keyword in keywords))
            case _:
                raise UnreadableAnnotation(f"{name}[{ast.unparse(argument)}]")


def _parse_constant(node: ast.expr) -> str | int | bool | None:
    value = ast.literal_eval(node)
    if value is None or isinstance(value, str | int | bool):
        return value
    raise UnreadableAnnotation(ast.unparse(node))


def _parse_bound(keyword: ast.keyword) -> Bound:
    value = ast.literal_eval(keyword.value)
    if (
        keyword.arg is None
        or keyword.arg not in BOUND_NAMES.values()
        or isinstance(value, bool)
        or not isinstance(value, int | float)
    ):
        raise UnreadableAnnotation(ast.unparse(keyword))
    return (keyword.arg, int(value) if isinstance(value, float) and value.is_integer() else value)


def _add_bounds(node: Type, bounds: tuple[Bound, ...]) -> Type:
    null = Scalar(ScalarKind.NULL)
    match node:
        case Scalar(kind=kind, bounds=existing):
            return Scalar(kind, existing + bounds)
        case Array(item=item, bounds=existing):
            return Array(item, existing + bounds)
        case FixedArray(items=items) if all(number == len(items) for _, number in bounds):
            return node
        case Union(members=members) if len([member for member in members if member != null]) == 1:
            return _make_union([member if member == null else _add_bounds(member, bounds) for member in members])
        case _:
            raise UnreadableAnnotation(f"bounds on {node}")


def _make_union(members: list[Type]) -> Type:
    flat: dict[Type, None] = {}
    for member in members:
        flat.update(dict.fromkeys(member.members if isinstance(member, Union) else (member,)))
    if ANY in flat:
        return ANY
    return next(iter(flat)) if len(flat) == 1 else Union(tuple(flat))
