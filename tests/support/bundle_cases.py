"""Schemas with references to other files, and instances for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from support.documents import props, ref


@dataclass
class Case:
    """Files of an input folder; `a` is the tool whose outputSchema must mean what its file says."""

    files: dict[str, Any]
    instances: list[Any]
    ref_map: dict[str, str] = field(default_factory=dict[str, str])
    main: str = "schemas/a.json"


BUNDLES: dict[str, Case] = {
    "nested across files": Case(
        {
            "schemas/a.json": props(b=ref("sub/b.defs.json#/$defs/B")),
            "schemas/sub/b.defs.json": {
                "$defs": {"B": props(c=ref("../c.defs.yaml#/$defs/C"), n=ref("#/$defs/N")), "N": {"type": "null"}}
            },
            "schemas/c.defs.yaml": {"$defs": {"C": {"type": "integer"}}},
        },
        [{"b": {"c": 1}}, {"b": {"c": "x"}}, {"b": {"n": None}}, {"b": {"n": 1}}, {"b": 1}, {}],
    ),
    "a whole file": Case(
        {
            "schemas/a.json": {"type": "array", "items": ref("point.defs.json")},
            "schemas/point.defs.json": {**props(x=ref("#/$defs/X"), next=ref("#")), "$defs": {"X": {"minimum": 0}}},
        },
        [[{"x": 1, "next": {"x": 2}}], [{"x": -1}], [{"next": {"next": {"x": -1}}}], [{"next": 1}]],
    ),
    "a cycle between files": Case(
        {
            "schemas/a.json": {**props(b=ref("b.defs.json#/$defs/B")), "required": ["b"]},
            "schemas/b.defs.json": {
                "$defs": {"B": {"type": ["object", "null"], "properties": {"c": ref("c.defs.json")}}}
            },
            "schemas/c.defs.json": props(b=ref("b.defs.json#/$defs/B"), a=ref("a.json")),
        },
        [{"b": {"c": {"b": None, "a": {"b": None}}}}, {"b": {"c": {"b": {"c": 1}}}}, {"b": {"c": {"a": {}}}}, {}],
    ),
    "the same name in several files": Case(
        {
            "schemas/a.json": {
                **props(own=ref("#/$defs/Unit"), b=ref("b.defs.json#/$defs/Unit"), c=ref("c.defs.json#/$defs/Unit")),
                "$defs": {"Unit": {"const": "own"}, "Unit_2": {"const": "own too"}},
            },
            "schemas/b.defs.json": {"$defs": {"Unit": {"const": "b"}}},
            "schemas/c.defs.json": {"$defs": {"Unit": {"const": "c"}}},
        },
        [{key: value} for key in ("own", "b", "c") for value in ("own", "own too", "b", "c")],
    ),
    "the same definition beside different ones": Case(
        {
            "schemas/a.json": {
                **props(own=ref("#/$defs/X"), b=ref("b.defs.json#/$defs/X")),
                "$defs": {"X": {"items": ref("#/$defs/Y")}, "Y": {"type": "integer"}},
            },
            "schemas/b.defs.json": {"$defs": {"X": {"items": ref("#/$defs/Y")}, "Y": {"type": "string"}}},
        },
        [{"own": [1]}, {"own": ["x"]}, {"b": [1]}, {"b": ["x"]}],
    ),
    "the same definition in three files": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#/$defs/X"), c=ref("c.defs.json#/$defs/X")),
            "schemas/b.defs.json": {"$defs": {"X": {"items": ref("#/$defs/Y")}, "Y": {"type": "integer"}}},
            "schemas/c.defs.json": {"$defs": {"X": {"items": ref("#/$defs/Y")}, "Y": {"type": "string"}}},
        },
        [{"b": [1]}, {"b": ["x"]}, {"c": [1]}, {"c": ["x"]}],
    ),
    "an anchor of another file": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#metre")),
            "schemas/b.defs.json": {"$defs": {"M": {"$anchor": "metre", "type": "number"}}},
        },
        [{"b": 1}, {"b": "x"}],
    ),
    "a pointer into a definition": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#/$defs/B/properties/c"), d=ref("b.defs.json#/$defs/B/anyOf/1")),
            "schemas/b.defs.json": {
                "$defs": {"B": {**props(c={"type": "integer"}), "anyOf": [{"const": 1}, {"items": ref("#/$defs/D")}]}}
                | {"D": {"type": "string"}}
            },
        },
        [{"b": 1}, {"b": "x"}, {"d": ["x"]}, {"d": [1]}],
    ),
    "an $id at the root": Case(
        {
            "schemas/a.json": {
                "$id": "https://example.com/tools/a.json",
                **props(
                    b=ref("b.defs.json#/$defs/B"), own=ref("#/$defs/O"), self=ref("https://example.com/tools/a.json")
                ),
                "$defs": {"O": {"type": "integer"}},
            },
            "schemas/b.defs.json": {
                "$id": "https://example.com/tools/b.defs.json",
                "$defs": {"B": ref("#/$defs/C"), "C": {"type": "string"}},
            },
        },
        [{"b": "x"}, {"b": 1}, {"own": 1}, {"own": "x"}, {"self": {"own": "x"}}, {"self": {"self": {"b": "x"}}}],
    ),
    "an outward reference below an inner $id": Case(
        {
            "schemas/a.json": {
                **props(inner=ref("#/$defs/I")),
                "$defs": {"I": {"$id": "inner.json", **props(b=ref("b.defs.json#/$defs/B"))}},
            },
            "schemas/b.defs.json": {"$defs": {"B": {"type": "string"}}},
        },
        [{"inner": {"b": "x"}}, {"inner": {"b": 1}}],
    ),
    "an $id inside what is taken in": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#/$defs/B")),
            "schemas/b.defs.json": {
                "$defs": {
                    "B": props(
                        inner={"$id": "inner.json", **props(x=ref("#/$defs/X")), "$defs": {"X": {"type": "integer"}}},
                        other=ref("inner.json#/$defs/X"),
                        outside=ref("#/$defs/O"),
                    ),
                    "O": {"type": "string"},
                }
            },
        },
        [{"b": {k: v}} for k in ("other", "outside") for v in (1, "x")]
        + [{"b": {"inner": {"x": v}}} for v in (1, "x")],
    ),
    "an $id of the very definition": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#/$defs/B")),
            "schemas/b.defs.json": {
                "$defs": {
                    "B": {"$id": "urn:example:b", **props(x=ref("#/$defs/X")), "$defs": {"X": {"type": "integer"}}},
                    "X": {"type": "string"},
                }
            },
        },
        [{"b": {"x": 1}}, {"b": {"x": "x"}}],
    ),
    "a mapped prefix": Case(
        {
            "schemas/a.json": props(b=ref("https://example.com/units/wind.json"), c=ref("urn:units:speed.json")),
            "vendor/units/wind.json": {
                "$id": "https://example.com/units/wind.json",
                "items": ref("speed.json"),
                "contains": ref("/units/more.json#/$defs/M"),
            },
            "vendor/units/speed.json": {"type": "number"},
            "vendor/units/more.json": {"$defs": {"M": {"minimum": 5}}},
        },
        [{"b": [7]}, {"b": [1]}, {"b": ["x", 7]}, {"c": 1}, {"c": "x"}],
        {"https://example.com/": "vendor", "urn:units:": "vendor/units", "https://example.com/other/": "nowhere"},
    ),
    "the longest prefix": Case(
        {
            "schemas/a.json": props(b=ref("https://example.com/x/b.json")),
            "one/x/b.json": {"type": "string"},
            "two/b.json": {"type": "integer"},
        },
        [{"b": 1}, {"b": "x"}],
        {"https://example.com/": "one", "https://example.com/x/": "two"},
    ),
    "draft-07": Case(
        {
            "schemas/a.json": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                **props(b=ref("b.defs.json#/definitions/B"), own=ref("#/definitions/O")),
                "definitions": {"O": {"type": "integer"}, "B": {"type": "null"}},
            },
            "schemas/b.defs.json": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {"B": {"items": [ref("#/definitions/I")], "additionalItems": False}}
                | {"I": {"type": "string", "$comment": "beside a $ref nothing counts"}},
            },
        },
        [{"b": ["x"]}, {"b": [1]}, {"b": ["x", "y"]}, {"own": 1}, {"own": "x"}],
    ),
    "references where a keyword holds a value": Case(
        {
            "schemas/a.json": {
                **props(
                    b=ref("b.defs.json#/$defs/B"),
                    c={"const": {"$ref": "nothing.json"}},
                    d={"enum": [{"$ref": "nothing.json"}], "default": {"$ref": "nothing.json"}},
                ),
                "patternProperties": {"^\\$ref$": {"type": "string"}},
                "examples": [{"$ref": "nothing.json"}],
            },
            "schemas/b.defs.json": {"$defs": {"B": {"properties": {"$ref": {"type": "integer"}}}}},
        },
        [{"b": {"$ref": 1}}, {"b": {"$ref": "x"}}, {"c": {"$ref": "nothing.json"}}, {"c": {}}, {"d": {}}, {"$ref": 1}],
    ),
    "every keyword that holds schemas": Case(
        {
            "schemas/a.json": {
                "if": ref("k.defs.json#/$defs/object"),
                "then": {
                    "dependentSchemas": {"d": ref("k.defs.json#/$defs/needs_e")},
                    "propertyNames": ref("k.defs.json#/$defs/short"),
                    "unevaluatedProperties": ref("k.defs.json#/$defs/number"),
                },
                "else": {
                    "prefixItems": [ref("k.defs.json#/$defs/number")],
                    "contains": ref("k.defs.json#/$defs/short"),
                },
                "not": ref("k.defs.json#/$defs/number"),
            },
            "schemas/k.defs.json": {
                "$defs": {
                    "object": {"type": "object"},
                    "needs_e": {"required": ["e"]},
                    "short": {"type": "string", "maxLength": 2},
                    "number": {"type": "number"},
                }
            },
        },
        [{}, {"d": 1}, {"d": 1, "e": 2}, {"abc": 1}, {"a": "x"}, [1, "x"], ["x"], [1], [1, "xyz"], 1, "x"],
    ),
    "names that a URI must escape": Case(
        {
            "schemas/a.json": props(
                p=ref("my%20units.defs.json#/$defs/100%25"),
                q=ref("my%20units.defs.json#/$defs/a%2541"),
                s=ref("my%20units.defs.json#/$defs/a~1b%20c"),
                u=ref("my%20units.defs.json#/$defs/%C3%BC"),
            ),
            "schemas/my units.defs.json": {
                "$defs": {"100%": {"const": 1}, "a%41": {"const": 2}, "a/b c": {"const": 3}, "ü": {"const": 4}}
            },
        },
        [{key: value} for key in "pqsu" for value in (1, 2, 3, 4)],
    ),
    "siblings of a reference": Case(
        {
            "schemas/a.json": {**ref("b.defs.json#/$defs/B"), "required": ["x"]},
            "schemas/b.defs.json": {"$defs": {"B": props(x={"type": "integer"})}},
        },
        [{"x": 1}, {}, {"x": "x"}],
    ),
    "a dynamic reference inside a file": Case(
        {
            "schemas/a.json": props(tree=ref("tree.defs.json#/$defs/Tree")),
            "schemas/tree.defs.json": {
                "$defs": {"Tree": {"$dynamicAnchor": "node", **props(kids={"items": {"$dynamicRef": "#node"}})}}
            },
        },
        [{"tree": {"kids": [{"kids": []}]}}, {"tree": {"kids": [{"kids": [1]}]}}, {"tree": 1}],
    ),
    "a dynamic reference to a file": Case(
        {
            "schemas/a.json": props(b={"$dynamicRef": "b.defs.json#/$defs/B"}),
            "schemas/b.defs.json": {"$defs": {"B": {"type": "integer"}}},
        },
        [{"b": 1}, {"b": "x"}],
    ),
    "the outputSchema of a Tool": Case(
        {
            "schemas/a.json": {
                "name": "a",
                "inputSchema": {"type": "object"},
                "outputSchema": {
                    **props(b=ref("b.defs.json#/$defs/B"), o=ref("#/$defs/O")),
                    "$defs": {"O": {"const": 1}},
                },
            },
            "schemas/b.defs.json": {"$defs": {"B": ref("a.json#/outputSchema/$defs/O")}},
        },
        [{"b": 1}, {"b": 2}, {"o": 1}, {"o": 2}],
        main="schemas/a.json#/outputSchema",
    ),
}


MIXED: dict[str, Case] = {
    "a draft-07 file from 2020-12": Case(
        {
            "schemas/a.json": props(b=ref("b.defs.json#/definitions/B")),
            "schemas/b.defs.json": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {"B": {"items": [{"type": "string"}], "additionalItems": False}},
            },
        },
        [{"b": ["x"]}, {"b": [1]}, {"b": ["x", "y"]}],
    ),
    "a 2020-12 file from draft-07": Case(
        {
            "schemas/a.json": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                **props(b=ref("b.defs.json#/$defs/B")),
            },
            "schemas/b.defs.json": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "$defs": {"B": {"prefixItems": [{"type": "string"}], "items": False}},
            },
        },
        [{"b": ["x"]}, {"b": [1]}, {"b": ["x", "y"]}],
    ),
}
