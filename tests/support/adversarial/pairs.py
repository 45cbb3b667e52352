"""Schemas and values that are costly for a naive checker: pairs of a schema and a value of size n, and what to expect.

Every value grows with its size: by levels, items, properties, characters or digits. Nothing here recurses, so that
values of any depth can be made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from support.adversarial.patterns import PATTERNS

Schema = dict[str, Any]
EVERY_WAY = ("validate", "construct", "normalize", "normalize_any", "call", "client", "client_text", "client_warn")
"""The ways in: see `adversarial_ways`."""


@dataclass(frozen=True)
class Pair:
    """A schema and a value of every size."""

    name: str
    schema: Schema
    value: Callable[[int], Any]
    valid: bool = True
    """Whether the value satisfies the schema, at every size of at least `least`."""
    least: int = 1
    reach: int = 50
    """A size up to which no limit may refuse the value."""
    ways: tuple[str, ...] = EVERY_WAY
    oracle: bool = True
    """Whether jsonschema-rs can judge it: not what is not JSON, nor patterns that it gives up on."""


# --- values ----------------------------------------------------------------------------------------------------------
def wrap(bottom: Any, put: Callable[[Any], Any]) -> Callable[[int], Any]:
    """Return a maker of values that are put into others, level by level."""

    def make(size: int) -> Any:
        value = bottom
        for _ in range(size):
            value = put(value)
        return value

    return make


def chain(key: str = "next", bottom: Any = None, **members: Any) -> Callable[[int], Any]:
    """Return a maker of objects that hold one another."""
    return wrap(bottom, lambda value: {**members, key: value})


def nest(bottom: Any, *outer_layers: Any) -> Callable[[int], Any]:
    """Return a maker of arrays that hold one another, each after the same items."""
    return wrap(bottom, lambda value: [*outer_layers, value])


def mixed(bottom: Any) -> Callable[[int], Any]:
    """Return a maker of arrays and objects in turn."""

    def make(size: int) -> Any:
        value = bottom
        for level in range(size):
            value = [value] if level % 2 else {"next": value}
        return value

    return make


def items(item: Any) -> Callable[[int], list[Any]]:
    """Return a maker of arrays of the same item."""
    return lambda size: [item] * size


def held(make: Callable[[int], Any], key: str = "value") -> Callable[[int], dict[str, Any]]:
    """Return a maker of objects with one property."""
    return lambda size: {key: make(size)}


def keys(item: Any = 1, form: str = "key{}") -> Callable[[int], dict[str, Any]]:
    """Return a maker of objects with many properties."""
    return lambda size: {form.format(index): item for index in range(size)}


def tree(size: int) -> Any:
    """Return a balanced binary tree of about `size` nodes."""
    value: Any = None
    for _ in range(max(1, size.bit_length())):
        value = {"left": value, "right": value}
    return value


def letters(character: str, end: str = "") -> Callable[[int], str]:
    """Return a maker of long strings."""
    return lambda size: character * size + end


def digits(size: int) -> int:
    """Return an integer of so many digits, up to what Python reads and writes (`sys.get_int_max_str_digits`)."""
    return int(10 ** min(size, 4_290))


def cyclic_list(size: int) -> list[Any]:
    """Return a list that holds itself."""
    value: list[Any] = [0] * size
    value.append(value)
    return value


def cyclic_object(size: int) -> dict[str, Any]:
    """Return an object that holds itself."""
    value: dict[str, Any] = {f"key{index}": 0 for index in range(size)}
    value["next"] = value
    return value


# --- schemas ---------------------------------------------------------------------------------------------------------
SELF: Schema = {"$ref": "#"}
NODE: Schema = {"type": "object", "properties": {"next": SELF}, "required": ["next"], "additionalProperties": False}
LEAF: Schema = {"type": "null"}


def obj(**properties: Any) -> Schema:
    """Return the schema of an open object with these properties."""
    return {"type": "object", "properties": properties}


def needs(**properties: Any) -> Schema:
    """Return the schema of an object that has all of these properties."""
    return {**obj(**properties), "required": [*properties]}


def closed(**properties: Any) -> Schema:
    """Return the schema of an object that has these properties and no others."""
    return {**needs(**properties), "additionalProperties": False}


def array(item: Any, **more: Any) -> Schema:
    """Return the schema of an array."""
    return {"type": "array", "items": item, **more}


def tagged(tag: str, child: Any = SELF) -> Schema:
    """Return the schema of a node with a tag."""
    return closed(kind={"const": tag}, next=child)


CHAINS: dict[str, Schema] = {
    "oneOf": {"oneOf": [LEAF, NODE]},
    "anyOf": {"anyOf": [LEAF, NODE]},
    "nullable": {**NODE, "type": ["object", "null"]},
    # both branches recurse into the same child
    "oneOf twice": {"oneOf": [LEAF, needs(next=SELF, extra={"type": "string"}), closed(next=SELF)]},
    "anyOf twice": {"anyOf": [LEAF, needs(next=SELF, extra={"type": "string"}), closed(next=SELF)]},
    "anyOf of three": {
        "anyOf": [LEAF, *(needs(next=SELF, **{name: {"type": "string"}}) for name in "abc"), closed(next=SELF)]
    },
    "oneOf beside anyOf": {"anyOf": [LEAF, obj(next=SELF)], "oneOf": [LEAF, {**obj(next=SELF), "minProperties": 1}]},
    "allOf of itself twice": {"type": ["object", "null"], "properties": {"next": {"allOf": [SELF, SELF]}}},
    "allOf of two nodes": {
        "type": ["object", "null"],
        "allOf": [{"properties": {"next": SELF}}, {"properties": {"next": SELF}}],
    },
    "not of not": {"type": ["object", "null"], "properties": {"next": {"not": {"not": SELF}}}},
    "not of not, twice": {
        "type": ["object", "null"],
        "properties": {"next": {"allOf": [{"not": {"not": SELF}}, SELF]}},
    },
    "if and then": {
        "type": ["object", "null"],
        "if": {"properties": {"next": SELF}},
        "then": {"properties": {"next": SELF}},
        "else": False,
    },
    "if, then and else": {
        "if": needs(next=SELF),
        "then": {"properties": {"next": SELF}},
        "else": {"type": ["object", "null"], "properties": {"next": SELF}},
    },
    "dependentSchemas": {
        "type": ["object", "null"],
        "properties": {"next": SELF},
        "dependentSchemas": {"next": {"properties": {"next": SELF}}},
    },
    "properties and patternProperties": {
        "type": ["object", "null"],
        "properties": {"next": SELF},
        "patternProperties": {"^n": SELF, "t$": SELF},
    },
    "additionalProperties of a union": {"type": "object", "additionalProperties": {"anyOf": [{"type": "null"}, SELF]}},
    "maps or nodes": {
        "anyOf": [
            LEAF,
            {"type": "object", "additionalProperties": SELF, "minProperties": 2},
            {"type": "object", "patternProperties": {"^n": SELF}},
        ]
    },
    "mutual recursion": {
        "$ref": "#/$defs/A",
        "$defs": {
            "A": {"oneOf": [LEAF, closed(next={"$ref": "#/$defs/B"})]},
            "B": {"anyOf": [LEAF, closed(next={"$ref": "#/$defs/A"})]},
        },
    },
    "mutual recursion, ambiguous": {
        "$ref": "#/$defs/A",
        "$defs": {
            "A": {"anyOf": [LEAF, needs(next={"$ref": "#/$defs/B"}, x={}), obj(next={"$ref": "#/$defs/B"})]},
            "B": {"oneOf": [LEAF, needs(next={"$ref": "#/$defs/A"}, y={}), closed(next={"$ref": "#/$defs/A"})]},
        },
    },
    "unions in unions": {
        "anyOf": [
            LEAF,
            {"oneOf": [needs(next=SELF, a={}), needs(next=SELF, b={})]},
            {"anyOf": [needs(next=SELF, c={}), closed(next=SELF)]},
        ]
    },
    "unevaluatedProperties": {
        "type": ["object", "null"],
        "anyOf": [{"properties": {"other": True}}, {"properties": {"next": SELF}}],
        "unevaluatedProperties": SELF,
    },
    "unevaluatedProperties of nested unions": {
        "type": ["object", "null"],
        "allOf": [{"oneOf": [needs(next=SELF), {"properties": {"next": False}}]}, {"if": obj(next=SELF)}],
        "unevaluatedProperties": False,
    },
    "$dynamicRef": {
        "$dynamicAnchor": "node",
        "type": ["object", "null"],
        "properties": {"next": {"$dynamicRef": "#node"}},
        "unevaluatedProperties": False,
    },
    "$dynamicRef twice": {
        "$dynamicAnchor": "node",
        "type": ["object", "null"],
        "properties": {"next": {"allOf": [{"$dynamicRef": "#node"}, {"$ref": "#"}]}},
    },
}
"""Schemas of a chain of nodes, by what joins the node and the leaf."""
Shape = Callable[[Any], Callable[[int], Any]]
RECURSIVE: dict[str, tuple[Schema, Shape]] = {
    **{name: (schema, lambda bottom: chain(bottom=bottom)) for name, schema in CHAINS.items()},
    "optional": ({**NODE, "required": []}, lambda bottom: chain(bottom={} if bottom is None else bottom)),
    "tagged": ({"oneOf": [LEAF, tagged("a"), tagged("b"), tagged("c")]}, lambda bottom: chain(bottom=bottom, kind="c")),
    "tagged after the child": (
        {
            "oneOf": [
                LEAF,
                *({**needs(next=SELF), "allOf": [{"properties": {"kind": {"const": tag}}}]} for tag in "abc"),
            ]
        },
        lambda bottom: chain(bottom=bottom, kind="c"),
    ),
    # arrays
    "lists": ({"anyOf": [LEAF, array(SELF)]}, nest),
    "lists or lists of lists": ({"anyOf": [LEAF, array(array(SELF)), array(SELF)]}, nest),
    "oneOf of lists": ({"oneOf": [LEAF, array(SELF, maxItems=1), array(SELF, minItems=2)]}, nest),
    "tuples": (
        {"anyOf": [LEAF, {"type": "array", "prefixItems": [{"type": "integer"}, SELF], "minItems": 2, "items": False}]},
        lambda bottom: nest(bottom, 1),
    ),
    "tuples, ambiguous": (
        {
            "oneOf": [
                LEAF,
                {"type": "array", "prefixItems": [{"type": "integer"}, SELF, {"type": "string"}], "minItems": 3},
                {"type": "array", "prefixItems": [{"type": "number"}, SELF], "minItems": 2, "maxItems": 2},
            ]
        },
        lambda bottom: nest(bottom, 1),
    ),
    "contains": ({"anyOf": [LEAF, {"type": "array", "contains": SELF}]}, lambda bottom: nest(bottom)),
    "contains and items": ({"type": ["array", "null"], "contains": SELF, "items": SELF, "maxContains": 3}, nest),
    "contains and unevaluatedItems": ({"type": ["array", "null"], "contains": SELF, "unevaluatedItems": False}, nest),
    "unevaluatedItems of a union": (
        {"type": ["array", "null"], "anyOf": [{"prefixItems": [SELF]}, {"items": SELF}], "unevaluatedItems": False},
        nest,
    ),
    "lists or objects": ({"oneOf": [LEAF, array(SELF), closed(next=SELF)]}, mixed),
    "any JSON, spelled out": (
        {
            "anyOf": [
                {"type": "null"},
                {"type": "number", "maximum": 9},
                array(SELF),
                {"type": "object", "additionalProperties": SELF},
            ]
        },
        mixed,
    ),
    "expressions": (
        {
            "$ref": "#/$defs/Expr",
            "$defs": {
                "Expr": {
                    "anyOf": [
                        {"type": "null"},
                        closed(op={"enum": ["and", "or"]}, args=array({"$ref": "#/$defs/Expr"})),
                        closed(op={"enum": ["not", "neg"]}, args=array({"$ref": "#/$defs/Expr"}, maxItems=1)),
                        closed(op={"type": "string", "minLength": 4}, args=array({"$ref": "#/$defs/Expr"})),
                    ]
                }
            },
        },
        lambda bottom: wrap(bottom, lambda value: {"op": "not", "args": [value]}),
    ),
}


def _recursive() -> Iterator[Pair]:
    for name, (schema, shape) in RECURSIVE.items():
        yield Pair(name, schema, shape(None))
        yield Pair(f"{name}, wrong at the bottom", schema, shape(77), valid=False)


METASCHEMA_LIKE: Schema = {
    "type": ["object", "boolean"],
    "$defs": {"many": {"type": "array", "minItems": 1, "items": SELF}},
    "properties": {
        "allOf": {"$ref": "#/$defs/many"},
        "anyOf": {"$ref": "#/$defs/many"},
        "not": SELF,
        "items": {"anyOf": [SELF, {"$ref": "#/$defs/many"}]},
        "properties": {"type": "object", "additionalProperties": SELF},
        "dependencies": {"additionalProperties": {"anyOf": [SELF, array({"type": "string"})]}},
    },
}
MANY_BRANCHES: Schema = {
    "oneOf": [
        closed(kind={"enum": [f"k{index}", "shared"]}, **{f"p{key}": {"type": "integer"} for key in range(8)})
        for index in range(20)
    ]
}
TREE: Schema = {"oneOf": [LEAF, needs(left=SELF, right=SELF, tag={}), closed(left=SELF, right=SELF)]}
BINARY: Schema = {"anyOf": [LEAF, closed(left=SELF, right=SELF)]}
ROW: Schema = closed(
    id={"type": "integer", "minimum": 0}, name={"type": "string", "maxLength": 9}, tags=array({"enum": ["x", "y"]})
)


def _row(**change: Any) -> dict[str, Any]:
    return {"id": 1, "name": "n", "tags": ["x", "y"], **change}


def _wide_unions() -> Iterator[Pair]:
    good = {"kind": "k19", **{f"p{key}": key for key in range(8)}}
    rows = closed(rows=array(MANY_BRANCHES))
    yield Pair("rows of twenty branches", rows, held(items(good), "rows"))
    yield Pair("rows of twenty branches, all wrong", rows, held(items({**good, "p7": "x"}), "rows"), valid=False)
    yield Pair("rows of twenty branches, two match", rows, held(items({**good, "kind": "shared"}), "rows"), False)
    yield Pair("balanced trees", BINARY, tree)
    yield Pair("balanced trees, ambiguous", TREE, tree)
    yield Pair("a schema as a value, by items", METASCHEMA_LIKE, chain("items", True))
    yield Pair("a schema as a value, wrong at the bottom", METASCHEMA_LIKE, chain("items", 7), valid=False)
    yield Pair("a schema as a value, by lists", METASCHEMA_LIKE, wrap(True, lambda value: {"items": [value]}))
    yield Pair("a union of each property", {"type": "object", "additionalProperties": MANY_BRANCHES}, keys(good))
    yield Pair(
        "a union of each property, all wrong",
        {"type": "object", "additionalProperties": MANY_BRANCHES},
        keys({"kind": "k3"}),
        valid=False,
    )


def _deep_schemas(size: int) -> Any:
    return {"anyOf": [chain("items", 7)(200) for _ in range(size)]}


# --- arrays ----------------------------------------------------------------------------------------------------------
UNIQUE: Schema = {"type": "array", "uniqueItems": True}
MERSENNE = 2**61 - 1
"""What CPython's hash of integers is taken modulo of, so that its multiples collide."""


def _alike(size: int) -> list[Any]:
    """Return as many objects, equal up to their last property."""
    shared = {f"property{key}": "the same" for key in range(30)}
    return [{**shared, "last": index} for index in range(size)]


def _unique() -> Iterator[Pair]:
    yield Pair("unique integers", UNIQUE, lambda size: [*range(size)])
    yield Pair("unique integers, one twice as a float", UNIQUE, lambda size: [*range(size), size - 1.0], valid=False)
    yield Pair("unique integers that collide", UNIQUE, lambda size: [index * MERSENNE for index in range(size)])
    yield Pair("unique floats", UNIQUE, lambda size: [index + 0.5 for index in range(size)])
    yield Pair("unique strings, equal up to the end", UNIQUE, lambda size: [f"{'a' * 99}{i:09}" for i in range(size)])
    yield Pair("unique objects, equal up to the end", UNIQUE, _alike)
    yield Pair("unique objects, the last twice", UNIQUE, lambda size: [*_alike(size), *_alike(size)[-1:]], False)
    yield Pair("unique arrays, equal up to the end", UNIQUE, lambda size: [[0] * 30 + [index] for index in range(size)])
    yield Pair("unique arrays of arrays", UNIQUE, lambda size: [[[[[index]]]] for index in range(size)])
    yield Pair("unique deep arrays", UNIQUE, lambda size: [nest(0)(size), nest(1)(size)])
    yield Pair("unique kinds", UNIQUE, lambda size: [item for i in range(size) for item in (i, str(i), [i], {"k": i})])
    yield Pair(
        "unique tags of each row",
        closed(rows=array(array({"type": "integer"}, uniqueItems=True))),
        held(lambda size: [[*range(50)] for _ in range(size)], "rows"),
    )
    yield Pair(
        "unique items of unique items",
        array(UNIQUE, uniqueItems=True),
        lambda size: [[*range(20), index] for index in range(20, 20 + size)],
    )


def _arrays() -> Iterator[Pair]:
    many: Schema = {"type": "array", "contains": {"type": "integer", "minimum": 5}, "minContains": 2, "maxContains": 4}
    yield Pair("contains, bounded", many, lambda size: [1] * size + [6, 7])
    yield Pair("contains, none", many, items(1), valid=False)
    yield Pair("contains, too many", many, lambda size: [9] * (size + 5), valid=False)
    yield Pair(
        "contains beside unevaluatedItems",
        {"type": "array", "contains": {"type": "string"}, "unevaluatedItems": {"type": "integer"}},
        lambda size: ["a", 1] * size,
    )
    yield Pair(
        "contains in each of ten allOf",
        {"type": "array", "allOf": [{"contains": {"const": index}} for index in range(10)], "unevaluatedItems": False},
        lambda size: [*range(10)] * size,
    )
    yield Pair(
        "unevaluatedItems after nested unions",
        {
            "type": "array",
            "anyOf": [{"prefixItems": [{"const": 1}]}, {"oneOf": [{"prefixItems": [True, {"const": 2}]}, False]}],
            "unevaluatedItems": {"type": "integer"},
        },
        items(1),
    )
    yield Pair("each item wrong", array({"type": "string"}), items(1), valid=False)
    yield Pair("each row wrong", array(ROW), items(_row(id=-1, name="n" * 20, tags=["z"], more=1)), valid=False)
    yield Pair("the last row wrong", array(ROW), lambda size: [_row()] * size + [_row(id="")], valid=False)
    yield Pair("each row right", array(ROW), items(_row()))
    yield Pair("each of a union wrong", array({"anyOf": [ROW, {"type": "null"}]}), items({}), valid=False)
    yield Pair("too many items", array({}, maxItems=3), lambda size: [0] * (size + 3), valid=False)
    yield Pair("a long tail behind a tuple", {"type": "array", "prefixItems": [{}], "items": False}, items(1), False, 2)


# --- objects ---------------------------------------------------------------------------------------------------------
OBJECTS: Schema = {"enum": [{"name": "the same", "rows": [1, 2, 3], "number": index} for index in range(2000)]}
LARGE: Schema = {"const": {f"property{key}": [key, {"deep": [key]}] for key in range(2000)}}
PATTERNED: Schema = {
    "type": "object",
    "patternProperties": {f"^k.*{index}$": {"type": "integer"} for index in range(50)},
}


def _late(size: int) -> dict[str, Any]:
    """Return the large constant, but for its last property."""
    const = dict(LARGE["const"])
    const["property1999"] = [0] * size
    return const


def _objects() -> Iterator[Pair]:
    enum, const = closed(value=array(OBJECTS)), closed(value=array(LARGE))
    last = {"name": "the same", "rows": [1, 2, 3], "number": 1999}
    yield Pair("an enum of many objects", enum, held(items(last)), reach=20)
    yield Pair("an enum of many objects, none", enum, held(items({**last, "number": 2000})), valid=False)
    yield Pair("a large constant", const, held(items(LARGE["const"])), reach=5)
    yield Pair("a large constant, nearly", closed(value=LARGE), held(_late), valid=False)
    yield Pair("many patterns, many keys", PATTERNED, keys(1, "k{}"))
    yield Pair("many patterns, many wrong keys", PATTERNED, keys("x", "k{}"), valid=False)
    names: Schema = {"type": "object", "propertyNames": {"pattern": "^[a-z]+[0-9]*$", "maxLength": 30}}
    yield Pair("names with a pattern", names, keys())
    yield Pair("names with a pattern, all wrong", names, keys(form="-{}"), valid=False)
    yield Pair("names of a union", {"type": "object", "propertyNames": {"enum": ["a", "b"]}}, keys(), valid=False)
    yield Pair("many undeclared keys", closed(), keys(), valid=False)
    yield Pair("many extras", {"type": "object"}, keys())
    yield Pair("many extras of a type", {"type": "object", "additionalProperties": {"type": "string"}}, keys(), False)
    expected = [f"key{index}" for index in range(500)]
    yield Pair("many required, none there", {"type": "object", "required": expected}, keys(form="x{}"), valid=False)
    yield Pair(
        "many required of each row", array({"type": "object", "required": expected}), items({}), valid=False, reach=5
    )
    yield Pair(
        "dependentRequired",
        {"type": "object", "dependentRequired": {f"key{index}": [*expected, "never"] for index in range(50)}},
        keys(),
        valid=False,
        least=51,
    )
    yield Pair("too few properties", array({"type": "object", "minProperties": 2}), items({"a": 1}), valid=False)
    yield Pair("too many properties", {"type": "object", "maxProperties": 3}, keys(), valid=False, least=4)
    yield Pair("long keys", closed(), lambda size: {"k" * size: 1}, valid=False)
    yield Pair("long keys that stay", {"type": "object"}, lambda size: {"k" * size: 1})
    yield Pair("long keys to a wrong value", {"additionalProperties": {"type": "null"}}, lambda n: {"k" * n: 1}, False)
    yield Pair(
        "unevaluatedProperties after ten allOf",
        {
            "type": "object",
            "allOf": [{"patternProperties": {f"{index}$": {"type": "integer"}}} for index in range(10)],
            "unevaluatedProperties": False,
        },
        keys(),
    )
    yield Pair(
        "unevaluatedProperties after nested unions, all wrong",
        {
            "type": "object",
            "anyOf": [obj(a={"type": "integer"}), {"oneOf": [obj(b={"type": "integer"}), {"minProperties": 10**9}]}],
            "unevaluatedProperties": False,
        },
        keys(),
        valid=False,
    )


# --- strings and numbers ---------------------------------------------------------------------------------------------
def _strings() -> Iterator[Pair]:
    long = held(letters("x"))
    yield Pair("a long string for a number", closed(value={"type": "number"}), long, valid=False)
    yield Pair("a long string for an object", obj(value=obj(a={"type": "string"})), long, valid=False)
    yield Pair("a long string for a union", closed(value={"anyOf": [{"type": "number"}, ROW]}), long, valid=False)
    short = closed(value={"type": "string", "maxLength": 10})
    yield Pair("a string too long", short, held(letters("x", "x" * 10)), valid=False)
    yield Pair("a long string for an enum", closed(value={"enum": ["a", "b"]}), held(letters("xy")), valid=False)
    yield Pair("a long string for a const", closed(value={"const": "a"}), held(letters("xy")), valid=False)
    yield Pair(
        "a long string for a pattern", closed(value={"type": "string", "pattern": "^[0-9]+$"}), long, valid=False
    )
    yield Pair("a long string", closed(value={"type": "string", "minLength": 1}), long)
    yield Pair("a long string beyond ASCII", closed(value={"type": "string", "minLength": 1}), held(letters("é😀")))
    yield Pair(
        "a long string of control characters",
        closed(value={"type": "string", "maxLength": 1}),
        held(letters("\x1b\x00\u202e")),
        valid=False,
    )
    yield Pair("a long text for an array", array({"type": "integer"}), letters("x"), valid=False)
    yield Pair("long strings, all wrong", array({"type": "integer"}), items("x" * 1000), valid=False)
    for name, pattern, text, valid, oracle in PATTERNS:
        schema = closed(value={"type": "string", "pattern": pattern})
        yield Pair(f"pattern: {name}", schema, held(text), valid, oracle=oracle, reach=20)


def _numbers() -> Iterator[Pair]:
    integer, number = closed(value={"type": "integer"}), closed(value={"type": "number"})
    yield Pair("a huge integer", integer, held(digits))
    yield Pair("a huge integer for a number", number, held(digits))
    yield Pair("a huge integer, too great", closed(value={"maximum": 0}), held(digits), valid=False)
    yield Pair("a huge integer for a string", closed(value={"type": "string"}), held(digits), valid=False)
    yield Pair("a huge integer for an enum", closed(value={"enum": [1, 2]}), held(digits), valid=False)
    seven = closed(value={"type": "integer", "multipleOf": 7})
    yield Pair("a huge multiple", seven, held(lambda size: 7 * digits(size)), reach=15)
    yield Pair("a huge number that is not a multiple", seven, held(digits), valid=False)
    extreme = array({"type": "number", "multipleOf": 1e-300})
    yield Pair("multiples of what is nearly nothing", extreme, items(1e308), oracle=False)
    yield Pair("great floats, too great", array({"maximum": 1e307}), items(1e308), valid=False)
    yield Pair("great floats", array({"type": "number"}), items(1e308))
    yield Pair("many integers for strings in a union", array({"anyOf": [{"type": "string"}, ROW]}), items(1), False)


# --- depth and what is not JSON ---------------------------------------------------------------------------------------
ANYTHING: Schema = {}
OPEN: Schema = {"type": "object", "additionalProperties": True}
NO_SURROGATE = tuple(entry for entry in EVERY_WAY if entry != "client_warn")
HANDLERS = ("normalize", "normalize_any")


class OwnDict(dict[str, Any]):
    """A mapping of an application's own."""


class OwnList(list[Any]):
    """A list of an application's own."""


def _depth() -> Iterator[Pair]:
    yield Pair("deep lists for anything", ANYTHING, nest(0))
    yield Pair("deep objects for anything", ANYTHING, chain())
    yield Pair("deep objects for an open object", OPEN, chain(bottom={}))
    yield Pair("deep lists in an open object", OPEN, held(nest(0)))
    yield Pair("deep lists for a string", {"type": "string"}, nest(0), valid=False)
    yield Pair("deep lists for an array of strings", array({"type": "string"}), nest(0), valid=False)
    yield Pair("deep lists for a closed object", closed(value={"type": "integer"}), held(nest(0)), valid=False)
    yield Pair("deep lists for an enum", {"enum": [1, [2], [[3]]]}, nest(0), valid=False)
    yield Pair("deep lists for a const", {"const": [[[0]]]}, nest(0), valid=False, least=4)
    yield Pair("deep objects as an undeclared property", closed(a={"type": "integer"}), chain(bottom={}), valid=False)
    yield Pair("many deep lists", array({}), lambda size: [nest(0)(50)] * size)
    links = {"type": "object", "properties": {"next": SELF, "items": array({"type": "integer"})}}
    yield Pair("many wrong items deep down", links, lambda size: chain(bottom={"items": ["x"] * size})(300), False)
    yield Pair("many deep schemas as a value, all wrong at the bottom", METASCHEMA_LIKE, _deep_schemas, valid=False)


def _no_json() -> Iterator[Pair]:
    text = closed(value={"type": "string"})
    surrogate = held(letters("a", "\ud800"))
    yield Pair("a lone surrogate", text, surrogate, False, ways=NO_SURROGATE, oracle=False)
    yield Pair("a lone surrogate in a key", OPEN, lambda n: {"k" * n + "\udfff": 1}, False, 1, 50, NO_SURROGATE, False)
    yield Pair("a lone surrogate deep down", ANYTHING, nest("\ud83d"), False, ways=NO_SURROGATE, oracle=False)
    yield Pair("a list that holds itself", ANYTHING, cyclic_list, valid=False, oracle=False)
    yield Pair("an object that holds itself", OPEN, cyclic_object, valid=False, oracle=False)
    yield Pair(
        "a node that holds itself",
        RECURSIVE["anyOf"][0],
        lambda _: cyclic_object(0),
        False,
        oracle=False,
        ways=EVERY_WAY,
    )
    yield Pair(
        "an ambiguous node that holds itself",
        RECURSIVE["anyOf twice"][0],
        lambda _: cyclic_object(0),
        False,
        oracle=False,
    )
    yield Pair("an own mapping", OPEN, lambda size: OwnDict(keys()(size)), ways=HANDLERS, oracle=False)
    yield Pair("own lists", array({}), lambda size: OwnList([OwnList([1])] * size), ways=HANDLERS, oracle=False)
    yield Pair(
        "own mappings deep down", OPEN, wrap(OwnDict(), lambda value: OwnDict(next=value)), ways=HANDLERS, oracle=False
    )
    yield Pair("a generator", array({}), lambda size: iter(range(size)), ways=("normalize_any",), oracle=False)
    yield Pair("tuples deep down", ANYTHING, wrap(0, lambda value: (value,)), ways=("normalize_any",), oracle=False)
    yield Pair("sets", array({}), lambda size: set(range(size)), ways=("normalize_any",), oracle=False)


GROUPS = (_recursive, _wide_unions, _unique, _arrays, _objects, _strings, _numbers, _depth, _no_json)
PAIRS: dict[str, Pair] = {pair.name: pair for make in GROUPS for pair in make()}
"""All pairs, by name."""
