"""Random JSON Schemas over every keyword of 2020-12 and draft-07, the odd corners more often than life has them."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any, TypeAlias
from urllib.parse import quote

import hypothesis.strategies as st
from mcpgen.schema.keywords import DRAFT_07, DRAFT_2020_12
from support.random_keywords import (
    NAMES,
    ORDINARY,
    PATTERNS,
    Choices,
    make_number,
    make_prose,
    make_size,
    make_string,
    make_values,
)

Schema: TypeAlias = "dict[str, Any] | bool"

KINDS = ("object", "array", "string", "integer", "number", "boolean", "null")
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
    return _DocumentMaker(random, dialect).make_root(shared or {})


def shared_definitions(random: Random, dialect: str) -> dict[str, Schema]:
    """Some definitions that refer to nothing but each other, for several schemas to have in common."""
    return _DocumentMaker(random, dialect).make_definitions()


def batch(random: Random, dialect: str, size: int) -> list[dict[str, Any]]:
    """Schemas for one package: some have definitions in common, of which some differ in one copy."""
    common = shared_definitions(random, dialect)
    changed = {**common, random.choice(sorted(common)): {"type": "integer"}}
    draws = [random.random() for _ in range(size)]
    return [schema(random, dialect, common if share < 0.3 else changed if share < 0.4 else None) for share in draws]


class _References:
    """References that a schema may have, and the names of what they lead to."""

    def __init__(self, choices: Choices, is_new: bool) -> None:
        self._choices, self._is_new = choices, is_new
        self.ranks: dict[str, int] = {}
        """Each reference, and the rank of where it leads: definitions refer to higher ones only, so they end."""
        self.rank: int | None = -1
        """The rank of the definition that speaks of the same value as what is made now, None inside of that value."""
        self.dynamic: list[str] = []
        """References to dynamic anchors."""

    def list_allowed(self) -> list[str]:
        """Return the references that lead to no definition which is not complete yet."""
        return [ref for ref, rank in self.ranks.items() if self.rank is None or rank > self.rank]

    def add_definitions(self, holder: str, names: list[str]) -> None:
        """Add references to the definitions of a schema."""
        for index, name in enumerate(names):
            path = name.replace("~", "~0").replace("/", "~1")
            self.ranks[f"#/{holder}/{quote(path, safe='/~' if self._choices.chance(0.5) else '/~$')}"] = index

    def make_anchor(self, rank: int) -> dict[str, str]:
        """Return an anchor for a schema, which can be referred to from now on."""
        unused = [name for name in ("node", "item", "x-1", "a.b") if f"#{name}" not in self.ranks]
        if not unused:
            return {}
        name = self._choices.pick(unused)
        self.ranks[f"#{name}"] = rank
        if not self._is_new:
            return {"$id": f"#{name}"}
        if self._choices.chance(0.5):
            return {"$anchor": name}
        self.dynamic.append(f"#{name}")
        return {"$dynamicAnchor": name}


class _DocumentMaker:
    """Makes whole schemas: a root with definitions."""

    def __init__(self, random: Random, dialect: str) -> None:
        self._choices, self._is_new = Choices(random), dialect == DRAFT_2020_12
        self._maker = _Maker(self._choices, dialect)
        self._references = self._maker.references

    def make_root(self, shared: dict[str, Schema], inner: bool = False) -> dict[str, Any]:
        """Make a schema that also has `shared` definitions; `inner`: inside of another."""
        usual = bool(shared) or self._choices.chance(
            0.95
        )  # elsewhere, only pointers reach: validators look for no identifiers there
        holder = "$defs" if self._is_new == usual else "definitions"
        names = [name for name in self._choices.some(DEFINITIONS, 0, 3) if name not in shared]
        self._references.add_definitions(holder, [*shared, *names])
        ranks = {name: index for index, name in enumerate(names, len(shared))}
        named = names if usual else []
        resources = {
            name: f"resource{index}.json" for index, name in enumerate(named) if not inner and self._choices.chance(0.1)
        }
        anchors = {
            name: self._references.make_anchor(ranks[name])
            for name in named
            if name not in resources and self._choices.chance(0.25)
        }
        self._references.ranks |= {resource: ranks[name] for name, resource in resources.items()}
        target = self._choices.pick(ORDINARY) if self._choices.chance(0.1) else ""
        self._references.ranks |= ({"#": -1} if self._choices.chance(0.3) else {}) | (
            {f"#/properties/{target}": -1} if target else {}
        )
        top = self._references.make_anchor(-1) if self._is_new and self._choices.chance(0.1) else {}
        out: dict[str, Any] = self._make_root_keywords() | top
        if not self._is_new and "$ref" in out:
            out = {"allOf": [out]}  # beside a $ref, draft-07 has no definitions
        if target:
            out["properties"] = {target: self._maker.make_child(0), **out.get("properties", {})}
        definitions: dict[str, Schema] = {}
        for name, self._references.rank in ranks.items():
            definitions[name] = self._make_definition(anchors.get(name, {}), resources.get(name, ""))
        definitions |= deepcopy(shared)
        if definitions:
            out[holder] = definitions
        if not inner and (not self._is_new or self._choices.chance(0.1)):
            out["$schema"] = DRAFT_2020_12 if self._is_new else DRAFT_07 + self._choices.pick(["", "#"])
        if not inner and self._choices.chance(0.1):
            out["$id"] = self._choices.pick(["https://example.org/root", "https://example.org/a/b.json"])
        return out

    def _make_definition(self, anchor: dict[str, str], resource: str) -> Schema:
        if resource:
            inner = _DocumentMaker(self._choices.random, DRAFT_2020_12 if self._is_new else DRAFT_07).make_root(
                {}, inner=True
            )
            return {**inner, "$id": resource}
        definition: Schema = (
            {"$ref": self._choices.pick(list(self._references.ranks))}
            if self._choices.chance(0.01)
            else self._maker.make(1)
        )
        if not anchor or (not self._is_new and isinstance(definition, dict) and "$ref" in definition):
            return definition if not anchor else {"type": "string", **anchor}
        return {**(definition if isinstance(definition, dict) else {}), **anchor}

    def _make_root_keywords(self) -> dict[str, Any]:
        out = {"type": "object", **self._maker.make_object(0)} if self._choices.chance(0.5) else self._maker.make(0)
        if isinstance(out, bool):
            out = {"not": {}} if not out else {}
        if "type" in out and out["type"] == "object" and self._choices.chance(0.3):
            out |= self._maker.combiner.make(0)
        return out

    def make_definitions(self) -> dict[str, Schema]:
        """Make some definitions."""
        names = self._choices.some(DEFINITIONS, 1, 3)
        self._references.add_definitions("$defs" if self._is_new else "definitions", names)
        out: dict[str, Schema] = {}
        for self._references.rank, name in enumerate(names):
            out[name] = (
                {"type": "object", **self._maker.make_object(1)} if self._choices.chance(0.6) else self._maker.make(1)
            )
        return out


class _Maker:
    """Makes the subschemas of one schema."""

    def __init__(self, choices: Choices, dialect: str) -> None:
        self._choices, self._is_new = choices, dialect == DRAFT_2020_12
        self._left = choices.random.randint(2, 40)
        """Subschemas that may still be made."""
        self._weights = [weight * choices.random.choice((0.3, 1, 1, 4)) for weight in (1, 4, 1, 1, 1.5, 0.3)]
        """How likely each of `FORMS` is, in this schema."""
        self._mixed = choices.random.choice((0.03, 0.1, 0.4))
        """How often a subschema has two of them."""
        self._odd = choices.random.choice((0, 0.5, 1))
        """How likely an object has odd names."""
        self.references = _References(choices, self._is_new)
        self.combiner = _Combiner(choices, self)
        self._makers: dict[str, Callable[[int], dict[str, Any]]] = {
            "object": self.make_object,
            "array": self._make_array,
            "string": lambda _: make_string(choices),
            "integer": lambda _: make_number(choices),
            "number": lambda _: make_number(choices),
        }

    def make(self, depth: int) -> Schema:
        """Make a schema of any kind."""
        self._left -= 1
        if self._choices.chance(0.06):
            return self._choices.chance(0.75)
        out: dict[str, Any] = {}
        small = depth > 4 or self._left < 0
        for form in self._choices.random.choices(
            FORMS, self._weights, k=1 if self._choices.chance(1 - self._mixed) else 2
        ):
            out |= self._make_form(form, depth, small)
        if self._choices.chance(0.05):  # words of another type, which say nothing about this one
            out |= self._makers[self._choices.pick(list(self._makers))](depth)
        if self._choices.chance(0.03):
            out |= self._make_foreign(depth)
        return out | make_prose(self._choices)

    def make_child(self, depth: int) -> Schema:
        """Make a schema for something inside of the value."""
        rank, self.references.rank = self.references.rank, None
        child = self.make(depth + 1)
        self.references.rank = rank
        return child

    def _make_form(self, form: str, depth: int, small: bool) -> dict[str, Any]:
        kinds = list(KINDS if not small else KINDS[2:])
        match form:
            case "ref" if self.references.dynamic and self.references.rank is None and self._choices.chance(0.4):
                return {"$dynamicRef": self._choices.pick(self.references.dynamic)}
            case "ref" if refs := self.references.list_allowed():
                return {"$ref": self._choices.pick(refs)}
            case "combined" if not small:
                return self.combiner.make(depth)
            case "values":
                return make_values(self._choices)
            case "nothing":
                return {}
            case "types":
                named = self._choices.some(kinds, 1, 3)
                out: dict[str, Any] = {"type": named}
                for kind in named:
                    out |= self._makers[kind](depth) if kind in self._makers else {}
                return out
            case _:
                kind = self._choices.pick(kinds)
                return {"type": kind, **(self._makers[kind](depth) if kind in self._makers else {})}

    def _make_foreign(self, depth: int) -> dict[str, Any]:
        """Words that only the other dialect has."""
        if self._is_new:
            return self._choices.pick([{"additionalItems": False}, {"dependencies": {"a": ["b"]}}])
        foreign: list[dict[str, Any]] = [
            {"prefixItems": [self.make_child(depth)]},
            {"unevaluatedProperties": False},
            {"unevaluatedItems": False},
            {"dependentRequired": {"a": ["b"]}},
            {"dependentSchemas": {"a": False}},
            {"minContains": 2},
            {"$anchor": "a"},
            {"$dynamicRef": "#nowhere"},
        ]
        return self._choices.pick(foreign)

    # --- by type ------------------------------------------------------------------------------------------------
    def _make_array(self, depth: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        prefix, items = ("prefixItems", "items") if self._is_new else ("items", "additionalItems")
        if self._choices.chance(0.3):
            out[prefix] = [self.make_child(depth) for _ in range(self._choices.random.randint(1, 3))]
            if self._choices.chance(0.7):
                out[items] = (
                    self._choices.pick([False, False, True]) if self._choices.chance(0.6) else self.make_child(depth)
                )
            if self._choices.chance(0.5):
                out["minItems"] = len(out[prefix])
            if self._choices.chance(0.3):
                out["maxItems"] = len(out[prefix])
        elif self._choices.chance(0.75):
            out["items"] = self.make_child(depth)
        for keyword, share in (("minItems", 0.15), ("maxItems", 0.15)):
            if keyword not in out and self._choices.chance(share):
                out[keyword] = make_size(self._choices)
        if self._choices.chance(0.15):
            out["uniqueItems"] = self._choices.chance(0.9)
        if self._choices.chance(0.15):
            out["contains"] = self.make_child(depth)
        if self._choices.chance(0.12):
            out[self._choices.pick(["minContains", "maxContains"])] = make_size(self._choices)
        if self._choices.chance(0.08):
            out["unevaluatedItems"] = False if self._choices.chance(0.5) else self.make_child(depth)
        return out

    def make_object(self, depth: int) -> dict[str, Any]:
        """Make the keywords of an object."""
        out: dict[str, Any] = {}
        pool = NAMES if self._choices.chance(self._odd) else ORDINARY
        names = list(dict.fromkeys(self._choices.some(pool, 0, 5 if self._left > 0 else 1)))
        if names or self._choices.chance(0.1):
            out["properties"] = {name: self.make_child(depth) for name in names}
        if self._choices.chance(0.65):
            required = self._choices.some(names, 0, len(names))
            if self._choices.chance(0.08):
                required.append(self._choices.pick([name for name in NAMES if name not in required]))
            out["required"] = required
        if self._choices.chance(0.5):
            closed = self._choices.chance(0.6)
            out["additionalProperties"] = (
                False if closed else True if self._choices.chance(0.3) else self.make_child(depth)
            )
        if self._choices.chance(0.12):
            out["patternProperties"] = {
                pattern: self.make_child(depth) for pattern in self._choices.some(PATTERNS, 1, 2)
            }
        if self._choices.chance(0.06):
            out["propertyNames"] = self._choices.pick(
                [{"pattern": self._choices.pick(PATTERNS)}, {"maxLength": 3}, self.make_child(depth)]
            )
        for keyword, share in (("minProperties", 0.08), ("maxProperties", 0.08)):
            if self._choices.chance(share):
                out[keyword] = make_size(self._choices)
        if self._choices.chance(0.08):
            out["unevaluatedProperties"] = False if self._choices.chance(0.6) else self.make_child(depth)
        if self._choices.chance(0.1):
            out |= self._make_dependent(names or ["a"], depth)
        return out

    def _make_dependent(self, names: list[str], depth: int) -> dict[str, Any]:
        lists = {name: self._choices.some([*names, "other"], 0, 2) for name in self._choices.some(names, 1, 2)}
        deeper = {name: self.combiner.make_branch(depth) for name in self._choices.some(names, 1, 1)}
        if self._is_new and self._choices.chance(0.8):
            return self._choices.pick([{"dependentRequired": lists}, {"dependentSchemas": deeper}])
        return {"dependencies": {**lists, **deeper}}


class _Combiner:
    """Makes keywords that combine schemas."""

    def __init__(self, choices: Choices, maker: _Maker) -> None:
        self._choices, self._maker = choices, maker

    def make(self, depth: int) -> dict[str, Any]:
        """Make keywords that combine schemas."""
        match self._choices.pick(["anyOf", "anyOf", "oneOf", "oneOf", "tags", "null", "allOf", "allOf", "not", "if"]):
            case "tags":
                return self._make_tagged(depth)
            case "null":
                return {self._choices.pick(["anyOf", "oneOf"]): [self._maker.make(depth + 1), {"type": "null"}]}
            case "not":
                return {"not": self.make_branch(depth)}
            case "if":
                out: dict[str, Any] = {"if": self.make_branch(depth)}
                out |= {keyword: self.make_branch(depth) for keyword in self._choices.some(["then", "else"], 0, 2)}
                return out
            case keyword:
                return {keyword: [self.make_branch(depth) for _ in range(self._choices.random.randint(1, 3))]}

    def make_branch(self, depth: int) -> Schema:
        """Make a part of a combination: a whole schema, or a few words about an object."""
        if self._choices.chance(0.6):
            return self._maker.make(depth + 1)
        return self._maker.make_object(depth + 1)

    def _make_tagged(self, depth: int) -> dict[str, Any]:
        keyword = self._choices.pick(["anyOf", "oneOf"])
        tag = self._choices.pick(["kind", "type", "a"])
        members: list[Any] = []
        for value in self._choices.some(["one", "two", "Three", "", "é", 1, True, None], 2, 4):
            member = {"type": "object", **self._maker.make_object(depth + 1)}
            properties = {
                **member.get("properties", {}),
                tag: self._choices.pick([{"const": value}, {"enum": [value]}]),
            }
            required = [*member.get("required", [])]
            if tag not in required and self._choices.chance(0.9):
                required.append(tag)
            members.append({**member, "properties": properties, "required": required})
        if self._choices.chance(0.1):
            members.append({"type": "null"})
        return {keyword: members}
