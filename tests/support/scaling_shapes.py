"""Definitions that grow along one axis at a time: size → files, to see what a build costs as its input grows."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Schema = dict[str, Any]
Files = dict[str, str]
"""Path in the project folder → text."""


@dataclass(frozen=True)
class Axis:
    """One way to grow: `make` gives the files for a size; `size` is one at which the axis weighs something."""

    make: Callable[[int], Files]
    size: int


def files_of(output: Any, **more: Any) -> Files:
    """A project with one tool."""
    tool = {"name": "grown", "inputSchema": {"type": "object"}, "outputSchema": output, **more}
    return {"schemas/tools.json": json.dumps({"tools": [tool]})}


def files_of_tools(tools: list[Schema]) -> Files:
    """A project with several tools."""
    return {"schemas/tools.json": json.dumps({"tools": tools})}


def files_of_resource(template: str) -> Files:
    """A project with one resource template."""
    resource = {"name": "grown", "uriTemplate": template}
    return {"schemas/resources.json": json.dumps({"resourceTemplates": [resource]})}


def files_of_template(text: str, more: int = 0) -> Files:
    """A project with one tool that has a content template, and so many properties beside those that templates use."""
    rows: Schema = {"type": "array", "items": closed({"b": {"type": "string"}})}
    output = closed({"a": {"type": "string"}, "xs": rows} | {f"p{i}": {"type": "string"} for i in range(more)})
    files = files_of(output, **{"x-mcpgen": {"content": "template"}})
    return {**files, "schemas/grown.content.j2": text}


def closed(properties: Schema) -> Schema:
    """An object with exactly these properties."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def under(name: str, schema: Any) -> Schema:
    """An object that has a schema as one of its properties."""
    return {"type": "object", "properties": {name: schema}}


# --- values ----------------------------------------------------------------------------------------------------------
def enum_strings(n: int) -> Files:
    return files_of(under("a", {"enum": [f"value-{i}" for i in range(n)]}))


def enum_mixed(n: int) -> Files:
    kinds: list[Any] = []
    for i in range(n // 4):
        kinds += [f"v{i}", i, i + 0.5, {"k": i}]
    return files_of(under("a", {"enum": kinds}))


def enum_integers(n: int) -> Files:
    return files_of(under("a", {"enum": [*range(n)]}))


def enum_intersected(n: int) -> Files:
    half = [f"v{i}" for i in range(n)]
    return files_of(under("a", {"allOf": [{"enum": half}, {"enum": half[::-1]}]}))


def enum_spread(n: int) -> Files:
    """Many small enums, all different."""
    return files_of(under("a", closed({f"p{i}": {"enum": [f"a{i}", f"b{i}"]} for i in range(n)})))


def const_object(n: int) -> Files:
    return files_of(under("a", {"const": {f"k{i}": i for i in range(n)}}))


def const_integer_digits(n: int) -> Files:
    tool = {"name": "grown", "inputSchema": {"type": "object"}, "outputSchema": under("a", {"const": "@"})}
    return {"schemas/tools.json": json.dumps({"tools": [tool]}).replace('"@"', "9" * n)}


def bound_digits(n: int) -> Files:
    tool = {"name": "grown", "inputSchema": {"type": "object"}, "outputSchema": under("a", {"maximum": "@"})}
    return {"schemas/tools.json": json.dumps({"tools": [tool]}).replace('"@"', "9" * n)}


def size_bound_digits(n: int) -> Files:
    tool = {"name": "grown", "inputSchema": {"type": "object"}, "outputSchema": under("a", {"maxLength": "@"})}
    return {"schemas/tools.json": json.dumps({"tools": [tool]}).replace('"@"', "9" * n)}


def defaults(n: int) -> Files:
    return files_of(under("a", {"type": "array", "default": [*range(n)], "examples": [[*range(n)]]}))


# --- objects ---------------------------------------------------------------------------------------------------------
def properties(n: int) -> Files:
    return files_of(closed({f"prop_{i}": {"type": "string"} for i in range(n)}))


def properties_optional(n: int) -> Files:
    return files_of({"type": "object", "properties": {f"prop{i}": {"type": ["integer", "null"]} for i in range(n)}})


def property_objects(n: int) -> Files:
    return files_of(closed({f"p{i}": closed({f"q{i}": {"type": "string"}}) for i in range(n)}))


def property_names_colliding(n: int) -> Files:
    """Names that are all the same in Python: case tells them apart."""
    names = [("a_" * 20 + f"b{'-' * (i % 40)}{'_' * (i // 40)}") for i in range(n)]
    return files_of({"type": "object", "properties": {name: {"type": "string"} for name in names}})


def property_names_reserved(n: int) -> Files:
    """Names that take each other's place: each wants the next one's."""
    names = ["Schema" + "_" * i for i in range(n)]
    return files_of({"type": "object", "properties": {name: {"type": "string"} for name in names}})


def property_name_long(n: int) -> Files:
    return files_of({"type": "object", "properties": {"aB" * (n // 2): {"type": "string"}}})


def property_name_symbols(n: int) -> Files:
    return files_of({"type": "object", "properties": {"é/~ " * (n // 4): {"type": "object", "properties": {"a": {}}}}})


def required_undeclared(n: int) -> Files:
    return files_of({"type": "object", "required": [f"name_{i}" for i in range(n)]})


def required_undeclared_closed(n: int) -> Files:
    required = [f"name_{i}" for i in range(n)]
    return files_of({"type": "object", "properties": {}, "required": required, "additionalProperties": False})


def required_near_misses(n: int) -> Files:
    declared: Schema = {f"name_{i}": {} for i in range(n)}
    required = [f"nome_{i}" for i in range(n)]
    return files_of({"type": "object", "properties": declared, "required": required, "additionalProperties": False})


def required_declared(n: int) -> Files:
    declared: Schema = {f"name_{i}": {} for i in range(n)}
    return files_of({"type": "object", "properties": declared, "required": [*declared]})


def required_in_branches(n: int) -> Files:
    names = [f"n{i}" for i in range(30)]
    return files_of(
        {
            "type": "object",
            "properties": {name: {"type": "string"} for name in names},
            "anyOf": [{"required": [names[i % 30], names[(i * 7) % 30]]} for i in range(n)],
        }
    )


def unknown_keywords(n: int) -> Files:
    return files_of({"type": "object", **{f"propertie{i}": 1 for i in range(n)}})


def pattern_properties(n: int) -> Files:
    patterns: Schema = {f"^k{i}$": {"type": "string", "maxLength": i} for i in range(n)}
    return files_of(under("a", {"type": "object", "patternProperties": patterns}))


def pattern_and_properties(n: int) -> Files:
    patterns: Schema = {f"^k{i}$": {"type": "string"} for i in range(n)}
    declared: Schema = {f"p{i}": {"type": "string"} for i in range(n)}
    return files_of({"type": "object", "properties": declared, "patternProperties": patterns})


def dependent_required(n: int) -> Files:
    return files_of({"type": "object", "dependentRequired": {f"a{i}": [f"b{i}"] for i in range(n)}})


def dependent_schemas(n: int) -> Files:
    return files_of({"type": "object", "dependentSchemas": {f"a{i}": {"required": [f"b{i}"]} for i in range(n)}})


def all_of_properties(n: int) -> Files:
    """Each branch declares a property."""
    return files_of({"type": "object", "allOf": [{"properties": {f"p{i}": {"type": "string"}}} for i in range(n)]})


def all_of_same_property(n: int) -> Files:
    """Each branch says something of one property."""
    return files_of(
        {"type": "object", "allOf": [{"properties": {"p": {"type": "string", "minLength": i}}} for i in range(n)]}
    )


def all_of_additional(n: int) -> Files:
    branch = [
        {"properties": {f"p{i}": {"type": "string"}}, "additionalProperties": {"type": "string", "minLength": i}}
        for i in range(n)
    ]
    return files_of({"type": "object", "allOf": branch})


# --- unions ----------------------------------------------------------------------------------------------------------
def any_of_objects(n: int) -> Files:
    return files_of(under("a", {"anyOf": [closed({f"p{i}": {"type": "string"}}) for i in range(n)]}))


def any_of_objects_root(n: int) -> Files:
    return files_of({"type": "object", "anyOf": [closed({f"p{i}": {"type": "string"}}) for i in range(n)]})


def one_of_tagged(n: int) -> Files:
    branches = [closed({"kind": {"const": f"k{i}"}, f"p{i}": {"type": "string"}}) for i in range(n)]
    return files_of(under("a", {"oneOf": branches}))


def one_of_tagged_list(n: int) -> Files:
    branches = [closed({"kind": {"const": f"k{i}"}, "p": {"type": "integer"}}) for i in range(n)]
    return files_of(under("a", {"type": "array", "items": {"oneOf": branches}}))


def any_of_scalars(n: int) -> Files:
    return files_of(under("a", {"anyOf": [{"type": "string", "minLength": i, "maxLength": 2 * i} for i in range(n)]}))


def any_of_arrays(n: int) -> Files:
    return files_of(under("a", {"anyOf": [{"type": "array", "minItems": i} for i in range(n)]}))


def any_of_consts(n: int) -> Files:
    return files_of(under("a", {"anyOf": [{"const": f"c{i}"} for i in range(n)]}))


def any_of_refs(n: int) -> Files:
    defs: Schema = {f"D{i}": closed({f"p{i}": {"type": "string"}}) for i in range(n)}
    return files_of({**under("a", {"anyOf": [{"$ref": f"#/$defs/D{i}"} for i in range(n)]}), "$defs": defs})


def any_of_lists_of_any_of(n: int) -> Files:
    """A union at every level."""
    inner: Schema = {"type": "string"}
    for i in range(n):
        inner = {"anyOf": [{"type": "integer", "minimum": i}, {"type": "array", "items": inner}]}
    return files_of(under("a", inner))


def any_of_nested(n: int) -> Files:
    inner: Schema = {"type": "string"}
    for i in range(n):
        inner = {"anyOf": [{"type": "integer", "minimum": i}, inner]}
    return files_of(under("a", inner))


def any_of_anything(n: int) -> Files:
    """A union of as many schemas as possible, far down in the schema."""
    inner: Schema = {"anyOf": [{}] * n}
    for _ in range(100):
        inner = {"allOf": [inner]}
    return files_of(inner)


def any_of_with_base(n: int) -> Files:
    """Base properties, and branches that each add one: each branch becomes a class with all of them."""
    base: Schema = {f"b{i}": {"type": "string"} for i in range(n)}
    branches = [{"properties": {f"p{i}": {"type": "string"}}, "required": [f"p{i}"]} for i in range(n)]
    return files_of(under("a", {"type": "object", "properties": base, "anyOf": branches}))


def all_of_any_of(n: int) -> Files:
    """A product: three unions at once."""
    side = [[{"properties": {f"{w}{i}": {"type": "string"}}} for i in range(n)] for w in "abc"]
    return files_of(under("a", {"type": "object", "allOf": [{"anyOf": item} for item in side]}))


def all_of_any_of_many(n: int) -> Files:
    """As many unions of two at once: 2ⁿ ways."""
    pairs: list[Schema] = [
        {"anyOf": [{"properties": {f"a{i}": {"type": "string"}}}, {"properties": {f"b{i}": {"type": "integer"}}}]}
        for i in range(n)
    ]
    return files_of(under("a", {"type": "object", "allOf": pairs}))


def all_of_doubling(n: int) -> Files:
    """Definitions that each take the one before twice: 2ⁿ when unfolded."""
    defs: Schema = {"D0": {"type": "object", "properties": {"a": {"type": "string"}}}}
    for i in range(1, n + 1):
        defs[f"D{i}"] = {"allOf": [{"$ref": f"#/$defs/D{i - 1}"}, {"$ref": f"#/$defs/D{i - 1}"}]}
    return files_of({**under("a", {"$ref": f"#/$defs/D{n}"}), "$defs": defs})


def all_of_doubling_inline(n: int) -> Files:
    """As `all_of_doubling`, each level with a property of its own whose type is the level below, in two conjuncts."""
    defs: Schema = {"D0": {"type": "object", "properties": {"a": {"type": "string"}}}}
    for i in range(1, n + 1):
        defs[f"D{i}"] = {
            "allOf": [
                {"properties": {"x": {"$ref": f"#/$defs/D{i - 1}"}, f"l{i}": {"type": "string"}}},
                {"properties": {"x": {"type": "object", "minProperties": i}, "y": {"$ref": f"#/$defs/D{i - 1}"}}},
            ]
        }
    return files_of({**under("a", {"$ref": f"#/$defs/D{n}"}), "$defs": defs})


def unfolding(n: int) -> Files:
    """Conjunctions of recursive definitions, whose products are all different classes."""
    defs: Schema = {}
    for i in range(n):
        defs[f"D{i}"] = {
            "type": "object",
            "properties": {
                "x": {"$ref": f"#/$defs/D{(i + 1) % n}"},
                "y": {"allOf": [{"$ref": f"#/$defs/D{(i * 2 + 1) % n}"}, {"$ref": f"#/$defs/D{(i * 3 + 1) % n}"}]},
            },
        }
    return files_of({**under("a", {"$ref": "#/$defs/D0"}), "$defs": defs})


def any_of_diamond(n: int) -> Files:
    """A union at each definition, both of whose branches lead to the next."""
    defs: Schema = {f"D{n}": {"type": "string"}}
    for i in range(n):
        following = {"$ref": f"#/$defs/D{i + 1}"}
        defs[f"D{i}"] = {"anyOf": [following, {"type": "null"}, {"type": "array", "items": following}]}
    return files_of({**under("a", {"$ref": "#/$defs/D0"}), "$defs": defs})


def any_of_diamond_allof(n: int) -> Files:
    """A conjunction of a union with a union, at each definition."""
    defs: Schema = {f"D{n}": {"type": ["string", "null"]}}
    for i in range(n):
        following = {"$ref": f"#/$defs/D{i + 1}"}
        defs[f"D{i}"] = {"anyOf": [{"allOf": [following]}, {"allOf": [following, {"minLength": 1}]}]}
    return files_of({**under("a", {"$ref": "#/$defs/D0"}), "$defs": defs})


def null_diamond(n: int) -> Files:
    """Optional properties whose null has to be looked for through unions of unions."""
    defs: Schema = {f"D{n}": {"type": ["string", "null"]}}
    for i in range(n):
        following = {"$ref": f"#/$defs/D{i + 1}"}
        defs[f"D{i}"] = {"anyOf": [{"type": "integer"}, following], "oneOf": [{"type": "boolean"}, following]}
    return files_of({**under("a", {"$ref": "#/$defs/D0"}), "$defs": defs})


def type_lists(n: int) -> Files:
    kinds = ["string", "integer", "boolean", "null", "array", "object"]
    return files_of(closed({f"p{i}": {"type": kinds[: 1 + i % 6]} for i in range(n)}))


def conditions(n: int) -> Files:
    schema: Schema = {"type": "object"}
    for i in range(n):
        schema = {
            "type": "object",
            "if": {"properties": {"k": {"const": i}}},
            "then": {"required": [f"p{i}"]},
            "else": schema,
        }
    return files_of(schema)


def all_of_conditions(n: int) -> Files:
    branch = [{"if": {"properties": {"k": {"const": i}}}, "then": {"required": [f"p{i}"]}} for i in range(n)]
    return files_of({"type": "object", "allOf": branch})


def nots(n: int) -> Files:
    return files_of({"type": "object", "allOf": [{"not": {"required": [f"p{i}"]}} for i in range(n)]})


# --- arrays ----------------------------------------------------------------------------------------------------------
def prefix_items(n: int) -> Files:
    items = [{"type": "string", "minLength": i} for i in range(n)]
    return files_of(under("a", {"type": "array", "prefixItems": items, "items": False, "minItems": n}))


def prefix_items_open(n: int) -> Files:
    items = [{"type": "string", "minLength": i} for i in range(n)]
    return files_of(under("a", {"type": "array", "prefixItems": items}))


def prefix_items_objects(n: int) -> Files:
    items = [closed({f"p{i}": {"type": "string"}}) for i in range(n)]
    return files_of(under("a", {"type": "array", "prefixItems": items, "items": False, "minItems": n}))


def prefix_items_union(n: int) -> Files:
    items = [closed({f"p{i}": {"type": "string"}}) for i in range(n)]
    return files_of(under("a", {"type": "array", "prefixItems": items, "items": False}))


# --- depth -----------------------------------------------------------------------------------------------------------
def depth_objects(n: int) -> Files:
    schema: Schema = {"type": "string"}
    for i in range(n):
        schema = closed({f"p{i}": schema})
    return files_of(under("a", schema))


def depth_arrays(n: int) -> Files:
    schema: Schema = {"type": "string"}
    for _ in range(n):
        schema = {"type": "array", "items": schema}
    return files_of(under("a", schema))


def depth_all_of(n: int) -> Files:
    schema: Schema = {"type": "string"}
    for _ in range(n):
        schema = {"allOf": [schema]}
    return files_of(under("a", schema))


def depth_maps(n: int) -> Files:
    schema: Schema = {"type": "string"}
    for _ in range(n):
        schema = {"type": "object", "additionalProperties": schema}
    return files_of(under("a", schema))


# --- references ------------------------------------------------------------------------------------------------------
def ref_chain(n: int) -> Files:
    """Definitions that only refer to the next one."""
    defs: Schema = {f"D{i}": {"$ref": f"#/$defs/D{i + 1}"} for i in range(n)}
    defs[f"D{n}"] = {"type": "string"}
    return files_of({**under("a", {"$ref": "#/$defs/D0"}), "$defs": defs})


def ref_chain_described(n: int) -> Files:
    """As `ref_chain`, each with a bound of its own."""
    defs: Schema = {f"D{i}": {"$ref": f"#/$defs/D{i + 1}", "maxLength": 2 * n - i} for i in range(n)}
    defs[f"D{n}"] = {"type": "string"}
    return files_of({**under("a", {"$ref": "#/$defs/D0"}), "$defs": defs})


def ref_chain_objects(n: int) -> Files:
    """Classes, each with the next one as a property."""
    defs: Schema = {f"D{i}": closed({"next": {"$ref": f"#/$defs/D{i + 1}"}}) for i in range(n)}
    defs[f"D{n}"] = {"type": "string"}
    return files_of({**under("a", {"$ref": "#/$defs/D0"}), "$defs": defs})


def ref_chain_arrays(n: int) -> Files:
    """Arrays of arrays by way of definitions, deeper than a file may be."""
    defs: Schema = {f"D{i}": {"type": "array", "items": {"$ref": f"#/$defs/D{i + 1}"}} for i in range(n)}
    defs[f"D{n}"] = {"type": "string"}
    return files_of({**under("a", {"$ref": "#/$defs/D0"}), "$defs": defs})


def ref_chain_unions(n: int) -> Files:
    defs: Schema = {
        f"D{i}": {"anyOf": [{"$ref": f"#/$defs/D{i + 1}"}, {"maximum": i, "type": "integer"}]} for i in range(n)
    }
    defs[f"D{n}"] = {"type": "string"}
    return files_of({**under("a", {"$ref": "#/$defs/D0"}), "$defs": defs})


def ref_chain_all_of(n: int) -> Files:
    """Each definition says more about the same object: the last class has all properties."""
    defs: Schema = {
        f"D{i}": {"allOf": [{"$ref": f"#/$defs/D{i + 1}"}, {"properties": {f"p{i}": {"type": "string"}}}]}
        for i in range(n)
    }
    defs[f"D{n}"] = {"type": "object"}
    return files_of({**under("a", {"$ref": "#/$defs/D0"}), "$defs": defs})


def ref_chain_all_of_used(n: int) -> Files:
    """As `ref_chain_all_of`, and each step is a class that is used, too: n classes with up to n properties."""
    files = json.loads(ref_chain_all_of(n)["schemas/tools.json"])
    schema = files["tools"][0]["outputSchema"]
    schema["properties"] = {f"u{i}": {"$ref": f"#/$defs/D{i}"} for i in range(n)}
    return files_of(schema)


def ref_fan_in(n: int) -> Files:
    declared: Schema = {f"p{i}": {"$ref": "#/$defs/D"} for i in range(n)}
    return files_of({**closed(declared), "$defs": {"D": closed({"a": {"type": "string"}})}})


def ref_fan_out(n: int) -> Files:
    defs: Schema = {f"D{i}": closed({"a": {"type": "string"}}) for i in range(n)}
    return files_of({**closed({f"p{i}": {"$ref": f"#/$defs/D{i}"} for i in range(n)}), "$defs": defs})


def ref_mutual(n: int) -> Files:
    """Every class leads to every other by way of its neighbours."""
    defs: Schema = {
        f"D{i}": {
            "type": "object",
            "properties": {"l": {"$ref": f"#/$defs/D{(i - 1) % n}"}, "r": {"$ref": f"#/$defs/D{(i + 1) % n}"}},
        }
        for i in range(n)
    }
    return files_of({**under("a", {"$ref": "#/$defs/D0"}), "$defs": defs})


def ref_to_root(n: int) -> Files:
    return files_of(
        {"type": "object", "properties": {f"p{i}": {"type": "array", "items": {"$ref": "#"}} for i in range(n)}}
    )


def ref_recursive_aliases(n: int) -> Files:
    """Recursive definitions that are not objects."""
    defs: Schema = {
        f"D{i}": {
            "anyOf": [
                {"type": "integer", "minimum": i},
                {"type": "array", "items": {"$ref": f"#/$defs/D{(i + 1) % n}"}},
            ]
        }
        for i in range(n)
    }
    return files_of({**closed({f"p{i}": {"$ref": f"#/$defs/D{i}"} for i in range(n)}), "$defs": defs})


def ref_recursive_to_all(n: int) -> Files:
    """One union of aliases that each refer to it again."""
    defs: Schema = {f"D{i}": {"type": "array", "minItems": i, "items": {"$ref": "#/$defs/U"}} for i in range(n)}
    defs["U"] = {"anyOf": [{"$ref": f"#/$defs/D{i}"} for i in range(n)]}
    return files_of({**under("a", {"$ref": "#/$defs/U"}), "$defs": defs})


def ref_deep_pointers(n: int) -> Files:
    """References by pointers into properties of properties."""
    schema: Schema = {"type": "string"}
    for _ in range(60):
        schema = {"type": "object", "properties": {"a": schema}}
    defs: Schema = {"D": schema}
    at = "#/$defs/D" + "/properties/a" * 60
    return files_of({**closed({f"p{i}": {"$ref": at} for i in range(n)}), "$defs": defs})


def defs_unused(n: int) -> Files:
    return files_of({**under("a", {}), "$defs": {f"D{i}": closed({"a": {"type": "string"}}) for i in range(n)}})


def defs_unused_chain(n: int) -> Files:
    """Definitions whose reach overlaps: each leads to all that follow."""
    defs: Schema = {f"D{i}": closed({"next": {"$ref": f"#/$defs/D{i + 1}"}}) for i in range(n)}
    defs[f"D{n}"] = {"type": "string"}
    return files_of({**under("a", {}), "$defs": defs})


def anchors(n: int) -> Files:
    defs: Schema = {f"D{i}": {"$anchor": f"here{i}", "type": "string"} for i in range(n)}
    return files_of({**closed({f"p{i}": {"$ref": f"#here{i}"} for i in range(n)}), "$defs": defs})


def identifiers(n: int) -> Files:
    defs: Schema = {f"D{i}": {"$id": f"https://example.com/d{i}", "type": "string"} for i in range(n)}
    return files_of({**closed({f"p{i}": {"$ref": f"https://example.com/d{i}"} for i in range(n)}), "$defs": defs})


def dynamic_anchors(n: int) -> Files:
    defs: Schema = {f"D{i}": {"$id": f"d{i}", "$dynamicAnchor": "here", "type": "string"} for i in range(n)}
    return files_of({**closed({f"p{i}": {"$dynamicRef": f"d{i}#here"} for i in range(n)}), "$defs": defs})


def refs_nowhere(n: int) -> Files:
    """References that lead nowhere, each with candidates to guess from."""
    defs: Schema = {f"Name{i}": {"type": "string"} for i in range(n)}
    return files_of({**closed({f"p{i}": {"$ref": f"#/$defs/Nome{i}"} for i in range(n)}), "$defs": defs})


def refs_outward(n: int) -> Files:
    """References into another file, which refer to each other."""
    defs: Schema = {f"D{i}": closed({"next": {"$ref": f"#/$defs/D{(i + 1) % n}"}}) for i in range(n)}
    files = files_of(closed({f"p{i}": {"$ref": f"other.json#/$defs/D{i}"} for i in range(n)}))
    return {**files, "schemas/other.json": json.dumps({"$defs": defs})}


# --- texts and names -------------------------------------------------------------------------------------------------
def description_words(n: int) -> Files:
    return files_of(
        {**under("a", {"type": "string", "description": "word " * (n // 5)}), "description": "word " * (n // 5)}
    )


def description_lines(n: int) -> Files:
    return files_of(under("a", {"type": "string", "description": "a line\n" * (n // 7)}))


def description_quotes(n: int) -> Files:
    return files_of(under("a", {"type": "string", "description": '"\\' * (n // 2)}))


def description_blank(n: int) -> Files:
    return files_of(under("a", {"type": "string", "description": "a" + " \n" * (n // 2) + "b"}))


def description_control(n: int) -> Files:
    return files_of(under("a", {"type": "string", "description": "a\u202e" * (n // 2)}))


def descriptions_many(n: int) -> Files:
    long = "A sentence that is filled to the width of the page, and some more of it. "
    return files_of(closed({f"p{i}": {"type": "string", "description": long * 3} for i in range(n)}))


def tool_description(n: int) -> Files:
    return files_of({"type": "string"}, description="word " * (n // 5))


def titles_colliding(n: int) -> Files:
    declared: Schema = {f"p{i}": {**closed({f"q{i}": {"type": "string"}}), "title": "Same"} for i in range(n)}
    return files_of(closed(declared))


def names_nested_alike(n: int) -> Files:
    """Return the same property name at every place, without a title."""
    declared: Schema = {
        f"p{i}": closed({"item": closed({"item": closed({f"v{i}": {"type": "string"}})})}) for i in range(n)
    }
    return files_of(closed(declared))


def names_alike_in_python(n: int) -> Files:
    """Definitions whose names are one in Python."""
    defs: Schema = {"D" + "-" * (i + 1): closed({f"v{i}": {"type": "string"}}) for i in range(n)}
    declared: Schema = {f"p{i}": {"$ref": "#/$defs/D" + "-" * (i + 1)} for i in range(n)}
    return files_of({**closed(declared), "$defs": defs})


def long_definition_name(n: int) -> Files:
    name = "D" * n
    return files_of({**under("a", {"$ref": f"#/$defs/{name}"}), "$defs": {name: closed({"a": {"type": "string"}})}})


# --- tools -----------------------------------------------------------------------------------------------------------
def tools_small(n: int) -> Files:
    return files_of_tools(
        [
            {"name": f"tool_{i}", "inputSchema": {"type": "object"}, "outputSchema": closed({"a": {"type": "string"}})}
            for i in range(n)
        ]
    )


def tools_sharing(n: int) -> Files:
    defs: Schema = {f"D{i}": closed({"next": {"$ref": f"#/$defs/D{i + 1}"}}) for i in range(10)}
    defs["D10"] = closed({"a": {"type": "string"}})
    output = {**closed({"a": {"$ref": "#/$defs/D0"}}), "$defs": defs}
    return files_of_tools(
        [{"name": f"tool_{i}", "inputSchema": {"type": "object"}, "outputSchema": output} for i in range(n)]
    )


def tools_sharing_chain(n: int) -> Files:
    """Two tools that share a chain of definitions, of which the last differs: one after another is not shared."""
    tools: list[Schema] = []
    for side in "ab":
        defs: Schema = {f"D{i}": closed({"next": {"$ref": f"#/$defs/D{i + 1}"}}) for i in range(n)}
        defs[f"D{n}"] = closed({side: {"type": "string"}})
        output = {**closed({"a": {"$ref": "#/$defs/D0"}}), "$defs": defs}
        tools.append({"name": f"tool_{side}", "inputSchema": {"type": "object"}, "outputSchema": output})
    return files_of_tools(tools)


def tools_clashing(n: int) -> Files:
    """Tools whose names are one in Python."""
    return files_of_tools(
        [{"name": "get" + "-" * (i // 30 + 1) + "_" * (i % 30), "inputSchema": {"type": "object"}} for i in range(n)]
    )


def tool_name_long(n: int) -> Files:
    return files_of_tools([{"name": "aB" * (n // 2), "inputSchema": {"type": "object"}}])


# --- roots -----------------------------------------------------------------------------------------------------------
def root_array_of_union(n: int) -> Files:
    return files_of({"type": "array", "items": {"anyOf": [closed({f"p{i}": {"type": "string"}}) for i in range(n)]}})


def root_enum(n: int) -> Files:
    return files_of({"enum": [f"v{i}" for i in range(n)]})


# --- URI templates ---------------------------------------------------------------------------------------------------
def uri_variables(n: int) -> Files:
    return files_of_resource("https://example.com" + "".join(f"/{{v{i}}}" for i in range(n)))


def uri_variables_in_one(n: int) -> Files:
    return files_of_resource("https://example.com/{" + ",".join(f"v{i}" for i in range(n)) + "}")


def uri_query(n: int) -> Files:
    return files_of_resource("https://example.com/a{?" + ",".join(f"v{i}" for i in range(n)) + "}")


def uri_same_variable(n: int) -> Files:
    return files_of_resource("https://example.com" + "/{v}" * n)


def uri_literal(n: int) -> Files:
    return files_of_resource("https://example.com/" + "a" * n)


def uri_names_alike(n: int) -> Files:
    return files_of_resource("https://example.com" + "".join(f"/{{v{'_' * i}x}}" for i in range(n)))


# --- content templates -----------------------------------------------------------------------------------------------
def template_statements(n: int) -> Files:
    return files_of_template("{% if a %}x{% endif %}{{ a }}\n" * n)


def template_outputs(n: int) -> Files:
    return files_of_template("{{ a }} " * n)


def template_text(n: int) -> Files:
    return files_of_template("some text\n" * (n // 10))


def template_nested_ifs(n: int) -> Files:
    return files_of_template("{% if a %}" * n + "x" + "{% endif %}" * n)


def template_nested_loops(n: int) -> Files:
    text = "".join(f"{{% for x{i} in xs %}}" for i in range(n))
    return files_of_template(text + "x" + "{% endfor %}" * n)


def template_elifs(n: int) -> Files:
    return files_of_template(
        "{% if a == 'x' %}x" + "".join(f"{{% elif a == 'y{i}' %}}y" for i in range(n)) + "{% endif %}"
    )


def template_chain(n: int) -> Files:
    return files_of_template("{{ " + " ~ ".join(["a"] * n) + " }}")


def template_ands(n: int) -> Files:
    return files_of_template("{% if " + " and ".join(["a"] * n) + " %}x{% endif %}")


def template_parentheses(n: int) -> Files:
    return files_of_template("{{ " + "(" * n + "a" + ")" * n + " }}")


def template_nots(n: int) -> Files:
    return files_of_template("{% if " + "not " * n + "a %}x{% endif %}")


def template_filters(n: int) -> Files:
    return files_of_template("{{ a" + "|upper" * n + " }}")


def template_sets(n: int) -> Files:
    return files_of_template("".join(f"{{% set v{i} = a %}}" for i in range(n)) + "{{ v0 }}")


def template_sums(n: int) -> Files:
    return files_of_template("{{ " + " + ".join(["1"] * n) + " }}")


def template_inline_ifs(n: int) -> Files:
    return files_of_template("{{ " + "a if a else (" * n + "a" + ")" * n + " }}")


def template_lists(n: int) -> Files:
    return files_of_template("{{ [" + ", ".join(["a"] * n) + "]|join(',') }}")


def template_wrong(n: int) -> Files:
    """Every statement is wrong."""
    return files_of_template("{{ b }}\n" * n)


# --- settings, files and two sides -----------------------------------------------------------------------------------
def settings_unknown_tools(n: int) -> Files:
    """Choices for tools that nothing defines, among as many that are defined."""
    tables = "".join(f"[tools.tol_{i}]\ncontent = 'json'\n" for i in range(n))
    return tools_small(n) | {"mcpgen.toml": tables}


def settings_unknown_keys(n: int) -> Files:
    return files_of({"type": "string"}) | {"mcpgen.toml": "".join(f"[t{i}]\n" for i in range(n))}


def settings_ref_map(n: int) -> Files:
    """Entries that lead out of the project."""
    entries = "".join(f"'https://example.com/{i}' = '/outside/{i}.json'\n" for i in range(n))
    return files_of({"type": "string"}) | {"mcpgen.toml": f"[ref-map]\n{entries}"}


def settings_inline(n: int) -> Files:
    entries = ", ".join(f"t{i} = {{x = 1}}" for i in range(n))
    return files_of({"type": "string"}) | {"mcpgen.toml": f"tools = {{{entries}}}\n"}


def files_small(n: int) -> Files:
    tools = [{"name": f"tool_{i}", "inputSchema": {"type": "object"}} for i in range(n)]
    return {f"schemas/{tool['name']}.json": json.dumps(tool) for tool in tools}


def templates_unused(n: int) -> Files:
    return tools_small(n) | {f"schemas/tol_{i}.content.j2": "text" for i in range(n)}


def list_of_no_tools(n: int) -> Files:
    return {"schemas/tools.json": json.dumps([*range(n)])}


def template_wrong_names(n: int) -> Files:
    """Names that are not there, of an object with as many properties."""
    return files_of_template("".join(f"{{{{ q{i} }}}}\n" for i in range(n)), n)


SIDES: dict[str, Callable[[int, int], list[Schema]]] = {}
"""Tools of the old (0) and the new (1) side of a comparison, by size."""


def side(make: Callable[[int, int], list[Schema]]) -> Callable[[int, int], list[Schema]]:
    """Enter a function into `SIDES`."""
    SIDES[make.__name__] = make
    return make


def tool_of(name: str, output: Any) -> Schema:
    return {"name": name, "inputSchema": {"type": "object"}, "outputSchema": output}


@side
def tools_that_changed(n: int, new: int) -> list[Schema]:
    return [tool_of(f"tool_{i}", closed({"a": {"type": "integer", "maximum": 10 + new}})) for i in range(n)]


@side
def tools_renamed(n: int, new: int) -> list[Schema]:
    return [tool_of(f"{'ab'[new]}_{i}", closed({f"p{i}": {"type": "string"}})) for i in range(n)]


@side
def properties_that_changed(n: int, new: int) -> list[Schema]:
    inner = {f"p{i}": closed({f"y{i}": {"type": "string", "maxLength": 10 + new}}) for i in range(n)}
    return [tool_of("grown", closed(inner))]


@side
def definitions_that_changed(n: int, new: int) -> list[Schema]:
    defs: Schema = {f"D{i}": closed({"a": {"$ref": f"#/$defs/D{i + 1}"}, "b": {"maximum": new}}) for i in range(n)}
    return [tool_of("grown", {"$ref": "#/$defs/D0", "$defs": {**defs, f"D{n}": {}}})]


@side
def alternatives_that_changed(n: int, new: int) -> list[Schema]:
    branches = [closed({f"p{i}": {"type": "string", "maxLength": 10 + new}}) for i in range(n)]
    return [tool_of("grown", {"type": "array", "items": {"anyOf": branches}})]


@side
def enums_that_changed(n: int, new: int) -> list[Schema]:
    return [tool_of("grown", closed({"a": {"enum": [f"v{new}{i}" for i in range(n)]}}))]


@side
def conjunctions_that_changed(n: int, new: int) -> list[Schema]:
    return [tool_of("grown", {"allOf": [{"properties": {f"p{i}": {"maximum": 10 + new}}} for i in range(n)]})]


AXES: dict[str, Axis] = {
    make.__name__: Axis(make, size)
    for make, size in (
        (enum_strings, 5000),
        (enum_mixed, 4000),
        (enum_integers, 5000),
        (enum_intersected, 2000),
        (enum_spread, 500),
        (const_object, 5000),
        (const_integer_digits, 10_000),
        (bound_digits, 10_000),
        (size_bound_digits, 10_000),
        (defaults, 20_000),
        (properties, 500),
        (properties_optional, 500),
        (property_objects, 300),
        (property_names_colliding, 500),
        (property_names_reserved, 300),
        (property_name_long, 10_000),
        (property_name_symbols, 10_000),
        (required_undeclared, 500),
        (required_undeclared_closed, 500),
        (required_near_misses, 500),
        (required_declared, 500),
        (required_in_branches, 300),
        (unknown_keywords, 2000),
        (pattern_properties, 300),
        (pattern_and_properties, 300),
        (dependent_required, 1000),
        (dependent_schemas, 1000),
        (all_of_properties, 300),
        (all_of_same_property, 300),
        (all_of_additional, 60),
        (any_of_objects, 200),
        (any_of_objects_root, 200),
        (one_of_tagged, 200),
        (one_of_tagged_list, 200),
        (any_of_scalars, 300),
        (any_of_arrays, 300),
        (any_of_consts, 300),
        (any_of_refs, 200),
        (any_of_lists_of_any_of, 30),
        (any_of_nested, 50),
        (any_of_anything, 2000),
        (any_of_with_base, 30),
        (all_of_any_of, 20),
        (all_of_any_of_many, 10),
        (all_of_doubling, 10),
        (all_of_doubling_inline, 8),
        (unfolding, 6),
        (any_of_diamond, 10),
        (any_of_diamond_allof, 8),
        (null_diamond, 8),
        (type_lists, 500),
        (conditions, 50),
        (all_of_conditions, 500),
        (nots, 500),
        (prefix_items, 200),
        (prefix_items_open, 200),
        (prefix_items_objects, 200),
        (prefix_items_union, 200),
        (depth_objects, 25),
        (depth_arrays, 25),
        (depth_all_of, 25),
        (depth_maps, 25),
        (ref_chain, 1000),
        (ref_chain_described, 500),
        (ref_chain_objects, 200),
        (ref_chain_arrays, 100),
        (ref_chain_unions, 200),
        (ref_chain_all_of, 200),
        (ref_chain_all_of_used, 30),
        (ref_fan_in, 500),
        (ref_fan_out, 200),
        (ref_mutual, 200),
        (ref_to_root, 300),
        (ref_recursive_aliases, 100),
        (ref_recursive_to_all, 100),
        (ref_deep_pointers, 300),
        (defs_unused, 1000),
        (defs_unused_chain, 500),
        (anchors, 500),
        (identifiers, 300),
        (dynamic_anchors, 300),
        (refs_nowhere, 300),
        (refs_outward, 200),
        (description_words, 200_000),
        (description_lines, 200_000),
        (description_quotes, 200_000),
        (description_blank, 200_000),
        (description_control, 200_000),
        (descriptions_many, 300),
        (tool_description, 200_000),
        (titles_colliding, 300),
        (names_nested_alike, 100),
        (names_alike_in_python, 200),
        (long_definition_name, 5000),
        (tools_small, 50),
        (tools_sharing, 50),
        (tools_sharing_chain, 200),
        (tools_clashing, 300),
        (tool_name_long, 20_000),
        (root_array_of_union, 200),
        (root_enum, 5000),
        (uri_variables, 250),
        (uri_variables_in_one, 250),
        (uri_query, 250),
        (uri_same_variable, 500),
        (uri_literal, 100_000),
        (uri_names_alike, 200),
        (template_statements, 300),
        (template_outputs, 500),
        (template_text, 100_000),
        (template_nested_ifs, 25),
        (template_nested_loops, 5),
        (template_elifs, 200),
        (template_chain, 300),
        (template_ands, 300),
        (template_parentheses, 50),
        (template_nots, 100),
        (template_filters, 100),
        (template_sets, 200),
        (template_sums, 200),
        (template_inline_ifs, 30),
        (template_lists, 300),
        (template_wrong, 300),
        (template_wrong_names, 300),
        (settings_unknown_tools, 500),
        (settings_unknown_keys, 4000),
        (settings_ref_map, 1000),
        (settings_inline, 2000),
        (files_small, 500),
        (templates_unused, 500),
        (list_of_no_tools, 100_000),
    )
}
