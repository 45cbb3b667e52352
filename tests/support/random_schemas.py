"""Random JSON Schemas over every keyword of 2020-12 and draft-07, the odd corners more often than life has them."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote

import hypothesis.strategies as st
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.corpus import equal

Schema: TypeAlias = "dict[str, Any] | bool"
T = TypeVar("T")

KINDS = ("object", "array", "string", "integer", "number", "boolean", "null")
ORDINARY = ["a", "b", "id", "name", "items", "windSpeed", "wind_speed", "wind-speed", "kind", "type", "result"]
NAMES = [
    *ORDINARY, "class", "None", "from", "self", "cls", "json", "dict", "copy", "schema", "root", "content", "extras",
    "model_config", "model_fields", "model_dump", "model_extra", "_tool", "_x", "__init__", "__class__", "__dict__",
    "to_structured_content", "to_content", "to_wire", "from_structured_content", "normalize", "validate", "construct",
    "Any", "str", "list", "int", "object", "Field", "String", "Annotated", "out", "data", "value", "field", "alias",
    "A", "a_", "_a", "a b", "a-b", "a.b", "a/b", "a~b", "a%25b", "1", "01", "", " ", "é", "e\u0301", "中", "😀", "ß",
    "$ref", "$defs", "properties", "const", "\"", "'", "\\", "\n", "{x}", "{{ x }}", "#", "\u2028", "\x00", "\x85",
    "constructor", "__proto__", "GetResult", "T0Result", "TrueClass", "true", "null", "ﬁ", "Ⅷ", "ª",
]  # fmt: skip
"""Property names: some collide with Python, with pydantic, with the generated methods, and with each other."""
TEXTS = [
    "A title", "wind speed", "x" * 200, "", " ", "Ends with \\", '"""', "'''", "# noqa\nimport os",
    "%s {0} {{x}} {% x %}",
    "\r\n\x0b\x0c", "\u2028\u2029", "\ufeff", "‮abc", "𝔘😀", "\x00\x1f\x7f", "Class", "None", "\\N{DASH} \\x00 \\u", "é",
]  # fmt: skip
PATTERNS = [
    "^a", "b$", "^[a-z]+$", "^x-", "[0-9]{2,}", "^$", "", ".", r"^\d+$", r"^\w+\s\S$", r"^\p{L}+$", r"\p{Lu}",
    r"^[\p{N}_]*$",
    r"^(?!a).*$", r"^(?=.*[0-9])[a-z0-9]+$", r"^(a|b)\1$", r"[^\x00-\x7F]", "^é", r"\u00e9", r"^\S{2}$", r"^(?:a+)+$",
    r"^[^@]+@[^@]+$", r"\/", r"^\cA?$", r"a{2}", "^(?<year>[0-9]{4})$", "ß", "😀", r"[\w.-]", "^.{3}$",
]  # fmt: skip
FORMATS = [
    "date-time", "date", "time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference", "uuid",
    "regex",
    "json-pointer", "byte", "binary", "int32", "int64", "double", "password", "unknown", "decimal", "uri-template",
    "path",
]  # fmt: skip
NUMBERS: list[int | float] = [
    0, 1, -1, 2, 3, 5, 7, 10, 100, 0.5, 1.5, -2.5, 0.1, 1.0, 3.0, -0.0, 1e-5, 255, 2**31, 2**53, 2**53 + 1,
    2**63 - 1, 2**63,
    -(2**63), 2**64, 10**20, 1e100, 1e-300, 1.7976931348623157e308,
]  # fmt: skip
STEPS: list[int | float] = [1, 2, 3, 5, 7, 10, 0.5, 0.1, 0.01, 1.5, 2.0, 100, 1e-5, 2**53, 10**20]
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 1.0, 0.0, 1.5, -0.0, 2**53 + 1, 10**30, "", "a", "1", "true", "null", "é", "a\nb",
    '"', "\\",
    "😀", "\u2028", "None", [], [1], [1.0], [True], [[]], {}, {"a": 1}, {"a": None}, {"a": {"b": [1]}}, {"$ref": "#"},
    "A", "x y",
]  # fmt: skip
FORMS = ("ref", "type", "types", "values", "combined", "nothing")
DEFINITIONS = ["A", "b", "Node", "item", "a/b", "c~d", "e f", "é", "50%", "A_", "Result", "$x", '"q"', "0"]


def schemas(dialect: str | None = None) -> st.SearchStrategy[dict[str, Any]]:
    """A hypothesis strategy for schemas that can be an outputSchema."""
    dialects = st.sampled_from([DRAFT_2020_12, DRAFT_07]) if dialect is None else st.just(dialect)
    return st.builds(schema, st.randoms(use_true_random=False), dialects)


def schema(random: Random, dialect: str, shared: dict[str, Schema] | None = None) -> dict[str, Any]:
    """A schema that can be an outputSchema: an object, valid under its meta-schema, its references resolved.

    Args:
        random: where choices come from.
        dialect: the dialect's URI.
        shared: definitions that it shall have beside its own.
    """
    return _Maker(random, dialect).root(shared or {})


def shared_definitions(random: Random, dialect: str) -> dict[str, Schema]:
    """Some definitions that refer to nothing but each other, for several schemas to have in common."""
    return _Maker(random, dialect).definitions()


def batch(random: Random, dialect: str, size: int) -> list[dict[str, Any]]:
    """Schemas for one package: some have definitions in common, of which some differ in one copy."""
    common = shared_definitions(random, dialect)
    other = {**common, random.choice(sorted(common)): {"type": "integer"}}
    draws = [random.random() for _ in range(size)]
    return [schema(random, dialect, common if share < 0.3 else other if share < 0.4 else None) for share in draws]


class _Maker:
    def __init__(self, random: Random, dialect: str) -> None:
        self._random, self._new = random, dialect == DRAFT_2020_12
        self._left = random.randint(2, 40)
        """Subschemas that may still be made."""
        self._weights = [weight * random.choice((0.3, 1, 1, 4)) for weight in (1, 4, 1, 1, 1.5, 0.3)]
        """How likely each of `FORMS` is, in this schema."""
        self._mixed = random.choice((0.03, 0.1, 0.4))
        """How often a subschema has two of them."""
        self._odd = random.choice((0, 0.5, 1))
        """How likely an object has odd names."""
        self._refs: dict[str, int] = {}
        """Each reference, and the rank of where it leads: definitions refer to higher ones only, so they end."""
        self._rank: int | None = -1
        """The rank of the definition that speaks of the same value as what is made now, None inside of that value."""
        self._dynamic: list[str] = []
        self._words: dict[str, Callable[[int], dict[str, Any]]] = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._number,
            "number": self._number,
        }

    # --- choices ------------------------------------------------------------------------------------------------
    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _pick(self, items: list[T]) -> T:
        return self._random.choice(items)

    def _some(self, items: list[T], least: int, most: int) -> list[T]:
        return self._random.sample(items, min(self._random.randint(least, most), len(items)))

    # --- whole schemas ------------------------------------------------------------------------------------------
    def root(self, shared: dict[str, Schema], inner: bool = False) -> dict[str, Any]:
        usual = bool(shared) or self._chance(
            0.95
        )  # elsewhere, only pointers reach: validators look for no identifiers there
        holder = "$defs" if self._new == usual else "definitions"
        names = [name for name in self._some(DEFINITIONS, 0, 3) if name not in shared]
        self._note(holder, [*shared, *names])
        ranks = {name: index for index, name in enumerate(names, len(shared))}
        named = names if usual else []
        resources = {
            name: f"resource{index}.json" for index, name in enumerate(named) if not inner and self._chance(0.1)
        }
        anchors = {name: self._anchor(ranks[name]) for name in named if name not in resources and self._chance(0.25)}
        self._refs |= {resource: ranks[name] for name, resource in resources.items()}
        target = self._pick(ORDINARY) if self._chance(0.1) else ""
        self._refs |= ({"#": -1} if self._chance(0.3) else {}) | ({f"#/properties/{target}": -1} if target else {})
        top = self._anchor(-1) if self._new and self._chance(0.1) else {}
        out: dict[str, Any] = self._root_words() | top
        if not self._new and "$ref" in out:
            out = {"allOf": [out]}  # beside a $ref, draft-07 has no definitions
        if target:
            out["properties"] = {target: self._child(0), **out.get("properties", {})}
        definitions: dict[str, Schema] = {}
        for name, self._rank in ranks.items():
            definitions[name] = self._definition(anchors.get(name, {}), resources.get(name, ""))
        definitions |= deepcopy(shared)
        if definitions:
            out[holder] = definitions
        if not inner and (not self._new or self._chance(0.1)):
            out["$schema"] = DRAFT_2020_12 if self._new else DRAFT_07 + self._pick(["", "#"])
        if not inner and self._chance(0.1):
            out["$id"] = self._pick(["https://example.org/root", "https://example.org/a/b.json"])
        return out

    def _definition(self, anchor: dict[str, str], resource: str) -> Schema:
        if resource:
            inner = _Maker(self._random, DRAFT_2020_12 if self._new else DRAFT_07).root({}, inner=True)
            return {**inner, "$id": resource}
        definition: Schema = {"$ref": self._pick(list(self._refs))} if self._chance(0.01) else self.make(1)
        if not anchor or (not self._new and isinstance(definition, dict) and "$ref" in definition):
            return definition if not anchor else {"type": "string", **anchor}
        return {**(definition if isinstance(definition, dict) else {}), **anchor}

    def _root_words(self) -> dict[str, Any]:
        out = {"type": "object", **self._object(0)} if self._chance(0.5) else self.make(0)
        if isinstance(out, bool):
            out = {"not": {}} if not out else {}
        if "type" in out and out["type"] == "object" and self._chance(0.3):
            out |= self._combined(0)
        return out

    def _note(self, holder: str, names: list[str]) -> None:
        for index, name in enumerate(names):
            path = name.replace("~", "~0").replace("/", "~1")
            self._refs[f"#/{holder}/{quote(path, safe='/~' if self._chance(0.5) else '/~$')}"] = index

    def _anchor(self, rank: int) -> dict[str, str]:
        """An anchor for a schema, which can be referred to from now on."""
        left = [name for name in ("node", "item", "x-1", "a.b") if f"#{name}" not in self._refs]
        if not left:
            return {}
        name = self._pick(left)
        self._refs[f"#{name}"] = rank
        if not self._new:
            return {"$id": f"#{name}"}
        if self._chance(0.5):
            return {"$anchor": name}
        self._dynamic.append(f"#{name}")
        return {"$dynamicAnchor": name}

    def definitions(self) -> dict[str, Schema]:
        names = self._some(DEFINITIONS, 1, 3)
        self._note("$defs" if self._new else "definitions", names)
        out: dict[str, Schema] = {}
        for self._rank, name in enumerate(names):
            out[name] = {"type": "object", **self._object(1)} if self._chance(0.6) else self.make(1)
        return out

    def make(self, depth: int) -> Schema:
        """A schema of any kind."""
        self._left -= 1
        if self._chance(0.06):
            return self._chance(0.75)
        out: dict[str, Any] = {}
        small = depth > 4 or self._left < 0
        for form in self._random.choices(FORMS, self._weights, k=1 if self._chance(1 - self._mixed) else 2):
            out |= self._words_of(form, depth, small)
        if self._chance(0.05):  # words of another type, which say nothing about this one
            out |= self._words[self._pick(list(self._words))](depth)
        if self._chance(0.03):
            out |= self._foreign(depth)
        return out | self._prose()

    def _child(self, depth: int) -> Schema:
        """A schema for something inside of the value."""
        rank, self._rank = self._rank, None
        child = self.make(depth + 1)
        self._rank = rank
        return child

    def _words_of(self, form: str, depth: int, small: bool) -> dict[str, Any]:
        kinds = list(KINDS if not small else KINDS[2:])
        match form:
            case "ref" if self._dynamic and self._rank is None and self._chance(0.4):
                return {"$dynamicRef": self._pick(self._dynamic)}
            case "ref" if refs := [ref for ref, rank in self._refs.items() if self._rank is None or rank > self._rank]:
                return {"$ref": self._pick(refs)}
            case "combined" if not small:
                return self._combined(depth)
            case "values":
                return self._values()
            case "nothing":
                return {}
            case "types":
                named = self._some(kinds, 1, 3)
                out: dict[str, Any] = {"type": named}
                for kind in named:
                    out |= self._words[kind](depth) if kind in self._words else {}
                return out
            case _:
                kind = self._pick(kinds)
                return {"type": kind, **(self._words[kind](depth) if kind in self._words else {})}

    def _foreign(self, depth: int) -> dict[str, Any]:
        """Words that only the other dialect has."""
        if self._new:
            return self._pick([{"additionalItems": False}, {"dependencies": {"a": ["b"]}}])
        words: list[dict[str, Any]] = [
            {"prefixItems": [self._child(depth)]},
            {"unevaluatedProperties": False},
            {"unevaluatedItems": False},
            {"dependentRequired": {"a": ["b"]}},
            {"dependentSchemas": {"a": False}},
            {"minContains": 2},
            {"$anchor": "a"},
            {"$dynamicRef": "#nowhere"},
        ]
        return self._pick(words)

    def _prose(self) -> dict[str, Any]:
        if not self._chance(0.3):
            return {}
        words: dict[str, Callable[[], Any]] = {
            "title": lambda: self._pick(TEXTS),
            "description": lambda: self._pick(TEXTS),
            "$comment": lambda: self._pick(TEXTS),
            "default": lambda: deepcopy(self._pick(VALUES)),
            "examples": lambda: deepcopy(self._some(VALUES, 0, 3)),
            "deprecated": lambda: True,
            "readOnly": lambda: self._chance(0.5),
            "x-order": lambda: 3,
            "x-python-type": lambda: "os.system",
            "nullable": lambda: True,
            "discriminator": lambda: {"propertyName": "kind"},
        }
        return {word: words[word]() for word in self._some(list(words), 1, 3)}

    def _values(self) -> dict[str, Any]:
        if self._chance(0.35):
            return {"const": deepcopy(self._pick(VALUES))}
        values = deepcopy(self._some(VALUES, 1, 5))
        unlike = [v for i, v in enumerate(values) if not any(equal(v, w) for w in values[:i])]
        out: dict[str, Any] = {"enum": unlike}
        if self._chance(0.3):
            out["type"] = self._pick(["string", "integer", "number", ["string", "null"], "object"])
        return out

    # --- by type ------------------------------------------------------------------------------------------------
    def _size(self) -> int | float:
        return self._pick([0, 1, 1, 2, 2, 3, 4, 2.0, 5])

    def _number(self, _: int) -> dict[str, Any]:
        words = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
        out: dict[str, Any] = {}
        if self._chance(0.4):
            out |= {word: self._pick(NUMBERS) for word in self._some(words, 1, 2)}
        if self._chance(0.15):
            out["multipleOf"] = self._pick(STEPS)
        return out

    def _string(self, _: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for word, share, draw in (
            ("minLength", 0.2, self._size),
            ("maxLength", 0.2, self._size),
            ("pattern", 0.2, lambda: self._pick(PATTERNS)),
            ("format", 0.15, lambda: self._pick(FORMATS)),
            ("contentEncoding", 0.1, lambda: self._pick(["base64", "base64", "base64url", "base32"])),
            ("contentMediaType", 0.05, lambda: self._pick(["application/json", "image/png", "text/html; a=b"])),
        ):
            if self._chance(share):
                out[word] = draw()
        if self._chance(0.03):
            out["contentSchema"] = {"type": "object"}
        return out

    def _array(self, depth: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        prefix, rest = ("prefixItems", "items") if self._new else ("items", "additionalItems")
        if self._chance(0.3):
            out[prefix] = [self._child(depth) for _ in range(self._random.randint(1, 3))]
            if self._chance(0.7):
                out[rest] = self._pick([False, False, True]) if self._chance(0.6) else self._child(depth)
            if self._chance(0.5):
                out["minItems"] = len(out[prefix])
            if self._chance(0.3):
                out["maxItems"] = len(out[prefix])
        elif self._chance(0.75):
            out["items"] = self._child(depth)
        for word, share in (("minItems", 0.15), ("maxItems", 0.15)):
            if word not in out and self._chance(share):
                out[word] = self._size()
        if self._chance(0.15):
            out["uniqueItems"] = self._chance(0.9)
        if self._chance(0.15):
            out["contains"] = self._child(depth)
        if self._chance(0.12):
            out[self._pick(["minContains", "maxContains"])] = self._size()
        if self._chance(0.08):
            out["unevaluatedItems"] = False if self._chance(0.5) else self._child(depth)
        return out

    def _object(self, depth: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        pool = NAMES if self._chance(self._odd) else ORDINARY
        names = list(dict.fromkeys(self._some(pool, 0, 5 if self._left > 0 else 1)))
        if names or self._chance(0.1):
            out["properties"] = {name: self._child(depth) for name in names}
        if self._chance(0.65):
            required = self._some(names, 0, len(names))
            if self._chance(0.08):
                required.append(self._pick([name for name in NAMES if name not in required]))
            out["required"] = required
        if self._chance(0.5):
            closed = self._chance(0.6)
            out["additionalProperties"] = False if closed else True if self._chance(0.3) else self._child(depth)
        if self._chance(0.12):
            out["patternProperties"] = {pattern: self._child(depth) for pattern in self._some(PATTERNS, 1, 2)}
        if self._chance(0.06):
            out["propertyNames"] = self._pick([{"pattern": self._pick(PATTERNS)}, {"maxLength": 3}, self._child(depth)])
        for word, share in (("minProperties", 0.08), ("maxProperties", 0.08)):
            if self._chance(share):
                out[word] = self._size()
        if self._chance(0.08):
            out["unevaluatedProperties"] = False if self._chance(0.6) else self._child(depth)
        if self._chance(0.1):
            out |= self._dependent(names or ["a"], depth)
        return out

    def _dependent(self, names: list[str], depth: int) -> dict[str, Any]:
        lists = {name: self._some([*names, "other"], 0, 2) for name in self._some(names, 1, 2)}
        deeper = {name: self._branch(depth) for name in self._some(names, 1, 1)}
        if self._new and self._chance(0.8):
            return self._pick([{"dependentRequired": lists}, {"dependentSchemas": deeper}])
        return {"dependencies": {**lists, **deeper}}

    # --- combinations -------------------------------------------------------------------------------------------
    def _combined(self, depth: int) -> dict[str, Any]:
        match self._pick(["anyOf", "anyOf", "oneOf", "oneOf", "tags", "null", "allOf", "allOf", "not", "if"]):
            case "tags":
                return self._tagged(depth)
            case "null":
                return {self._pick(["anyOf", "oneOf"]): [self.make(depth + 1), {"type": "null"}]}
            case "not":
                return {"not": self._branch(depth)}
            case "if":
                out: dict[str, Any] = {"if": self._branch(depth)}
                out |= {word: self._branch(depth) for word in self._some(["then", "else"], 0, 2)}
                return out
            case word:
                return {word: [self._branch(depth) for _ in range(self._random.randint(1, 3))]}

    def _branch(self, depth: int) -> Schema:
        """A part of a combination: a whole schema, or a few words about an object."""
        if self._chance(0.6):
            return self.make(depth + 1)
        return self._object(depth + 1)

    def _tagged(self, depth: int) -> dict[str, Any]:
        word = self._pick(["anyOf", "oneOf"])
        tag = self._pick(["kind", "type", "a"])
        members: list[Any] = []
        for value in self._some(["one", "two", "Three", "", "é", 1, True, None], 2, 4):
            member = {"type": "object", **self._object(depth + 1)}
            properties = {**member.get("properties", {}), tag: self._pick([{"const": value}, {"enum": [value]}])}
            required = [*member.get("required", [])]
            if tag not in required and self._chance(0.9):
                required.append(tag)
            members.append({**member, "properties": properties, "required": required})
        if self._chance(0.1):
            members.append({"type": "null"})
        return {word: members}
