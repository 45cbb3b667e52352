"""Reading datamodel-code-generator's answer back: annotations, as syntax trees, become IR types.

Nothing it may print is taken on trust: what is not one of the forms known here is refused, and the caller falls back.
"""

from __future__ import annotations

import ast

from mcpgen.ir.types import ANY, Array, Bound, Choice, FixedArray, Map, Ref, Scalar, ScalarKind, Type, Union
from mcpgen.schema.values import Json

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
}
_BOUND_ARGUMENTS = ("ge", "gt", "le", "lt", "min_length", "max_length")


class UnreadableAnnotation(Exception):
    """An annotation of a form that is not known here."""


def parse_annotations(source: str, keys: set[str]) -> dict[str, dict[str, Type]]:
    """The types that a module from `annotations_source` gives to the properties of the classes `keys`.

    Raises:
        Unreadable: the module says something in a form that is not known, or lacks what was asked for.
    """
    return _AnnotationParser(source, keys).read()


class _AnnotationParser:
    def __init__(self, source: str, keys: set[str]) -> None:
        self._keys = keys
        self._bodies: dict[str, ast.ClassDef] = {}
        self._others: dict[str, ast.expr] = {}
        for node in ast.parse(source).body:
            match node:
                case ast.ClassDef(name=name):
                    self._bodies[name] = node
                case ast.Assign(
                    targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="TypeAliasType"), args=[_, body])
                ):
                    self._others[name] = body
                case _:
                    pass
        self._open: set[str] = set()

    def read(self) -> dict[str, dict[str, Type]]:
        classes: dict[str, dict[str, Type]] = {}
        for key in self._keys:
            if key not in self._bodies:
                raise UnreadableAnnotation(f"no class {key}")
            classes[key] = {
                node.target.id: self._type(node.annotation)
                for node in self._bodies[key].body
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
            }
        return classes

    def _alias(self, name: str) -> Type:
        """The type behind a name that datamodel-code-generator gave to a part by itself."""
        if name in self._open:
            raise UnreadableAnnotation(f"{name} refers to itself")
        self._open.add(name)
        try:
            return self._type(self._others[name])
        finally:
            self._open.discard(name)

    def _type(self, node: ast.expr) -> Type:
        match node:
            case ast.Constant(value=str() as text):
                return self._type(ast.parse(text, mode="eval").body)
            case ast.Constant(value=None):
                return Scalar(ScalarKind.NULL)
            case ast.Name(id=name):
                return self._named(name)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return _make_union([self._type(left), self._type(right)])
            case ast.Subscript(value=ast.Name(id=name), slice=inner):
                return self._generic(name, inner)
            case _:
                raise UnreadableAnnotation(ast.unparse(node))

    def _named(self, name: str) -> Type:
        if name in self._keys:
            return Ref(name)
        if name in _SCALAR_KINDS:
            return Scalar(_SCALAR_KINDS[name])
        if name in self._others:
            return self._alias(name)
        raise UnreadableAnnotation(name)

    def _generic(self, name: str, inner: ast.expr) -> Type:
        arguments = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        match name, arguments:
            case (("list" | "List"), [item]):
                return Array(self._type(item))
            case (("dict" | "Dict"), [ast.Name(id="str" | "StrictStr"), value]):
                return Map(self._type(value))
            case (("tuple" | "Tuple"), items):
                return FixedArray(tuple(self._type(item) for item in items))
            case "Optional", [item]:
                return _make_union([self._type(item), Scalar(ScalarKind.NULL)])
            case "Union", members:
                return _make_union([self._type(member) for member in members])
            case "Literal", values:
                return Choice(tuple(self._constant(value) for value in values))
            case "Annotated", [body, ast.Call(func=ast.Name(id="Field"), keywords=keywords)]:
                return _add_bounds(self._type(body), tuple(_parse_bound(keyword) for keyword in keywords))
            case _:
                raise UnreadableAnnotation(f"{name}[{ast.unparse(inner)}]")

    def _constant(self, node: ast.expr) -> str | int | bool | None:
        value = ast.literal_eval(node)
        if value is None or isinstance(value, str | int | bool):
            return value
        raise UnreadableAnnotation(ast.unparse(node))


def matches_core(core: dict[str, Json], answer: Type) -> bool:
    """Whether a type says what was asked for, no more and no less."""
    asked = _list_core_branches(core)
    given = list(answer.members) if isinstance(answer, Union) else [answer]
    values = [value for one in asked for value in _as_list(one.get("enum"))]
    said = [value for one in given if isinstance(one, Choice) for value in one.values]
    if Scalar(ScalarKind.NULL) in given and None in values:
        said.append(None)
        given.remove(Scalar(ScalarKind.NULL))
    if {(type(v), v) for v in said} != {(type(v), v) for v in values if isinstance(v, str | int | None)}:
        return False
    others = [one for one in given if not isinstance(one, Choice)]
    shapes = [one for one in asked if "enum" not in one]
    equal = [[_matches_branch(one, other) for other in others] for one in shapes]
    answered = all(
        any(row) or (one == {"type": "null"} and None in said) for one, row in zip(shapes, equal, strict=True)
    )
    return answered and all(any(row[index] for row in equal) for index in range(len(others)))


def _list_core_branches(core: dict[str, Json]) -> list[dict[str, Json]]:
    members = core.get("anyOf")
    if not isinstance(members, list):
        return [core]
    return [branch for member in members if isinstance(member, dict) for branch in _list_core_branches(member)]


_BOUND_KEYWORDS = {
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "minimum": "ge",
    "exclusiveMinimum": "gt",
    "maximum": "le",
    "exclusiveMaximum": "lt",
}


def _matches_branch(core: dict[str, Json], answer: Type) -> bool:
    bounds = {_BOUND_KEYWORDS[word]: value for word, value in core.items() if word in _BOUND_KEYWORDS}
    match answer:
        case Scalar(kind=kind, bounds=given):
            asked = core.get("format", core.get("type", "any")) if "$ref" not in core else None
            return (ScalarKind.BASE64 if asked == "byte" else asked) == kind and bounds == dict(given)
        case Ref(id=key):
            return core == {"$ref": f"#/$defs/{key}"}
        case Array(item=item, bounds=given):
            inner = core.get("items")
            asked_array = core.get("type") == "array" and "prefixItems" not in core and isinstance(inner, dict)
            return asked_array and bounds == dict(given) and matches_core(_as_dict(inner), item)
        case FixedArray(items=items):
            asked_items = _as_list(core.get("prefixItems"))
            return len(asked_items) == len(items) and all(
                matches_core(_as_dict(one), other) for one, other in zip(asked_items, items, strict=True)
            )
        case Map(value=value):
            return core.get("type") == "object" and matches_core(_as_dict(core.get("additionalProperties")), value)
        case Choice() | Union():
            return False


def _as_dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _as_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _parse_bound(keyword: ast.keyword) -> Bound:
    value = ast.literal_eval(keyword.value)
    if keyword.arg not in _BOUND_ARGUMENTS or isinstance(value, bool) or not isinstance(value, int | float):
        raise UnreadableAnnotation(ast.unparse(keyword))
    return (keyword.arg, int(value) if isinstance(value, float) and value.is_integer() else value)


def _add_bounds(inner: Type, bounds: tuple[Bound, ...]) -> Type:
    match inner:
        case Scalar(kind=kind, bounds=own):
            return Scalar(kind, own + bounds)
        case Array(item=item, bounds=own):
            return Array(item, own + bounds)
        case FixedArray(items=items) if all(number == len(items) for _, number in bounds):
            return inner
        case Union(members=members) if len([m for m in members if m != Scalar(ScalarKind.NULL)]) == 1:
            return _make_union([m if m == Scalar(ScalarKind.NULL) else _add_bounds(m, bounds) for m in members])
        case _:
            raise UnreadableAnnotation(f"bounds on {inner}")


def _make_union(members: list[Type]) -> Type:
    flat: dict[Type, None] = {}
    for member in members:
        flat.update(dict.fromkeys(member.members if isinstance(member, Union) else (member,)))
    if ANY in flat:
        return ANY
    return next(iter(flat)) if len(flat) == 1 else Union(tuple(flat))
