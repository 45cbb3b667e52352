"""Random schemas that are spread over files, with identifiers, anchors and dynamic references between them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import dirname, normpath, relpath
from typing import Any

FOLDER = "https://folder.example/schemas/"
"""Where an oracle finds the files."""
ELSEWHERE = "https://elsewhere.example/schemas/"
"""Where a file says that it is whose `$id` is not its address."""
OTHERS = ("b.defs.json", "sub/c.defs.json", "sub/d.defs.json", "e.defs.json")
ANCHORS = ("node", "item")
KEYS = ("a", "b")


@dataclass(frozen=True)
class Files:
    """Some files by name, the name of the one to bundle, and values to hold against it."""

    main: str
    schemas: dict[str, Any]
    values: list[Any]

    def addresses(self) -> dict[str, Any]:
        """Return the schemas by the addresses where an oracle finds them."""
        return {FOLDER + name: schema for name, schema in self.schemas.items()}


def random_files(seed: int, plain: bool = False) -> Files:
    """Return the files and values of a seed, in a folder of their own.

    Those of a `plain` seed leave out what the Python library `jsonschema` gets wrong: it takes a `$ref` by the name of
    a `$dynamicAnchor` for a `$dynamicRef`, and resolves what a `$dynamicRef` led to against the place that it left.
    """
    return _Maker(random.Random(seed), f"s{seed}", plain).files()


class _Maker:
    def __init__(self, rng: random.Random, folder: str, plain: bool) -> None:
        self._rng, self._plain = rng, plain
        self._main = f"{folder}/tool{folder}.json"
        self._names = [self._main, *(f"{folder}/{name}" for name in OTHERS[: rng.randint(1, len(OTHERS))])]
        kinds: list[dict[str, Any]] = [{}] * 5
        self._ids = {name: rng.choice([*kinds, *_identifiers(name)]) for name in self._names}
        whole = self._names[1:] if plain else []
        self._anchors = {
            name: [anchor for anchor in ANCHORS if name in whole or rng.random() < 0.6] for name in self._names
        }
        self._inner = {name: not plain and rng.random() < 0.4 for name in self._names}

    def files(self) -> Files:
        """Return the files, then the values."""
        schemas = {name: self._file(name) for name in self._names}
        return Files(self._main, schemas, [self._value(4) for _ in range(12)])

    def _file(self, name: str) -> dict[str, Any]:
        anchors = self._anchors[name]
        definitions = {f"of_{anchor}": {self._anchor(): anchor, **self._schema(name, anchors, 1)} for anchor in anchors}
        definitions["plain"] = self._schema(name, anchors, 2)
        if self._inner[name]:
            within = {
                f"of_{anchor}": {self._anchor(): anchor, **self._schema(name, ANCHORS[:1], 0)} for anchor in ANCHORS[:1]
            }
            body = self._schema(name, ANCHORS[:1], 1)
            definitions["inner"] = {"$id": "inner-" + name.rpartition("/")[2], **body, "$defs": within}
        return {**self._ids[name], **self._schema(name, anchors, 2), "$defs": definitions}

    def _anchor(self) -> str:
        return "$dynamicAnchor" if self._plain or self._rng.random() < 0.8 else "$anchor"

    def _schema(self, name: str, anchors: Sequence[str], depth: int) -> dict[str, Any]:
        """A schema in a resource with these anchors; references stand below a property, so that values end them."""
        out: dict[str, Any] = {}
        choice = self._rng.random()
        if depth and choice < 0.6:
            out["properties"] = {key: self._child(name, anchors, depth - 1) for key in KEYS}
        elif depth and choice < 0.8:
            out["items"] = self._child(name, anchors, depth - 1)
        else:
            out["type"] = self._rng.choice(["integer", "string", ["object", "array"], ["integer", "object"]])
        if self._rng.random() < 0.15:
            out["unevaluatedProperties"] = False
        if self._rng.random() < 0.1:
            out["required"] = [self._rng.choice(KEYS)]
        return out

    def _child(self, name: str, anchors: Sequence[str], depth: int) -> dict[str, Any]:
        choice = self._rng.random()
        if choice < 0.4:
            return {"$ref": self._reference(name)}
        if choice < 0.8:
            return {"$dynamicRef": self._dynamic(name, anchors)}
        return self._schema(name, anchors, depth)

    def _reference(self, name: str) -> str:
        target_name = self._rng.choice(self._names)
        kinds = ["", "#/$defs/plain", *(["#/$defs/inner"] if self._inner[target_name] else [])]
        kinds += [] if self._plain else [f"#{anchor}" for anchor in self._anchors[target_name]]
        return self._way(name, target_name) + self._rng.choice(kinds)

    def _dynamic(self, name: str, anchors: Sequence[str]) -> str:
        near = [f"#{anchor}" for anchor in anchors]
        target_names = [] if self._plain else self._names
        far = [
            f"{self._way(name, target_name)}#{anchor}"
            for target_name in target_names
            for anchor in self._anchors[target_name]
        ]
        return self._rng.choice([*near * 4, *far] or [self._reference(name)])

    def _way(self, name: str, target_name: str) -> str:
        """How a file names another: by its address where its own is not the true one."""
        if self._plain or self._rng.random() < 0.2 or self._ids[name].get("$id", "").startswith(ELSEWHERE):
            return FOLDER + target_name
        return normpath(relpath(target_name, dirname(name) or "."))

    def _value(self, depth: int) -> Any:
        choice = self._rng.random()
        if depth and choice < 0.6:
            often = {"a": 0.7, "b": 0.7, "c": 0.1}
            return {key: self._value(depth - 1) for key, chance in often.items() if self._rng.random() < chance}
        if depth and choice < 0.75:
            return [self._value(depth - 1) for _ in range(self._rng.randint(0, 2))]
        return self._rng.choice([1, "x", None, {}, []])


def _identifiers(name: str) -> list[dict[str, Any]]:
    """Return what a file may say of itself: its address, that relative to its folder, and another address."""
    return [{"$id": FOLDER + name}, {"$id": name.rpartition("/")[2]}, {"$id": ELSEWHERE + name}]
