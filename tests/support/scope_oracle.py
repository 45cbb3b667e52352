"""What a schema that is spread over files says of a value, read straight from the specification.

It knows the keywords that `random_scopes` writes. Validators are no oracle here by themselves: some forget the base URI
of what a `$dynamicRef` led to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urldefrag, urljoin

Schema = dict[str, Any]


@dataclass(frozen=True, eq=False)
class _Resource:
    """A schema resource: its root, and the address of the file that it stands in."""

    root: Schema
    address: str


class Oracle:
    """The files by their addresses; `main` is the address of the schema that values are checked against."""

    def __init__(self, files: dict[str, Schema], main: str) -> None:
        self._resources: dict[int, _Resource] = {}
        for address, schema in files.items():
            self._register(schema, address, None)
        self._files = {address: self._resources[id(schema)] for address, schema in files.items()}
        self._main = self._files[main]

    def is_valid(self, value: Any) -> bool:
        """Return whether a value is valid."""
        return self._evaluate(self._main.root, (self._main,), value) is not None

    def _register(self, schema: Any, address: str, resource: _Resource | None) -> None:
        """Note which resource each schema object belongs to."""
        if isinstance(schema, list):
            for inner in schema:
                self._register(inner, address, resource)
        elif isinstance(schema, dict):
            if resource is None or "$id" in schema:
                resource = _Resource(schema, address)
            self._resources[id(schema)] = resource
            for inner in schema.values():
                self._register(inner, address, resource)

    def _evaluate(self, schema: Schema, scope: tuple[_Resource, ...], value: Any) -> set[str] | None:
        """Return the names of the properties that were evaluated, None where the value is not valid (core, section
        11.3).
        """
        resources = self._resources[id(schema)]
        scope = (*scope, resources)
        evaluated: set[str] = set()
        for target in self._referred(schema, resources, scope):
            found = self._evaluate(target, scope, value)
            if found is None:
                return None
            evaluated |= found
        if not _is_of_type(schema.get("type"), value):
            return None
        items = schema.get("items", {}) if isinstance(value, list) else None
        if items and any(self._evaluate(items, scope, item) is None for item in value):
            return None
        if isinstance(value, dict):
            for name, inner in schema.get("properties", {}).items():
                if name in value:
                    evaluated.add(name)
                    if self._evaluate(inner, scope, value[name]) is None:
                        return None
            if not set(schema.get("required", ())) <= value.keys():
                return None
            if schema.get("unevaluatedProperties") is False and not value.keys() <= evaluated:
                return None
        return evaluated

    def _referred(self, schema: Schema, resource: _Resource, scope: tuple[_Resource, ...]) -> list[Schema]:
        """Return what `$ref` and `$dynamicRef` lead to (core, section 8.2.3)."""
        targets = [self._resolve(schema["$ref"], resource)] if "$ref" in schema else []
        if "$dynamicRef" in schema:
            target = self._resolve(schema["$dynamicRef"], resource)
            name = urldefrag(schema["$dynamicRef"]).fragment
            if target.get("$dynamicAnchor") == name:
                candidates = (self._anchor(item, name, ("$dynamicAnchor",)) for item in scope)
                target = next(item for item in (*candidates, target) if item is not None)
            targets.append(target)
        return targets

    def _resolve(self, reference: str, base: _Resource) -> Schema:
        address, fragment = urldefrag(reference)
        resource = self._files[urljoin(base.address, address)] if address else base
        if fragment and not fragment.startswith("/"):
            anchored = self._anchor(resource, fragment, ("$anchor", "$dynamicAnchor"))
            assert anchored is not None, reference
            return anchored
        schema = resource.root
        for token in fragment.split("/")[1:]:
            schema = schema[token]
        return schema

    def _anchor(self, resource: _Resource, name: str, keywords: tuple[str, ...]) -> Schema | None:
        """Return the schema of a resource that has an anchor, its inner resources left out."""
        stack: list[Any] = [resource.root]
        while stack:
            schema = stack.pop()
            if isinstance(schema, dict) and self._resources[id(schema)] is resource:
                if any(schema.get(keyword) == name for keyword in keywords):
                    return schema
                stack.extend(schema.values())
        return None


def _is_of_type(named: Any, value: Any) -> bool:
    kinds = {"object": dict, "array": list, "string": str, "integer": int}
    return named is None or any(
        isinstance(value, kinds[item]) for item in ([named] if isinstance(named, str) else named)
    )
