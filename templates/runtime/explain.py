"""Why a JSON value violates a schema: the few places that say so, found at bounded cost.

`jsonschema-rs` answers whether a value satisfies a schema in time that grows with the value. Its errors it can only
collect by going every way through the schema, of which there may be exponentially many. So errors are found by asking:
a part of the value fails a part of the schema; which smaller part of both fails?
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast
from urllib.parse import quote, unquote

import jsonschema_rs

from .applicators import APPLICATORS, Part, pointer_of, unevaluated
from .violations import EXPECTED, Problem, excerpt

MOST_PROBLEMS = 5
"""So many violations are told at most."""
_STEPS, _STEPS_FOR_EACH = 10_000, 30
"""Parts of the value that are looked at: at least so many, and so many times as it has."""
_MOST_VALIDATORS = 256
"""Compiled subschemas that are kept."""
_BASE = "https://mcpgen.invalid/schema"
_ALIASES = {"x-mcpgen-pattern": "pattern"}
_ONLY_DRAFT_07 = frozenset({"additionalItems"})
_ONLY_2020_12 = frozenset({"dependentRequired", "dependentSchemas", "prefixItems"})
MISSING: Any = object()
"""What is at a pointer that leads nowhere."""


class Explainer:
    """Finds the violations of one schema, and keeps what it compiled for that."""

    def __init__(
        self,
        schema: dict[str, Any] | bool,
        draft_07: bool,
        made_of: Callable[[dict[str, Any], jsonschema_rs.Registry | None], jsonschema_rs.Validator],
    ) -> None:
        """Prepare to explain.

        Args:
            schema: the whole schema, as it is compiled for the check.
            draft_07: whether its dialect is draft-07; otherwise it is 2020-12.
            made_of: makes a validator of a schema and a registry that its references lead to.
        """
        self.schema, self.draft_07 = schema, draft_07
        self._made_of = made_of
        own = "" if isinstance(schema, bool) else str(schema.get("$id", "")).partition("#")[0]
        self._base = own if ":" in own else _BASE
        self._registry = jsonschema_rs.Registry(
            [(self._base, schema)],
            draft=jsonschema_rs.Draft7 if draft_07 else jsonschema_rs.Draft202012,
        )
        self._validators: dict[str, jsonschema_rs.Validator] = {}
        self._anchors: dict[str, str] | None = {}
        self.declared: set[str] = set()
        """The names of all properties that the schema declares somewhere."""
        for pointer, held in _walk(schema):
            if isinstance(held.get("properties"), dict):  # in data it may be anything
                self.declared.update(held["properties"])
            for keyword in ("$anchor", "$dynamicAnchor"):
                if self._anchors is not None and isinstance(held.get(keyword), str):
                    self._anchors[held[keyword]] = pointer
            if pointer and isinstance(held.get("$id"), str):
                self._anchors = None  # references are then relative to more than one place

    def explain(self, value: Any) -> list[Problem]:
        """Return the first violations of a value that is known to violate the schema, at least one of them."""
        return _Search(self, value).problems()

    def validator(self, pointer: str) -> jsonschema_rs.Validator:
        """Return the validator of the subschema at a JSON pointer."""
        return self._kept(pointer, {"$ref": f"{self._base}#{quote(pointer)}"})

    def assertion(self, pointer: str, keyword: str, argument: Any) -> jsonschema_rs.Validator:
        """Return the validator of a keyword without subschemas, of the subschema at a JSON pointer."""
        return self._kept(f"{pointer} {keyword}", {keyword: argument})

    def _kept(self, key: str, schema: dict[str, Any]) -> jsonschema_rs.Validator:
        made = self._validators.get(key)
        if made is None:
            if len(self._validators) >= _MOST_VALIDATORS:
                self._validators.clear()
            made = self._validators[key] = self._made_of(schema, self._registry)
        return made

    def target(self, ref: str) -> tuple[str, Any] | None:
        """Return the pointer and the schema that a reference leads to, None where only the validator knows."""
        if self._anchors is None or not ref.startswith("#"):
            return None
        fragment = unquote(ref[1:])
        pointer = self._anchors.get(fragment) if fragment[:1] not in ("", "/") else fragment
        found = MISSING if pointer is None else look_up(self.schema, pointer)
        return None if found is MISSING else (cast(str, pointer), found)


class _Exhausted(Exception):
    """No more parts of the value may be looked at."""


class _Search:
    """The search for the violations of one value."""

    def __init__(self, explainer: Explainer, value: Any) -> None:
        self._explainer, self._value = explainer, value
        self._sizes = _sizes(value)
        self._left = _STEPS + _STEPS_FOR_EACH * self._sizes.get(id(value), 1)
        self.target = explainer.target

    def problems(self) -> list[Problem]:
        """Return the first violations, in the order of the schema."""
        found: dict[Problem, None] = {}
        todo = [Part("", self._explainer.schema, self._value, ())]
        seen: set[tuple[str, tuple[str | int, ...]]] = set()
        while todo and len(found) < MOST_PROBLEMS:
            part = todo.pop()
            if (part.pointer, part.path) in seen:
                continue
            seen.add((part.pointer, part.path))
            inner: list[Part] = []
            try:
                for item in self._violations(part):
                    if isinstance(item, Problem):
                        found[item] = None
                    else:
                        inner.append(item)
                    if len(found) + len(inner) >= MOST_PROBLEMS:
                        break
            except (_Exhausted, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
                found[_unknown(part)] = (
                    None  # too much to look at, or only the whole can be compiled
                )
            todo.extend(reversed(inner))
        if not found:
            found[_unknown(Part("", None, self._value, ()))] = None
        return [*found][:MOST_PROBLEMS]

    def _violations(self, part: Part) -> Iterator[Problem | Part]:
        schema: dict[str, Any] | bool = part.schema
        if isinstance(schema, bool):
            yield Problem(part.path, "false schema", "should not be there")
            return
        only_ref = self._explainer.draft_07 and "$ref" in schema
        there = False
        for keyword in ("$ref",) if only_ref else schema:
            for item in self._violations_of(part, keyword, schema[keyword]):
                there = True
                yield item
        if there:
            return
        last = [one for one in ("unevaluatedProperties", "unevaluatedItems") if one in schema]
        if last and not self._explainer.draft_07:
            yield from unevaluated(self, part, last[0])
        else:
            yield _unknown(part)

    def _violations_of(self, part: Part, keyword: str, argument: Any) -> Iterator[Problem | Part]:
        if keyword in (_ONLY_2020_12 if self._explainer.draft_07 else _ONLY_DRAFT_07):
            return
        if keyword in APPLICATORS:
            yield from APPLICATORS[keyword](self, part, argument)
        elif keyword == "required":
            for name in argument if isinstance(part.value, dict) else ():
                if name not in part.members:
                    yield Problem((*part.path, name), keyword, "is required")
        elif (said := _ALIASES.get(keyword, keyword)) in EXPECTED:
            self._spend(part.value)
            validator = self._explainer.assertion(part.pointer, keyword, argument)
            if not validator.is_valid(part.value):
                yield Problem(part.path, said, EXPECTED[said](argument), excerpt(part.value))

    # --- asking ------------------------------------------------------------------------------------------------------
    def is_valid(self, part: Part) -> bool:
        """Return whether a part of the value satisfies a subschema."""
        if isinstance(part.schema, bool):
            return part.schema
        self._spend(part.value)
        return self._explainer.validator(part.pointer).is_valid(part.value)

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether a text matches a regular expression."""
        self._spend(text)
        return self._explainer.assertion(f"/{pattern}", "pattern", pattern).is_valid(text)

    def without_undeclared(self, part: Part) -> set[str]:
        """Return the members without which the value is fine, none where they cannot be told."""
        undeclared = part.members.keys() - self._explainer.declared
        rest = {name: item for name, item in part.members.items() if name not in undeclared}
        return undeclared if self.is_valid(part._replace(value=rest)) else set()

    def _spend(self, value: Any) -> None:
        self._left -= self._sizes.get(id(value), 1)
        if self._left < 0:
            raise _Exhausted


def _unknown(part: Part) -> Problem:
    return Problem(part.path, "schema", "should satisfy the schema", excerpt(part.value))


def _sizes(value: Any) -> dict[int, int]:
    """Return how many values each array and object holds, itself included, by their ids."""
    containers: list[Any] = []
    sizes: dict[int, int] = {}
    todo = [value]
    while todo:
        inner = todo.pop()
        if isinstance(inner, dict | list | tuple) and id(cast(object, inner)) not in sizes:
            sizes[id(cast(object, inner))] = 1
            containers.append(inner)
            todo.extend(_items_of(inner))
    for container in reversed(containers):
        sizes[id(container)] = 1 + sum(sizes.get(id(item), 1) for item in _items_of(container))
    return sizes


def _items_of(container: Any) -> Any:
    return cast(Any, container).values() if isinstance(container, dict) else container


# --- inside the schema -----------------------------------------------------------------------------------------------
def look_up(schema: Any, pointer: str) -> Any:
    """Return what is at a JSON pointer (RFC 6901), `MISSING` where there is nothing."""
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        try:
            schema = schema[int(key) if isinstance(schema, list) else key]
        except (KeyError, IndexError, ValueError, TypeError):
            return MISSING
    return schema


def _walk(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object in a schema with its JSON pointer; some of them may be data, which does no harm here."""
    todo: list[tuple[str, Any]] = [("", schema)]
    while todo:
        pointer, inner = todo.pop()
        if isinstance(inner, dict):
            held = cast(dict[str, Any], inner)
            yield pointer, held
            todo.extend((pointer + pointer_of((key,)), item) for key, item in held.items())
        elif isinstance(inner, list):
            items = enumerate(cast(Any, inner))
            todo.extend((f"{pointer}/{index}", item) for index, item in items)


__all__ = ["MISSING", "MOST_PROBLEMS", "Explainer", "look_up"]
