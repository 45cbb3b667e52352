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


def grow(name: str, size: int) -> Files:
    """Return the files of an axis at a size."""
    return AXES[name].make(size)


# --- projects --------------------------------------------------------------------------------------------------------
def make_tool(name: str, output: Any = None, **more: Any) -> Schema:
    return {"name": name, "inputSchema": {"type": "object"}, **({"outputSchema": output} if output else {}), **more}


def write_tools(tools: list[Schema]) -> Files:
    return {"schemas/tools.json": json.dumps({"tools": tools})}


def write_output(output: Any, **more: Any) -> Files:
    """Return a project with one tool."""
    return write_tools([make_tool("grown", output, **more)])


def write_property(schema: Any, defs: Schema | None = None) -> Files:
    """Return a project with one tool, whose output has a property of a schema."""
    return write_output({**under("a", schema), **({} if defs is None else {"$defs": defs})})


def write_digits(keyword: str, n: int) -> Files:
    """Return a project with a number of so many digits for a keyword."""
    return {path: text.replace('"@"', "9" * n) for path, text in write_property({keyword: "@"}).items()}


def write_resource(rest: str) -> Files:
    """Return a project with one resource template."""
    resource = {"name": "grown", "uriTemplate": f"https://example.com{rest}"}
    return {"schemas/resources.json": json.dumps({"resourceTemplates": [resource]})}


def write_template(text: str, more: int = 0) -> Files:
    """Return a project with one tool that has a content template, and so many properties that it does not use."""
    rows: Schema = {"type": "array", "items": closed({"b": STRING})}
    output = closed({"a": STRING, "xs": rows} | {f"p{i}": STRING for i in range(more)})
    return {**write_output(output, **{"x-mcpgen": {"content": "template"}}), "schemas/grown.content.j2": text}


def write_setting(settings: str) -> Files:
    return write_output(STRING) | {"mcpgen.toml": settings}


# --- schemas ---------------------------------------------------------------------------------------------------------
STRING: Schema = {"type": "string"}


def closed(properties: Schema) -> Schema:
    """Return the schema of an object with exactly these properties."""
    return {**open_object(properties), "required": [*properties], "additionalProperties": False}


def open_object(properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


def under(name: str, schema: Any) -> Schema:
    """Return the schema of an object that has a schema as one of its properties."""
    return open_object({name: schema})


def text(**more: Any) -> Schema:
    return {**STRING, **more}


def array(**more: Any) -> Schema:
    return {"type": "array", **more}


def ref(number: int | str) -> Schema:
    return {"$ref": f"#/$defs/D{number}"}


def several(n: int, make: Callable[[int], Any], prefix: str = "p") -> Schema:
    """Return so many members, such as properties or definitions."""
    return {f"{prefix}{i}": make(i) for i in range(n)}


def define(n: int, make: Callable[[int], Any], last: Any = STRING) -> Schema:
    """Return definitions that lead to a last one."""
    return {**several(n, make, "D"), f"D{n}": last}


def define_objects(n: int, last: Any = STRING) -> Schema:
    """Return definitions of objects, each with the next one as a property."""
    return define(n, lambda i: closed({"next": ref(i + 1)}), last)


def refer(n: int, make: Callable[[int], Any], defs: Schema) -> Files:
    """Return a project whose output has so many properties and some definitions."""
    return write_output({**closed(several(n, make)), "$defs": defs})


def nest(n: int, wrap: Callable[[int, Schema], Schema], schema: Schema = STRING) -> Schema:
    """Return a schema that is wrapped again and again."""
    for i in range(n):
        schema = wrap(i, schema)
    return schema


def own(i: int) -> Schema:
    """Return the schema of an object that is like no other."""
    return closed({f"p{i}": STRING})


def alternatives(n: int, make: Callable[[int], Schema] = own) -> Schema:
    return {"anyOf": [make(i) for i in range(n)]}


def conjuncts(n: int, make: Callable[[int], Schema]) -> Schema:
    return {"type": "object", "allOf": [make(i) for i in range(n)]}


def tuple_of(n: int, make: Callable[[int], Schema], **more: Any) -> Files:
    return write_property(array(prefixItems=[make(i) for i in range(n)], **more))


def any_of_anything(n: int) -> Files:
    """A union of as many schemas as possible, far down in the schema."""
    return write_output(nest(100, lambda _, inner: {"allOf": [inner]}, {"anyOf": [{}] * n}))


def all_of_any_of(n: int) -> Files:
    """A product: three unions at once."""
    return write_property(
        conjuncts(3, lambda w: {"anyOf": [{"properties": {f"{'abc'[w]}{i}": STRING}} for i in range(n)]})
    )


def all_of_any_of_many(n: int) -> Files:
    """As many unions of two at once: 2ⁿ ways."""
    either = ("a", "string"), ("b", "integer")
    return write_property(
        conjuncts(n, lambda i: {"anyOf": [{"properties": {f"{key}{i}": {"type": kind}}} for key, kind in either]})
    )


def all_of_doubling(n: int) -> Files:
    """Definitions that each take the one before twice: 2ⁿ when unfolded."""
    defs: Schema = {"D0": under("a", STRING)}
    defs |= {f"D{i + 1}": {"allOf": [ref(i), ref(i)]} for i in range(n)}
    return write_property(ref(n), defs)


def all_of_doubling_inline(n: int) -> Files:
    """As `all_of_doubling`, each level with a property of its own whose type is the level below, in two conjuncts."""
    defs: Schema = {"D0": under("a", STRING)}
    for i in range(1, n + 1):
        below, more = ref(i - 1), {"type": "object", "minProperties": i}
        defs[f"D{i}"] = {
            "allOf": [{"properties": {"x": below, f"l{i}": STRING}}, {"properties": {"x": more, "y": below}}]
        }
    return write_property(ref(n), defs)


def unfolding(n: int) -> Files:
    """Conjunctions of recursive definitions, whose products are all different classes."""

    def make(i: int) -> Schema:
        return open_object({"x": ref((i + 1) % n), "y": {"allOf": [ref((i * 2 + 1) % n), ref((i * 3 + 1) % n)]}})

    return write_property(ref(0), several(n, make, "D"))


def required_in_branches(n: int) -> Files:
    branches = [{"required": [f"n{i % 30}", f"n{(i * 7) % 30}"]} for i in range(n)]
    return write_output({**open_object(several(30, lambda _: STRING, "n")), "anyOf": branches})


def enum_intersected(n: int) -> Files:
    half = [f"v{i}" for i in range(n)]
    return write_property({"allOf": [{"enum": half}, {"enum": half[::-1]}]})


def conditions(n: int) -> Files:
    def wrap(i: int, inner: Schema) -> Schema:
        return {"type": "object", **condition(i), "else": inner}

    return write_output(nest(n, wrap, {"type": "object"}))


def condition(i: int) -> Schema:
    return {"if": {"properties": {"k": {"const": i}}}, "then": {"required": [f"p{i}"]}}


def define_steps(n: int) -> Schema:
    """Return definitions that each say more about the same object: the last class has all properties."""
    return define(n, lambda i: {"allOf": [ref(i + 1), {"properties": {f"p{i}": STRING}}]}, {"type": "object"})


def ref_recursive_aliases(n: int) -> Files:
    """Recursive definitions that are not objects."""

    def make(i: int) -> Schema:
        return {"anyOf": [{"type": "integer", "minimum": i}, array(items=ref((i + 1) % n))]}

    return refer(n, ref, several(n, make, "D"))


def ref_recursive_to_all(n: int) -> Files:
    """One union of aliases that each refer to it again."""
    union = {"$ref": "#/$defs/U"}
    defs = several(n, lambda i: array(minItems=i, items=union), "D")
    return write_property(union, {**defs, "U": alternatives(n, ref)})


def ref_deep_pointers(n: int) -> Files:
    """References by pointers into properties of properties."""
    defs: Schema = {"D": nest(60, lambda _, inner: under("a", inner))}
    return refer(n, lambda _: {"$ref": "#/$defs/D" + "/properties/a" * 60}, defs)


def refs_outward(n: int) -> Files:
    """References into another file, which refer to each other."""
    defs = several(n, lambda i: closed({"next": ref((i + 1) % n)}), "D")
    files = write_output(closed(several(n, lambda i: {"$ref": f"other.json#/$defs/D{i}"})))
    return {**files, "schemas/other.json": json.dumps({"$defs": defs})}


def names_alike_in_python(n: int) -> Files:
    """Definitions whose names are one in Python."""
    defs: Schema = {"D" + "-" * (i + 1): closed({f"v{i}": STRING}) for i in range(n)}
    return refer(n, lambda i: ref("-" * (i + 1)), defs)


def tools_sharing(n: int) -> Files:
    output = {**closed({"a": ref(0)}), "$defs": define_objects(10, closed({"a": STRING}))}
    return write_tools([make_tool(f"tool_{i}", output) for i in range(n)])


def tools_sharing_chain(n: int) -> Files:
    """Two tools that share a chain of definitions, of which the last differs: one after another is not shared."""
    outputs = {side: {**closed({"a": ref(0)}), "$defs": define_objects(n, closed({side: STRING}))} for side in "ab"}
    return write_tools([make_tool(f"tool_{side}", output) for side, output in outputs.items()])


def files_small(n: int) -> Files:
    return {f"schemas/tool_{i}.json": json.dumps(make_tool(f"tool_{i}")) for i in range(n)}


def tools_small(n: int) -> Files:
    return write_tools([make_tool(f"tool_{i}", closed({"a": STRING})) for i in range(n)])


SENTENCE = "A sentence that is filled to the width of the page, and some more of it. "
MAKERS: dict[str, Callable[[int], Files]] = {
    # values
    "enum_strings": lambda n: write_property({"enum": [f"value-{i}" for i in range(n)]}),
    "enum_mixed": lambda n: write_property(
        {"enum": [item for i in range(n // 4) for item in (f"v{i}", i, i + 0.5, {"k": i})]}
    ),
    "enum_integers": lambda n: write_property({"enum": [*range(n)]}),
    "enum_intersected": enum_intersected,
    "enum_spread": lambda n: write_property(closed(several(n, lambda i: {"enum": [f"a{i}", f"b{i}"]}))),
    "const_object": lambda n: write_property({"const": several(n, int, "k")}),
    "const_integer_digits": lambda n: write_digits("const", n),
    "bound_digits": lambda n: write_digits("maximum", n),
    "size_bound_digits": lambda n: write_digits("maxLength", n),
    "defaults": lambda n: write_property(array(default=[*range(n)], examples=[[*range(n)]])),
    # objects
    "properties": lambda n: write_output(closed(several(n, lambda _: STRING, "prop_"))),
    "properties_optional": lambda n: write_output(
        open_object(several(n, lambda _: {"type": ["integer", "null"]}, "prop"))
    ),
    "property_objects": lambda n: write_output(closed(several(n, lambda i: closed({f"q{i}": STRING})))),
    # names that are all the same in Python: case tells them apart
    "property_names_colliding": lambda n: write_output(
        open_object({"a_" * 20 + f"b{'-' * (i % 40)}{'_' * (i // 40)}": STRING for i in range(n)})
    ),
    # names that take each other's place: each wants the next one's
    "property_names_reserved": lambda n: write_output(open_object({"Schema" + "_" * i: STRING for i in range(n)})),
    "property_name_long": lambda n: write_output(under("aB" * (n // 2), STRING)),
    "property_name_symbols": lambda n: write_output(under("é/~ " * (n // 4), under("a", {}))),
    "required_undeclared": lambda n: write_output({"type": "object", "required": [f"name_{i}" for i in range(n)]}),
    "required_undeclared_closed": lambda n: write_output({**closed({}), "required": [f"name_{i}" for i in range(n)]}),
    "required_near_misses": lambda n: write_output(
        {**closed(several(n, lambda _: {}, "name_")), "required": [f"nome_{i}" for i in range(n)]}
    ),
    "required_declared": lambda n: write_output(
        {**open_object(several(n, lambda _: {}, "name_")), "required": [f"name_{i}" for i in range(n)]}
    ),
    "required_in_branches": required_in_branches,
    "unknown_keywords": lambda n: write_output({"type": "object", **several(n, lambda _: 1, "propertie")}),
    "pattern_properties": lambda n: write_property(
        {"type": "object", "patternProperties": {f"^k{i}$": text(maxLength=i) for i in range(n)}}
    ),
    "pattern_and_properties": lambda n: write_output(
        {**open_object(several(n, lambda _: STRING)), "patternProperties": {f"^k{i}$": STRING for i in range(n)}}
    ),
    "dependent_required": lambda n: write_output(
        {"type": "object", "dependentRequired": several(n, lambda i: [f"b{i}"], "a")}
    ),
    "dependent_schemas": lambda n: write_output(
        {"type": "object", "dependentSchemas": several(n, lambda i: {"required": [f"b{i}"]}, "a")}
    ),
    # each branch declares a property; each says something of one property
    "all_of_properties": lambda n: write_output(conjuncts(n, lambda i: {"properties": {f"p{i}": STRING}})),
    "all_of_same_property": lambda n: write_output(conjuncts(n, lambda i: {"properties": {"p": text(minLength=i)}})),
    "all_of_additional": lambda n: write_output(
        conjuncts(n, lambda i: {"properties": {f"p{i}": STRING}, "additionalProperties": text(minLength=i)})
    ),
    # unions
    "any_of_objects": lambda n: write_property(alternatives(n)),
    "any_of_objects_root": lambda n: write_output({"type": "object", **alternatives(n)}),
    "one_of_tagged": lambda n: write_property(
        {"oneOf": [closed({"kind": {"const": f"k{i}"}, f"p{i}": STRING}) for i in range(n)]}
    ),
    "one_of_tagged_list": lambda n: write_property(
        array(items={"oneOf": [closed({"kind": {"const": f"k{i}"}, "p": {"type": "integer"}}) for i in range(n)]})
    ),
    "any_of_scalars": lambda n: write_property(alternatives(n, lambda i: text(minLength=i, maxLength=2 * i))),
    "any_of_arrays": lambda n: write_property(alternatives(n, lambda i: array(minItems=i))),
    "any_of_consts": lambda n: write_property(alternatives(n, lambda i: {"const": f"c{i}"})),
    "any_of_refs": lambda n: write_property(alternatives(n, ref), several(n, own, "D")),
    # a union at every level
    "any_of_lists_of_any_of": lambda n: write_property(
        nest(n, lambda i, inner: {"anyOf": [{"type": "integer", "minimum": i}, array(items=inner)]})
    ),
    "any_of_nested": lambda n: write_property(
        nest(n, lambda i, inner: {"anyOf": [{"type": "integer", "minimum": i}, inner]})
    ),
    "any_of_anything": any_of_anything,
    # base properties, and branches that each add one: each branch becomes a class with all of them
    "any_of_with_base": lambda n: write_property(
        {
            **open_object(several(n, lambda _: STRING, "b")),
            **alternatives(n, lambda i: {"properties": {f"p{i}": STRING}, "required": [f"p{i}"]}),
        }
    ),
    "all_of_any_of": all_of_any_of,
    "all_of_any_of_many": all_of_any_of_many,
    "all_of_doubling": all_of_doubling,
    "all_of_doubling_inline": all_of_doubling_inline,
    "unfolding": unfolding,
    # a union at each definition, both of whose branches lead to the next
    "any_of_diamond": lambda n: write_property(
        ref(0), define(n, lambda i: {"anyOf": [ref(i + 1), {"type": "null"}, array(items=ref(i + 1))]})
    ),
    # a conjunction of a union with a union, at each definition
    "any_of_diamond_allof": lambda n: write_property(
        ref(0),
        define(
            n,
            lambda i: {"anyOf": [{"allOf": [ref(i + 1)]}, {"allOf": [ref(i + 1), {"minLength": 1}]}]},
            {"type": ["string", "null"]},
        ),
    ),
    # optional properties whose null has to be looked for through unions of unions
    "null_diamond": lambda n: write_property(
        ref(0),
        define(
            n,
            lambda i: {"anyOf": [{"type": "integer"}, ref(i + 1)], "oneOf": [{"type": "boolean"}, ref(i + 1)]},
            {"type": ["string", "null"]},
        ),
    ),
    "type_lists": lambda n: write_output(
        closed(several(n, lambda i: {"type": ["string", "integer", "boolean", "null", "array", "object"][: 1 + i % 6]}))
    ),
    "conditions": conditions,
    "all_of_conditions": lambda n: write_output(conjuncts(n, condition)),
    "nots": lambda n: write_output(conjuncts(n, lambda i: {"not": {"required": [f"p{i}"]}})),
    # arrays
    "prefix_items": lambda n: tuple_of(n, lambda i: text(minLength=i), items=False, minItems=n),
    "prefix_items_open": lambda n: tuple_of(n, lambda i: text(minLength=i)),
    "prefix_items_objects": lambda n: tuple_of(n, own, items=False, minItems=n),
    "prefix_items_union": lambda n: tuple_of(n, own, items=False),
    # depth
    "depth_objects": lambda n: write_property(nest(n, lambda i, inner: closed({f"p{i}": inner}))),
    "depth_arrays": lambda n: write_property(nest(n, lambda _, inner: array(items=inner))),
    "depth_all_of": lambda n: write_property(nest(n, lambda _, inner: {"allOf": [inner]})),
    "depth_maps": lambda n: write_property(nest(n, lambda _, inner: {"type": "object", "additionalProperties": inner})),
    # references: definitions that only refer to the next one; each with a bound of its own; classes, each with
    # the next one as a property; arrays of arrays, deeper than a file may be; unions; conjunctions
    "ref_chain": lambda n: write_property(ref(0), define(n, lambda i: ref(i + 1))),
    "ref_chain_described": lambda n: write_property(
        ref(0), define(n, lambda i: {**ref(i + 1), "maxLength": 2 * n - i})
    ),
    "ref_chain_objects": lambda n: write_property(ref(0), define_objects(n)),
    "ref_chain_arrays": lambda n: write_property(ref(0), define(n, lambda i: array(items=ref(i + 1)))),
    "ref_chain_unions": lambda n: write_property(
        ref(0), define(n, lambda i: {"anyOf": [ref(i + 1), {"maximum": i, "type": "integer"}]})
    ),
    "ref_chain_all_of": lambda n: write_property(ref(0), define_steps(n)),
    # as ref_chain_all_of, and each step is a class that is used, too: n classes with up to n properties
    "ref_chain_all_of_used": lambda n: write_output({**open_object(several(n, ref, "u")), "$defs": define_steps(n)}),
    "ref_fan_in": lambda n: refer(n, lambda _: ref(""), {"D": closed({"a": STRING})}),
    "ref_fan_out": lambda n: refer(n, ref, several(n, lambda _: closed({"a": STRING}), "D")),
    # every class leads to every other by way of its neighbours
    "ref_mutual": lambda n: write_property(
        ref(0), several(n, lambda i: open_object({"l": ref((i - 1) % n), "r": ref((i + 1) % n)}), "D")
    ),
    "ref_to_root": lambda n: write_output(open_object(several(n, lambda _: array(items={"$ref": "#"})))),
    "ref_recursive_aliases": ref_recursive_aliases,
    "ref_recursive_to_all": ref_recursive_to_all,
    "ref_deep_pointers": ref_deep_pointers,
    "defs_unused": lambda n: write_property({}, several(n, lambda _: closed({"a": STRING}), "D")),
    # definitions whose reach overlaps: each leads to all that follow
    "defs_unused_chain": lambda n: write_property({}, define_objects(n)),
    "anchors": lambda n: refer(
        n, lambda i: {"$ref": f"#here{i}"}, several(n, lambda i: {"$anchor": f"here{i}", **STRING}, "D")
    ),
    "identifiers": lambda n: refer(
        n,
        lambda i: {"$ref": f"https://example.com/d{i}"},
        several(n, lambda i: {"$id": f"https://example.com/d{i}", **STRING}, "D"),
    ),
    "dynamic_anchors": lambda n: refer(
        n,
        lambda i: {"$dynamicRef": f"d{i}#here"},
        several(n, lambda i: {"$id": f"d{i}", "$dynamicAnchor": "here", **STRING}, "D"),
    ),
    # references that lead nowhere, each with candidates to guess from
    "refs_nowhere": lambda n: refer(n, lambda i: {"$ref": f"#/$defs/Nome{i}"}, several(n, lambda _: STRING, "Name")),
    "refs_outward": refs_outward,
    # texts and names
    "description_words": lambda n: write_output(
        {**under("a", text(description="word " * (n // 5))), "description": "word " * (n // 5)}
    ),
    "description_lines": lambda n: write_property(text(description="a line\n" * (n // 7))),
    "description_quotes": lambda n: write_property(text(description='"\\' * (n // 2))),
    "description_blank": lambda n: write_property(text(description="a" + " \n" * (n // 2) + "b")),
    "description_control": lambda n: write_property(text(description="a\u202e" * (n // 2))),
    "descriptions_many": lambda n: write_output(closed(several(n, lambda _: text(description=SENTENCE * 3)))),
    "tool_description": lambda n: write_output(STRING, description="word " * (n // 5)),
    "titles_colliding": lambda n: write_output(
        closed(several(n, lambda i: {**closed({f"q{i}": STRING}), "title": "Same"}))
    ),
    # the same property name at every place, without a title
    "names_nested_alike": lambda n: write_output(
        closed(several(n, lambda i: closed({"item": closed({"item": closed({f"v{i}": STRING})})})))
    ),
    "names_alike_in_python": names_alike_in_python,
    "long_definition_name": lambda n: write_property(ref("D" * (n - 1)), {"D" * n: closed({"a": STRING})}),
    # tools
    "tools_small": tools_small,
    "tools_sharing": tools_sharing,
    "tools_sharing_chain": tools_sharing_chain,
    # tools whose names are one in Python
    "tools_clashing": lambda n: write_tools(
        [make_tool("get" + "-" * (i // 30 + 1) + "_" * (i % 30)) for i in range(n)]
    ),
    "tool_name_long": lambda n: write_tools([make_tool("aB" * (n // 2))]),
    # roots
    "root_array_of_union": lambda n: write_output(array(items=alternatives(n))),
    "root_enum": lambda n: write_output({"enum": [f"v{i}" for i in range(n)]}),
    # URI templates
    "uri_variables": lambda n: write_resource("".join(f"/{{v{i}}}" for i in range(n))),
    "uri_variables_in_one": lambda n: write_resource("/{" + ",".join(several(n, str, "v")) + "}"),
    "uri_query": lambda n: write_resource("/a{?" + ",".join(several(n, str, "v")) + "}"),
    "uri_same_variable": lambda n: write_resource("/{v}" * n),
    "uri_literal": lambda n: write_resource("/" + "a" * n),
    "uri_names_alike": lambda n: write_resource("".join(f"/{{v{'_' * i}x}}" for i in range(n))),
    # content templates
    "template_statements": lambda n: write_template("{% if a %}x{% endif %}{{ a }}\n" * n),
    "template_outputs": lambda n: write_template("{{ a }} " * n),
    "template_text": lambda n: write_template("some text\n" * (n // 10)),
    "template_nested_ifs": lambda n: write_template("{% if a %}" * n + "x" + "{% endif %}" * n),
    "template_nested_loops": lambda n: write_template(
        "".join(f"{{% for x{i} in xs %}}" for i in range(n)) + "x" + "{% endfor %}" * n
    ),
    "template_elifs": lambda n: write_template(
        "{% if a == 'x' %}x" + "".join(f"{{% elif a == 'y{i}' %}}y" for i in range(n)) + "{% endif %}"
    ),
    "template_chain": lambda n: write_template("{{ " + " ~ ".join(["a"] * n) + " }}"),
    "template_ands": lambda n: write_template("{% if " + " and ".join(["a"] * n) + " %}x{% endif %}"),
    "template_parentheses": lambda n: write_template("{{ " + "(" * n + "a" + ")" * n + " }}"),
    "template_nots": lambda n: write_template("{% if " + "not " * n + "a %}x{% endif %}"),
    "template_filters": lambda n: write_template("{{ a" + "|upper" * n + " }}"),
    "template_sets": lambda n: write_template("".join(f"{{% set v{i} = a %}}" for i in range(n)) + "{{ v0 }}"),
    "template_sums": lambda n: write_template("{{ " + " + ".join(["1"] * n) + " }}"),
    "template_inline_ifs": lambda n: write_template("{{ " + "a if a else (" * n + "a" + ")" * n + " }}"),
    "template_lists": lambda n: write_template("{{ [" + ", ".join(["a"] * n) + "]|join(',') }}"),
    # every statement is wrong; names that are not there, of an object with as many properties
    "template_wrong": lambda n: write_template("{{ b }}\n" * n),
    "template_wrong_names": lambda n: write_template("".join(f"{{{{ q{i} }}}}\n" for i in range(n)), n),
    # settings and files: choices for tools that nothing defines, among as many that are defined
    "settings_unknown_tools": lambda n: (
        tools_small(n) | {"mcpgen.toml": "".join(f"[tools.tol_{i}]\ncontent = 'json'\n" for i in range(n))}
    ),
    "settings_unknown_keys": lambda n: write_setting("".join(f"[t{i}]\n" for i in range(n))),
    # entries that lead out of the project
    "settings_ref_map": lambda n: write_setting(
        "[ref-map]\n" + "".join(f"'https://example.com/{i}' = '/outside/{i}.json'\n" for i in range(n))
    ),
    "settings_inline": lambda n: write_setting("tools = {" + ", ".join(f"t{i} = {{x = 1}}" for i in range(n)) + "}\n"),
    "files_small": files_small,
    "templates_unused": lambda n: tools_small(n) | {f"schemas/tol_{i}.content.j2": "text" for i in range(n)},
    "list_of_no_tools": lambda n: {"schemas/tools.json": json.dumps([*range(n)])},
}
SIZES = {
    5: "template_nested_loops",
    6: "unfolding",
    8: "all_of_doubling_inline any_of_diamond_allof null_diamond",
    10: "all_of_any_of_many all_of_doubling any_of_diamond",
    20: "all_of_any_of",
    25: "depth_objects depth_arrays depth_all_of depth_maps template_nested_ifs",
    30: "any_of_lists_of_any_of any_of_with_base ref_chain_all_of_used template_inline_ifs",
    50: "any_of_nested conditions tools_small tools_sharing template_parentheses",
    60: "all_of_additional",
    100: (
        "ref_chain_arrays ref_recursive_aliases ref_recursive_to_all names_nested_alike template_nots template_filters"
    ),
    200: (
        "any_of_objects any_of_objects_root one_of_tagged one_of_tagged_list any_of_refs prefix_items "
        "prefix_items_open prefix_items_objects prefix_items_union ref_chain_objects ref_chain_unions "
        "ref_chain_all_of ref_fan_out ref_mutual refs_outward names_alike_in_python tools_sharing_chain "
        "root_array_of_union uri_names_alike template_elifs template_sets template_sums"
    ),
    250: "uri_variables uri_variables_in_one uri_query",
    300: (
        "property_objects property_names_reserved required_in_branches pattern_properties pattern_and_properties "
        "all_of_properties all_of_same_property any_of_scalars any_of_arrays any_of_consts ref_to_root "
        "ref_deep_pointers identifiers dynamic_anchors refs_nowhere descriptions_many titles_colliding "
        "tools_clashing template_statements template_chain template_ands template_lists template_wrong "
        "template_wrong_names"
    ),
    500: (
        "enum_spread properties properties_optional property_names_colliding required_undeclared "
        "required_undeclared_closed required_near_misses required_declared type_lists all_of_conditions nots "
        "ref_chain_described ref_fan_in defs_unused_chain anchors uri_same_variable template_outputs "
        "settings_unknown_tools files_small templates_unused"
    ),
    1000: "dependent_required dependent_schemas ref_chain defs_unused settings_ref_map",
    2000: "enum_intersected unknown_keywords any_of_anything settings_inline",
    4000: "enum_mixed settings_unknown_keys",
    5000: "enum_strings enum_integers const_object long_definition_name root_enum",
    10_000: "const_integer_digits bound_digits size_bound_digits property_name_long property_name_symbols",
    20_000: "defaults tool_name_long",
    100_000: "uri_literal template_text list_of_no_tools",
    200_000: (
        "description_words description_lines description_quotes description_blank description_control tool_description"
    ),
}
"""Names of axes by sizes at which they weigh something."""
AXES = {
    name: Axis(make, next(size for size, names in SIZES.items() if name in names.split()))
    for name, make in MAKERS.items()
}


# --- two sides -------------------------------------------------------------------------------------------------------
def definitions_that_changed(n: int, new: int) -> list[Schema]:
    defs = define(n, lambda i: closed({"a": ref(i + 1), "b": {"maximum": new}}), {})
    return [make_tool("grown", {**ref(0), "$defs": defs})]


SIDES: dict[str, Callable[[int, int], list[Schema]]] = {
    "tools_that_changed": lambda n, new: [
        make_tool(f"tool_{i}", closed({"a": {"type": "integer", "maximum": 10 + new}})) for i in range(n)
    ],
    "tools_renamed": lambda n, new: [make_tool(f"{'ab'[new]}_{i}", own(i)) for i in range(n)],
    "properties_that_changed": lambda n, new: [
        make_tool("grown", closed(several(n, lambda i: closed({f"y{i}": text(maxLength=10 + new)}))))
    ],
    "definitions_that_changed": definitions_that_changed,
    "alternatives_that_changed": lambda n, new: [
        make_tool("grown", array(items=alternatives(n, lambda i: closed({f"p{i}": text(maxLength=10 + new)}))))
    ],
    "enums_that_changed": lambda n, new: [
        make_tool("grown", closed({"a": {"enum": [f"v{new}{i}" for i in range(n)]}}))
    ],
    "conjunctions_that_changed": lambda n, new: [
        make_tool("grown", {"allOf": [{"properties": {f"p{i}": {"maximum": 10 + new}}} for i in range(n)]})
    ],
}
"""Tools of the old (0) and the new (1) side of a comparison, by size."""
